#include "driver/Compiler.h"
#include "assign/Assign.h"
#include "driver/IrSignature.h"
#include "ir/Dialects.h"
#include "ir/OpenLayouts.h"
#include "ir/Report.h"
#include "ir/Sanitizer.h"
#include "ir/SourceLocation.h"
#include "ir/text/ReadModule.h"
#include "support/Interrupt.h"
#include "support/Recovery.h"
#include "transform/Pipeline.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include <elf.h>
#include <link.h>

namespace gluonc::driver {

using diag::Kind;

Compiler::Compiler()
    : mlirContext(std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED)) {
  loadAllDialects(*mlirContext);
  // The user knows the line; a whole kernel's IR behind it would hide the notes.
  mlirContext->printOpOnDiagnostic(false);
}

Compiler::~Compiler() = default;

mlir::OwningOpRef<mlir::ModuleOp>
Compiler::specialize(sema::Program &program, const sema::Function &kernel,
                     llvm::ArrayRef<sema::ArgSpec> arguments, const sema::Options &options,
                     diag::Sink &sink, Timings *timings, sema::ValueObserver observer) {
  TimingScope scope(timings, "sema");
  beginStage("sema");
  return sema::specialize(program, kernel, arguments, options, *mlirContext, sink,
                          std::move(observer));
}

mlir::OwningOpRef<mlir::ModuleOp> Compiler::parseIr(const diag::SourceFile &file,
                                                    const diag::SourceManager &sources,
                                                    diag::Sink &sink, Timings *timings) {
  TimingScope scope(timings, "parse");
  DiagnosticBridge bridge(mlirContext.get(), sources, sink, Kind::InvalidTtgir);
  return readModule(*mlirContext, file.text(), file.path());
}

mlir::OwningOpRef<mlir::ModuleOp> Compiler::makeIr(const KernelSource &source, diag::Sink &sink,
                                                   Timings *timings) {
  if (!source.ir)
    return specialize(source.program, *source.kernel, source.arguments, source.options, sink,
                      timings);
  const diag::SourceManager &sources = source.program.sources();
  mlir::OwningOpRef<mlir::ModuleOp> module = parseIr(*source.ir, sources, sink, timings);
  if (!module || !isForTarget(*module, source.options.target, sources, sink))
    return nullptr;
  if (source.options.maxnreg)
    module->getOperation()->setAttr(
        ttg::maxRegistersAttr,
        mlir::Builder(mlirContext.get()).getI32IntegerAttr(int32_t(*source.options.maxnreg)));
  return module;
}

namespace {
/// Lets the host stop before each pass.
struct MayStop : mlir::PassInstrumentation {
  void runBeforePass(mlir::Pass *, mlir::Operation *) override { mayStopHere(); }
};
} // namespace

/// Layouts where the kernel's author left them to the compiler.
static void addChoices(mlir::PassManager &passes, mlir::ModuleOp module,
                       const target::Target &target, bool remarks) {
  if (!choosesLayouts(module))
    return;
  // Layouts spread through inlined calls, and what simplification drops needs none.
  passes.addPass(createInlinePass());
  passes.addPass(createSimplifyPass());
  addAssign(passes, target, {.remarks = remarks});
}

bool Compiler::runPasses(mlir::PassManager &passes, mlir::ModuleOp module,
                         const diag::SourceManager &sources, diag::Sink &sink) {
  DiagnosticBridge bridge(mlirContext.get(), sources, sink, Kind::KernelRejected);
  passes.addInstrumentation(std::make_unique<MayStop>());
  // Once at the end: after each of a dozen passes it would take longer than they.
  passes.enableVerifier(false);
  unsigned before = sink.errorCount();
  if (mlir::succeeded(passes.run(module)) && mlir::succeeded(mlir::verify(module)))
    return true;
  // A pass that fails without a word is a bug, but the user must see something.
  if (sink.errorCount() == before)
    sink.report(Kind::KernelRejected, {}, "a pass over the kernel failed").end();
  return false;
}

bool Compiler::assignLayouts(mlir::ModuleOp module, const target::Target &target,
                             const diag::SourceManager &sources, diag::Sink &sink) {
  beginStage("transform");
  mlir::PassManager passes(mlirContext.get());
  passes.addPass(createScopesPass());
  addChoices(passes, module, target, remarks);
  passes.addPass(createInlinePass());
  passes.addPass(createResolveLayoutsPass());
  passes.addPass(createSimplifyPass());
  return runPasses(passes, module, sources, sink);
}

