//===- AsyncUnitRules.h - What asynchronous units demand of their operands ---===//
//
// The copy engine and wgmma read shared memory themselves, in forms of their own.
// Whether a descriptor, a buffer or a dot has such a form is read off its types;
// the numbers are those of target/nvidia.
// The builtins ask, who know the line, and the verifiers, for text that says it.
//
// Functions named why… answer with the reason why not; "" is a yes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/Dialects.h"
#include "target/nvidia/MatrixInstructions.h"

#include <optional>
#include <string>

namespace gluonc::ttng {

/// Whether the copy engine knows such descriptors: their elements, dims and layout.
std::string whyNoDescriptor(const Descriptor &descriptor);

/// Whether box copies may begin where `buffer` does, as far as the text tells.
std::string whyNoCopyTarget(mlir::Value buffer);

/// Whether the copy engine fills or reads the buffer's rows one by one (gather and scatter).
std::string whyNoNamedRows(const Descriptor &descriptor, ttg::MemDescType buffer);
/// Whether `offsets`, a row number for each row of such a buffer, are where messages want them.
std::string whyNoRowOffsets(mlir::RankedTensorType offsets, ttg::MemDescType buffer);

/// How a gather or scatter of rows treats the caches: an attribute beside those of the operation.
inline constexpr llvm::StringLiteral rowCachePolicyName = "ttng.cache_policy";
/// `policy` may be null.
inline void setRowCachePolicy(mlir::Operation *rows, mlir::Attribute policy) {
  if (policy)
    rows->setDiscardableAttr(rowCachePolicyName, policy);
}

/// Whether wgmma reads a and b as they lie (in registers or buffers) and adds to d as it lies.
/// Shapes agree and the element types have an instruction: somebody else has checked that.
/// `sanitized`: under fpsan, where it is no instruction, and how operands lie does not matter.
std::string whyNoWarpGroupDot(mlir::Type a, mlir::Type b, mlir::RankedTensorType d,
                              bool sanitized = false);

/// Whether the copy engine combines elements of this type so (PTX ISA, cp.reduce.async.bulk).
/// Signed integers of 64 bits have no sums and no bits there: an H100 stops at them.
bool hasReduction(tt::DescriptorReduceKind kind, mlir::Type element);

/// What tensor cores call elements of this type; nullopt for those that they do not know.
std::optional<target::nvidia::MatrixElement> matrixElement(mlir::Type type);

} // namespace gluonc::ttng
