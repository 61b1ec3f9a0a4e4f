#include "driver/Cache.h"
#include "support/Hash.h"
#include "support/OwnFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

#include <atomic>
#include <fcntl.h>
#include <tuple>
#include <unistd.h>

namespace gluonc::driver {

/// Changes with the form of entries, so that old files are misses.
static constexpr llvm::StringLiteral magic("gluonc-cache-4\n");
static constexpr size_t hashLength = 64;
/// Larger files are no entries. The largest kernels have a few megabytes.
static constexpr uint64_t mostEntryBytes = uint64_t(256) << 20;

std::string hashText(llvm::StringRef text) {
  ContentHash hash;
  hash.add(std::string_view(text));
  return hash.hex();
}

/// The first thing that was not believed, whichever copy of the cache met it.
struct Cache::Refusals {
  /// No lock, which a child process might inherit locked.
  std::atomic<const std::string *> first = nullptr;
  std::atomic<bool> isTaken = false, isUnwritableTold = false;

  ~Refusals() { delete first.load(); }
  void add(const std::string &why) {
    auto *mine = new std::string(why);
    const std::string *none = nullptr;
    if (!first.compare_exchange_strong(none, mine))
      delete mine;
  }
};

Cache::Cache(std::string directory, std::shared_ptr<remote::RemoteCache> remote)
    : directory(std::move(directory)), refusals(std::make_shared<Refusals>()),
      shared(std::move(remote)) {}

std::optional<std::string> Cache::takeRefusal() const {
  const std::string *first = refusals->first;
  if (!first || refusals->isTaken.exchange(true))
    return std::nullopt;
  // What is not believed is not written either; that goes without saying.
  refusals->isUnwritableTold = true;
  return *first;
}

bool Cache::takeUnwritable() const { return !refusals->isUnwritableTold.exchange(true); }

/// Entries lie in folders by the first digits of their keys.
static std::string folderOf(llvm::StringRef key) { return key.take_front(2).str(); }
static std::string nameOf(llvm::StringRef key) { return (key + ".entry").str(); }

std::string Cache::fileOf(llvm::StringRef key) const {
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, folderOf(key), nameOf(key));
  return path.str().str();
}

/// What the file of a key holds, if it is whole.
static std::optional<CacheEntry> readEntry(const OpenFile &file, llvm::StringRef key) {
  llvm::Expected<std::string> text = readRest(file, mostEntryBytes);
  if (!text) {
    llvm::consumeError(text.takeError());
    return std::nullopt;
  }
  llvm::StringRef bytes = *text;
  if (!bytes.consume_front(magic) || bytes.size() < hashLength)
    return std::nullopt;
  llvm::StringRef sum = bytes.take_front(hashLength);
  bytes = bytes.drop_front(hashLength);
  // The key is under the checksum too: a file under a wrong name is no entry.
  if (hashText((key + bytes).str()) != sum)
    return std::nullopt;
  RecordReader reader(bytes);
  CacheEntry entry;
  entry.label = reader.text().str();
  entry.payload = reader.text().str();
  entry.code = reader.text().str();
  entry.target = reader.text().str();
  entry.build = reader.text().str();
  if (reader.failed() || !reader.atEnd())
    return std::nullopt;
  return entry;
}

OwnFile Cache::noted(OwnFile file, llvm::StringRef path) const {
  if (!file.refusal.empty()) {
    file.refusal = ("`" + path + "` " + file.refusal).str();
    refusals->add(file.refusal);
  }
  return file;
}

OwnFile Cache::openFolderOf(llvm::StringRef path) const {
  OwnFile outer = noted(openOwnFolder(directory), directory);
  if (!outer)
    return outer;
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  return noted(openOwnFolderIn(outer, llvm::sys::path::filename(folder).str()), folder);
}

OwnFile Cache::open(llvm::StringRef path) const {
  OwnFile folder = openFolderOf(path);
  if (!folder)
    return folder;
  return noted(openOwnFileIn(folder, llvm::sys::path::filename(path).str()), path);
}

static llvm::sys::TimePoint<> lastChange(const struct stat &status) {
  return llvm::sys::toTimePoint(status.st_mtim.tv_sec,
                                static_cast<uint32_t>(status.st_mtim.tv_nsec));
}

/// Notes that an entry was used, to the hour: hits on a shared disk should not write.
static void markUsed(const OwnFile &file) {
  if (std::chrono::system_clock::now() - lastChange(file.status) >= std::chrono::hours(1))
    (void)futimens(file.file.get(), nullptr);
}

