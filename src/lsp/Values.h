//===- Values.h - What expressions of a file were found to be -----------------===//
#pragma once

#include "diag/Source.h"
#include "sema/value/Value.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/DenseMap.h"

namespace gluonc::lsp {

/// What outlives the specialization of a value that an expression gave.
struct KnownValue {
  sema::ValueKind kind = sema::ValueKind::Absent;
  /// A compile-time value; the type of IR (BlockType), the class of an instance, the function of a
  /// bound method.
  sema::Value value;
  /// What holds IR in parts; empty for others.
  std::string parts = "";
  /// Where the operation is whose layout the compiler is still to choose.
  diag::Span open = {};

  bool isIr() const { return value.is(sema::ValueKind::BlockType); }
  /// `fp16[64, 128] in BlockedLayout(…)`; of compile-time values what Python prints.
  std::string text() const;
};

/// By place in the user's files. Where something is evaluated several times, as in functions that
/// are called more than once, the first value counts.
class Values {
public:
  explicit Values(const diag::SourceManager &sources) : sources(sources) {}

  void record(diag::Span place, const sema::Value &value);
  /// Gives tensors of kernels of Triton the layouts that they have in `module`, which was made from
  /// what was recorded.
  void addChosenLayouts(mlir::ModuleOp module);
  const KnownValue *find(diag::Span place) const;

private:
  const diag::SourceManager &sources;
  using Place = std::pair<const diag::SourceFile *, std::pair<uint32_t, uint32_t>>;
  llvm::DenseMap<Place, KnownValue> known;
};

} // namespace gluonc::lsp
