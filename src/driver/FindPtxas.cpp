#include "driver/FindPtxas.h"
#include "support/File.h"
#include "support/Forks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

#include <map>
#include <mutex>

namespace gluonc::driver {

static bool isProgram(const llvm::Twine &path) {
  return llvm::sys::fs::can_execute(path) && !llvm::sys::fs::is_directory(path);
}

/// A program inside the packages of one Python library folder.
static std::string findInPackages(llvm::StringRef folder, llvm::StringRef name) {
  for (llvm::StringRef inside :
       {"nvidia/cu13/bin", "nvidia/cuda_nvcc/bin", "triton/backends/nvidia/bin"}) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, inside, name);
    if (isProgram(path))
      return path.str().str();
  }
  return "";
}

/// PREFIX/lib/python3.*/{site,dist}-packages.
static std::string findUnderPrefix(llvm::StringRef prefix, llvm::StringRef name) {
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
      if (std::string found = findInPackages(folder, name); !found.empty())
        return found;
    }
  return "";
}

static std::string findTool(const PtxasPlaces &places, llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef> folders;
  llvm::StringRef(places.path).split(folders, ':', -1, /*KeepEmpty=*/false);
  std::vector<std::string> candidates;
  for (llvm::StringRef folder : folders)
    candidates.push_back((folder + "/" + name).str());
  if (!places.cudaHome.empty())
    candidates.push_back((places.cudaHome + "/bin/" + name).str());
  candidates.push_back(("/usr/local/cuda/bin/" + name).str());
  for (const std::string &candidate : candidates)
    if (isProgram(candidate))
      return candidate;
  std::vector<std::string> prefixes = places.pythonPrefixes;
  prefixes.insert(prefixes.end(), {"/usr/local", "/usr"});
  for (const std::string &prefix : prefixes)
    if (std::string found = findUnderPrefix(prefix, name); !found.empty())
      return found;
  return "";
}

std::string findPtxas(const PtxasPlaces &places) {
  if (!places.explicitPath.empty())
    return isProgram(places.explicitPath) ? places.explicitPath : "";
  return findTool(places, "ptxas");
}

std::string findCudaTool(PtxasPlaces places, llvm::StringRef name) {
  if (std::string ptxas = findPtxas(places); !ptxas.empty())
    places.path = (llvm::sys::path::parent_path(ptxas) + ":" + places.path).str();
  return findTool(places, name);
}

std::string fileIdentity(llvm::StringRef path) {
  llvm::sys::fs::file_status status;
  if (path.empty() || llvm::sys::fs::status(path, status))
    return "";
  return (path + ":" + llvm::Twine(status.getSize()) + ":" +
          llvm::Twine(status.getLastModificationTime().time_since_epoch().count()))
      .str();
}

std::string contentIdentity(const std::string &path) {
  if (path.empty())
    return "";
  static ForkableMutex mutex;
  static std::map<std::string, std::string> known;
  std::lock_guard guard(mutex);
  std::string &identity = known[fileIdentity(path)];
  if (!identity.empty())
    return identity;
  constexpr uint64_t mostBytes = uint64_t(1) << 30;
  llvm::Expected<std::string> bytes = readFile(path, mostBytes, Accept::RegularFiles);
  if (!bytes) {
    llvm::consumeError(bytes.takeError());
    return "";
  }
  // Who can write it needs no collision: no hash for cryptography, ten times as fast as one.
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(llvm::arrayRefFromStringRef(*bytes));
  identity = llvm::utohexstr(hash.high64) + ":" + llvm::utohexstr(hash.low64);
  return identity;
}

} // namespace gluonc::driver
