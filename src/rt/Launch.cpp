//===- Launch.cpp - Choosing and launching --------------------------------------------===//
#include "rt/Load.h"

using namespace gluonc;
using namespace gluonc::rt;
namespace format = bundle::format;

namespace {

TensorDescription describe(const gluonc_rt_tensor &tensor) {
  TensorDescription made;
  made.base = reinterpret_cast<uintptr_t>(tensor.base);
  made.rank = tensor.rank;
  std::copy(std::begin(tensor.shape), std::end(tensor.shape), made.shape.begin());
  std::copy(std::begin(tensor.strides), std::end(tensor.strides), made.strides.begin());
  made.nanPadding = tensor.nan_padding != 0;
  made.roundToTf32 = tensor.round_to_tf32 != 0;
  for (unsigned i = 0; i != TensorDescription::maxRank; ++i)
    made.elementStrides[i] = std::max(tensor.element_strides[i], 1u);
  std::copy(std::begin(tensor.lower_corner), std::end(tensor.lower_corner),
            made.lowerCorner.begin());
  std::copy(std::begin(tensor.upper_corner), std::end(tensor.upper_corner),
            made.upperCorner.begin());
  return made;
}

/// The number in a slot, in the low `bits`: what is above repeats the sign, or is zero.
bool fits(uint64_t slot, unsigned bits) {
  return slot >> bits == 0 || static_cast<int64_t>(slot) >> (bits - 1) == -1;
}

std::string argumentName(const gluonc_rt_kernel &kernel, size_t index) {
  const bundle::Bundle &bundle = kernel.owner->bundle;
  return (bundle.text(kernel.record->name) + ": " + bundle.text(kernel.parameters[index].name))
      .str();
}

gluonc_rt_status refuseTensor(const gluonc_rt_kernel &kernel, unsigned index,
                              const gluonc_rt_tensor *tensor, gluonc_rt_error **error) {
  std::string text = argumentName(kernel, index);
  if (!tensor)
    return fail(GLUONC_RT_USAGE_ERROR, text + " is null", error);
  return fail(GLUONC_RT_USAGE_ERROR,
              text + " has rank " + std::to_string(tensor->rank) + ", not " +
                  std::to_string(kernel.parameters[index].rank),
              error);
}

/// What a caller gives for any variant.
gluonc_rt_status checkValues(const gluonc_rt_kernel &kernel, const uint64_t *values, size_t count,
                             gluonc_rt_error **error) {
  if (count != kernel.parameters.size()) [[unlikely]]
    return fail(GLUONC_RT_USAGE_ERROR,
                std::string(gluonc_rt_kernel_name(&kernel)) + " takes " +
                    std::to_string(kernel.parameters.size()) + " launch arguments, not " +
                    std::to_string(count),
                error);
  for (auto [index, bits] : kernel.narrowIntegers)
    if (!fits(values[index], bits)) [[unlikely]]
      return fail(GLUONC_RT_USAGE_ERROR,
                  argumentName(kernel, index) + " is " +
                      std::to_string(static_cast<int64_t>(values[index])) + ", which " +
                      kernel.owner->bundle.text(kernel.parameters[index].type).str() +
                      " cannot hold",
                  error);
  for (unsigned index : kernel.tensors) {
    auto *tensor = reinterpret_cast<const gluonc_rt_tensor *>(values[index]);
    if (!tensor || tensor->rank != kernel.parameters[index].rank) [[unlikely]]
      return refuseTensor(kernel, index, tensor, error);
  }
  return GLUONC_RT_OK;
}

gluonc_rt_status noVariant(const gluonc_rt_kernel &kernel, const target::Target &chip,
                           const uint64_t *values, gluonc_rt_error **error) {
  return fail(GLUONC_RT_USAGE_ERROR, whyNone(kernel.owner->bundle, *kernel.record, chip, values),
              error);
}

/// Slots of a variant that does not take the caller's as they are.
template <class Api, class Append>
gluonc_rt_status expand(const gluonc_rt_kernel &kernel, const Candidate<Api> &candidate,
                        const uint64_t *values, runtime::Slots &slots, gluonc_rt_error **error,
                        Append append) {
  for (size_t i = 0; i != candidate.arguments.size(); ++i) {
    const format::Argument &argument = candidate.arguments[i];
    uint64_t value = values[argument.parameter];
    if (argument.kind == format::ArgumentKind::Slot) {
      slots.push_back(value);
      continue;
    }
    TensorDescription tensor = describe(*reinterpret_cast<const gluonc_rt_tensor *>(value));
    if (llvm::Error failure = runtime::check(candidate.tensors[i], tensor))
      return fail(GLUONC_RT_USAGE_ERROR,
                  argumentName(kernel, argument.parameter) + ": " +
                      llvm::toString(std::move(failure)),
                  error);
    if (llvm::Error failure = append(candidate.tensors[i], tensor))
      return fail(GLUONC_RT_UNAVAILABLE, std::move(failure), error);
  }
  return GLUONC_RT_OK;
}

gluonc_rt_status expand(const gluonc_rt_kernel &kernel,
                        const Candidate<runtime::CudaApi> &candidate, const uint64_t *values,
                        runtime::Slots &slots, llvm::SmallVectorImpl<cuda::TensorMap> &maps,
                        gluonc_rt_error **error) {
  // Never grows again: slots point into it.
  maps.resize_for_overwrite(candidate.maps);
  cuda::TensorMap *next = maps.begin();
  return expand(kernel, candidate, values, slots, error, [&](auto &parameter, auto &tensor) {
    return runtime::append(*kernel.owner->cuda.driver, parameter, tensor, next, slots);
  });
}

gluonc_rt_status expand(const gluonc_rt_kernel &kernel, const Candidate<runtime::HipApi> &candidate,
                        const uint64_t *values, runtime::Slots &slots,
                        llvm::SmallVectorImpl<cuda::TensorMap> &, gluonc_rt_error **error) {
  return expand(kernel, candidate, values, slots, error, [&](auto &parameter, auto &tensor) {
    runtime::append(parameter, tensor, slots);
    return llvm::Error::success();
  });
}

template <class Api>
gluonc_rt_status enter(const typename Api::Launcher &launcher, runtime::Grid grid, void *stream,
                       const uint64_t *slots, gluonc_rt_error **error) {
  auto result = launcher.launch(grid, static_cast<typename Api::Stream>(stream), slots);
  if (!result) [[likely]]
    return GLUONC_RT_OK;
  return fail(GLUONC_RT_UNAVAILABLE,
              launcher.device().driver().fail(result, launcher.describeFailure(result, grid)),
              error);
}

/// Null where a launch fits none.
template <class Api>
Candidate<Api> *choose(const gluonc_rt_kernel &kernel, const OnDevice<Api> &place,
                       const uint64_t *values) {
  for (const Run &run : place.runs) {
    int64_t value = run.bits ? bundle::signExtended(values[run.parameter], run.bits) : 0;
    for (uint32_t i = run.begin; i != run.end; ++i)
      if (value == place.operands[i] &&
          bundle::hold(place.candidates[i]->conditions, kernel.parameters, values))
        return place.candidates[i].get();
  }
  return nullptr;
}

/// What a kernel has on the thread's current device. Null after a report.
template <class Api>
OnDevice<Api> *currentPlace(gluonc_rt_kernel &kernel, gluonc_rt_error **error) {
  int ordinal = currentDevice(vendorOf(*kernel.owner, Api()));
  if (ordinal >= 0 && ordinal < mostDevices) [[likely]]
    if (OnDevice<Api> *known =
            placesOf(kernel, Api()).byDevice[ordinal].load(std::memory_order_acquire)) [[likely]]
      return known;
  llvm::Expected<OnDevice<Api> *> made = placeOn<Api>(kernel, ordinal);
  if (made)
    return *made;
  fail(GLUONC_RT_UNAVAILABLE, made.takeError(), error);
  return nullptr;
}

template <class Api>
gluonc_rt_status launch(gluonc_rt_kernel &kernel, runtime::Grid grid, void *stream,
                        const uint64_t *values, gluonc_rt_error **error) {
  OnDevice<Api> *place = currentPlace<Api>(kernel, error);
  if (!place) [[unlikely]]
    return GLUONC_RT_UNAVAILABLE;
  Candidate<Api> *candidate = choose(kernel, *place, values);
  if (!candidate) [[unlikely]]
    return noVariant(kernel, place->chip, values, error);
  const typename Api::Launcher *launcher = candidate->launcher.load(std::memory_order_acquire);
  if (!launcher) [[unlikely]] {
    auto loaded = load(kernel, *place, *candidate);
    if (!loaded)
      return fail(GLUONC_RT_UNAVAILABLE, loaded.takeError(), error);
    launcher = *loaded;
  }
  // As in Triton, an empty grid runs nothing; drivers would call it an error.
  if (!grid.x || !grid.y || !grid.z)
    return GLUONC_RT_OK;
  if (candidate->takesSlots) [[likely]]
    return enter<Api>(*launcher, grid, stream, values, error);
  runtime::Slots slots;
  llvm::SmallVector<cuda::TensorMap, 4> maps;
  if (gluonc_rt_status status = expand(kernel, *candidate, values, slots, maps, error))
    return status;
  return enter<Api>(*launcher, grid, stream, slots.data(), error);
}

template <class Api>
gluonc_rt_status loadAll(gluonc_rt_kernel &kernel, int device, gluonc_rt_error **error) {
  llvm::Expected<OnDevice<Api> *> place = placeOn<Api>(kernel, device);
  if (!place)
    return fail(GLUONC_RT_UNAVAILABLE, place.takeError(), error);
  if ((*place)->candidates.empty())
    return fail(GLUONC_RT_UNAVAILABLE,
                std::string(gluonc_rt_kernel_name(&kernel)) + " has no variant for " +
                    (*place)->chip.name(),
                error);
  for (const std::unique_ptr<Candidate<Api>> &candidate : (*place)->candidates)
    if (auto loaded = load(kernel, **place, *candidate); !loaded)
      return fail(GLUONC_RT_UNAVAILABLE, loaded.takeError(), error);
  return GLUONC_RT_OK;
}

/// Unknown after a report.
Vendors vendorOf(gluonc_rt_kernel &kernel, gluonc_rt_error **error) {
  Vendors vendor = kernel.owner->vendor.load(std::memory_order_acquire);
  if (vendor != Vendors::Unknown) [[likely]]
    return vendor;
  llvm::Expected<Vendors> opened = openVendor(*kernel.owner);
  if (opened)
    return *opened;
  fail(GLUONC_RT_UNAVAILABLE, opened.takeError(), error);
  return Vendors::Unknown;
}

} // namespace

