#include "rt/Load.h"

#include "target/amd/TensorMover.h"

namespace gluonc::rt {

namespace format = bundle::format;
using runtime::CudaApi;
using runtime::HipApi;

static bool hasCodeFor(const bundle::Bundle &bundle, llvm::StringRef vendor) {
  for (const format::Kernel &kernel : bundle.kernels())
    for (const format::Variant &variant : bundle.variants(kernel))
      if (bundle.text(variant.target).starts_with(vendor))
        return true;
  return false;
}

template <class Api>
static llvm::Error keep(llvm::Expected<std::shared_ptr<const typename Api::Driver>> opened,
                        Vendor<Api> &vendor) {
  if (!opened)
    return opened.takeError();
  llvm::Expected<int> count = Api::Device::count(**opened);
  if (!count)
    return count.takeError();
  vendor.driver = std::move(*opened);
  vendor.deviceCount = *count;
  return llvm::Error::success();
}

llvm::Expected<Vendors> openVendor(gluonc_rt_bundle &bundle) {
  std::lock_guard guard(bundle.lock);
  if (Vendors known = bundle.vendor; known != Vendors::Unknown)
    return known;
  std::string why;
  auto isOpen = [&](llvm::Error failed) {
    if (!failed)
      return true;
    why += (why.empty() ? "" : "\n") + llvm::toString(std::move(failed));
    return false;
  };
  if (hasCodeFor(bundle.bundle, "cuda:") &&
      isOpen(keep(cuda::Driver::open(bundle.cudaLibrary), bundle.cuda)))
    return bundle.vendor = Vendors::Cuda;
  if (hasCodeFor(bundle.bundle, "hip:") && isOpen(keep(hip::Driver::open(), bundle.hip)))
    return bundle.vendor = Vendors::Hip;
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 why.empty() ? "the bundle has no code" : why);
}

static runtime::TensorParameter tensorOf(const format::Argument &argument) {
  runtime::TensorParameter parameter;
  switch (argument.kind) {
  case format::ArgumentKind::Slot:
    break;
  case format::ArgumentKind::Box: {
    cuda::TensorBox &box = parameter.box.emplace();
    box.type = static_cast<cuda::TensorMapType>(argument.type);
    box.elementBytes = argument.elementBytes;
    box.rank = argument.rank;
    std::copy(std::begin(argument.box), std::end(argument.box), box.box.begin());
    box.swizzleBytes = argument.swizzleBytes;
    box.isIm2Col = argument.isIm2Col != 0;
    break;
  }
  case format::ArgumentKind::Words:
    parameter.block = hip::TensorBlock{argument.rank, argument.elementBytes};
    break;
  case format::ArgumentKind::Expanded:
    parameter.expandedRank = argument.rank;
    break;
  }
  return parameter;
}

template <class Api>
static std::unique_ptr<Candidate<Api>> makeCandidate(const gluonc_rt_kernel &kernel,
                                                     uint32_t place) {
  const bundle::Bundle &bundle = kernel.owner->bundle;
  auto made = std::make_unique<Candidate<Api>>();
  made->place = place;
  made->variant = &bundle.variants(*kernel.record)[place];
  made->conditions = bundle.conditions(*made->variant);
  made->arguments = bundle.arguments(*made->variant);
  made->takesSlots = true;
  unsigned next = 0;
  for (const format::Argument &argument : made->arguments) {
    made->tensors.push_back(tensorOf(argument));
    made->maps += argument.kind == format::ArgumentKind::Box;
    made->takesSlots &= argument.kind == format::ArgumentKind::Slot && argument.parameter == next++;
  }
  return made;
}

/// Whether the first condition is an equality that `Run` speaks of: then its parameter's bits.
static uint32_t bitsOfEquality(llvm::ArrayRef<format::Condition> conditions,
                               llvm::ArrayRef<format::Parameter> parameters) {
  if (conditions.empty() || conditions[0].op != format::Operator::Equal ||
      conditions[0].field != format::Field::Value)
    return 0;
  const format::Parameter &parameter = parameters[conditions[0].parameter];
  if (parameter.kind == format::ParameterKind::Choice)
    return 64;
  return parameter.kind == format::ParameterKind::Signed ? parameter.bits : 0;
}

template <class Api>
static void addToRun(OnDevice<Api> &place, const Candidate<Api> &candidate,
                     llvm::ArrayRef<format::Parameter> parameters) {
  uint32_t bits = bitsOfEquality(candidate.conditions, parameters);
  uint32_t parameter = bits ? candidate.conditions[0].parameter : 0;
  auto at = static_cast<uint32_t>(place.operands.size());
  place.operands.push_back(bits ? candidate.conditions[0].operand : 0);
  if (place.runs.empty() || place.runs.back().bits != bits ||
      place.runs.back().parameter != parameter)
    place.runs.push_back({at, at, parameter, bits});
  place.runs.back().end = at + 1;
}

