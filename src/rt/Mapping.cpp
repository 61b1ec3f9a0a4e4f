#include "rt/Mapping.h"

#include "support/File.h"

#include <sys/mman.h>

namespace gluonc::rt {

llvm::Expected<Mapping> Mapping::open(const char *path) {
  llvm::Expected<OpenFile> file = openToRead(path, Accept::RegularFiles);
  if (!file)
    return file.takeError();
  llvm::Expected<uint64_t> size = sizeOf(*file);
  if (!size)
    return size.takeError();
  if (*size == 0)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "it is empty");
  void *bytes = mmap(nullptr, *size, PROT_READ, MAP_PRIVATE, file->get(), 0);
  if (bytes == MAP_FAILED)
    return llvm::createStringError(std::error_code(errno, std::generic_category()),
                                   "it cannot be mapped");
  Mapping mapping;
  mapping.whole = {static_cast<const char *>(bytes), *size};
  return std::move(mapping);
}

Mapping::~Mapping() {
  if (!whole.empty())
    munmap(const_cast<char *>(whole.data()), whole.size());
}

} // namespace gluonc::rt
