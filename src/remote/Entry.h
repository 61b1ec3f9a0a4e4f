//===- Entry.h - Compiled kernels as a remote cache has them --------------------===//
//
// What is in a remote cache anybody may have put there, so an entry is believed for its signature
// alone: by a key of the reader's, over the name that it is found under, the build of gluonc that
// made it, the target and all of its content. So it cannot be changed, and stands for nothing else.
//
//   "gluonc-remote-1\n", then records (support/Records.h):
//   id of the key, signature, name, build, target, code, label, payload
//
// Signed are the first line and the records from the name on.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "remote/Keys.h"

namespace gluonc::remote {

struct Entry {
  /// Of gluonc: buildId().
  std::string build;
  std::string target;
  /// What the kernel is made from but the assembler: KernelKey::code of the driver.
  std::string code;
  /// What `gluonc cache list` shows.
  std::string label;
  std::string payload;
};

/// Why bytes are no entry that this machine takes.
enum class Refusal {
  Oversized,
  /// Cut off, or nothing of gluonc's.
  Malformed,
  UnknownKey,
  /// Something was changed.
  WrongSignature,
  /// Signed by a known key for another name: replayed.
  OtherName,
  OtherBuild,
  OtherTarget,
};
constexpr unsigned refusalCount = 7;
/// "oversized", "malformed", "unknown-key", …: as statistics have it.
llvm::StringRef wordOf(Refusal refusal);
/// "is signed by a key that is not among yours".
llvm::StringRef describe(Refusal refusal);

llvm::Expected<std::string> encode(const Entry &entry, llvm::StringRef name, const Key &signer);

struct Decoded {
  /// What was refused has none.
  std::optional<Entry> entry;
  Refusal refusal = Refusal::Malformed;
};
/// Of an entry that is looked for under `name`, for `build` and `target`; empty is any target.
Decoded decode(llvm::StringRef bytes, llvm::StringRef name, llvm::StringRef build,
               llvm::StringRef target, const KeyRing &keys);

} // namespace gluonc::remote
