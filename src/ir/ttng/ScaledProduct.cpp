#include "ir/ttng/ScaledProduct.h"

#include "ir/Encoding.h"
#include "target/Features.h"

using namespace mlir;

namespace gluonc::ttng {

namespace tmem = target::nvidia::tmem;
namespace tcgen05 = target::nvidia::tcgen05;

namespace {

/// A mutable buffer that is not part of another one.
ttg::MemDescType buffer(ArrayRef<int64_t> shape, Type element, const layout::Layout &layout,
                        Attribute space) {
  return ttg::MemDescType::get(shape, element, fromLayout(element.getContext(), layout), space,
                               /*mutableMemory=*/true, shape);
}

Type elementOf(tt::ScaleDotElemType format, MLIRContext *context) {
  switch (format) {
  case tt::ScaleDotElemType::E4M3:
    return Float8E4M3FNType::get(context);
  case tt::ScaleDotElemType::E5M2:
    return Float8E5M2Type::get(context);
  default:
    return IntegerType::get(context, 8);
  }
}

} // namespace

std::optional<ScaledOperands> placesOf(const ScaledProduct &product, const target::Target &target,
                                       int64_t warps, std::string &why) {
  auto no = [&](llvm::StringRef reason) {
    why = reason.str();
    return std::nullopt;
  };
  if (!target::has(target, target::Feature::TensorMemory))
    return no("the chip has no tensor memory");
  if (product.m % int64_t(tmem::rows) || product.block <= 0)
    return no("its rows are no multiple of 128");
  MLIRContext *context = product.scale.getContext();
  constexpr tt::ScaleDotElemType e2m1 = tt::ScaleDotElemType::E2M1;
  auto shared = [&](ArrayRef<int64_t> shape, tt::ScaleDotElemType format,
                    tt::ScaleDotElemType other, bool isTransposed) {
    // Beside elements of 8 bits those of 4 have a byte each.
    layout::Layout layout = layout::NVMMASharedLayout::defaultFor(
        shape, 8, isTransposed, /*fp4Padded=*/format == e2m1 && other != e2m1);
    return buffer(shape, elementOf(format, context), layout,
                  ttg::SharedMemorySpaceAttr::get(context));
  };
  auto bytes = [&](tt::ScaleDotElemType format) {
    return format == e2m1 ? product.k / 2 : product.k;
  };
  Attribute space = TensorMemorySpaceAttr::get(context);
  layout::Layout scales{layout::TensorMemoryScalesLayout{}};
  layout::Layout sum(layout::TensorMemoryLayout{
      .block = {int64_t(tmem::rows), std::min<int64_t>(product.n, tcgen05::maxColumns)},
      .colStride = 1,
      .cga = {}});
  const int64_t count = product.k / product.block;
  ScaledOperands places{
      shared({product.m, bytes(product.aFormat)}, product.aFormat, product.bFormat, false),
      shared({bytes(product.bFormat), product.n}, product.bFormat, product.aFormat,
             product.isContiguousAlongK),
      buffer({product.m, product.n}, Float32Type::get(context), sum, space),
      buffer({product.m, count}, product.scale, scales, space),
      buffer({product.n, count}, product.scale, scales, space),
      product.aFormat,
      product.bFormat};
  auto found = tensorProduct(places, why);
  if (!found)
    return std::nullopt;
  if (!tcgen05::has(target, found->form.kind))
    return no("the chip has no such product");
  int64_t columns = 0;
  for (ttg::MemDescType each : {places.d, places.aScale, places.bScale}) {
    if (!tensorMemoryRegisters(each, "32x32b", warps, why))
      return std::nullopt;
    columns += columnsOfBuffer(each);
  }
  return columns <= int64_t(tmem::columns) ? std::optional(places)
                                           : no("tensor memory has no room for it");
}

} // namespace gluonc::ttng
