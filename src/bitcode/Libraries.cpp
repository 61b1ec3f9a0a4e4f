//===- Libraries.cpp - Reads files and finds functions in them ------------------===//
#include "bitcode/Translate.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace gluonc::bitcode {
namespace {

/// Of modules that say nothing: pointers of 64 bits, numbers aligned as they are long.
constexpr llvm::StringLiteral usualLayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64";

/// Keeps what LLVM reports, which otherwise goes to stderr and may end the process.
struct Listener : llvm::DiagnosticHandler {
  explicit Listener(std::string &text) : text(text) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() == llvm::DS_Error && text.empty()) {
      llvm::raw_string_ostream out(text);
      llvm::DiagnosticPrinterRawOStream printer(out);
      info.print(printer);
    }
    return true;
  }
  std::string &text;
};

template <class T> std::string textOf(const T &printed) {
  std::string text;
  llvm::raw_string_ostream out(text);
  printed.print(out);
  return text;
}

} // namespace

struct Libraries::State : Context {
  llvm::LLVMContext context;
  std::string reported;
  std::vector<std::unique_ptr<llvm::Module>> modules;
  Chip chip;

  State() { context.setDiagnosticHandler(std::make_unique<Listener>(reported)); }

  llvm::Function *find(llvm::StringRef symbol) const override {
    for (const std::unique_ptr<llvm::Module> &module : modules)
      if (llvm::Function *function = module->getFunction(symbol);
          function && !function->isDeclaration() && !function->hasLocalLinkage())
        return function;
    return nullptr;
  }

  Word reflect(llvm::StringRef question) const override {
    if (question == "__CUDA_FTZ")
      return chip.flushesSubnormals;
    return question == "__CUDA_ARCH" ? chip.architecture * 10 : 0;
  }
};

Libraries::Libraries(std::unique_ptr<State> state) : state(std::move(state)) {}
Libraries::Libraries(Libraries &&) = default;
Libraries &Libraries::operator=(Libraries &&) = default;
Libraries::~Libraries() = default;

llvm::Expected<Libraries> Libraries::read(llvm::ArrayRef<File> files, const Chip &chip) {
  auto state = std::make_unique<State>();
  state->chip = chip;
  for (const File &file : files) {
    llvm::SMDiagnostic problem;
    std::unique_ptr<llvm::Module> module =
        llvm::getLazyIRModule(llvm::MemoryBuffer::getMemBuffer(*file.contents, file.path, false),
                              problem, state->context);
    if (!module || !state->reported.empty())
      return llvm::createStringError("cannot read `" + file.path + "`: " +
                                     (module ? state->reported : problem.getMessage().str()));
    if (module->getDataLayoutStr().empty())
      module->setDataLayout(usualLayout);
    module->setModuleIdentifier(file.path);
    state->modules.push_back(std::move(module));
  }
  return Libraries(std::move(state));
}

bool Libraries::defines(llvm::StringRef symbol) const { return state->find(symbol); }

std::optional<Function> Libraries::find(llvm::StringRef symbol, const Signature &signature,
                                        std::string &why) const {
  llvm::Function *function = state->find(symbol);
  if (!function) {
    why = ("no library has `" + symbol + "`").str();
    return std::nullopt;
  }
  llvm::FunctionType *type = function->getFunctionType();
  bool isAlike = !type->isVarArg() && type->getNumParams() == signature.arguments.size() &&
                 typeOf(type->getReturnType()) == signature.result;
  for (size_t i = 0; isAlike && i < signature.arguments.size(); ++i)
    isAlike = typeOf(type->getParamType(i)) == signature.arguments[i];
  if (!isAlike) {
    why = ("`" + symbol + "` is `" + textOf(*type) + "` in `" +
           function->getParent()->getModuleIdentifier() + "`, and is called with others")
              .str();
    return std::nullopt;
  }
  Translator translator(*state);
  std::shared_ptr<Code> code = translator.translate(*function);
  why = std::move(translator.why);
  return code ? std::optional<Function>(code) : std::nullopt;
}

} // namespace gluonc::bitcode
