//===- TestKernel.h - Kernels that tests write and run -----------------------------===//
#pragma once

#include "ptx/Execute.h"

#include <gtest/gtest.h>

namespace gluonc::ptx {

/// Runs a kernel whose body gets the address of `out` in %out, that of `in` in %in and the thread's
/// number in %t.
class Executed {
public:
  std::vector<uint32_t> out;
  ParseError error;
  std::optional<Fault> fault;

  explicit Executed(const std::string &body, Launch launch = {}, size_t words = 64,
                    std::vector<uint32_t> in = {})
      : out(words, 0xdeadbeef) {
    std::unique_ptr<Module> module =
        parse(".version 8.8\n.target sm_100a\n.address_size 64\n"
              ".extern .shared .align 16 .b8 mem[];\n"
              ".visible .entry k(.param .u64 p, .param .u64 q) {\n"
              ".reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<128>;\n"
              ".reg .b64 %rd<16>;\n.reg .b32 %t;\n.reg .b64 %out, %in;\n"
              "ld.param.b64 %out, [p]; ld.param.b64 %in, [q];\nmov.u32 %t, %tid.x;\n" +
                  body + "\n}\n",
              error);
    if (!module)
      return;
    uint64_t slots[] = {reinterpret_cast<uint64_t>(out.data()),
                        reinterpret_cast<uint64_t>(in.data())};
    Range ranges[] = {{slots[0], slots[0] + 4 * words}, {slots[1], slots[1] + 4 * in.size()}};
    launch.slots = slots;
    launch.memory = ranges;
    if (!launch.sharedBytes)
      launch.sharedBytes = 1024;
    fault = execute(*module->kernel("k"), *module, launch);
  }
  std::string message() const {
    return fault ? "line " + std::to_string(fault->line) + ": " + fault->message
                 : "line " + std::to_string(error.line) + ": " + error.message;
  }
  bool isFine() const { return !fault && error.message.empty(); }
};

/// Thread t stores register %r1 in out[t].
inline const char *const storeResult =
    "mul.wide.u32 %rd15, %t, 4;\nadd.s64 %rd15, %out, %rd15;\nst.global.b32 [%rd15], %r1;\n";

inline Launch threads(unsigned count) {
  Launch launch;
  launch.threads = count;
  launch.stepLimit = 1000000;
  return launch;
}

} // namespace gluonc::ptx
