//===- Arguments.h - NAME=VALUE to what a kernel is specialized for ---------===//
//
// The arguments of `gluonc run` and `gluonc compile`, bound to the parameters of a
// kernel. A name that is no parameter is a helper: a value for the expressions
// after it (`N=1 << 20 'x=randn(N, f32)'`).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "host/Expression.h"
#include "runtime/TensorParameter.h"
#include "sema/value/ArgSpec.h"

namespace gluonc::driver {

/// `NAME=VALUE` as it was written, with its place on the command line.
struct ArgumentText {
  std::string name;
  std::string value;
  diag::Span nameSpan;
  diag::Span valueSpan;
};

/// One parameter that the kernel takes at run time.
struct RuntimeArgument {
  std::string name;
  sema::DType dtype;
  /// A tensor for pointers and descriptors, a number or bool for scalars.
  std::variant<sema::Value, host::Tensor> value;
  /// What the kernel takes of a tensor by a descriptor; of rank 0 for other arguments.
  runtime::TensorParameter described = {};
  /// Of a descriptor: everything but the address that the kernel sees.
  TensorDescription description = {};
  /// Of a descriptor without a layout, which `describeOn` gives what it is on a target.
  std::optional<sema::ArgSpec> blocked = std::nullopt;

  /// Parameters of the kernel in IR: a descriptor's extents and strides follow it. Where threads
  /// access the tensor themselves, these follow its pointer, but for the last stride, which is 1.
  unsigned width() const {
    return described.expandedRank ? 2 * described.expandedRank : 1 + 2 * described.rank();
  }
  /// With the tensor where it is on the host.
  TensorDescription descriptionOnHost() const;
};

struct KernelArguments {
  /// One per parameter of the kernel.
  std::vector<sema::ArgSpec> specs;
  /// Depth first, as the kernel's ABI has them; empty after bindTypes.
  std::vector<RuntimeArgument> runtime;
};

/// For `run`: every value is evaluated, tensors become pointers. `laterTexts` are the expressions
/// beside the arguments that may use helpers (--grid, --expect). Binds all names in `scope`.
std::optional<KernelArguments> bindValues(host::HostScope &scope, const sema::Function &kernel,
                                          llvm::ArrayRef<ArgumentText> arguments,
                                          llvm::ArrayRef<std::string> laterTexts,
                                          diag::Span kernelSpan, diag::Sink &sink);

/// Decides what descriptors without a layout are for kernels on a target, in clusters of `ctas`: of
/// what bindValues gave, to be done before a launch. False after a report.
bool describeOn(KernelArguments &arguments, const target::Target &target, unsigned ctas,
                diag::Sink &sink);

/// For `compile`: `*fp32:16`, `i32`, or a value.
std::optional<KernelArguments> bindTypes(host::HostScope &scope, const sema::Function &kernel,
                                         llvm::ArrayRef<ArgumentText> arguments,
                                         diag::Span kernelSpan, diag::Sink &sink);

/// Says what is wrong with `text` as the type of a parameter, which types there are, and the
/// nearest.
void reportBadType(llvm::StringRef parameter, llvm::StringRef text, const llvm::Twine &what,
                   diag::Span span, diag::Sink &sink);

/// The bits of a run-time scalar, in the low bytes.
uint64_t scalarBits(const RuntimeArgument &argument);

/// `--grid`'s text to three sizes.
std::optional<std::array<uint32_t, 3>> evaluateGrid(host::HostScope &scope, llvm::StringRef text,
                                                    diag::Span span, diag::Sink &sink);

} // namespace gluonc::driver
