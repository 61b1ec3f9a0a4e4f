// What the launch benchmarks share: a kernel that does nothing, and results that must be there.
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

inline constexpr char kernelText[] = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry nothing(.param .u64 a, .param .u64 b, .param .u32 c, .param .u32 d, .param .f32 e,
                        .param .u64 scratch0, .param .u64 scratch1)
.reqntid 128
{ ret; }
)";

/// The value, or the end of the program.
template <typename T> T need(llvm::Expected<T> value) {
  if (value)
    return std::move(*value);
  llvm::errs() << llvm::toString(value.takeError()) << '\n';
  std::exit(4);
}
