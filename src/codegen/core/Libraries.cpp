#include "codegen/core/Libraries.h"
#include "codegen/core/ErrorListener.h"

#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;

namespace gluonc::codegen {

char LibraryError::ID = 0;

void LibraryError::log(raw_ostream &out) const { out << text; }

std::error_code LibraryError::convertToErrorCode() const { return inconvertibleErrorCode(); }

namespace {

Error failed(StringRef path, const Twine &why) {
  return make_error<LibraryError>(("cannot link `" + path + "`: " + why).str());
}

/// What the machine's linker or driver has, or a pass replaces.
bool isKnown(StringRef name) {
  constexpr StringLiteral names[] = {"__nvvm_reflect", "vprintf", "malloc", "free", "__assertfail"};
  return is_contained(names, name);
}

/// Functions that were not inlined would be called, so what calls them decides about their chip.
void adapt(Function &function) {
  function.removeFnAttr("target-cpu");
  function.removeFnAttr("target-features");
  function.setLinkage(Function::InternalLinkage);
  if (!function.hasFnAttribute(Attribute::NoInline) &&
      !function.hasFnAttribute(Attribute::OptimizeNone))
    function.addFnAttr(Attribute::AlwaysInline);
}

} // namespace

Expected<Libraries> Libraries::read(const Options &options, LLVMContext &context) {
  Libraries result;
  for (const Library &library : options.libraries) {
    ErrorListener listener(context);
    SMDiagnostic problem;
    std::unique_ptr<llvm::Module> module = getLazyIRModule(
        MemoryBuffer::getMemBuffer(*library.contents, library.path), problem, context);
    if (!module)
      return failed(library.path, problem.getMessage());
    if (!listener.problem.empty())
      return failed(library.path, listener.problem);
    module->setModuleIdentifier(library.path);
    result.modules.push_back(std::move(module));
  }
  return result;
}

const Function *Libraries::find(StringRef name) const {
  for (const std::unique_ptr<llvm::Module> &module : modules)
    if (const Function *function = module->getFunction(name);
        function && !function->isDeclaration() && !function->hasLocalLinkage())
      return function;
  return nullptr;
}

Error Libraries::linkInto(llvm::Module &module, bool flushesSubnormals) {
  if (modules.empty())
    return Error::success();
  ErrorListener listener(module.getContext());
  StringSet<> own;
  for (const Function &function : module)
    if (!function.isDeclaration())
      own.insert(function.getName());
  auto keepOthers = [](llvm::Module &all, const StringSet<> &linked) {
    internalizeModule(all, [&](const GlobalValue &value) {
      return !value.hasName() || !linked.contains(value.getName());
    });
  };
  for (std::unique_ptr<llvm::Module> &library : modules) {
    std::string path = library->getModuleIdentifier();
    const Triple &triple = library->getTargetTriple();
    if (triple.getArch() != Triple::UnknownArch &&
        triple.getArch() != module.getTargetTriple().getArch())
      return failed(path, "it is for " + triple.str());
    library->setTargetTriple(module.getTargetTriple());
    library->setDataLayout(module.getDataLayout());
    if (Linker::linkModules(module, std::move(library), Linker::Flags::LinkOnlyNeeded, keepOthers))
      return failed(path, listener.problem);
  }
  for (Function &function : module) {
    if (!function.isDeclaration() && !own.contains(function.getName()))
      adapt(function);
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() &&
        !isKnown(function.getName()))
      return make_error<LibraryError>("no library has `" + function.getName().str() +
                                      "`, which one of them calls");
  }
  if (module.getTargetTriple().isNVPTX())
    module.addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz", flushesSubnormals);
  return Error::success();
}

} // namespace gluonc::codegen
