#include "support/Hash.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

namespace gluonc {

struct ContentHash::State {
  llvm::SHA256 sha;
};

ContentHash::ContentHash() : state(new State) {}
ContentHash::~ContentHash() { delete state; }

ContentHash &ContentHash::add(std::string_view part) {
  add(static_cast<uint64_t>(part.size()));
  state->sha.update(llvm::StringRef(part.data(), part.size()));
  return *this;
}

ContentHash &ContentHash::add(uint64_t value) {
  uint8_t bytes[8];
  for (int i = 0; i < 8; ++i)
    bytes[i] = static_cast<uint8_t>(value >> (8 * i));
  state->sha.update(llvm::ArrayRef<uint8_t>(bytes));
  return *this;
}

std::string ContentHash::hex() { return llvm::toHex(state->sha.final(), /*LowerCase=*/true); }

} // namespace gluonc
