#include "driver/FindPtxas.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace gluonc::driver {

static bool isProgram(const llvm::Twine &path) {
  return llvm::sys::fs::can_execute(path) && !llvm::sys::fs::is_directory(path);
}

/// ptxas inside the packages of one Python library folder.
static std::string findInPackages(llvm::StringRef folder) {
  for (llvm::StringRef inside : {"nvidia/cu13/bin/ptxas", "nvidia/cuda_nvcc/bin/ptxas",
                                 "triton/backends/nvidia/bin/ptxas"}) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, inside);
    if (isProgram(path))
      return path.str().str();
  }
  return "";
}

/// PREFIX/lib/python3.*/{site,dist}-packages.
static std::string findUnderPrefix(llvm::StringRef prefix) {
  llvm::SmallString<128> lib(prefix);
  llvm::sys::path::append(lib, "lib");
  std::vector<std::string> versions;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(lib, error), end; !error && it != end;
       it.increment(error))
    if (llvm::sys::path::filename(it->path()).starts_with("python3"))
      versions.push_back(it->path());
  // Folders come in no order; the highest name first makes the choice a rule.
  llvm::sort(versions, std::greater<>());
  for (const std::string &version : versions)
    for (llvm::StringRef packages : {"site-packages", "dist-packages"}) {
      llvm::SmallString<128> folder(version);
      llvm::sys::path::append(folder, packages);
      if (std::string found = findInPackages(folder); !found.empty())
        return found;
    }
  return "";
}

std::string findPtxas(const PtxasPlaces &places) {
  if (!places.explicitPath.empty())
    return isProgram(places.explicitPath) ? places.explicitPath : "";
  llvm::SmallVector<llvm::StringRef> folders;
  llvm::StringRef(places.path).split(folders, ':', -1, /*KeepEmpty=*/false);
  std::vector<std::string> candidates;
  for (llvm::StringRef folder : folders)
    candidates.push_back((folder + "/ptxas").str());
  if (!places.cudaHome.empty())
    candidates.push_back(places.cudaHome + "/bin/ptxas");
  candidates.push_back("/usr/local/cuda/bin/ptxas");
  for (const std::string &candidate : candidates)
    if (isProgram(candidate))
      return candidate;
  std::vector<std::string> prefixes = places.pythonPrefixes;
  prefixes.insert(prefixes.end(), {"/usr/local", "/usr"});
  for (const std::string &prefix : prefixes)
    if (std::string found = findUnderPrefix(prefix); !found.empty())
      return found;
  return "";
}

std::string fileIdentity(llvm::StringRef path) {
  llvm::sys::fs::file_status status;
  if (path.empty() || llvm::sys::fs::status(path, status))
    return "";
  return (path + ":" + llvm::Twine(status.getSize()) + ":" +
          llvm::Twine(status.getLastModificationTime().time_since_epoch().count()))
      .str();
}

} // namespace gluonc::driver
