//===- Classes.h - Classes in source ------------------------------------------===//
#pragma once

#include "sema/eval/Walk.h"

namespace gluonc::sema {

/// Aggregates, whose fields may be IR, named tuples and plain classes of compile-time code.
class Classes : Walk {
public:
  using Walk::Walk;

  /// A class inside of a function.
  bool define(const ast::ClassDef &node);
  /// `C(…)`: an instance, or a named tuple.
  MaybeValue construct(const Value &cls, CallArguments &arguments);
  /// `aggregate_replace(instance, field=…)`.
  MaybeValue replaceFields(CallArguments &arguments);
  /// Attributes of classes and instances; nullopt without a report when there is none.
  MaybeValue member(const Value &object, llvm::StringRef name, diag::Span span);
  bool setField(const ast::Attribute &target, const Value &value);

private:
  bool bindFields(const Class &cls, CallArguments &arguments, std::vector<Value> &items);
  MaybeValue missingMember(const Value &instance, llvm::StringRef name, diag::Span span);
  bool finishFields(const Class &cls, llvm::ArrayRef<Value> items, diag::Span span);
};

} // namespace gluonc::sema
