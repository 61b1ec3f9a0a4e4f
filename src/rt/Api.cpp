//===- Api.cpp - Bundles and kernels of the launcher's API --------------------------===//
#include "rt/Load.h"

#include <cstring>

using namespace gluonc;
namespace format = bundle::format;

namespace gluonc::rt {

gluonc_rt_status fail(gluonc_rt_status status, std::string text, gluonc_rt_error **error) {
  if (error)
    *error = new gluonc_rt_error{std::move(text)};
  return status;
}

gluonc_rt_status fail(gluonc_rt_status status, llvm::Error failure, gluonc_rt_error **error) {
  return fail(status, llvm::toString(std::move(failure)), error);
}

static gluonc_rt_status isNull(const char *name, gluonc_rt_error **error) {
  return fail(GLUONC_RT_USAGE_ERROR, std::string(name) + " is null", error);
}

/// The caller's options as this library has them. Nullopt after a report.
static std::optional<gluonc_rt_bundle_options> readOptions(const gluonc_rt_bundle_options *given,
                                                           gluonc_rt_error **error) {
  gluonc_rt_bundle_options options = {};
  if (!given)
    return options;
  if (given->size < sizeof(size_t)) {
    fail(GLUONC_RT_USAGE_ERROR, "the size of a structure of options is not set", error);
    return std::nullopt;
  }
  std::memcpy(&options, given, std::min(given->size, sizeof options));
  auto *bytes = reinterpret_cast<const char *>(given);
  for (size_t i = sizeof options; i < given->size; ++i)
    if (bytes[i]) {
      fail(GLUONC_RT_USAGE_ERROR, "options of a later version of gluonc are set", error);
      return std::nullopt;
    }
  return options;
}

static std::unique_ptr<gluonc_rt_kernel> makeKernel(gluonc_rt_bundle &owner,
                                                    const format::Kernel &record) {
  auto kernel = std::make_unique<gluonc_rt_kernel>();
  kernel->owner = &owner;
  kernel->record = &record;
  kernel->parameters = owner.bundle.parameters(record);
  unsigned index = 0;
  for (const format::Parameter &parameter : kernel->parameters) {
    if (parameter.bits && parameter.bits < 64)
      kernel->narrowIntegers.push_back({index, parameter.bits});
    if (parameter.kind == format::ParameterKind::Tensor)
      kernel->tensors.push_back(index);
    ++index;
  }
  return kernel;
}

/// The first variant that a driver would compile; empty where there is none.
static std::string findPtx(const bundle::Bundle &bundle) {
  for (const format::Kernel &kernel : bundle.kernels())
    for (const format::Variant &variant : bundle.variants(kernel))
      if (bundle.piece(variant).kind == format::CodeKind::Ptx)
        return (bundle.text(kernel.name) + " for " + bundle.text(variant.target)).str();
  return "";
}

static std::unique_ptr<gluonc_rt_bundle> makeBundle(const bundle::Bundle &opened) {
  auto made = std::make_unique<gluonc_rt_bundle>(opened);
  made->digest = opened.digest();
  for (const format::Kernel &record : opened.kernels())
    made->kernels.push_back(makeKernel(*made, record));
  return made;
}

llvm::Expected<std::unique_ptr<gluonc_rt_bundle>> openCopy(llvm::StringRef bytes) {
  std::vector<uint64_t> words((bytes.size() + 7) / 8);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  llvm::Expected<bundle::Bundle> opened =
      bundle::Bundle::open({reinterpret_cast<const char *>(words.data()), bytes.size()});
  if (!opened)
    return opened.takeError();
  std::unique_ptr<gluonc_rt_bundle> made = makeBundle(*opened);
  // Its storage moves as a whole.
  made->words = std::move(words);
  return std::move(made);
}

static gluonc_rt_status open(Mapping mapping, llvm::StringRef bytes,
                             const gluonc_rt_bundle_options &options, const std::string &prefix,
                             gluonc_rt_bundle **bundle, gluonc_rt_error **error) {
  llvm::Expected<bundle::Bundle> opened = bundle::Bundle::open(bytes);
  if (!opened)
    return fail(GLUONC_RT_INPUT_ERROR, prefix + llvm::toString(opened.takeError()), error);
  std::string digest = opened->digest();
  if (options.digest && digest != options.digest)
    return fail(GLUONC_RT_INPUT_ERROR,
                prefix + "its digest is " + digest + ", not " + options.digest, error);
  if (options.sealed)
    if (std::string ptx = findPtx(*opened); !ptx.empty())
      return fail(GLUONC_RT_INPUT_ERROR,
                  prefix + "a sealed bundle has machine code alone, and this one PTX of " + ptx,
                  error);
  std::unique_ptr<gluonc_rt_bundle> made = makeBundle(*opened);
  made->mapping = std::move(mapping);
  if (options.cuda_library)
    made->cudaLibrary = options.cuda_library;
  *bundle = made.release();
  return GLUONC_RT_OK;
}

static std::string signatureOf(const gluonc_rt_kernel &kernel) {
  std::string text;
  for (const format::Parameter &parameter : kernel.parameters)
    text += (text.empty() ? "" : ", ") + kernel.owner->bundle.text(parameter.type).str();
  return text;
}

/// Null past the end.
static const char *textAt(const gluonc_rt_kernel *kernel, size_t index,
                          format::Text format::Parameter::*field) {
  if (!kernel || index >= kernel->parameters.size())
    return nullptr;
  return kernel->owner->bundle.text(kernel->parameters[index].*field).data();
}

static const format::Variant *variantAt(const gluonc_rt_kernel &kernel, size_t index) {
  llvm::ArrayRef<format::Variant> variants = kernel.owner->bundle.variants(*kernel.record);
  return index < variants.size() ? &variants[index] : nullptr;
}

} // namespace gluonc::rt

