//===- Cache.h - Compiled kernels on disk -----------------------------------===//
//
// One file per entry: a header with the SHA-256 of the rest, then the payload. A
// writer fills a file of its own in the same folder and renames it, so a reader
// sees an entry whole or not at all, on network disks too; a reader believes
// nothing whose checksum differs, so a torn or damaged file is a miss.
//
// A key holds the content of everything that an entry was made from, so an entry that
// is whole is right for good.
//
// Somebody else's entry would run as the user, so what others may have written is a
// miss (OwnFiles.h). The checksum is against accidents: whoever can write can make one.
//
// The time of a file's last change is the time of its last use, to the hour: what
// `prune` removes is what nobody used.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "support/Records.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gluonc {
struct OwnFile;
namespace remote {
class RemoteCache;
}
} // namespace gluonc

namespace gluonc::driver {

struct CacheEntry {
  /// What `gluonc cache list` shows.
  std::string label;
  std::string payload;
  /// For other machines' caches: KernelKey::code, the target, the build of gluonc that made it.
  std::string code, target, build;
};

class Cache {
public:
  /// An empty directory turns the cache on disk off. Nothing is created before the first store.
  /// `remote` has what other machines made; null for none.
  explicit Cache(std::string directory, std::shared_ptr<remote::RemoteCache> remote = nullptr);

  bool isOn() const { return !directory.empty(); }
  remote::RemoteCache *remote() const { return shared.get(); }
  /// Whether anything that is stored is kept.
  bool keeps() const { return isOn() || shared; }
  const std::string &path() const { return directory; }
  /// Where the entry for `key` (hexadecimal) is.
  std::string fileOf(llvm::StringRef key) const;

  /// The entry, if it is whole.
  std::optional<CacheEntry> find(llvm::StringRef key) const;
  /// A failure leaves no trace that a reader would see; callers may ignore it.
  llvm::Error store(llvm::StringRef key, const CacheEntry &entry) const;

  /// Why the cache, or the first entry that was refused, is not believed: once, to whoever asks
  /// first.
  std::optional<std::string> takeRefusal() const;

  /// Whether nobody has said yet that the cache cannot be written; true once.
  bool takeUnwritable() const;

  struct Usage {
    uint64_t entries = 0, bytes = 0;
  };
  Usage usage() const;

  /// A file of the cache, whole or not.
  struct Item {
    std::string key, path;
    uint64_t bytes = 0;
    llvm::sys::TimePoint<> lastUse;
  };
  /// The one that was used last comes first.
  std::vector<Item> items() const;

  struct Inspection {
    /// Nullopt where the item is refused, torn, flipped or from another version of the format.
    std::optional<std::string> label;
    /// Why it is refused; empty where it is not.
    std::string refusal;
  };
  Inspection inspect(const Item &item) const;

  /// Removes what was not used since `before`, then what was used longest ago until at most
  /// `limit` bytes are left, and what writers that were killed left behind. Other processes may
  /// read and write meanwhile. Returns what was removed.
  Usage prune(llvm::sys::TimePoint<> before, uint64_t limit) const;

private:
  struct Refusals;

  OwnFile open(llvm::StringRef path) const;
  OwnFile openFolderOf(llvm::StringRef path) const;
  /// The same, with its refusal put into words and remembered.
  OwnFile noted(OwnFile file, llvm::StringRef path) const;

  std::string directory;
  std::shared_ptr<Refusals> refusals;
  std::shared_ptr<remote::RemoteCache> shared;
};

std::string hashText(llvm::StringRef text);

} // namespace gluonc::driver
