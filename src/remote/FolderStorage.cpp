#include "remote/Storage.h"
#include "support/File.h"
#include "support/OwnFiles.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gluonc::remote {

PlaceKind kindOfPlace(llvm::StringRef place) {
  if (place.starts_with("/") || place.starts_with("file:///"))
    return PlaceKind::Folder;
  if (place.starts_with("http://") || place.starts_with("https://"))
    return PlaceKind::Http;
  if (place.starts_with("redis://") || place.starts_with("rediss://"))
    return PlaceKind::Redis;
  return PlaceKind::Unknown;
}

std::string shownPlace(llvm::StringRef place) {
  auto [scheme, rest] = place.split("://");
  auto [authority, path] = rest.split('/');
  size_t at = authority.rfind('@');
  if (at == llvm::StringRef::npos)
    return place.str();
  return (scheme + "://" + authority.substr(at + 1) + (path.empty() ? "" : "/") + path).str();
}

static llvm::Error failed(const std::string &path) {
  return llvm::createStringError(std::error_code(errno, std::generic_category()), "%s: %s",
                                 path.c_str(), std::strerror(errno));
}

namespace {

class FolderStorage : public Storage {
public:
  explicit FolderStorage(std::string folder) : folder(std::move(folder)) {}

  llvm::Expected<std::optional<std::string>> get(const std::string &name, uint64_t most) override {
    OpenFile outer = openFolder(folder);
    if (!outer)
      return failed(folder);
    OpenFile inner = openFolderIn(outer, name.substr(0, 2));
    if (!inner)
      return std::nullopt;
    // On NFS a file that is replaced while it is read is stale.
    llvm::Expected<std::optional<std::string>> found = read(inner, name, most);
    if (found)
      return found;
    llvm::consumeError(found.takeError());
    return read(inner, name, most);
  }

  llvm::Error put(const std::string &name, llvm::StringRef bytes) override {
    OpenFile outer = openFolder(folder);
    if (!outer)
      return failed(folder);
    std::string first = name.substr(0, 2);
    // As the umask and the folder's own group say: who may read is its owner's choice.
    (void)mkdirat(outer.get(), first.c_str(), 0777);
    OpenFile inner = openFolderIn(outer, first);
    if (!inner)
      return failed(folder + "/" + first);
    return writeWholeFileIn(inner, name, bytes, 0666);
  }

private:
  static llvm::Expected<std::optional<std::string>> read(const OpenFile &inner,
                                                         const std::string &name, uint64_t most) {
    OpenFile file(
        openat(inner.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat status;
    if (!file || fstat(file.get(), &status) || !S_ISREG(status.st_mode))
      return std::nullopt;
    uint64_t size = std::min(static_cast<uint64_t>(status.st_size), most + 1);
    std::string bytes(size, '\0');
    llvm::Expected<size_t> count = readInto(file, bytes.data(), bytes.size());
    if (!count)
      return count.takeError();
    bytes.resize(*count);
    return bytes;
  }

  std::string folder;
};

} // namespace

std::shared_ptr<Storage> openFolderStorage(std::string folder) {
  if (llvm::StringRef(folder).starts_with("file://"))
    folder.erase(0, strlen("file://"));
  return std::make_shared<FolderStorage>(std::move(folder));
}

} // namespace gluonc::remote
