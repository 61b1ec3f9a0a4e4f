#include "bundle/Edit.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

namespace gluonc::bundle {

static llvm::Error refuse(const llvm::Twine &why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), why);
}

/// Records have no padding.
template <typename Record>
static bool areEqual(llvm::ArrayRef<Record> a, llvm::ArrayRef<Record> b) {
  return a.size() == b.size() &&
         (a.empty() || !memcmp(a.data(), b.data(), a.size() * sizeof(Record)));
}

static bool areForTheSame(const Variant &a, const Variant &b) {
  return a.target == b.target && a.code.kind == b.code.kind &&
         areEqual(llvm::ArrayRef(a.conditions), llvm::ArrayRef(b.conditions));
}

static bool areEqual(const Variant &a, const Variant &b) {
  return a.symbol == b.symbol && a.code.kind == b.code.kind && a.code.bytes == b.code.bytes &&
         areEqual(llvm::ArrayRef(a.arguments), llvm::ArrayRef(b.arguments)) &&
         a.threads == b.threads && a.ctas == b.ctas && a.sharedBytes == b.sharedBytes &&
         a.scratchBytes == b.scratchBytes && a.flags == b.flags;
}

static llvm::Error merge(Kernel &kernel, Kernel other) {
  if (kernel.parameters != other.parameters)
    return refuse("the two have a kernel `" + kernel.name + "` of different parameters");
  for (Variant &variant : other.variants) {
    auto known = llvm::find_if(kernel.variants,
                               [&](const Variant &mine) { return areForTheSame(mine, variant); });
    if (known == kernel.variants.end())
      kernel.variants.push_back(std::move(variant));
    else if (!areEqual(*known, variant))
      return refuse("the two have different variants of `" + kernel.name + "` for " +
                    variant.target + " under the same conditions");
  }
  return llvm::Error::success();
}

llvm::Error merge(Contents &contents, Contents other) {
  for (Kernel &kernel : other.kernels) {
    auto known = llvm::find_if(contents.kernels,
                               [&](const Kernel &mine) { return mine.name == kernel.name; });
    if (known == contents.kernels.end())
      contents.kernels.push_back(std::move(kernel));
    else if (llvm::Error error = merge(*known, std::move(kernel)))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error append(Contents &contents, Contents part) {
  for (Kernel &kernel : part.kernels) {
    auto known = llvm::find_if(contents.kernels,
                               [&](const Kernel &mine) { return mine.name == kernel.name; });
    if (known == contents.kernels.end())
      contents.kernels.push_back(std::move(kernel));
    else if (known->parameters != kernel.parameters)
      return refuse("it has a kernel `" + kernel.name +
                    "` of other parameters than the parts before it");
    else
      std::move(kernel.variants.begin(), kernel.variants.end(),
                std::back_inserter(known->variants));
  }
  return llvm::Error::success();
}

llvm::Error strip(Contents &contents, llvm::ArrayRef<std::string> targets,
                  llvm::ArrayRef<std::string> kernels) {
  for (const std::string &name : kernels)
    if (llvm::none_of(contents.kernels, [&](const Kernel &kernel) { return kernel.name == name; }))
      return refuse("there is no kernel `" + name + "` in it");
  auto isFor = [](const Kernel &kernel, const std::string &target) {
    return llvm::any_of(kernel.variants,
                        [&](const Variant &variant) { return variant.target == target; });
  };
  for (const std::string &target : targets)
    if (llvm::none_of(contents.kernels,
                      [&](const Kernel &kernel) { return isFor(kernel, target); }))
      return refuse("nothing in it is for " + target);
  if (!kernels.empty())
    llvm::erase_if(contents.kernels,
                   [&](const Kernel &kernel) { return !llvm::is_contained(kernels, kernel.name); });
  if (!targets.empty())
    for (Kernel &kernel : contents.kernels)
      llvm::erase_if(kernel.variants, [&](const Variant &variant) {
        return !llvm::is_contained(targets, variant.target);
      });
  llvm::erase_if(contents.kernels, [](const Kernel &kernel) { return kernel.variants.empty(); });
  return llvm::Error::success();
}

} // namespace gluonc::bundle
