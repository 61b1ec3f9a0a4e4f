#include "driver/LaunchParameters.h"

#include "layout/named/Layouts.h"
#include "target/nvidia/BoxCopies.h"

namespace gluonc::driver {

static cuda::TensorMapType mapType(sema::DType dtype, bool isPadded4Bits) {
  using cuda::TensorMapType;
  if (isPadded4Bits)
    return TensorMapType::Padded4Bits;
  switch (dtype.scalarKind()) {
  case sema::ScalarKind::Int16:
  case sema::ScalarKind::UInt16:
    return TensorMapType::UInt16;
  case sema::ScalarKind::UInt32:
    return TensorMapType::UInt32;
  case sema::ScalarKind::Int32:
    return TensorMapType::Int32;
  case sema::ScalarKind::UInt64:
    return TensorMapType::UInt64;
  case sema::ScalarKind::Int64:
    return TensorMapType::Int64;
  case sema::ScalarKind::Float16:
    return TensorMapType::Float16;
  case sema::ScalarKind::BFloat16:
    return TensorMapType::BFloat16;
  case sema::ScalarKind::Float32:
    return TensorMapType::Float32;
  case sema::ScalarKind::Float64:
    return TensorMapType::Float64;
  default:
    // Bytes, those of fp8 included.
    return TensorMapType::UInt8;
  }
}

/// The extents of one transfer, in the units of the descriptor.
static layout::Ints boxLengths(const sema::ArgSpec &spec, const layout::NVMMASharedLayout &layout) {
  if (!spec.isIm2Col) {
    layout::Ints lengths = layout.messageShape(spec.blockShape);
    // A descriptor of 4-bit elements counts these, the block counts their bytes.
    lengths.back() *= layout.fp4Padded ? 2 : 1;
    return lengths;
  }
  layout::Ints part = layout::shapePerCta(layout::Layout(layout), spec.blockShape);
  int64_t row = 8 * layout.swizzleByteWidth / layout.elementBitWidth;
  using namespace target::nvidia::tma;
  return {std::min(part[0], maxPixels), std::min(part[1], row ? row : maxBoxLength)};
}

static cuda::TensorBox boxOf(const sema::ArgSpec &spec) {
  cuda::TensorBox box;
  box.rank = spec.rank();
  box.isIm2Col = spec.isIm2Col;
  box.elementBytes = spec.dtype.byteSize();
  // Other layouts are refused when the kernel is compiled.
  const auto *layout = spec.constant.asLayout().as<layout::NVMMASharedLayout>();
  box.type = mapType(spec.dtype, layout && layout->fp4Padded);
  if (!layout)
    return box;
  box.swizzleBytes = static_cast<unsigned>(layout->swizzleByteWidth);
  layout::Ints lengths = boxLengths(spec, *layout);
  for (size_t i = 0; i != lengths.size(); ++i)
    box.box[i] = static_cast<uint32_t>(lengths[i]);
  return box;
}

LaunchParameters launchParameters(llvm::ArrayRef<sema::ArgSpec> arguments) {
  std::vector<const sema::ArgSpec *> flat;
  for (const sema::ArgSpec &argument : arguments)
    argument.flatten(flat);
  LaunchParameters result;
  // The scalars that follow a descriptor come from it.
  for (size_t i = 0; i != flat.size(); ++i) {
    const sema::ArgSpec &spec = *flat[i];
    if (spec.kind != sema::ArgSpec::Kind::Descriptor) {
      result.visible.push_back({spec.dtype, spec.dtype.shortName()});
      ++result.machineCount;
      continue;
    }
    result.hasDescriptors = true;
    result.visible.push_back({spec.dtype, spec.text(), boxOf(spec)});
    result.machineDescriptors.push_back(result.machineCount);
    result.machineCount += 1 + static_cast<unsigned>(spec.items.size());
    i += spec.items.size();
  }
  return result;
}

} // namespace gluonc::driver
