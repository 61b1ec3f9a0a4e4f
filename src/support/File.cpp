#include "support/File.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gluonc {

static llvm::Error systemError() {
  std::error_code code(errno, std::generic_category());
  return llvm::createStringError(code, code.message());
}

OpenFile::~OpenFile() {
  if (number >= 0)
    close(number);
}

llvm::Expected<OpenFile> openToRead(const std::string &path, Accept accept) {
  const bool onlyRegular = accept == Accept::RegularFiles;
  // Non-blocking: a pipe without a writer must not hold who wants none.
  int flags = O_RDONLY | O_CLOEXEC | (onlyRegular ? O_NONBLOCK : 0);
  int number;
  do
    number = open(path.c_str(), flags);
  while (number < 0 && errno == EINTR);
  if (number < 0)
    return systemError();
  OpenFile file(number);
  struct stat status;
  if (fstat(number, &status))
    return systemError();
  if (S_ISDIR(status.st_mode))
    return llvm::createStringError(std::errc::is_a_directory, "Is a directory");
  if (onlyRegular && !S_ISREG(status.st_mode))
    return llvm::createStringError(std::errc::invalid_argument, "it is not a regular file");
  return std::move(file);
}

llvm::Expected<uint64_t> sizeOf(const OpenFile &file) {
  struct stat status;
  if (fstat(file.get(), &status))
    return systemError();
  return S_ISREG(status.st_mode) ? static_cast<uint64_t>(status.st_size) : 0;
}

llvm::Expected<size_t> readInto(const OpenFile &file, char *bytes, size_t size) {
  size_t done = 0;
  while (done != size) {
    // Linux transfers at most 2 GiB at once.
    ssize_t count = read(file.get(), bytes + done, std::min(size - done, size_t(1) << 30));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemError();
    if (count == 0)
      break;
    done += static_cast<size_t>(count);
  }
  return done;
}

static llvm::Error tooLarge(uint64_t limit) {
  return llvm::createStringError(std::errc::file_too_large, "it is larger than %llu MiB",
                                 static_cast<unsigned long long>(limit >> 20));
}

llvm::Expected<std::string> readRest(const OpenFile &file, uint64_t limit) {
  llvm::Expected<uint64_t> size = sizeOf(file);
  if (!size)
    return size.takeError();
  if (*size > limit)
    return tooLarge(limit);
  // The size says how much to ask for, and is not relied upon.
  uint64_t step = std::max<uint64_t>(1 << 16, *size + 1);
  std::string text;
  while (text.size() <= limit) {
    size_t before = text.size();
    text.resize(before + std::min(step, limit + 1 - before));
    llvm::Expected<size_t> count = readInto(file, text.data() + before, text.size() - before);
    if (!count)
      return count.takeError();
    bool atEnd = *count != text.size() - before;
    text.resize(before + *count);
    if (atEnd)
      return text;
    step = std::max<uint64_t>(step, text.size());
  }
  return tooLarge(limit);
}

llvm::Expected<std::string> readFile(const std::string &path, uint64_t limit, Accept accept) {
  llvm::Expected<OpenFile> file = openToRead(path, accept);
  if (!file)
    return file.takeError();
  return readRest(*file, limit);
}

} // namespace gluonc
