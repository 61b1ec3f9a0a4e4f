#include "sema/DType.h"

#include "ir/Dialects.h"
#include "support/Error.h"

#include "mlir/IR/BuiltinTypes.h"

namespace gluonc::sema {

namespace {

struct ScalarInfo {
  ScalarKind kind;
  llvm::StringLiteral shortName;
  llvm::StringLiteral name;
  unsigned bits;
};

// In the order of ScalarKind.
constexpr ScalarInfo scalars[] = {
    {ScalarKind::Void, "void", "void", 0},
    {ScalarKind::Int1, "u1", "int1", 1},
    {ScalarKind::Int8, "i8", "int8", 8},
    {ScalarKind::Int16, "i16", "int16", 16},
    {ScalarKind::Int32, "i32", "int32", 32},
    {ScalarKind::Int64, "i64", "int64", 64},
    {ScalarKind::UInt8, "u8", "uint8", 8},
    {ScalarKind::UInt16, "u16", "uint16", 16},
    {ScalarKind::UInt32, "u32", "uint32", 32},
    {ScalarKind::UInt64, "u64", "uint64", 64},
    {ScalarKind::Float8E5, "fp8e5", "fp8e5", 8},
    {ScalarKind::Float8E5B16, "fp8e5b16", "fp8e5b16", 8},
    {ScalarKind::Float8E4NV, "fp8e4nv", "fp8e4nv", 8},
    {ScalarKind::Float8E4B8, "fp8e4b8", "fp8e4b8", 8},
    {ScalarKind::Float8E4B15, "fp8e4b15", "fp8e4b15", 8},
    {ScalarKind::Float16, "fp16", "fp16", 16},
    {ScalarKind::BFloat16, "bf16", "bf16", 16},
    {ScalarKind::Float32, "fp32", "fp32", 32},
    {ScalarKind::Float64, "fp64", "fp64", 64},
};

const ScalarInfo &infoOf(ScalarKind kind) { return scalars[unsigned(kind)]; }

struct Alias {
  llvm::StringLiteral text;
  ScalarKind kind;
};

// Spellings beyond the two names of the table: Gluon's, torch's, NumPy's and MLIR's.
constexpr Alias aliases[] = {
    {"i1", ScalarKind::Int1},
    {"bool", ScalarKind::Int1},
    {"f16", ScalarKind::Float16},
    {"float16", ScalarKind::Float16},
    {"half", ScalarKind::Float16},
    {"bfloat16", ScalarKind::BFloat16},
    {"f32", ScalarKind::Float32},
    {"float32", ScalarKind::Float32},
    {"f64", ScalarKind::Float64},
    {"float64", ScalarKind::Float64},
    {"float8e5", ScalarKind::Float8E5},
    {"float8_e5m2", ScalarKind::Float8E5},
    {"float8e5b16", ScalarKind::Float8E5B16},
    {"float8_e5m2fnuz", ScalarKind::Float8E5B16},
    {"float8e4nv", ScalarKind::Float8E4NV},
    {"float8_e4m3fn", ScalarKind::Float8E4NV},
    {"float8e4b8", ScalarKind::Float8E4B8},
    {"float8_e4m3fnuz", ScalarKind::Float8E4B8},
    {"float8e4b15", ScalarKind::Float8E4B15},
};

} // namespace

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
  for (const ScalarInfo &info : scalars)
    if (text == info.shortName || text == info.name)
      return DType(info.kind);
  for (const Alias &alias : aliases)
    if (text == alias.text)
      return DType(alias.kind);
  return std::nullopt;
}

bool DType::isInt() const {
  return !isPointer() && kind >= ScalarKind::Int1 && kind <= ScalarKind::UInt64;
}

bool DType::isSignedInt() const {
  return !isPointer() && kind >= ScalarKind::Int8 && kind <= ScalarKind::Int64;
}

bool DType::isFloat() const { return !isPointer() && kind >= ScalarKind::Float8E5; }

bool DType::isFp8() const { return isFloat() && kind <= ScalarKind::Float8E4B15; }

unsigned DType::bitWidth() const { return isPointer() ? 64 : infoOf(kind).bits; }

std::string DType::shortName() const {
  if (isPointer())
    return (isConstPointer() ? "*k" : "*") + pointee().shortName();
  return infoOf(kind).shortName.str();
}

std::string DType::name() const {
  if (isPointer())
    return (isConstPointer() ? "const pointer<" : "pointer<") + pointee().name() + ">";
  return infoOf(kind).name.str();
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
    return mlir::IntegerType::get(context, infoOf(kind).bits);
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
  for (const ScalarInfo &info : scalars) {
    DType candidate(info.kind);
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
