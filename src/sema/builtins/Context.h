//===- Context.h - What emitting functions see of the walk -------------------===//
//
// One Context lives per specialization. The walker keeps `span` and the
// builder's insertion point current; builtins and operators emit through it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "diag/Diagnostic.h"
#include "sema/value/Value.h"
#include "target/Target.h"

#include "mlir/IR/Builders.h"

namespace gluonc::sema {

/// Compile options of one kernel.
struct Options {
  target::Target target;
  unsigned numWarps = 4;
  unsigned numCtas = 1;
  /// Of loops in Triton that load ahead, unless they say themselves.
  unsigned numStages = 3;
  std::optional<unsigned> maxnreg;
  bool debug = false;
  bool sanitizeOverflow = true;
  /// As ir/Sanitizer.h names them; "" for none.
  std::string sanitizer = "";
  bool sanitizesFloats() const { return llvm::StringRef(sanitizer).starts_with("fpsan"); }
  /// Whether locations say which variables hold a value (ir/SourceLocation.h), for debuggers.
  bool namesVariables = false;
};

/// What an emitting function may use. One per specialization; `span` follows the walk.
class Context {
public:
  Context(mlir::OpBuilder &builder, diag::Sink &sink, const Options &options)
      : builder(builder), sink(sink), options(options) {}
  virtual ~Context() = default;

  mlir::OpBuilder &builder;
  diag::Sink &sink;
  const Options &options;

  /// Of the operator or call being emitted.
  diag::Span span;
  /// Warps of the enclosing partition (the kernel's outside warp_specialize).
  unsigned numWarps() const { return partitionWarps.value_or(options.numWarps); }
  /// Set while a partition is walked.
  std::optional<unsigned> partitionWarps;
  /// Why there can be no warp_specialize here; null if it can.
  const char *noPartitions = nullptr;
  unsigned numCtas() const { return options.numCtas; }
  unsigned threadsPerWarp() const { return options.target.warpSize(); }
  mlir::MLIRContext *mlirContext() const { return builder.getContext(); }

  /// Whether the function that is walked leaves layouts to the compiler.
  virtual bool isTriton() const = 0;
  /// Whether one of them did: then the module says so, for `assign`.
  bool choosesLayouts = false;

  /// Location of `span`, with the chain of calls around it.
  virtual mlir::Location loc() = 0;
  /// Reports at `at`, with a "called from here" label per frame of the call chain.
  template <typename... Args>
  diag::Builder report(diag::Kind kind, diag::Span at, const Args &...args) {
    diag::Builder builder = sink.report(kind, at, args...);
    addCallChain(builder);
    return builder;
  }
  /// Calls a jit function (combine functions of reductions) at the insertion point.
  virtual std::optional<Value> call(const Value &callee, llvm::ArrayRef<Value> arguments) = 0;

protected:
  virtual void addCallChain(diag::Builder &builder) = 0;
};

} // namespace gluonc::sema
