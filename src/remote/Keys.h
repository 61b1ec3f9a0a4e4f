//===- Keys.h - Who is believed, and signs --------------------------------------===//
//
// A file of keys has a line for each:
//
//   ed25519-public 64 hexadecimal digits        entries that its private key signed are believed
//   ed25519-private 128 hexadecimal digits      seed and public key (RFC 8032): signs, too
//   hmac-sha256 64 hexadecimal digits           a shared secret (RFC 2104): believes and signs
//
// What is behind the digits is the reader's, `#` begins a comment. The first key that can signs.
//
// Ed25519 is libcrypto's (OpenSSL 1.1.1 or later), opened at run time; HMAC needs nothing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace gluonc::remote {

enum class Scheme { Ed25519, HmacSha256 };

struct Key {
  Scheme scheme = Scheme::HmacSha256;
  /// 16 hexadecimal digits that entries name it by.
  std::string id;
  /// 32 bytes; nothing of a shared secret.
  std::string publicBytes;
  /// 32 bytes: seed or shared secret. Empty where only the public key is known.
  std::string secret;

  bool canSign() const { return !secret.empty(); }
};

class KeyRing {
public:
  /// An error says the line.
  static llvm::Expected<KeyRing> parse(llvm::StringRef text);
  /// A file is refused that others than the user and root may write, or, with secrets in it, read.
  static llvm::Expected<KeyRing> read(const std::string &path);

  const Key *find(llvm::StringRef id) const;
  /// Null where none can.
  const Key *signer() const;
  bool needsLibcrypto() const;

private:
  std::vector<Key> keys;
};

/// What makes a fleet's files of keys: what who writes has, and what who only reads has (of a
/// shared secret, the same).
struct KeyFiles {
  std::string forWriters, forReaders;
};
llvm::Expected<KeyFiles> makeKeyFiles(Scheme scheme);

/// An error where libcrypto is not there.
llvm::Error openLibcrypto();

/// An error where the key cannot.
llvm::Expected<std::string> sign(const Key &key, llvm::StringRef message);
/// Also false where libcrypto is not there.
bool isSignature(const Key &key, llvm::StringRef message, llvm::StringRef signature);

} // namespace gluonc::remote
