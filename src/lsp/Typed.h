//===- Typed.h - What a chain of names before the cursor means -----------------===//
#pragma once

#include "lsp/Analysis.h"

namespace gluonc::lsp {

/// What `chain` ("gl.nvidia", "x", "self.total") is at `offset`: of local variables what they were
/// found to be last before. `value` of the result as in KnownValue.
std::optional<KnownValue> knownChain(const View &view, llvm::StringRef chain, uint32_t offset);

/// A member with its value, by name.
struct Member {
  std::string name;
  KnownValue value;
};
/// What can follow `object` and a dot.
std::vector<Member> membersOf(const View &view, const KnownValue &object);

} // namespace gluonc::lsp