bool Compiler::transform(mlir::ModuleOp module, const target::Target &target,
                         const diag::SourceManager &sources, diag::Sink &sink, Timings *timings) {
  TimingScope scope(timings, "transform");
  beginStage("transform");
  mlir::PassManager passes(mlirContext.get());
  passes.addPass(createScopesPass());
  addChoices(passes, module, target, remarks);
  addPipeline(passes, target);
  return runPasses(passes, module, sources, sink);
}

static void reportAssembler(const codegen::AssemblerError &failure, const target::Target &target,
                            diag::Sink &sink) {
  switch (failure.cause()) {
  case codegen::AssemblerError::Cause::Unknown:
    return sink
        .report(target.isNvidia() ? Kind::PtxasRejected : Kind::AssemblerRejected, {},
                failure.reason())
        .end();
  case codegen::AssemblerError::Cause::TooFewRegisters:
    sink.report(Kind::TooFewRegisters, {}, failure.reason())
        .hint("the more warps a CTA has, those of partitions included, the fewer registers a "
              "thread has: use fewer warps, smaller accumulators or a larger maxnreg");
    return;
  }
}

/// Code generation's complaints: what it cannot do yet, what the assembler says, else a failure of
/// its own.
static void reportCodegen(llvm::Error error, const target::Target &target,
                          const diag::SourceManager &sources, diag::Sink &sink) {
  llvm::handleAllErrors(
      std::move(error),
      [&](const codegen::UnsupportedError &unsupported) {
        sink.report(Kind::UnsupportedInCodegen, spanOf(unsupported.location(), sources),
                    unsupported.what(), target.name())
            .end();
      },
      [&](const codegen::AssemblerError &failure) { reportAssembler(failure, target, sink); },
      [&](const codegen::LibraryError &failure) {
        sink.report(Kind::InvalidOption, {}, failure.what()).end();
      },
      [&](const llvm::ErrorInfoBase &other) {
        sink.report(Kind::InvalidTtgir, {}, other.message()).end();
      });
}

/// Puts LLVM IR that is given in the place of a module's own. False after a report.
static bool replaceBy(llvm::StringRef text, codegen::LlvmModule &own, diag::Sink &sink) {
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> given = llvm::parseAssemblyString(text, problem, *own.context);
  std::string why;
  llvm::raw_string_ostream out(why);
  if (!given)
    out << "line " << problem.getLineNo() << ": " << problem.getMessage();
  else if (llvm::Function *kernel = given->getFunction(own.kernel.name);
           !kernel || kernel->isDeclaration())
    out << "it has no function `" << own.kernel.name << "`";
  else if (!llvm::verifyModule(*given, &out))
    given->setDataLayout(own.module->getDataLayout());
  if (!why.empty()) {
    sink.report(Kind::LlvmIrRejected, {}, why).end();
    return false;
  }
  given->setTargetTriple(own.module->getTargetTriple());
  own.module = std::move(given);
  return true;
}

/// Warns, at the kernel, of registers that the assembler must keep in local memory, and of products
/// that it does not let overlap.
static void reportCosts(mlir::ModuleOp module, const codegen::Artifact &artifact,
                        const diag::SourceManager &sources, diag::Sink &sink) {
  if (!artifact.resources)
    return;
  const codegen::ResourceUsage &used = *artifact.resources;
  for (tt::FuncOp function : module.getOps<tt::FuncOp>()) {
    if (function.getSymName() != used.kernel)
      continue;
    if (used.spillStoreBytes + used.spillLoadBytes && !used.spillsByChoice)
      sink.report(Kind::RegisterSpills, spanOf(function.getLoc(), sources), used.kernel,
                  used.registers, used.spillStoreBytes, used.spillLoadBytes)
          .end();
    if (!used.serialization.empty())
      sink.report(Kind::SerializedProducts, spanOf(function.getLoc(), sources), used.kernel,
                  used.serialization)
          .end();
  }
}

/// Whether it calls functions of users' libraries, which machine code alone has.
static bool callsLibraries(mlir::ModuleOp module) {
  return module
      .walk([](tt::ExternElementwiseOp op) {
        return op.getSymbol().starts_with("__nv_") ? mlir::WalkResult::advance()
                                                   : mlir::WalkResult::interrupt();
      })
      .wasInterrupted();
}

bool Compiler::isLegal(mlir::ModuleOp module, const target::Target &target,
                       const diag::SourceManager &sources, diag::Sink &sink, Timings *timings) {
  std::unique_ptr<codegen::Backend> backend = codegen::createBackend(target);
  // Payloads in place of floats are no chip's.
  if (!backend || sanitizerOf(module) == Sanitizer::Fpsan || callsLibraries(module))
    return true;
  TimingScope scope(timings, "legality");
  beginStage("codegen");
  llvm::Error error = backend->legalize(module);
  if (!error)
    error = backend->emit(module).takeError();
  if (!error)
    return true;
  reportCodegen(std::move(error), target, sources, sink);
  return false;
}

