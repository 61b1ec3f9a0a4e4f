#include "sema/value/DType.h"

#include "ir/Dialects.h"
#include "support/Error.h"

#include "mlir/IR/BuiltinTypes.h"

namespace gluonc::sema {

using numeric::factsOf;
using numeric::NumberKind;

DType DType::pointer(DType pointee, bool isConst, unsigned addressSpace) {
  DType result = pointee;
  GL_CHECK(pointee.pointerDepth < 7);
  result.constLevels |= uint8_t(isConst) << pointee.pointerDepth;
  ++result.pointerDepth;
  result.space = uint8_t(addressSpace);
  return result;
}

DType DType::pointee() const {
  GL_CHECK(isPointer());
  DType result = *this;
  --result.pointerDepth;
  result.constLevels &= uint8_t((1u << result.pointerDepth) - 1);
  if (!result.isPointer())
    result.space = 0;
  return result;
}

std::optional<DType> DType::parse(llvm::StringRef text) {
  text = text.trim();
  constexpr unsigned maxPointerDepth = 7;
  if (text.count('*') > maxPointerDepth)
    return std::nullopt;
  bool isConst = text.consume_front("const ");
  if (isConst)
    text = text.ltrim();
  if (text.consume_front("*")) {
    isConst |= text.consume_front("k");
    std::optional<DType> pointee = parse(text);
    if (!pointee)
      return std::nullopt;
    return pointer(*pointee, isConst);
  }
  if (isConst)
    return std::nullopt;
  if (!text.consume_front("gl."))
    text.consume_front("tl.");
  const numeric::DTypeFacts *facts = numeric::findDType(text);
  return facts ? std::optional<DType>(facts->kind) : std::nullopt;
}

bool DType::isInt() const { return !isPointer() && factsOf(kind).isInt(); }

bool DType::isSignedInt() const {
  return !isPointer() && factsOf(kind).number == NumberKind::Signed;
}

bool DType::isFloat() const { return !isPointer() && factsOf(kind).number == NumberKind::Float; }

bool DType::isFp8() const { return isFloat() && factsOf(kind).bits == 8; }

unsigned DType::bitWidth() const { return isPointer() ? 64 : factsOf(kind).bits; }

std::string DType::shortName() const {
  if (isPointer())
    return (isConstPointer() ? "*k" : "*") + pointee().shortName();
  return std::string(factsOf(kind).signature);
}

std::string DType::name() const {
  if (isPointer())
    return (isConstPointer() ? "const pointer<" : "pointer<") + pointee().name() + ">";
  return std::string(factsOf(kind).name());
}

mlir::Type DType::toMlir(mlir::MLIRContext *context) const {
  if (isPointer())
    return tt::PointerType::get(pointee().toMlir(context), addressSpace());
  switch (kind) {
  case ScalarKind::Void:
    return mlir::NoneType::get(context);
  case ScalarKind::Float8E5:
    return mlir::Float8E5M2Type::get(context);
  case ScalarKind::Float8E5B16:
    return mlir::Float8E5M2FNUZType::get(context);
  case ScalarKind::Float8E4NV:
    return mlir::Float8E4M3FNType::get(context);
  case ScalarKind::Float8E4B8:
    return mlir::Float8E4M3FNUZType::get(context);
  case ScalarKind::Float16:
    return mlir::Float16Type::get(context);
  case ScalarKind::BFloat16:
    return mlir::BFloat16Type::get(context);
  case ScalarKind::Float32:
    return mlir::Float32Type::get(context);
  case ScalarKind::Float64:
    return mlir::Float64Type::get(context);
  default:
    // Integers are signless; fp8e4b15 has no MLIR type and travels as bytes.
    return mlir::IntegerType::get(context, factsOf(kind).bits);
  }
}

std::optional<DType> DType::fromMlir(mlir::Type type) {
  if (auto ptr = mlir::dyn_cast<tt::PointerType>(type)) {
    std::optional<DType> pointee = fromMlir(ptr.getPointeeType());
    if (!pointee || pointee->pointerDepth >= 7)
      return std::nullopt;
    return pointer(*pointee, false, static_cast<unsigned>(ptr.getAddressSpace()));
  }
  bool isUnsigned = type.isUnsignedInteger();
  if (auto integer = mlir::dyn_cast<mlir::IntegerType>(type))
    type = mlir::IntegerType::get(type.getContext(), integer.getWidth());
  for (const numeric::DTypeFacts &facts : numeric::dtypes) {
    DType candidate(facts.kind);
    if (candidate.isVoid() || candidate.toMlir(type.getContext()) != type)
      continue;
    // fp8e4b15 travels as bytes, and bytes are no fp8e4b15.
    if (candidate.isBool() || (candidate.isInt() ? candidate.isUnsignedInt() == isUnsigned
                                                 : !mlir::isa<mlir::IntegerType>(type)))
      return candidate;
  }
  return std::nullopt;
}

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, DType dtype) { return os << dtype.name(); }

} // namespace gluonc::sema
