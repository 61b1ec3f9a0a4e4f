#include "codegen/nvidia/Ptx.h"

#include "codegen/nvidia/NvidiaIsa.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gluonc::codegen::nvidia {

void NvidiaIsa::prepareModule(Module &module) const {
  Machine machine(target, options);
  module.setTargetTriple(machine->getTargetTriple().str());
  module.setDataLayout(machine->createDataLayout());
}

std::string withHead(StringRef ptx, unsigned version, StringRef chip) {
  std::string text;
  raw_string_ostream out(text);
  auto replaceLine = [&](StringRef directive, const Twine &value) {
    size_t at = ptx.find(directive);
    if (at == StringRef::npos)
      return;
    size_t end = ptx.find('\n', at);
    out << ptx.take_front(at) << directive << value;
    // `.target sm_90a, debug` keeps what follows the chip.
    StringRef line = ptx.slice(at, end);
    if (size_t comma = line.find(','); comma != StringRef::npos)
      out << line.drop_front(comma);
    ptx = ptx.drop_front(end);
  };
  replaceLine(".version ", Twine(version / 10) + "." + Twine(version % 10));
  replaceLine(".target ", chip);
  out << ptx;
  return text;
}

Expected<std::string> printPtx(Module &module, const target::Target &target,
                               const Options &options) {
  Machine machine(target, options);
  SmallString<0> text;
  raw_svector_ostream out(text);
  legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, out, nullptr, CodeGenFileType::AssemblyFile,
                                   /*DisableVerify=*/true))
    return createStringError(std::errc::not_supported, "LLVM cannot print PTX");
  passes.run(module);
  return withHead(text, ptxVersion(target, options), target.chip());
}

} // namespace gluonc::codegen::nvidia
