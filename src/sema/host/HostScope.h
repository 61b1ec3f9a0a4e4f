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
  /// The file `path` itself; without a path, a module that the compiler has by `name`.
  Module,
  /// An instance of a class.
  Instance,
  /// What compile-time code can name but not use; `text` says why.
  Opaque,
  /// Nothing, whatever the source says.
  Unbound,
};

struct HostBinding {
  HostBindingKind kind = HostBindingKind::Expression;
  /// The expression, or the text of the file.
  std::string text;
  std::string path;
  std::string name;
  /// Of a class, whose `name` has those around it (`outer.<locals>.Name`): any line inside.
  unsigned line = 0;
  /// What the names in the definition are bound to.
  uint64_t scope = 0;
  /// Tells objects apart: bindings of one object are one value. 0 for expressions.
  uint64_t object = 0;
  /// An expression for what the object itself says, which the text of its definition may not, or
  /// no longer:
  ///   function  {'defaults': {name: value}, 'noinline': bool, 'body': (line, byte column)}
  ///   class     {'bases': (class, …), 'members': text of {name: (access, value)},
  ///              'fields': (name, …), 'types': text of {field: (type, …)}, 'named_tuple': bool}
  ///   instance  {'fields': {name: value}}; `name` is an expression for its class
  /// A class without a path is no aggregate. `fields` are its own; values have one of their types,
  /// or any where there are none.
  /// `body` is a place in a lambda's. `access` is '', 'property', 'static' or 'class'. Members and
  /// types are texts of their own since they may name the class.
  std::string attributes = {};
};

/// What `name` is bound to in a scope of the host program; nullopt for names it cannot tell.
using HostResolver =
    std::function<std::optional<HostBinding>(uint64_t scope, llvm::StringRef name)>;

/// Names that begin so, with an object's number behind, stand for objects of the host program in
/// expression texts. They are resolved in every scope.
inline constexpr llvm::StringLiteral hostObjectPrefix = "__gluonc_object_";

} // namespace gluonc::sema
