//===- HostScope.h - Names that a host program defines ------------------------===//
//
// A kernel in a Python process means what its names are bound to there: globals that
// were assigned or patched at run time, variables of the function that a kernel is
// nested in, functions of modules that no search path finds. The host program answers
// for such names through a resolver; what it does not know is looked up in the source.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace gluonc::sema {

enum class HostBindingKind : uint8_t {
  /// `text` is an expression over `gl`, `gluon`, `triton`, `tl` and `math`.
  Expression,
  /// A definition: `name` at `line` (of its first decorator) of the file `path`, in `scope`.
  JitFunction,
  ConstexprFunction,
  HostFunction,
  Class,
  /// The file `path` itself.
  Module,
};

struct HostBinding {
  HostBindingKind kind = HostBindingKind::Expression;
  /// The expression, or the text of the file.
  std::string text;
  std::string path;
  std::string name;
  unsigned line = 0;
  /// What the names in the definition are bound to.
  uint64_t scope = 0;
};

/// What `name` is bound to in a scope of the host program; nullopt for names it cannot tell.
using HostResolver =
    std::function<std::optional<HostBinding>(uint64_t scope, llvm::StringRef name)>;

/// Names that begin so stand for objects of the host program in expression texts. They are
/// resolved in every scope.
inline constexpr llvm::StringLiteral hostObjectPrefix = "__gluonc_object_";

} // namespace gluonc::sema
