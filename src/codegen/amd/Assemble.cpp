#include "codegen/Backend.h"
#include "codegen/amd/CodeObject.h"
#include "codegen/amd/Machine.h"

#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gluonc::codegen::amd {

static void keepMessage(const SMDiagnostic &diagnostic, void *messages) {
  raw_string_ostream out(*static_cast<std::string *>(messages));
  out << "line " << diagnostic.getLineNo() << ": " << diagnostic.getMessage() << "\n"
      << diagnostic.getLineContents() << "\n";
}

Expected<std::string> assembleObject(StringRef text, const target::Target &target) {
  const llvm::Target *llvm = llvmTarget();
  const Triple triple = amd::triple();
  MCTargetOptions options;
  std::unique_ptr<MCRegisterInfo> registers(llvm->createMCRegInfo(triple));
  std::unique_ptr<MCAsmInfo> info(llvm->createMCAsmInfo(*registers, triple, options));
  std::unique_ptr<MCSubtargetInfo> chip(
      llvm->createMCSubtargetInfo(triple, target.chip(), /*Features=*/""));
  std::unique_ptr<MCInstrInfo> instructions(llvm->createMCInstrInfo());

  std::string messages;
  SourceMgr sources;
  sources.setDiagHandler(keepMessage, &messages);
  sources.AddNewSourceBuffer(MemoryBuffer::getMemBuffer(text, "", false), SMLoc());
  MCContext context(triple, info.get(), registers.get(), chip.get(), &sources, &options);
  std::unique_ptr<MCObjectFileInfo> sections(llvm->createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(sections.get());

  SmallString<0> object;
  raw_svector_ostream out(object);
  std::unique_ptr<MCAsmBackend> backend(llvm->createMCAsmBackend(*chip, *registers, options));
  std::unique_ptr<MCObjectWriter> writer = backend->createObjectWriter(out);
  std::unique_ptr<MCCodeEmitter> encoder(llvm->createMCCodeEmitter(*instructions, context));
  std::unique_ptr<MCStreamer> streamer(llvm->createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer), std::move(encoder), *chip));
  std::unique_ptr<MCAsmParser> parser(createMCAsmParser(sources, context, *streamer, *info));
  std::unique_ptr<MCTargetAsmParser> targetParser(
      llvm->createMCAsmParser(*chip, *parser, *instructions, options));
  parser->setTargetParser(*targetParser);
  if (parser->Run(/*NoInitialTextSection=*/false))
    return make_error<AssemblerError>(messages);
  return std::string(object);
}

} // namespace gluonc::codegen::amd