std::optional<CacheEntry> Cache::find(llvm::StringRef key) const {
  if (!isOn())
    return std::nullopt;
  OwnFile file = open(fileOf(key));
  if (!file)
    return std::nullopt;
  std::optional<CacheEntry> entry = readEntry(file.file, key);
  if (entry)
    markUsed(file);
  return entry;
}

llvm::Error Cache::store(llvm::StringRef key, const CacheEntry &entry) const {
  if (!isOn())
    return llvm::Error::success();
  std::string bytes = RecordWriter()
                          .add(entry.label)
                          .add(entry.payload)
                          .add(entry.code)
                          .add(entry.target)
                          .add(entry.build)
                          .take();
  std::string target = fileOf(key);
  makeOwnFolder(directory);
  if (OwnFile outer = openOwnFolder(directory))
    makeOwnFolderIn(outer, folderOf(key));
  OwnFile folder = openFolderOf(target);
  if (!folder)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(), "cannot write %s: %s", target.c_str(),
        folder.refusal.empty() ? "there is no such folder, and none can be made"
                               : folder.refusal.c_str());
  return writeOwnFileIn(folder, nameOf(key), (magic + hashText((key + bytes).str()) + bytes).str());
}

/// Calls `visit(path, status)` for every file of the cache. Follows no links below `directory`
/// and looks into no folders but the cache's own.
template <typename Visitor> static void forEachFile(const std::string &directory, Visitor visit) {
  OpenFile outer = openFolder(directory);
  if (!outer)
    return;
  forEachName(outer, [&](const std::string &folder) {
    if (folder.size() != 2 || !llvm::all_of(folder, llvm::isHexDigit))
      return;
    OpenFile inner = openFolderIn(outer, folder);
    if (!inner)
      return;
    forEachName(inner, [&](const std::string &name) {
      struct stat status;
      if (fstatat(inner.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) ||
          S_ISDIR(status.st_mode))
        return;
      llvm::SmallString<128> path(directory);
      llvm::sys::path::append(path, folder, name);
      visit(path.str(), status);
    });
  });
}

std::vector<Cache::Item> Cache::items() const {
  std::vector<Item> items;
  if (!isOn())
    return items;
  forEachFile(directory, [&](llvm::StringRef path, const struct stat &status) {
    llvm::StringRef name = llvm::sys::path::filename(path);
    if (name.consume_back(".entry"))
      items.push_back(
          {name.str(), path.str(), static_cast<uint64_t>(status.st_size), lastChange(status)});
  });
  llvm::sort(items, [](const Item &a, const Item &b) {
    return std::tie(b.lastUse, a.key) < std::tie(a.lastUse, b.key);
  });
  return items;
}

Cache::Usage Cache::usage() const {
  Usage usage;
  for (const Item &item : items()) {
    ++usage.entries;
    usage.bytes += item.bytes;
  }
  return usage;
}

Cache::Inspection Cache::inspect(const Item &item) const {
  OwnFile file = open(item.path);
  if (!file)
    return {std::nullopt, std::move(file.refusal)};
  std::optional<CacheEntry> entry = readEntry(file.file, item.key);
  return {entry ? std::optional(std::move(entry->label)) : std::nullopt, ""};
}

/// Removes the file itself, whatever became of the way to it.
static bool removeFile(const std::string &directory, llvm::StringRef path) {
  OpenFile outer = openFolder(directory);
  if (!outer)
    return false;
  llvm::StringRef folder = llvm::sys::path::filename(llvm::sys::path::parent_path(path));
  OpenFile inner = openFolderIn(outer, folder.str());
  return inner && !unlinkat(inner.get(), llvm::sys::path::filename(path).str().c_str(), 0);
}

Cache::Usage Cache::prune(llvm::sys::TimePoint<> before, uint64_t limit) const {
  Usage removed;
  if (!isOn())
    return removed;
  auto remove = [&](llvm::StringRef path, uint64_t bytes) {
    if (!removeFile(directory, path))
      return;
    ++removed.entries;
    removed.bytes += bytes;
  };
  uint64_t kept = 0;
  for (const Item &item : items()) {
    if (item.lastUse < before || kept + item.bytes > limit)
      remove(item.path, item.bytes);
    else
      kept += item.bytes;
  }
  // A writer needs its temporary file for milliseconds.
  auto stale = std::chrono::system_clock::now() - std::chrono::hours(1);
  forEachFile(directory, [&](llvm::StringRef path, const struct stat &status) {
    if (path.ends_with(".tmp") && lastChange(status) < stale)
      remove(path, static_cast<uint64_t>(status.st_size));
  });
  return removed;
}

} // namespace gluonc::driver
