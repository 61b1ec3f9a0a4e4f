// Ed25519 by OpenSSL's libcrypto, as it is installed: what this room has of it are five calls whose
// binary interface its versions 1.1.1 and 3 share.
#include "remote/Libcrypto.h"
#include "remote/Keys.h"

#include <dlfcn.h>

namespace gluonc::remote {

namespace {

struct Libcrypto {
  void *(*newPublic)(int, void *, const unsigned char *, size_t);
  void *(*newPrivate)(int, void *, const unsigned char *, size_t);
  int (*getPublic)(const void *, unsigned char *, size_t *);
  void (*freeKey)(void *);
  void *(*newContext)();
  void (*freeContext)(void *);
  int (*signInit)(void *, void **, const void *, void *, void *);
  int (*sign)(void *, unsigned char *, size_t *, const unsigned char *, size_t);
  int (*verifyInit)(void *, void **, const void *, void *, void *);
  int (*verify)(void *, const unsigned char *, size_t, const unsigned char *, size_t);
};

/// EVP_PKEY_ED25519.
constexpr int ed25519 = 1087;
constexpr size_t signatureBytes = 64;

const Libcrypto *load() {
  static const Libcrypto *loaded = []() -> const Libcrypto * {
    void *library = nullptr;
    for (const char *name : {"libcrypto.so.3", "libcrypto.so.1.1"})
      if (!library)
        library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return nullptr;
    static Libcrypto table;
    bool whole = true;
    auto find = [&](auto &function, const char *name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      whole &= function != nullptr;
    };
    find(table.newPublic, "EVP_PKEY_new_raw_public_key");
    find(table.newPrivate, "EVP_PKEY_new_raw_private_key");
    find(table.getPublic, "EVP_PKEY_get_raw_public_key");
    find(table.freeKey, "EVP_PKEY_free");
    find(table.newContext, "EVP_MD_CTX_new");
    find(table.freeContext, "EVP_MD_CTX_free");
    find(table.signInit, "EVP_DigestSignInit");
    find(table.sign, "EVP_DigestSign");
    find(table.verifyInit, "EVP_DigestVerifyInit");
    find(table.verify, "EVP_DigestVerify");
    return whole ? &table : nullptr;
  }();
  return loaded;
}

const unsigned char *bytesOf(llvm::StringRef text) {
  return reinterpret_cast<const unsigned char *>(text.data());
}

/// A key and a context, freed at the end of the scope.
struct Operation {
  const Libcrypto &table;
  void *key, *context;

  Operation(const Libcrypto &table, void *key)
      : table(table), key(key), context(key ? table.newContext() : nullptr) {}
  Operation(const Operation &) = delete;
  ~Operation() {
    table.freeContext(context);
    table.freeKey(key);
  }
};

llvm::Error refused() {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "libcrypto does not sign");
}

} // namespace

llvm::Error openLibcrypto() {
  return load()
             ? llvm::Error::success()
             : llvm::createStringError(llvm::inconvertibleErrorCode(),
                                       "keys of Ed25519 need libcrypto.so.3, which is not there");
}

llvm::Expected<std::string> signEd25519(llvm::StringRef seed, llvm::StringRef message) {
  if (llvm::Error error = openLibcrypto())
    return std::move(error);
  const Libcrypto &table = *load();
  Operation operation(table, table.newPrivate(ed25519, nullptr, bytesOf(seed), seed.size()));
  std::string signature(signatureBytes, '\0');
  size_t size = signature.size();
  if (!operation.context ||
      table.signInit(operation.context, nullptr, nullptr, nullptr, operation.key) != 1 ||
      table.sign(operation.context, reinterpret_cast<unsigned char *>(signature.data()), &size,
                 bytesOf(message), message.size()) != 1 ||
      size != signatureBytes)
    return refused();
  return signature;
}

bool isEd25519(llvm::StringRef publicBytes, llvm::StringRef message, llvm::StringRef signature) {
  const Libcrypto *table = load();
  if (!table || signature.size() != signatureBytes)
    return false;
  Operation operation(*table,
                      table->newPublic(ed25519, nullptr, bytesOf(publicBytes), publicBytes.size()));
  return operation.context &&
         table->verifyInit(operation.context, nullptr, nullptr, nullptr, operation.key) == 1 &&
         table->verify(operation.context, bytesOf(signature), signature.size(), bytesOf(message),
                       message.size()) == 1;
}

llvm::Expected<std::string> publicOfEd25519(llvm::StringRef seed) {
  if (llvm::Error error = openLibcrypto())
    return std::move(error);
  const Libcrypto &table = *load();
  Operation operation(table, table.newPrivate(ed25519, nullptr, bytesOf(seed), seed.size()));
  std::string bytes(32, '\0');
  size_t size = bytes.size();
  if (!operation.key ||
      table.getPublic(operation.key, reinterpret_cast<unsigned char *>(bytes.data()), &size) != 1 ||
      size != bytes.size())
    return refused();
  return bytes;
}

} // namespace gluonc::remote
