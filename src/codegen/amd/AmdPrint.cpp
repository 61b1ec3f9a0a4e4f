//===- AmdPrint.cpp - What a kernel prints, through the runtime's buffer --------------===//
//
// The runtime gives a kernel that prints a buffer, as a hidden argument, and prints what
// is in it when the kernel has ended. It begins with two words, the bytes in use and those
// that there are; behind them each line is the number of its format and its values, packed.
// Formats are metadata of the code object. This is OpenCL's printf (LLVM's
// AMDGPUPrintfRuntimeBinding, `amdhsa.printf` in AMDGPUUsage), which HIP's runtime serves as well.
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/AmdIsa.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gluonc::codegen::amd {
namespace {

/// Where hidden arguments hold the buffer's address (AMDGPUUsage, "Code Object V5 Kernel Argument
/// Metadata").
constexpr unsigned bufferArgument = 72;
constexpr unsigned wordBytes = 4, headBytes = 2 * wordBytes;

/// `\n` and the like are spelled out, and a colon, which ends the fields in front of the text.
std::string spelled(StringRef format) {
  std::string text;
  for (char c : format)
    if (c == '\n')
      text += "\\n";
    else if (c == ':')
      text += "\\72";
    else
      text += c;
  return text;
}

unsigned bytesOf(Value *value) { return value->getType()->getScalarSizeInBits() / 8; }

/// The number of a format, from 1 on: its line in the metadata, which is added if it is not there.
unsigned numberOf(Module &module, StringRef format, ArrayRef<Value *> values) {
  std::string fields = std::to_string(values.size()) + ":";
  for (Value *value : values)
    fields += std::to_string(bytesOf(value)) + ":";
  fields += spelled(format);
  NamedMDNode *formats = module.getOrInsertNamedMetadata("llvm.printf.fmts");
  for (auto [i, node] : enumerate(formats->operands()))
    if (cast<MDString>(node->getOperand(0))->getString().split(':').second == fields)
      return i + 1;
  unsigned number = formats->getNumOperands() + 1;
  MDString *line = MDString::get(module.getContext(), std::to_string(number) + ":" + fields);
  formats->addOperand(MDNode::get(module.getContext(), line));
  return number;
}

/// Where `bytes` of the buffer are this lane's. `full` is where the code goes on if there are none.
Value *reserve(Builder &builder, unsigned bytes, BasicBlock *full) {
  LLVMContext &context = builder.getContext();
  Type *byte = builder.getInt8Ty(), *word = builder.getInt32Ty();
  auto address = PointerType::get(context, GlobalSpace);
  Value *hidden = builder.CreateIntrinsic(Intrinsic::amdgcn_implicitarg_ptr, {});
  Value *buffer = builder.CreateAlignedLoad(
      address, builder.CreateConstGEP1_32(byte, hidden, bufferArgument), Align(8));
  Value *capacity = builder.CreateAlignedLoad(
      word, builder.CreateConstGEP1_32(byte, buffer, wordBytes), Align(4));
  LoadInst *used = builder.CreateAlignedLoad(word, buffer, Align(4));
  SyncScope::ID device = context.getOrInsertSyncScopeID("agent");
  used->setAtomic(AtomicOrdering::Monotonic, device);

  Function *function = builder.GetInsertBlock()->getParent();
  BasicBlock *before = builder.GetInsertBlock();
  BasicBlock *asks = BasicBlock::Create(context, "print.ask", function);
  BasicBlock *takes = BasicBlock::Create(context, "print.take", function);
  BasicBlock *has = BasicBlock::Create(context, "print.write", function);
  builder.CreateBr(asks);
  builder.SetInsertPoint(asks);
  PHINode *begin = builder.CreatePHI(word, 2);
  begin->addIncoming(used, before);
  Value *end = builder.CreateAdd(begin, builder.getInt32(bytes));
  Value *fits =
      builder.CreateICmpULE(builder.CreateAdd(end, builder.getInt32(headBytes)), capacity);
  builder.CreateCondBr(fits, takes, full);
  builder.SetInsertPoint(takes);
  Value *swap = builder.CreateAtomicCmpXchg(buffer, begin, end, Align(4), AtomicOrdering::Monotonic,
                                            AtomicOrdering::Monotonic, device);
  begin->addIncoming(builder.CreateExtractValue(swap, 0), takes);
  builder.CreateCondBr(builder.CreateExtractValue(swap, 1), has, asks);
  builder.SetInsertPoint(has);
  Value *offset = builder.CreateAdd(begin, builder.getInt32(headBytes));
  return builder.CreateGEP(byte, buffer, builder.CreateZExt(offset, builder.getInt64Ty()));
}

} // namespace

void AmdIsa::print(Builder &builder, StringRef format, ArrayRef<Value *> values) const {
  Function *function = builder.GetInsertBlock()->getParent();
  unsigned bytes = wordBytes;
  for (Value *value : values)
    bytes += bytesOf(value);
  BasicBlock *after = BasicBlock::Create(builder.getContext(), "printed", function);
  Value *place = reserve(builder, bytes, after);
  auto write = [&](Value *value) {
    builder.CreateAlignedStore(value, place, Align(wordBytes));
    place = builder.CreateConstGEP1_32(builder.getInt8Ty(), place, bytesOf(value));
  };
  write(builder.getInt32(numberOf(*function->getParent(), format, values)));
  for_each(values, write);
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
}

} // namespace gluonc::codegen::amd
