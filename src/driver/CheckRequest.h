//===- CheckRequest.h - What a comment says a kernel is compiled for ---------===//
//
//   # gluonc: x=*fp32:16 n=i32 BLOCK=256 --num-warps 8 \
//   #         layout=gl.BlockedLayout([2], [32], [8], [0])
//   @gluon.jit
//   def kernel(x, n, BLOCK: gl.constexpr, layout: gl.constexpr):
//
// The arguments are those of `gluonc compile`, but no shell reads them: brackets and
// quotes hold a value together. Without --target the chip is cuda:90a. Several such
// comments are several requests.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "driver/Arguments.h"
#include "sema/builtins/Context.h"

namespace gluonc::driver {

struct CheckRequest {
  /// From the first word to the last.
  diag::Span span;
  std::vector<ArgumentText> arguments;
  sema::Options options;
};

/// The requests in the comments right above a function. Wrong ones are reported and left out.
std::vector<CheckRequest> requestsAbove(const sema::Function &kernel, diag::Sink &sink);

/// Reports such comments that are above none of `kernels`.
void reportStrayRequests(const diag::SourceFile &file,
                         llvm::ArrayRef<std::shared_ptr<const sema::Function>> kernels,
                         diag::Sink &sink);

} // namespace gluonc::driver
