#include "driver/Cache.h"
#include "support/Hash.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstring>

namespace gluonc::driver {

/// Changes with the form of entries, so that old files are misses.
static constexpr llvm::StringLiteral magic("gluonc-cache-1\n");
static constexpr size_t hashLength = 64;

std::string hashText(llvm::StringRef text) {
  ContentHash hash;
  hash.add(std::string_view(text));
  return hash.hex();
}

std::optional<std::string> hashFile(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return std::nullopt;
  return hashText((*file)->getBuffer());
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

std::optional<CacheEntry> Cache::find(llvm::StringRef key) const {
  if (!isOn())
    return std::nullopt;
  auto file = llvm::MemoryBuffer::getFile(fileOf(key), /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
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
  uint64_t count = reader.number();
  for (uint64_t i = 0; i != count && !reader.failed(); ++i) {
    std::string path = reader.text().str();
    std::string hash = reader.text().str();
    if (hashFile(path) != hash)
      return std::nullopt;
    entry.dependencies.push_back({std::move(path), std::move(hash)});
  }
  entry.payload = reader.text().str();
  if (reader.failed() || !reader.atEnd())
    return std::nullopt;
  return entry;
}

llvm::Error Cache::store(llvm::StringRef key, const CacheEntry &entry) const {
  if (!isOn())
    return llvm::Error::success();
  RecordWriter writer;
  writer.add(static_cast<uint64_t>(entry.dependencies.size()));
  for (const CacheDependency &dependency : entry.dependencies)
    writer.add(dependency.path).add(dependency.hash);
  writer.add(entry.payload);
  std::string bytes = writer.take();
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

Cache::Usage Cache::usage() const {
  Usage usage;
  if (!isOn())
    return usage;
  std::error_code error;
  for (llvm::sys::fs::recursive_directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error)) {
    if (!llvm::StringRef(it->path()).ends_with(".entry"))
      continue;
    llvm::ErrorOr<llvm::sys::fs::basic_file_status> status = it->status();
    if (!status)
      continue;
    ++usage.entries;
    usage.bytes += status->getSize();
  }
  return usage;
}

} // namespace gluonc::driver
