//===- KernelTesting.h - Running textual kernels in tests -------------------===//
#pragma once

#include "ir/Dialects.h"
#include "sim/Simulator.h"

#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <optional>
#include <string>
#include <vector>

namespace gluonc::sim::testing {

/// Layouts that test kernels may name: 1-D #l, 2-D #m, its slices #m0 and #m1.
inline constexpr const char *kPrelude = R"(
#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#m = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#m0 = #ttg.slice<{dim = 0, parent = #m}>
#m1 = #ttg.slice<{dim = 1, parent = #m}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
)";

/// A kernel from text, the memory it may touch, and what it reported.
class Kernel {
public:
  /// `functions` holds tt.func operations, the kernel called @k among them.
  /// Lines that start with # before the first tt.func are attribute aliases.
  explicit Kernel(const std::string &functions, unsigned ctas = 1) {
    loadAllDialects(context);
    size_t split = functions.find("tt.func");
    std::string prelude = kPrelude;
    const std::string kOneCta = "\"ttg.num-ctas\" = 1";
    // Layouts of the prelude are for one CTA; MLIR reads those that nobody uses, too.
    if (ctas > 1)
      prelude = "\n#smem = #ttg.shared_memory\n" + prelude.substr(prelude.find("module"));
    prelude.replace(prelude.find(kOneCta), kOneCta.size(),
                    "\"ttg.num-ctas\" = " + std::to_string(ctas));
    std::string text = functions.substr(0, split) + prelude + functions.substr(split) + "\n}\n";
    file = sources.add("kernel.ttgir", text);
    module =
        mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context), "kernel.ttgir");
    EXPECT_TRUE(module) << text;
    if (module)
      executable = Executable::prepare(*module, "k", sink, sources);
  }

  template <class T>
  Kernel &buffer(const char *name, std::vector<T> &data,
                 Memory::Access access = Memory::Access::ReadWrite,
                 Memory::Contents contents = Memory::Contents::Initialized) {
    EXPECT_TRUE(memory.add(name, data.data(), data.size() * sizeof(T), access, contents));
    launch.arguments.push_back(Argument::pointer(data.data()));
    return *this;
  }
  Kernel &integer(int64_t value) {
    launch.arguments.push_back(Argument::integer(value));
    return *this;
  }
  Kernel &floating(double value) {
    launch.arguments.push_back(Argument::floating(value));
    return *this;
  }
  bool run(uint32_t x = 1, uint32_t y = 1, uint32_t z = 1) {
    if (!executable)
      return false;
    launch.grid = {x, y, z};
    launch.memory = &memory;
    return executable->run(launch, sink);
  }

  /// The kind reported first; nullopt if nothing was.
  std::optional<diag::Kind> firstKind() const {
    return sink.diagnostics.empty() ? std::nullopt : std::optional(sink.diagnostics[0].kind);
  }
  std::string firstMessage() const {
    return sink.diagnostics.empty() ? "" : sink.diagnostics[0].message;
  }
  std::string firstNote() const {
    return sink.diagnostics.empty() || sink.diagnostics[0].labels.empty()
               ? ""
               : sink.diagnostics[0].labels.back().text;
  }
  /// The source line that the first report points at.
  std::string firstLine() const {
    if (sink.diagnostics.empty() || !sink.diagnostics[0].span)
      return "";
    diag::Span span = sink.diagnostics[0].span;
    return std::string(span.file->line(span.file->position(span.begin).line));
  }
  std::string allMessages() const {
    std::string all;
    for (const diag::Diagnostic &diagnostic : sink.diagnostics)
      all += diagnostic.message + "\n";
    return all;
  }

  mlir::MLIRContext context;
  diag::SourceManager sources;
  const diag::SourceFile *file = nullptr;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<Executable> executable;
  diag::Collector sink;
  Memory memory;
  Launch launch;
};

/// A kernel that loads 128 elements from each of `inputs` (element types), executes
/// `body` on %a, %b, %c and stores %r of type `result`.
inline std::string elementwiseKernel(std::vector<std::string> inputs, const std::string &body,
                                     const std::string &result) {
  std::string text = "tt.func public @k(";
  for (size_t i = 0; i < inputs.size(); ++i)
    text += "%p" + std::to_string(i) + ": !tt.ptr<" + inputs[i] + ">, ";
  text += "%out: !tt.ptr<" + result +
          ">) {\n"
          "%i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #l>\n";
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string n = std::to_string(i), pointers = "tensor<128x!tt.ptr<" + inputs[i] + ">, #l>";
    text += "%s" + n + " = tt.splat %p" + n + " : !tt.ptr<" + inputs[i] + "> -> " + pointers +
            "\n%q" + n + " = tt.addptr %s" + n + ", %i : " + pointers + ", tensor<128xi32, #l>\n%" +
            char('a' + i) + " = tt.load %q" + n + " : " + pointers + "\n";
  }
  std::string pointers = "tensor<128x!tt.ptr<" + result + ">, #l>";
  return text + body + "\n%so = tt.splat %out : !tt.ptr<" + result + "> -> " + pointers +
         "\n%qo = tt.addptr %so, %i : " + pointers +
         ", tensor<128xi32, #l>\ntt.store %qo, %r : " + pointers + "\ntt.return\n}";
}

/// Runs such a kernel; `In` and `Out` are the storage types.
template <class Out, class In>
std::vector<Out> runElementwise(const std::string &type, const std::string &body,
                                const std::string &resultType,
                                std::vector<std::vector<In>> inputs) {
  Kernel kernel(elementwiseKernel(std::vector<std::string>(inputs.size(), type), body, resultType));
  std::vector<Out> out(128);
  const char *names[] = {"a", "b", "c"};
  for (size_t i = 0; i < inputs.size(); ++i)
    kernel.buffer(names[i], inputs[i], Memory::Access::ReadOnly);
  kernel.buffer("out", out);
  EXPECT_TRUE(kernel.run()) << body << "\n" << kernel.allMessages();
  return out;
}

} // namespace gluonc::sim::testing
