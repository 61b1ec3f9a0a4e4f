#include "Session.h"
#include "driver/Disassemble.h"
#include "driver/KernelCache.h"
#include "driver/KernelOptions.h"
#include "driver/Run.h"
#include "support/File.h"
#include "syntax/Dump.h"
#include "syntax/Lexer.h"
#include "syntax/Parser.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

namespace gluonc::tool {

using diag::Kind;
using driver::Stage;

namespace {

/// One `gluonc compile`, as often as it is repeated.
struct Compilation {
  Session &session;
  Session::Input input;
  Stage stage = Stage::Binary;
  sema::Options options;
  driver::CodeOptions code;
  std::vector<driver::ArgumentText> arguments;
  std::string text;
  driver::Compiler compiler;
  driver::Cache cache = driver::Cache("");
  /// What was made; empty after a failure.
  std::optional<driver::CompiledKernel> result = std::nullopt;
  /// What the cache calls it.
  std::string label = "";
  /// --emit sass: machine code as text.
  bool disassembled = false;

  /// --emit tokens, ast.
  void emitSyntax() {
    const diag::SourceFile *file = session.sources.add(input.path.text, text);
    std::string out;
    llvm::raw_string_ostream stream(out);
    if (stage == Stage::Tokens) {
      ast::dumpTokens(ast::lex(*file, session.sink), stream);
    } else {
      const Word *version = session.line.find("--python");
      std::unique_ptr<ast::Module> module = ast::parse(*file, session.sink);
      if (session.sink.hasErrors())
        return;
      ast::dump(*module, stream,
                version && version->text == "3.11" ? ast::PythonVersion::Python311
                                                   : ast::PythonVersion::Python312);
      stream << '\n';
    }
    result.emplace().artifact.bytes = std::move(out);
  }

  mlir::OwningOpRef<mlir::ModuleOp> specializeSource(LoadedKernel &loaded, Timings *timings) {
    std::optional<driver::KernelArguments> bound;
    {
      TimingScope timing(timings, "arguments");
      bound =
          driver::bindTypes(*loaded.scope, *loaded.kernel, arguments, loaded.place, session.sink);
    }
    if (!bound)
      return nullptr;
    label = driver::label({loaded.program, loaded.kernel.get(), bound->specs, options});
    return compiler.specialize(loaded.program, *loaded.kernel, bound->specs, options, session.sink,
                               timings);
  }

  mlir::OwningOpRef<mlir::ModuleOp> readIr(diag::SourceManager &sources, Timings *timings) {
    sema::Program program(sources);
    driver::KernelSource source = {
        program, nullptr, {}, options, sources.add(input.path.text, text)};
    label = driver::label(source);
    return compiler.makeIr(source, session.sink, timings);
  }

