//===- Scope.h - Local variables of a function --------------------------------===//
#pragma once

#include "sema/Value.h"

#include "diag/Source.h"

#include <vector>

namespace gluonc::sema {

struct Binding {
  llvm::StringRef name;
  Value value;
  /// Where it was last assigned.
  diag::Span span;
  /// Bound by a `constexpr` annotation.
  bool isConstexpr = false;

  /// Its assignment failed. Reading it fails again, without another report.
  bool isPoison() const { return value.isAbsent(); }
};

/// Names in order of their first definition, which is also the order in which
/// loops carry them. Functions have a few dozen names: a vector beats a map, and
/// copies cheaply where branches need their own view.
class Scope {
public:
  const Binding *find(llvm::StringRef name) const {
    for (const Binding &binding : bindings)
      if (binding.name == name)
        return &binding;
    return nullptr;
  }
  void set(llvm::StringRef name, Value value, diag::Span span, bool isConstexpr = false) {
    std::erase_if(lost, [&](const Lost &entry) { return entry.name == name; });
    for (Binding &binding : bindings)
      if (binding.name == name) {
        binding = {name, std::move(value), span, isConstexpr};
        return;
      }
    bindings.push_back({name, std::move(value), span, isConstexpr});
  }
  void poison(llvm::StringRef name, diag::Span span) { set(name, Value(), span); }
  llvm::ArrayRef<Binding> all() const { return bindings; }

  /// A name that went out of existence with a branch or loop, and why (for the diagnostic).
  struct Lost {
    llvm::StringRef name;
    diag::Span span;
    llvm::StringLiteral why;
  };
  void lose(llvm::StringRef name, diag::Span span, llvm::StringLiteral why) {
    lost.push_back({name, span, why});
  }
  const Lost *findLost(llvm::StringRef name) const {
    for (const Lost &entry : lost)
      if (entry.name == name)
        return &entry;
    return nullptr;
  }
  /// `x: gl.constexpr` without a value: the next assignment to `x` is constexpr.
  void expectConstexpr(llvm::StringRef name) { pending.push_back(name); }
  bool takeExpectation(llvm::StringRef name) { return std::erase(pending, name) != 0; }
  void remove(llvm::StringRef name) {
    std::erase_if(bindings, [&](const Binding &binding) { return binding.name == name; });
  }

private:
  std::vector<Binding> bindings;
  std::vector<Lost> lost;
  std::vector<llvm::StringRef> pending;
};

} // namespace gluonc::sema
