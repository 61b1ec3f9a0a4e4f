#include "codegen/core/RegisterTypes.h"

#include "codegen/core/Isa.h"
#include "ir/Dialects.h"
#include "ir/Encoding.h"
#include "support/Error.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;

namespace gluonc::codegen {

Type *RegisterTypes::ofElement(mlir::Type type) const {
  if (tt::PointerType pointer = dyn_cast<tt::PointerType>(type))
    return PointerType::get(context, pointer.getAddressSpace());
  if (type.isIndex())
    return Type::getInt64Ty(context);
  if (type.isF32())
    return Type::getFloatTy(context);
  if (type.isF16())
    return Type::getHalfTy(context);
  if (type.isBF16())
    return Type::getBFloatTy(context);
  if (type.isF64())
    return Type::getDoubleTy(context);
  // Integers, and 8-bit floats, which only conversions look into.
  GL_CHECK(type.isIntOrFloat());
  return Type::getIntNTy(context, type.getIntOrFloatBitWidth());
}

SmallVector<Type *> RegisterTypes::ofRegisters(mlir::Type type) {
  if (isa<ttg::AsyncTokenType>(type))
    return {};
  if (ttg::MemDescType buffer = dyn_cast<ttg::MemDescType>(type)) {
    if (buffer.isTensorMemory())
      return {Type::getInt32Ty(context)};
    SmallVector<Type *> types(1 + buffer.getRank(), Type::getInt32Ty(context));
    types[0] = PointerType::get(context, SharedSpace);
    return types;
  }
  if (mlir::RankedTensorType tensor = dyn_cast<mlir::RankedTensorType>(type))
    return SmallVector<Type *>(registerCount(tensor), ofElement(tensor.getElementType()));
  if (ttng::Descriptor descriptor = ttng::descriptorOf(type))
    return hardware.descriptorRegisters(context, descriptor.shape.size());
  return {ofElement(type)};
}

const LinearLayout &RegisterTypes::layoutOf(mlir::Type type) {
  std::unique_ptr<LinearLayout> &layout = layouts[type];
  if (!layout)
    layout = std::make_unique<LinearLayout>(
        toLinear(cast<mlir::RankedTensorType>(type)).removeZeroBases(Dim::Register));
  return *layout;
}

unsigned RegisterTypes::registerCount(mlir::Type type) {
  if (isa<mlir::RankedTensorType>(type))
    return layoutOf(type).inSize(Dim::Register);
  return ofRegisters(type).size();
}

} // namespace gluonc::codegen