  void run(diag::SourceManager &sources, Timings *timings) {
    result.reset();
    std::unique_ptr<LoadedKernel> loaded;
    mlir::OwningOpRef<mlir::ModuleOp> module;
    if (input.isIr())
      module = readIr(sources, timings);
    else if ((loaded = session.loadKernel(input, text, sources, timings)))
      module = specializeSource(*loaded, timings);
    if (!module || session.sink.hasErrors())
      return;
    if (stage == Stage::Ttgir) {
      result.emplace().artifact.bytes = driver::printIr(*module);
      return;
    }
    if (cache.isOn() && (stage == Stage::Binary || stage == Stage::Assembly)) {
      driver::KernelRequest request = {*module, options.target, code, stage};
      result = compileCached(compiler, cache, request, cacheKey(request), label, sources,
                             session.sink, timings);
      return;
    }
    if (!compiler.transform(*module, options.target, sources, session.sink, timings))
      return;
    if (stage == Stage::TtgirOpt) {
      result.emplace().artifact.bytes = driver::printIr(*module);
      return;
    }
    result =
        compiler.generate(*module, options.target, stage, code, sources, session.sink, timings);
  }
};

double median(std::vector<double> values) {
  llvm::sort(values);
  size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// Compiles `count` times with fresh source and prints the medians. The first time, which warms
/// caches and allocators, does not count.
int repeat(Compilation &compilation, uint64_t count) {
  std::map<std::string, std::vector<double>> stages;
  std::vector<double> totals;
  for (uint64_t i = 0; i <= count; ++i) {
    Timings timings;
    auto start = std::chrono::steady_clock::now();
    diag::SourceManager sources;
    compilation.run(sources, &timings);
    double total =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (!compilation.result)
      return compilation.session.status();
    if (i == 0)
      continue;
    totals.push_back(total);
    for (const Timings::Entry &entry : timings.entries())
      stages[entry.name].push_back(entry.milliseconds);
  }
  llvm::json::OStream json(llvm::outs());
  json.object([&] {
    json.attribute("repeat", count);
    json.attributeObject("stages_ms", [&] {
      for (const auto &[name, values] : stages)
        json.attribute(name, median(values));
    });
    json.attributeObject("stages_min_ms", [&] {
      for (const auto &[name, values] : stages)
        json.attribute(name, *std::min_element(values.begin(), values.end()));
    });
    json.attribute("total_ms", median(totals));
    json.attribute("total_min_ms", *std::min_element(totals.begin(), totals.end()));
  });
  llvm::outs() << '\n';
  return 0;
}

} // namespace

/// Machine code as text, by what the CUDA toolkit has for it. False after a report.
static bool disassemble(Session &session, std::string &code) {
  std::string program = findCudaToolHere("nvdisasm");
  llvm::StringRef option = "--print-code";
  if (program.empty()) {
    program = findCudaToolHere("cuobjdump");
    option = "-sass";
  }
  if (program.empty()) {
    session.sink.report(Kind::ToolMissing, {}, "nvdisasm")
        .hint("it comes with the CUDA toolkit, in PATH or CUDA_HOME/bin, and with Triton");
    return false;
  }
  llvm::Expected<std::string> text = driver::disassemble(program, {option}, code);
  if (!text) {
    session.sink.report(Kind::InvalidOption, {}, llvm::toString(text.takeError())).end();
    return false;
  }
  code = std::move(*text);
  return true;
}

/// One line about machine code that was written.
static void printResources(const std::string &path, const driver::CompiledKernel &result) {
  llvm::outs() << path << ": " << result.artifact.bytes.size() << " bytes";
  if (result.artifact.resources)
    llvm::outs() << ", " << result.artifact.resources->registers << " registers, "
                 << result.artifact.resources->spillStoreBytes << " bytes spilled";
  llvm::outs() << ", " << result.kernel.sharedBytes << " bytes of shared memory\n";
}

/// Text goes to the standard output, a cubin to a file of its own, unless -o says where.
static int writeResult(Compilation &compilation) {
  Session &session = compilation.session;
  const driver::CompiledKernel &result = *compilation.result;
  bool isText = driver::info(compilation.stage).isText || compilation.disassembled;
  const Word *out = session.line.find("-o");
  Word path{isText ? "-" : result.kernel.name + "." + result.artifact.kind, {}};
  if (out)
    path = *out;
  if (session.writeFile(path, result.artifact.bytes) && !isText && path.text != "-")
    printResources(path.text, result);
  return session.status();
}

/// What is wrong with a form of another vendor's chips; empty where nothing is.
static std::string wrongVendor(llvm::StringRef form, const target::Target &target) {
  using driver::info;
  std::string assembly = info(Stage::Assembly).nameFor(target).str();
  std::string binary = info(Stage::Binary).nameFor(target).str();
  bool isCode = llvm::is_contained({"ptx", "cubin", "sass", "amdgcn", "hsaco"}, form);
  if (!isCode || form == assembly || form == binary || (form == "sass" && target.isNvidia()))
    return "";
  return "there is no " + form.str() + " for " + target.name() + ": --emit " + assembly + " or " +
         binary;
}

int compileCommand(Session &session) {
  if (session.line.positional().empty())
    return session.usage("no kernel given");
  Compilation compilation{session,
                          Session::splitInput(session.line.positional().front()),
                          Stage::Binary,
                          {},
                          {},
                          {},
                          {},
                          {}};
  std::string problem;
  if (!session.line.namedValues(1, compilation.arguments, problem) ||
      !driver::readOptions(session.line, compilation.options, problem))
    return session.usage(problem);
  if (const Word *emit = session.line.find("--emit")) {
    compilation.disassembled = emit->text == "sass";
    std::optional<Stage> stage =
        compilation.disassembled ? Stage::Binary : driver::parseStage(emit->text);
    if (!stage)
      return session.usage("--emit takes tokens, ast, ttgir, ttgir-opt, llir, ptx, cubin, sass, "
                           "amdgcn or hsaco");
    compilation.stage = *stage;
  }
  bool isSyntax = compilation.stage <= Stage::Ast;
  if (const Word *target = session.line.find("--target")) {
    std::optional<target::Target> parsed = driver::parseTarget(*target, session.sink);
    if (!parsed)
      return session.status();
    compilation.options.target = *parsed;
    if (const Word *emit = session.line.find("--emit"))
      if (std::string wrong = wrongVendor(emit->text, *parsed); !wrong.empty())
        return session.usage(wrong);
  } else if (!isSyntax) {
    return session.usage("--target is needed, e.g. --target cuda:90a");
  }
  std::optional<uint64_t> count;
  if (!session.line.integer("--repeat", count, problem))
    return session.usage(problem);
  std::optional<std::string> text = session.readFile(compilation.input.path);
  if (!text)
    return session.status();
  compilation.text = std::move(*text);
  compilation.code = session.codeOptions();
  if (!session.readLibraries(compilation.code.backend))
    return session.status();
  if (count && *count > 0 && !isSyntax)
    return repeat(compilation, *count);
  // Passes that are to be timed have to run.
  bool remarks = session.line.has("--remarks");
  if (remarks)
    compilation.compiler.wantRemarks();
  // What is found there says nothing.
  if (!session.line.has("--time-passes") && !remarks) {
    std::optional<driver::Cache> cache = session.openCache();
    if (!cache)
      return session.status();
    compilation.cache = *cache;
  }
  Timings timings;
  if (isSyntax)
    compilation.emitSyntax();
  else
    compilation.run(session.sources, &timings);
  if (session.line.has("--time-passes"))
    for (const Timings::Entry &entry : timings.entries())
      llvm::errs() << llvm::format("%10.3f ms  ", entry.milliseconds) << entry.name << '\n';
  if (!compilation.result || session.sink.hasErrors())
    return session.status();
  if (compilation.disassembled && !disassemble(session, compilation.result->artifact.bytes))
    return session.status();
  return writeResult(compilation);
}

} // namespace gluonc::tool