template <class Api>
llvm::Expected<OnDevice<Api> *> placeOn(gluonc_rt_kernel &kernel, int ordinal) {
  Vendor<Api> &vendor = vendorOf(*kernel.owner, Api());
  Places<Api> &places = placesOf(kernel, Api());
  if (ordinal < 0 || ordinal >= std::min(vendor.deviceCount, mostDevices))
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "there is no device %d",
                                   ordinal);
  std::lock_guard guard(kernel.owner->lock);
  if (OnDevice<Api> *known = places.byDevice[ordinal])
    return known;
  typename Api::Keeper kept(*vendor.driver);
  auto device = Api::Device::open(vendor.driver, ordinal);
  if (!device)
    return device.takeError();
  std::optional<target::Target> chip = runtime::targetOf(**device);
  if (!chip)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "no code is made for %s, %s",
                                   (*device)->name().c_str(), runtime::chipOf(**device).c_str());
  auto made = std::make_unique<OnDevice<Api>>();
  made->device = *device;
  made->chip = *chip;
  for (uint32_t place : variantsFor(kernel.owner->bundle, *kernel.record, *chip))
    made->candidates.push_back(makeCandidate<Api>(kernel, place));
  for (const std::unique_ptr<Candidate<Api>> &candidate : made->candidates)
    addToRun(*made, *candidate, kernel.parameters);
  OnDevice<Api> *known = places.owned.emplace_back(std::move(made)).get();
  places.byDevice[ordinal].store(known, std::memory_order_release);
  return known;
}

/// The hidden ones not counted.
static unsigned machineCount(const format::Argument &argument, unsigned words) {
  switch (argument.kind) {
  case format::ArgumentKind::Slot:
    return 1;
  case format::ArgumentKind::Box:
    return 1 + 2 * argument.rank;
  case format::ArgumentKind::Words:
    return words + 2 * argument.rank;
  case format::ArgumentKind::Expanded:
    return 2 * argument.rank;
  }
  return 0;
}

template <class Api> static runtime::LaunchShape shapeOf(const Candidate<Api> &candidate) {
  const format::Variant &variant = *candidate.variant;
  runtime::LaunchShape shape;
  shape.threads = variant.threads;
  shape.ctasPerCluster = variant.ctas;
  shape.sharedBytes = variant.sharedBytes;
  shape.scratchBytes = variant.scratchBytes;
  shape.mode.cooperative = (variant.flags & format::cooperative) != 0;
  shape.mode.programmaticDependent = (variant.flags & format::programmaticDependent) != 0;
  return shape;
}

/// Where in the machine's kernel descriptors are; gives how many parameters it has.
template <class Api>
static unsigned layOut(const Candidate<Api> &candidate, runtime::LaunchShape &shape) {
  unsigned next = 0;
  for (const format::Argument &argument : candidate.arguments) {
    if (argument.kind == format::ArgumentKind::Box)
      shape.byAddress.push_back(next);
    next += machineCount(argument, target::amd::tdm::wordCount(argument.rank));
  }
  return next;
}

template <class Api>
llvm::Expected<const typename Api::Launcher *> load(gluonc_rt_kernel &kernel, OnDevice<Api> &place,
                                                    Candidate<Api> &candidate) {
  gluonc_rt_bundle &owner = *kernel.owner;
  std::lock_guard guard(owner.lock);
  if (const typename Api::Launcher *loaded = candidate.launcher)
    return loaded;
  Vendor<Api> &vendor = vendorOf(owner, Api());
  typename Api::Keeper kept(*vendor.driver);
  auto &module = vendor.modules[{place.device->ordinal(), candidate.variant->piece}];
  if (!module) {
    llvm::Expected<llvm::StringRef> code =
        owner.bundle.code(owner.bundle.piece(*candidate.variant));
    if (!code)
      return code.takeError();
    auto made = Api::Module::load(place.device, *code);
    if (!made)
      return made.takeError();
    module = std::move(*made);
  }
  runtime::LaunchShape shape = shapeOf(candidate);
  unsigned count = layOut(candidate, shape);
  auto launcher = Api::Launcher::create(module, owner.bundle.text(candidate.variant->symbol).str(),
                                        shape, count);
  if (!launcher)
    return launcher.takeError();
  candidate.owned = std::make_unique<const typename Api::Launcher>(std::move(*launcher));
  candidate.launcher.store(candidate.owned.get(), std::memory_order_release);
  return candidate.owned.get();
}

template llvm::Expected<OnDevice<CudaApi> *> placeOn(gluonc_rt_kernel &, int);
template llvm::Expected<OnDevice<HipApi> *> placeOn(gluonc_rt_kernel &, int);
template llvm::Expected<const cuda::Launcher *> load(gluonc_rt_kernel &, OnDevice<CudaApi> &,
                                                     Candidate<CudaApi> &);
template llvm::Expected<const hip::Launcher *> load(gluonc_rt_kernel &, OnDevice<HipApi> &,
                                                    Candidate<HipApi> &);

} // namespace gluonc::rt
