//===- Scope.h - Local variables of a function --------------------------------===//
#pragma once

#include "sema/value/Value.h"

#include "diag/Source.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>
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
/// copies cheaply where branches need their own view. An index serves those with more.
class Scope {
public:
  const Binding *find(llvm::StringRef name) const {
    std::optional<size_t> at = indexOf(name);
    return at ? &bindings[*at] : nullptr;
  }
  void set(llvm::StringRef name, Value value, diag::Span span, bool isConstexpr = false) {
    lost.erase(name);
    Binding binding{name, std::move(value), span, isConstexpr};
    if (std::optional<size_t> at = indexOf(name)) {
      bindings[*at] = std::move(binding);
      return;
    }
    bindings.push_back(std::move(binding));
    if (!index.empty())
      index[name] = bindings.size() - 1;
    else if (bindings.size() > maxUnindexed)
      makeIndex();
  }
  void poison(llvm::StringRef name, diag::Span span) { set(name, Value(), span); }
  llvm::ArrayRef<Binding> all() const { return bindings; }

  /// A name that went out of existence with a branch or loop, and why (for the diagnostic).
  struct Lost {
    diag::Span span;
    llvm::StringLiteral why;
  };
  void lose(llvm::StringRef name, diag::Span span, llvm::StringLiteral why) {
    lost.try_emplace(name, Lost{span, why});
  }
  const Lost *findLost(llvm::StringRef name) const {
    auto entry = lost.find(name);
    return entry == lost.end() ? nullptr : &entry->second;
  }
  /// `x: gl.constexpr` without a value: the next assignment to `x` is constexpr.
  void expectConstexpr(llvm::StringRef name) { pending.push_back(name); }
  bool takeExpectation(llvm::StringRef name) { return std::erase(pending, name) != 0; }
  void remove(llvm::StringRef name) {
    std::optional<size_t> at = indexOf(name);
    if (!at)
      return;
    bindings.erase(bindings.begin() + *at);
    if (!index.empty())
      makeIndex();
  }

private:
  static constexpr size_t maxUnindexed = 64;

  std::optional<size_t> indexOf(llvm::StringRef name) const {
    if (!index.empty()) {
      auto entry = index.find(name);
      return entry == index.end() ? std::nullopt : std::optional(entry->second);
    }
    for (size_t i = 0; i < bindings.size(); ++i)
      if (bindings[i].name == name)
        return i;
    return std::nullopt;
  }
  void makeIndex() {
    index.clear();
    for (size_t i = 0; i < bindings.size(); ++i)
      index[bindings[i].name] = i;
  }

  std::vector<Binding> bindings;
  /// Places in `bindings`; empty while they are few.
  llvm::DenseMap<llvm::StringRef, size_t> index;
  llvm::DenseMap<llvm::StringRef, Lost> lost;
  std::vector<llvm::StringRef> pending;
};

} // namespace gluonc::sema