using namespace gluonc::rt;

const char *gluonc_rt_version(void) { return GLUONC_VERSION; }

const char *gluonc_rt_error_text(const gluonc_rt_error *error) {
  return error ? error->text.c_str() : "";
}

void gluonc_rt_error_destroy(gluonc_rt_error *error) { delete error; }

gluonc_rt_status gluonc_rt_bundle_open(const char *path, const gluonc_rt_bundle_options *options,
                                       gluonc_rt_bundle **bundle, gluonc_rt_error **error) {
  if (!path || !bundle)
    return isNull(path ? "bundle" : "path", error);
  std::optional<gluonc_rt_bundle_options> chosen = readOptions(options, error);
  if (!chosen)
    return GLUONC_RT_USAGE_ERROR;
  std::string prefix = std::string(path) + ": ";
  llvm::Expected<Mapping> mapping = Mapping::open(path);
  if (!mapping)
    return fail(GLUONC_RT_INPUT_ERROR, prefix + llvm::toString(mapping.takeError()), error);
  llvm::StringRef bytes = mapping->bytes();
  return open(std::move(*mapping), bytes, *chosen, prefix, bundle, error);
}

gluonc_rt_status gluonc_rt_bundle_open_memory(const void *bytes, size_t size,
                                              const gluonc_rt_bundle_options *options,
                                              gluonc_rt_bundle **bundle, gluonc_rt_error **error) {
  if (!bytes || !bundle)
    return isNull(bytes ? "bundle" : "bytes", error);
  if (reinterpret_cast<uintptr_t>(bytes) % 8)
    return fail(GLUONC_RT_USAGE_ERROR, "a bundle in memory begins on a multiple of 8", error);
  std::optional<gluonc_rt_bundle_options> chosen = readOptions(options, error);
  if (!chosen)
    return GLUONC_RT_USAGE_ERROR;
  return open({}, {static_cast<const char *>(bytes), size}, *chosen, "", bundle, error);
}

void gluonc_rt_bundle_destroy(gluonc_rt_bundle *bundle) { delete bundle; }

const char *gluonc_rt_bundle_digest(const gluonc_rt_bundle *bundle) {
  return bundle ? bundle->digest.c_str() : "";
}

size_t gluonc_rt_bundle_kernel_count(const gluonc_rt_bundle *bundle) {
  return bundle ? bundle->kernels.size() : 0;
}

gluonc_rt_kernel *gluonc_rt_bundle_kernel_at(gluonc_rt_bundle *bundle, size_t index) {
  return bundle && index < bundle->kernels.size() ? bundle->kernels[index].get() : nullptr;
}

gluonc_rt_status gluonc_rt_bundle_kernel(gluonc_rt_bundle *bundle, const char *name,
                                         const char *parameters, gluonc_rt_kernel **kernel,
                                         gluonc_rt_error **error) {
  if (!bundle || !name || !kernel)
    return isNull(!bundle ? "bundle" : !name ? "name" : "kernel", error);
  const format::Kernel *record = bundle->bundle.find(name);
  if (!record)
    return fail(GLUONC_RT_USAGE_ERROR, std::string("the bundle has no kernel ") + name, error);
  gluonc_rt_kernel *found =
      bundle->kernels[static_cast<size_t>(record - bundle->bundle.kernels().data())].get();
  if (std::string own = signatureOf(*found); parameters && own != parameters)
    return fail(GLUONC_RT_USAGE_ERROR,
                std::string(name) + " takes (" + own + ") in this bundle, not (" + parameters + ")",
                error);
  *kernel = found;
  return GLUONC_RT_OK;
}

const char *gluonc_rt_kernel_name(const gluonc_rt_kernel *kernel) {
  return kernel ? kernel->owner->bundle.text(kernel->record->name).data() : "";
}

size_t gluonc_rt_kernel_parameter_count(const gluonc_rt_kernel *kernel) {
  return kernel ? kernel->parameters.size() : 0;
}

const char *gluonc_rt_kernel_parameter_name(const gluonc_rt_kernel *kernel, size_t index) {
  return textAt(kernel, index, &format::Parameter::name);
}

const char *gluonc_rt_kernel_parameter_type(const gluonc_rt_kernel *kernel, size_t index) {
  return textAt(kernel, index, &format::Parameter::type);
}

size_t gluonc_rt_kernel_variant_count(const gluonc_rt_kernel *kernel) {
  return kernel ? kernel->record->variants.count : 0;
}

gluonc_rt_status gluonc_rt_kernel_variant(const gluonc_rt_kernel *kernel, size_t index,
                                          gluonc_rt_variant *variant, gluonc_rt_error **error) {
  if (!kernel || !variant)
    return isNull(kernel ? "variant" : "kernel", error);
  const format::Variant *record = variantAt(*kernel, index);
  if (!record)
    return fail(GLUONC_RT_USAGE_ERROR, "there is no variant " + std::to_string(index), error);
  *variant = {kernel->owner->bundle.text(record->target).data(), record->threads, record->ctas,
              record->sharedBytes, record->scratchBytes};
  return GLUONC_RT_OK;
}

const char *gluonc_rt_kernel_variant_value(const gluonc_rt_kernel *kernel, size_t index,
                                           const char *name) {
  const format::Variant *record = kernel && name ? variantAt(*kernel, index) : nullptr;
  if (!record)
    return nullptr;
  const bundle::Bundle &bundle = kernel->owner->bundle;
  for (const format::Constant &constant : bundle.constants(*record))
    if (bundle.text(constant.name) == name)
      return bundle.text(constant.value).data();
  return nullptr;
}
