//===- DebuggerTesting.h - Debugging source strings in tests -------------------===//
#pragma once

#include "debug/Debugger.h"

#include "gtest/gtest.h"

namespace gluonc::debug::testing {

/// A kernel `k` of a file "k.py", and a debugger at its start. The text begins in line 4, behind
/// imports and a layout `L` of 128 threads.
class Debugged {
public:
  Debugged(const std::string &text, std::vector<std::pair<std::string, std::string>> values,
           driver::Grid grid = {1, 1, 1}, driver::SimulatedRun how = {}) {
    module = program.load("k.py",
                          "from triton.experimental import gluon\n"
                          "from triton.experimental.gluon import language as gl\n"
                          "L = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))\n" +
                              text,
                          sink);
    kernel = program.kernel(*module, "k", sink);
    scope.emplace(program, *module);
    std::vector<driver::ArgumentText> texts;
    for (const auto &[name, value] : values)
      texts.push_back({name, value, {}, {}});
    arguments = *driver::bindValues(*scope, *kernel, texts, {}, {}, sink);
    sema::Options options;
    options.target = *target::Target::parse("cuda:90a");
    executable = prepare({program, kernel.get(), arguments.specs, options}, sources, sink);
    EXPECT_EQ(sink.errorCount(), 0u)
        << (sink.diagnostics.empty() ? "" : sink.diagnostics[0].message);
    if (executable)
      debugger.emplace(*executable, arguments, grid, how, *scope);
  }

  Debugger *operator->() { return &*debugger; }

  unsigned breakAt(uint32_t line, std::string condition = "") {
    return llvm::cantFail(
               debugger->addBreakpoint({sources.find("k.py"), line}, std::move(condition)))
        .id;
  }
  Stop forward() { return debugger->resume(Direction::Forward); }
  Stop back() { return debugger->resume(Direction::Back); }
  /// Of the selected frame.
  uint32_t line() const {
    const Trace trace = debugger->traceOf(debugger->selected());
    return trace[trace.size() - 1 - debugger->selectedFrame()].number;
  }
  std::string print(const std::string &text) {
    llvm::Expected<std::string> printed =
        debugger->print(text, debugger->selected(), debugger->selectedFrame());
    return printed ? *printed : "error: " + llvm::toString(printed.takeError());
  }

  diag::SourceManager sources;
  diag::Collector sink;
  sema::Program program{sources};
  sema::Module *module;
  std::shared_ptr<const sema::Function> kernel;
  std::optional<host::HostScope> scope;
  driver::KernelArguments arguments;
  std::unique_ptr<sim::Executable> executable;
  std::optional<Debugger> debugger;
};

} // namespace gluonc::debug::testing
