#include "driver/CheckFile.h"
#include "sema/names/ProgramState.h"

#include <set>

namespace gluonc::driver {

namespace {

/// Several requests find the same mistakes.
class OncePerPlace : public diag::Sink {
public:
  explicit OncePerPlace(diag::Sink &target) : target(target) {}

protected:
  void handle(diag::Diagnostic diagnostic) override {
    if (seen.insert({diagnostic.span.file, diagnostic.span.begin, diagnostic.message}).second)
      target.submit(std::move(diagnostic));
  }

private:
  diag::Sink &target;
  std::set<std::tuple<const diag::SourceFile *, uint32_t, std::string>> seen;
};

} // namespace

static mlir::OwningOpRef<mlir::ModuleOp> compileRequest(Compiler &compiler, sema::Program &program,
                                                        const CheckedKernel &checked,
                                                        diag::Sink &sink,
                                                        const sema::ValueObserver &observer) {
  const sema::Options &options = checked.request.options;
  mlir::OwningOpRef<mlir::ModuleOp> module = compiler.specialize(
      program, *checked.kernel, checked.arguments.specs, options, sink, nullptr, observer);
  if (!module || !compiler.transform(*module, options.target, program.sources(), sink) ||
      !compiler.isLegal(*module, options.target, program.sources(), sink))
    return nullptr;
  return module;
}

std::vector<CheckedKernel> checkFile(Compiler &compiler, sema::Program &program,
                                     sema::Module &module, diag::Sink &sink,
                                     const sema::ValueObserver &observer) {
  OncePerPlace once(sink);
  sema::check(program, module, once);
  std::vector<CheckedKernel> result;
  const auto kernels = program.kernels(module, once);
  if (!module.isBuiltin())
    reportStrayRequests(static_cast<sema::SourceModule &>(module).file, kernels, once);
  for (const std::shared_ptr<const sema::Function> &kernel : kernels)
    for (CheckRequest &request : requestsAbove(*kernel, once)) {
      host::HostScope scope(program, module);
      std::optional<KernelArguments> arguments =
          bindTypes(scope, *kernel, request.arguments, request.span, once);
      if (!arguments)
        continue;
      result.push_back({kernel, std::move(request), std::move(*arguments), nullptr});
      result.back().module = compileRequest(compiler, program, result.back(), once, observer);
    }
  return result;
}

} // namespace gluonc::driver
