#include "bundle/Contents.h"

#include "llvm/Support/SHA256.h"

#include <cstring>

using namespace gluonc::bundle;

/// Whatever the bytes are, what is outside of them is never read. The index's digest is made right,
/// or nearly nothing would come behind it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<uint64_t> words((size + 7) / 8);
  if (size)
    std::memcpy(words.data(), data, size);
  auto *bytes = reinterpret_cast<char *>(words.data());
  if (size >= sizeof(format::Header)) {
    auto &header = *reinterpret_cast<format::Header *>(bytes);
    header.magic = format::magic;
    header.version = format::version;
    header.headerBytes = sizeof header;
    header.fileBytes = size;
    uint64_t most = size - sizeof header;
    if (header.indexBytes <= most)
      header.digest =
          llvm::SHA256::hash({data + sizeof header, static_cast<size_t>(header.indexBytes)});
  }
  llvm::Expected<Bundle> bundle = Bundle::open({bytes, size});
  if (!bundle) {
    llvm::consumeError(bundle.takeError());
    return 0;
  }
  if (llvm::Expected<Contents> contents = read(*bundle); !contents)
    llvm::consumeError(contents.takeError());
  return 0;
}