gluonc_rt_status gluonc_rt_kernel_select(const gluonc_rt_kernel *kernel, const char *target,
                                         const uint64_t *values, size_t count, size_t *variant,
                                         gluonc_rt_error **error) {
  if (!kernel || !target || (count && !values) || !variant)
    return fail(GLUONC_RT_USAGE_ERROR, "an argument is null", error);
  std::optional<target::Target> chip = target::Target::parse(target);
  if (!chip)
    return fail(GLUONC_RT_USAGE_ERROR, std::string("unknown target ") + target, error);
  if (gluonc_rt_status status = checkValues(*kernel, values, count, error))
    return status;
  const bundle::Bundle &bundle = kernel->owner->bundle;
  llvm::ArrayRef<format::Variant> variants = bundle.variants(*kernel->record);
  for (uint32_t place : variantsFor(bundle, *kernel->record, *chip))
    if (gluonc::bundle::hold(bundle.conditions(variants[place]), kernel->parameters, values)) {
      *variant = place;
      return GLUONC_RT_OK;
    }
  return noVariant(*kernel, *chip, values, error);
}

gluonc_rt_status gluonc_rt_kernel_load(gluonc_rt_kernel *kernel, int device,
                                       gluonc_rt_error **error) {
  if (!kernel)
    return fail(GLUONC_RT_USAGE_ERROR, "kernel is null", error);
  switch (vendorOf(*kernel, error)) {
  case Vendors::Cuda:
    return loadAll<runtime::CudaApi>(*kernel, device, error);
  case Vendors::Hip:
    return loadAll<runtime::HipApi>(*kernel, device, error);
  case Vendors::Unknown:
    break;
  }
  return GLUONC_RT_UNAVAILABLE;
}

gluonc_rt_status gluonc_rt_launch(gluonc_rt_kernel *kernel, unsigned x, unsigned y, unsigned z,
                                  void *stream, const uint64_t *values, size_t count,
                                  gluonc_rt_error **error) {
  if (!kernel || (count && !values)) [[unlikely]]
    return fail(GLUONC_RT_USAGE_ERROR, kernel ? "values is null" : "kernel is null", error);
  if (gluonc_rt_status status = checkValues(*kernel, values, count, error)) [[unlikely]]
    return status;
  switch (vendorOf(*kernel, error)) {
  case Vendors::Cuda:
    return launch<runtime::CudaApi>(*kernel, {x, y, z}, stream, values, error);
  case Vendors::Hip:
    return launch<runtime::HipApi>(*kernel, {x, y, z}, stream, values, error);
  case Vendors::Unknown:
    break;
  }
  return GLUONC_RT_UNAVAILABLE;
}