std::optional<CompiledKernel> Compiler::generate(mlir::ModuleOp module,
                                                 const target::Target &target, Stage last,
                                                 const CodeOptions &options,
                                                 const diag::SourceManager &sources,
                                                 diag::Sink &sink, Timings *timings) {
  std::unique_ptr<codegen::Backend> backend = codegen::createBackend(target, options.backend);
  if (!backend) {
    sink.report(Kind::TargetWithoutCode, {}, target.name()).end();
    return std::nullopt;
  }
  beginStage("codegen");
  auto fail = [&](llvm::Error error) {
    reportCodegen(std::move(error), target, sources, sink);
    return std::nullopt;
  };
  llvm::Expected<codegen::LlvmModule> llvmModule = backend->makeLlvm(module, timings);
  if (!llvmModule)
    return fail(llvmModule.takeError());
  auto isGiven = [&](Stage stage) { return options.given && options.given->stage == stage; };
  if (isGiven(Stage::Llir) && !replaceBy(options.given->text, *llvmModule, sink))
    return std::nullopt;
  CompiledKernel result = {llvmModule->kernel, {}, {}};
  if (last == Stage::Llir) {
    result.artifact = {info(last).name.str(), llvmModule->print()};
    return result;
  }
  std::optional<TimingScope> scope;
  scope.emplace(timings, info(Stage::Assembly).nameFor(target).data());
  llvm::Expected<codegen::Artifact> assembly = backend->print(*llvmModule);
  scope.reset();
  if (!assembly)
    return fail(assembly.takeError());
  if (isGiven(Stage::Assembly))
    assembly->bytes = options.given->text;
  if (last == Stage::Assembly) {
    result.artifact = std::move(*assembly);
    return result;
  }
  std::optional<codegen::Backend::Assembler> assembler = backend->assembler();
  if (assembler && options.assembler.empty()) {
    sink.report(Kind::ToolMissing, {}, assembler->name).hint("{0}", assembler->hint);
    return std::nullopt;
  }
  scope.emplace(timings, assembler ? assembler->name.data() : "assembler");
  llvm::Expected<codegen::Artifact> artifact = backend->assemble(*assembly, options.assembler);
  if (!artifact)
    return fail(artifact.takeError());
  reportCosts(module, *artifact, sources, sink);
  result.artifact = std::move(*artifact);
  result.assembly = std::move(*assembly);
  return result;
}

std::string printIr(mlir::ModuleOp module, bool withNames) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, mlir::OpPrintingFlags().printNameLocAsPrefix(withNames));
  out << '\n';
  return text;
}

namespace {
struct BuildIdSearch {
  uintptr_t address;
  std::string id;
};
} // namespace

/// Looks for the GNU build-id note of the loaded object that holds `address`.
static int findBuildId(dl_phdr_info *object, size_t, void *data) {
  auto &search = *static_cast<BuildIdSearch *>(data);
  bool holds = false;
  for (int i = 0; i != object->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = object->dlpi_phdr[i];
    uintptr_t begin = object->dlpi_addr + header.p_vaddr;
    holds |= header.p_type == PT_LOAD && search.address - begin < header.p_memsz;
  }
  if (!holds)
    return 0;
  for (int i = 0; i != object->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = object->dlpi_phdr[i];
    if (header.p_type != PT_NOTE)
      continue;
    const char *at = reinterpret_cast<const char *>(object->dlpi_addr + header.p_vaddr);
    const char *end = at + header.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const auto *note = reinterpret_cast<const ElfW(Nhdr) *>(at);
      const char *name = at + sizeof *note;
      const char *bytes = name + (note->n_namesz + 3) / 4 * 4;
      if (note->n_type == NT_GNU_BUILD_ID &&
          llvm::StringRef(name, note->n_namesz) == llvm::StringRef("GNU", 4)) {
        search.id = llvm::toHex(llvm::StringRef(bytes, note->n_descsz), /*LowerCase=*/true);
        return 1;
      }
      at = bytes + (note->n_descsz + 3) / 4 * 4;
    }
  }
  return 1;
}

std::string buildId() {
  BuildIdSearch search{reinterpret_cast<uintptr_t>(&buildId), {}};
  dl_iterate_phdr(findBuildId, &search);
  return search.id;
}

} // namespace gluonc::driver
