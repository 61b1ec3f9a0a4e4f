#include "remote/Keys.h"
#include "remote/Libcrypto.h"
#include "support/OwnFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

#include <sys/random.h>

namespace gluonc::remote {

static constexpr size_t keyBytes = 32;
static constexpr uint64_t mostKeyFileBytes = 1 << 20;

static llvm::Error wrong(const llvm::Twine &what) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), what);
}

static llvm::ArrayRef<uint8_t> bytesOf(llvm::StringRef text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

static std::string idOf(llvm::StringRef word, llvm::StringRef bytes) {
  llvm::SHA256 hash;
  hash.update("gluonc key ");
  hash.update(word);
  hash.update(" ");
  hash.update(bytes);
  return llvm::toHex(llvm::ArrayRef(hash.final()).take_front(8), /*LowerCase=*/true);
}

/// The key of "WORD DIGITS"; nullopt for what is none.
static std::optional<Key> parseKey(llvm::StringRef word, llvm::StringRef digits) {
  bool isPair = word == "ed25519-private";
  bool isSecret = word == "hmac-sha256";
  std::string bytes;
  if ((!isPair && !isSecret && word != "ed25519-public") || !llvm::tryGetFromHex(digits, bytes) ||
      bytes.size() != (isPair ? 2 : 1) * keyBytes || digits.size() != 2 * bytes.size())
    return std::nullopt;
  Key key;
  key.scheme = isSecret ? Scheme::HmacSha256 : Scheme::Ed25519;
  if (isSecret || isPair)
    key.secret = bytes.substr(0, keyBytes);
  if (!isSecret)
    key.publicBytes = bytes.substr(bytes.size() - keyBytes);
  key.id = idOf(isSecret ? "hmac-sha256" : "ed25519", isSecret ? key.secret : key.publicBytes);
  return key;
}

llvm::Expected<KeyRing> KeyRing::parse(llvm::StringRef text) {
  KeyRing ring;
  for (unsigned number = 1; !text.empty(); ++number) {
    llvm::StringRef line;
    std::tie(line, text) = text.split('\n');
    line = line.trim();
    if (line.empty() || line.starts_with("#"))
      continue;
    auto [word, rest] = llvm::getToken(line);
    std::optional<Key> key = parseKey(word, llvm::getToken(rest).first);
    // Without the line's text, in which a secret may be.
    if (!key)
      return wrong("line " + llvm::Twine(number) +
                   " is no key: `ed25519-public`, `ed25519-private` or `hmac-sha256`, then its "
                   "hexadecimal digits");
    ring.keys.push_back(std::move(*key));
  }
  if (ring.keys.empty())
    return wrong("there is no key in it");
  return ring;
}

llvm::Expected<KeyRing> KeyRing::read(const std::string &path) {
  auto inFile = [&](const llvm::Twine &what) {
    return wrong("file of keys `" + path + "` " + what);
  };
  OwnFile file = openOwnFile(path);
  if (!file)
    return inFile(file.refusal.empty() ? "cannot be read" : file.refusal);
  llvm::Expected<std::string> text = readRest(file.file, mostKeyFileBytes);
  if (!text)
    return inFile(": " + llvm::toString(text.takeError()));
  llvm::Expected<KeyRing> ring = parse(*text);
  if (!ring)
    return inFile(": " + llvm::toString(ring.takeError()));
  // A group of root's choice may share a secret.
  mode_t readers = file.status.st_uid ? S_IRGRP | S_IROTH : S_IROTH;
  if (ring->signer() && (file.status.st_mode & readers))
    return inFile("has a secret, and may be read by others: chmod 600");
  return ring;
}

const Key *KeyRing::find(llvm::StringRef id) const {
  auto found = llvm::find_if(keys, [&](const Key &key) { return key.id == id; });
  return found == keys.end() ? nullptr : &*found;
}

const Key *KeyRing::signer() const {
  auto found = llvm::find_if(keys, [](const Key &key) { return key.canSign(); });
  return found == keys.end() ? nullptr : &*found;
}

bool KeyRing::needsLibcrypto() const {
  return llvm::any_of(keys, [](const Key &key) { return key.scheme == Scheme::Ed25519; });
}

//===----------------------------------------------------------------------===//
// HMAC-SHA-256, RFC 2104
//===----------------------------------------------------------------------===//

static std::string hmac(llvm::StringRef secret, llvm::StringRef message) {
  constexpr size_t block = 64;
  std::string inner(block, '\x36'), outer(block, '\x5c');
  for (size_t i = 0; i != secret.size(); ++i) {
    inner[i] = static_cast<char>(inner[i] ^ secret[i]);
    outer[i] = static_cast<char>(outer[i] ^ secret[i]);
  }
  llvm::SHA256 hash;
  hash.update(inner);
  hash.update(message);
  std::array<uint8_t, 32> middle = hash.final();
  llvm::SHA256 whole;
  whole.update(outer);
  whole.update(middle);
  return llvm::toStringRef(whole.final()).str();
}

/// In a time that does not tell where they differ.
static bool areEqual(llvm::StringRef a, llvm::StringRef b) {
  unsigned differences = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i != std::min(a.size(), b.size()); ++i)
    differences |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return !differences;
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

llvm::Expected<std::string> sign(const Key &key, llvm::StringRef message) {
  if (!key.canSign())
    return wrong("the key only verifies");
  return key.scheme == Scheme::HmacSha256 ? hmac(key.secret, message)
                                          : signEd25519(key.secret, message);
}

bool isSignature(const Key &key, llvm::StringRef message, llvm::StringRef signature) {
  if (key.scheme == Scheme::HmacSha256)
    return areEqual(hmac(key.secret, message), signature);
  return isEd25519(key.publicBytes, message, signature);
}

llvm::Expected<KeyFiles> makeKeyFiles(Scheme scheme) {
  std::string secret(keyBytes, '\0');
  if (getentropy(secret.data(), secret.size()))
    return wrong("there are no random numbers");
  std::string digits = llvm::toHex(bytesOf(secret), /*LowerCase=*/true);
  if (scheme == Scheme::HmacSha256) {
    std::string line = "hmac-sha256 " + digits + "\n";
    return KeyFiles{line, line};
  }
  llvm::Expected<std::string> publicBytes = publicOfEd25519(secret);
  if (!publicBytes)
    return publicBytes.takeError();
  std::string publicDigits = llvm::toHex(bytesOf(*publicBytes), /*LowerCase=*/true);
  return KeyFiles{"ed25519-private " + digits + publicDigits + "\n",
                  "ed25519-public " + publicDigits + "\n"};
}

} // namespace gluonc::remote
