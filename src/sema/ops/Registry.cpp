//===- Registry.cpp - Builtins and methods by name ----------------------------===//
#include "sema/ops/Emit.h"

#include "llvm/ADT/StringMap.h"

namespace gluonc::sema::ops {

namespace {
/// A method that a function of another name serves.
struct MethodAlias {
  llvm::StringLiteral method, function;
};
} // namespace

/// Functions that are methods of tensors as well, under the same name.
static constexpr llvm::StringLiteral methodNames[] = {"cast",
                                                      "broadcast_to",
                                                      "reshape",
                                                      "permute",
                                                      "trans",
                                                      "split",
                                                      "ravel",
                                                      "expand_dims",
                                                      "sum",
                                                      "max",
                                                      "min",
                                                      "argmax",
                                                      "argmin",
                                                      "xor_sum",
                                                      "reduce_or",
                                                      "cumsum",
                                                      "cumprod",
                                                      "reduce",
                                                      "associative_scan",
                                                      "gather",
                                                      "exp",
                                                      "exp2",
                                                      "log",
                                                      "log2",
                                                      "cos",
                                                      "sin",
                                                      "sqrt",
                                                      "rsqrt",
                                                      "abs",
                                                      "erf",
                                                      "floor",
                                                      "ceil",
                                                      "sqrt_rn",
                                                      "cdiv",
                                                      "store",
                                                      "atomic_add",
                                                      "atomic_max",
                                                      "atomic_min",
                                                      "atomic_and",
                                                      "atomic_or",
                                                      "atomic_xor",
                                                      "atomic_xchg",
                                                      "atomic_cas",
                                                      "atomic_poll"};
static constexpr MethodAlias methodAliases[] = {{"to", "cast"}};

static Result reportLater(Context &context, llvm::StringRef name) {
  context.report(diag::Kind::NotSupportedYet, context.span, name).end();
  return std::nullopt;
}

static llvm::ArrayRef<Builtin> laterBuiltins() {
  static const Builtin table[] = {
#define GL_LATER(path)                                                                             \
  {path, "...", [](Context &context, const BoundArgs &) { return reportLater(context, path); }},
#include "sema/ops/Later.def"
  };
  return table;
}

/// The only element of a block of one: `x.item()`.
static Result emitItem(Context &context, const BoundArgs &arguments) {
  const Value &value = arguments[0];
  if (!value.isBlock())
    return value;
  if (value.blockTensorType().getNumElements() != 1) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span(0), "x", "a tensor of one element",
                value.typeName())
        .end();
    return std::nullopt;
  }
  Result flat = reshape(context, operand(arguments, 0), {1}, context.span);
  return flat ? Result(unsplat(context, *flat)) : std::nullopt;
}

static llvm::ArrayRef<Builtin> methodsOnly() {
  static const Builtin table[] = {{"item", "x", emitItem}};
  return table;
}

using Table = llvm::StringMap<const Builtin *>;

static Table tableOf(llvm::ArrayRef<llvm::ArrayRef<Builtin>> families) {
  Table table;
  for (llvm::ArrayRef<Builtin> family : families)
    for (const Builtin &builtin : family)
      table[builtin.name] = &builtin;
  return table;
}

static const Table &functions() {
  // Families come last: they win over the names that are still to come.
  static const Table table = tableOf(
      {laterBuiltins(), creationBuiltins(), shapeBuiltins(), layoutBuiltins(), memoryBuiltins(),
       atomicBuiltins(), mathBuiltins(), hintBuiltins(), reduceBuiltins(), sharedBuiltins(),
       asyncCopyBuiltins(), mmaBuiltins(), barrierBuiltins(), tmaBuiltins(), warpgroupBuiltins(),
       gatherBuiltins(), elementwiseBuiltins(), dotFmaBuiltins()});
  return table;
}

static const Table &tensorMethods() {
  static const Table table = [] {
    Table methods = tableOf({methodsOnly()});
    for (llvm::StringRef name : methodNames)
      methods[name] = functions().lookup(name);
    for (const MethodAlias &alias : methodAliases)
      methods[alias.method] = functions().lookup(alias.function);
    return methods;
  }();
  return table;
}

const Builtin *findBuiltin(llvm::StringRef name) { return functions().lookup(name); }

void appendBuiltinNames(std::vector<llvm::StringRef> &names) {
  size_t first = names.size();
  for (const auto &entry : functions())
    names.push_back(entry.getKey());
  std::sort(names.begin() + first, names.end());
}

const Builtin *findTensorMethod(llvm::StringRef name) { return tensorMethods().lookup(name); }

const Builtin *findMemDescMethod(llvm::StringRef name) {
  static const Table table = tableOf({bufferAccessMethods(), viewMethods(), indexedMethods()});
  return table.lookup(name);
}

} // namespace gluonc::sema::ops
