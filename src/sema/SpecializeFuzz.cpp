// Any text as a file: checking it and specializing whatever kernels it holds never crashes, and a
// module comes out exactly when no error was reported.

#include "ir/Dialects.h"
#include "sema/Specialize.h"
#include "support/Error.h"

using namespace gluonc;
using namespace gluonc::sema;

/// Argument types by position; the last serves the parameters beyond.
static ArgSpec argumentFor(const Parameter &parameter, size_t index) {
  static const char *const types[] = {"*fp32:16", "*i32", "i32:16", "i64", "fp32"};
  if (parameter.isConstexpr)
    return ArgSpec::compileTime(Value::integer(int64_t(32) << index % 4));
  return *ArgSpec::parse(types[std::min<size_t>(index, std::size(types) - 1)]);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static mlir::MLIRContext *context = [] {
    auto *created = new mlir::MLIRContext(mlir::MLIRContext::Threading::DISABLED);
    loadAllDialects(*created);
    return created;
  }();
  diag::SourceManager sources;
  diag::Collector sink;
  Program program(sources, [](llvm::StringRef) { return std::nullopt; });
  Module *module =
      program.load("fuzz.py", std::string(reinterpret_cast<const char *>(data), size), sink);
  check(program, *module, sink);
  Options options;
  options.target = *target::Target::parse("cuda:90");
  for (const std::shared_ptr<const Function> &kernel : program.kernels(*module, sink)) {
    std::vector<ArgSpec> arguments;
    for (const Parameter &parameter : kernel->parameters)
      arguments.push_back(argumentFor(parameter, arguments.size()));
    diag::Collector problems;
    auto result = specialize(program, *kernel, arguments, options, *context, problems);
    GL_CHECK(bool(result) != problems.hasErrors());
  }
  return 0;
}
