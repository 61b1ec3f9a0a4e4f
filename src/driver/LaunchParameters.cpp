#include "driver/LaunchParameters.h"

#include "layout/named/Layouts.h"
#include "target/amd/TensorMover.h"
#include "target/nvidia/BoxCopies.h"

namespace gluonc::driver {

static cuda::TensorMapType mapType(sema::DType dtype, bool isPadded4Bits) {
  if (isPadded4Bits)
    return cuda::TensorMapType::Padded4Bits;
  uint8_t code = numeric::factsOf(dtype.scalarKind()).boxCode;
  // Others are refused when the kernel is compiled.
  return code == numeric::none ? cuda::TensorMapType::UInt8 : cuda::TensorMapType(code);
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

static cuda::TensorBox boxOf(const sema::ArgSpec &spec, const layout::NVMMASharedLayout &layout) {
  cuda::TensorBox box;
  box.rank = spec.rank();
  box.isIm2Col = spec.isIm2Col;
  box.elementBytes = spec.dtype.byteSize();
  box.type = mapType(spec.dtype, layout.fp4Padded);
  box.swizzleBytes = static_cast<unsigned>(layout.swizzleByteWidth);
  layout::Ints lengths = boxLengths(spec, layout);
  for (size_t i = 0; i != lengths.size(); ++i)
    box.box[i] = static_cast<uint32_t>(lengths[i]);
  return box;
}

/// Zero for what is no integer.
static unsigned bitsOfInteger(sema::DType dtype) {
  return dtype.isPointer() || dtype.isFloat() ? 0 : dtype.bitWidth();
}

LaunchParameters launchParameters(llvm::ArrayRef<sema::ArgSpec> arguments) {
  using SpecKind = sema::ArgSpec::Kind;
  std::vector<const sema::ArgSpec *> flat;
  for (const sema::ArgSpec &argument : arguments)
    argument.flatten(flat);
  LaunchParameters result;
  const sema::ArgSpec *blocked = nullptr;
  // The scalars that follow a descriptor come from it.
  for (size_t i = 0; i != flat.size(); ++i) {
    const sema::ArgSpec &spec = *flat[i];
    if (spec.kind == SpecKind::BlockedTensor) {
      blocked = &spec;
      if (spec.items.front().kind == SpecKind::Descriptor)
        continue;
      result.hasDescriptors = true;
      result.visible.emplace_back(spec.dtype, spec.text()).expandedRank =
          unsigned(spec.blockShape.size());
      result.machineCount += static_cast<unsigned>(spec.items.size());
      i += spec.items.size();
      continue;
    }
    if (spec.kind != SpecKind::Descriptor) {
      if (unsigned bits = bitsOfInteger(spec.dtype); bits && bits < 64)
        result.narrowIntegers.push_back({static_cast<unsigned>(result.visible.size()), bits});
      result.visible.emplace_back(spec.dtype, spec.dtype.shortName());
      ++result.machineCount;
      continue;
    }
    result.hasDescriptors = true;
    bool isOfBlocked = blocked && &blocked->items.front() == &spec;
    LaunchParameter &parameter =
        result.visible.emplace_back(spec.dtype, (isOfBlocked ? *blocked : spec).text());
    // Layouts that a target's engine does not know are refused when the kernel is compiled.
    if (const auto *layout = spec.constant.asLayout().as<layout::NVMMASharedLayout>()) {
      parameter.box = boxOf(spec, *layout);
      result.machineDescriptors.push_back(result.machineCount++);
    } else {
      parameter.block = hip::TensorBlock{spec.rank(), unsigned(spec.dtype.byteSize())};
      result.machineCount += target::amd::tdm::wordCount(spec.rank());
    }
    result.machineCount += static_cast<unsigned>(spec.items.size());
    i += spec.items.size();
  }
  return result;
}

} // namespace gluonc::driver
