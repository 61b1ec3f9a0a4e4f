#include "driver/Cache.h"
#include "support/Hash.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <cstring>
#include <tuple>

namespace gluonc::driver {

/// Changes with the form of entries, so that old files are misses.
static constexpr llvm::StringLiteral magic("gluonc-cache-3\n");
static constexpr size_t hashLength = 64;

std::string hashText(llvm::StringRef text) {
  ContentHash hash;
  hash.add(std::string_view(text));
  return hash.hex();
}

RecordWriter &RecordWriter::add(uint64_t value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
  return *this;
}

RecordWriter &RecordWriter::add(llvm::StringRef field) {
  add(static_cast<uint64_t>(field.size()));
  bytes += field;
  return *this;
}

uint64_t RecordReader::number() {
  uint64_t value = 0;
  if (rest.size() < sizeof value) {
    broken = true;
    rest = {};
    return 0;
  }
  std::memcpy(&value, rest.data(), sizeof value);
  rest = rest.drop_front(sizeof value);
  return value;
}

llvm::StringRef RecordReader::text() {
  uint64_t length = number();
  if (length > rest.size()) {
    broken = true;
    rest = {};
    return {};
  }
  llvm::StringRef field = rest.take_front(length);
  rest = rest.drop_front(length);
  return field;
}

std::string Cache::fileOf(llvm::StringRef key) const {
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, key.take_front(2), key + ".entry");
  return path.str().str();
}

/// What the file of a key holds, if it is whole.
static std::optional<CacheEntry> readEntry(llvm::StringRef path, llvm::StringRef key) {
  // Volatile: read, not mapped, since a mapped file that somebody truncates kills the reader.
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false,
                                          /*IsVolatile=*/true);
  if (!file)
    return std::nullopt;
  llvm::StringRef bytes = (*file)->getBuffer();
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
  if (reader.failed() || !reader.atEnd())
    return std::nullopt;
  return entry;
}

/// Notes that an entry was used, to the hour: hits on a shared disk should not write.
static void markUsed(const std::string &path) {
  llvm::sys::fs::file_status status;
  auto now = std::chrono::system_clock::now();
  if (llvm::sys::fs::status(path, status) ||
      now - status.getLastModificationTime() < std::chrono::hours(1))
    return;
  int file;
  if (llvm::sys::fs::openFileForRead(path, file))
    return;
  (void)llvm::sys::fs::setLastAccessAndModificationTime(file, now);
  (void)llvm::sys::Process::SafelyCloseFileDescriptor(file);
}

std::optional<CacheEntry> Cache::find(llvm::StringRef key) const {
  if (!isOn())
    return std::nullopt;
  std::string path = fileOf(key);
  std::optional<CacheEntry> entry = readEntry(path, key);
  if (entry)
    markUsed(path);
  return entry;
}

llvm::Error Cache::store(llvm::StringRef key, const CacheEntry &entry) const {
  if (!isOn())
    return llvm::Error::success();
  std::string bytes = RecordWriter().add(entry.label).add(entry.payload).take();
  std::string target = fileOf(key);
  if (std::error_code error =
          llvm::sys::fs::create_directories(llvm::sys::path::parent_path(target)))
    return llvm::createFileError(target, error);
  // A name of its own beside the target: rename is atomic within one file system.
  llvm::Expected<llvm::sys::fs::TempFile> file =
      llvm::sys::fs::TempFile::create(target + ".%%%%%%%%.tmp");
  if (!file)
    return file.takeError();
  bool failed = false;
  {
    llvm::raw_fd_ostream out(file->FD, /*shouldClose=*/false);
    out << magic << hashText((key + bytes).str()) << bytes;
    out.flush();
    failed = out.has_error();
    out.clear_error();
  }
  if (failed) {
    llvm::Error discarded = file->discard();
    return llvm::joinErrors(
        llvm::createStringError(llvm::inconvertibleErrorCode(), "cannot write %s", target.c_str()),
        std::move(discarded));
  }
  return file->keep(target);
}

/// Calls `visit(path, status)` for every file below `directory`.
template <typename Visitor> static void forEachFile(const std::string &directory, Visitor visit) {
  std::error_code error;
  for (llvm::sys::fs::recursive_directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error))
    if (llvm::ErrorOr<llvm::sys::fs::basic_file_status> status = it->status())
      if (status->type() == llvm::sys::fs::file_type::regular_file)
        visit(llvm::StringRef(it->path()), *status);
}

std::vector<Cache::Item> Cache::items() const {
  std::vector<Item> items;
  if (!isOn())
    return items;
  forEachFile(directory, [&](llvm::StringRef path, const llvm::sys::fs::basic_file_status &status) {
    llvm::StringRef name = llvm::sys::path::filename(path);
    if (name.consume_back(".entry"))
      items.push_back({name.str(), path.str(), status.getSize(), status.getLastModificationTime()});
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

std::optional<std::string> Cache::inspect(const Item &item) const {
  std::optional<CacheEntry> entry = readEntry(item.path, item.key);
  return entry ? std::optional(std::move(entry->label)) : std::nullopt;
}

Cache::Usage Cache::prune(llvm::sys::TimePoint<> before, uint64_t limit) const {
  Usage removed;
  if (!isOn())
    return removed;
  auto remove = [&](llvm::StringRef path, uint64_t bytes) {
    if (llvm::sys::fs::remove(path, /*IgnoreNonExisting=*/false))
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
  forEachFile(directory, [&](llvm::StringRef path, const llvm::sys::fs::basic_file_status &status) {
    if (path.ends_with(".tmp") && status.getLastModificationTime() < stale)
      remove(path, status.getSize());
  });
  return removed;
}

} // namespace gluonc::driver
