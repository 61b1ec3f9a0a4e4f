//===- NvidiaAtomics.cpp - atom, red, ld and st with an order ---------------===//
//
//   { mov.b32 $0, 0; @$3 atom.acq_rel.gpu.global.add.u32 $0, [$1], $2; }
//
// A masked atomic is predicated like a masked load. Where nobody asks for the
// old value and nothing is acquired, `red` does the same without waiting.
//
//===----------------------------------------------------------------------===//
#include "codegen/nvidia/InlineAsm.h"
#include "codegen/nvidia/NvidiaIsa.h"
#include "target/Features.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gluonc::codegen::nvidia {
namespace {

StringRef orderName(AtomicOrder order) {
  switch (order) {
  case AtomicOrder::Relaxed:
    return ".relaxed";
  case AtomicOrder::Acquire:
    return ".acquire";
  case AtomicOrder::Release:
    return ".release";
  case AtomicOrder::AcquireRelease:
    return ".acq_rel";
  }
}

StringRef scopeName(AtomicScope scope) {
  switch (scope) {
  case AtomicScope::Cta:
    return ".cta";
  case AtomicScope::Cluster:
    return ".cluster";
  case AtomicScope::Gpu:
    return ".gpu";
  case AtomicScope::System:
    return ".sys";
  }
}

/// ".add.u32"; empty where there is no such instruction.
std::string operationName(AtomicKind kind, Type *type, const target::Target &target) {
  unsigned bits = type->isPointerTy() ? 64 : type->getPrimitiveSizeInBits().getFixedValue();
  std::string size = std::to_string(bits);
  if (kind == AtomicKind::FloatAdd) {
    if (type->isHalfTy())
      return ".add.noftz.f16";
    if (type->isBFloatTy())
      return target::has(target, target::Feature::Bf16AtomicAdd) ? ".add.noftz.bf16" : "";
    return ".add.f" + size;
  }
  if (bits != 32 && bits != 64)
    return "";
  switch (kind) {
  case AtomicKind::And:
    return ".and.b" + size;
  case AtomicKind::Or:
    return ".or.b" + size;
  case AtomicKind::Xor:
    return ".xor.b" + size;
  case AtomicKind::Add:
    return ".add.u" + size;
  case AtomicKind::Max:
    return ".max.s" + size;
  case AtomicKind::Min:
    return ".min.s" + size;
  case AtomicKind::UnsignedMax:
    return ".max.u" + size;
  case AtomicKind::UnsignedMin:
    return ".min.u" + size;
  case AtomicKind::Exchange:
    return ".exch.b" + size;
  case AtomicKind::FloatAdd:
    return "";
  }
}

Type *bitsOf(Builder &builder, Type *type) {
  return builder.getIntNTy(type->isPointerTy() ? 64 : type->getPrimitiveSizeInBits());
}

StringRef spaceName(Value *pointer) {
  if (pointer->getType()->isIntegerTy())
    return ".shared::cluster";
  return pointer->getType()->getPointerAddressSpace() == SharedSpace ? ".shared" : ".global";
}

/// `atom` takes these parts in any order. This is Triton's, which people search PTX for.
std::string qualifiersOf(StringRef operation, Value *pointer, const AtomicForm &form) {
  StringRef order = orderName(form.order), scope = scopeName(form.scope);
  bool isSwap = operation.starts_with(".cas");
  return (spaceName(pointer) + (isSwap ? order : scope) + (isSwap ? scope : order)).str();
}

/// `$0 = atom…`, zero where the mask does not hold.
Value *emitAtom(Builder &builder, StringRef operation, Value *pointer, ArrayRef<Value *> values,
                const AtomicForm &form) {
  Type *type = values[0]->getType();
  SmallVector<Value *> operands = {pointer};
  append_range(operands, values);
  std::string text;
  raw_string_ostream out(text);
  if (form.mask) {
    out << "mov.b" << type->getIntegerBitWidth() << " $0, 0;\n\t@$" << operands.size() + 1 << " ";
    operands.push_back(form.mask);
  }
  out << "atom" << qualifiersOf(operation, pointer, form) << operation << " $0, [$1]";
  for (unsigned i = 0; i < values.size(); ++i)
    out << ", $" << i + 2;
  out << ";";
  return emitAsm(builder, text, type, operands, AsmEffect::ReadsAndWrites);
}

/// The same for nobody who reads it: a reduction, as ptxas makes of `red` (PTX ISA, "atom"). At one
/// of bfloat16 ptxas 13.0 crashes.
void emitReduction(Builder &builder, StringRef operation, Value *pointer, Value *value,
                   const AtomicForm &form) {
  SmallVector<Value *> operands = {pointer, value};
  std::string text;
  raw_string_ostream out(text);
  if (form.mask) {
    out << "@$2 ";
    operands.push_back(form.mask);
  }
  if (operation.contains("bf16"))
    out << "red" << orderName(form.order) << scopeName(form.scope) << spaceName(pointer)
        << operation << " [$0], $1;";
  else
    out << "atom" << qualifiersOf(operation, pointer, form) << operation << " _, [$0], $1;";
  emitAsm(builder, text, builder.getVoidTy(), operands, AsmEffect::ReadsAndWrites);
}

/// bf16 addition where the chip has none: compare-and-swap until nobody came in between. The sum
/// is an fma with 1, which rounds once as an addition does.
Value *emitBrainAdd(Builder &builder, Value *pointer, Value *value, const AtomicForm &form) {
  SmallVector<Value *> operands = {pointer, value};
  std::string text;
  raw_string_ostream out(text);
  out << "{\n\t.reg .pred missed;\n\t.reg .b16 seen, sum, one;\n\tmov.b16 $0, 0;\n\t";
  if (form.mask) {
    out << "@!$3 bra done;\n\t";
    operands.push_back(form.mask);
  }
  out << "mov.b16 one, 0x3F80;\n\tld.relaxed" << scopeName(form.scope) << spaceName(pointer)
      << ".b16 seen, [$1];\nagain:\n\tmov.b16 $0, seen;\n\tfma.rn.bf16 sum, $0, one, $2;\n\tatom"
      << orderName(form.order) << scopeName(form.scope) << spaceName(pointer)
      << ".cas.b16 seen, [$1], $0, sum;\n\tsetp.ne.u16 missed, seen, $0;\n\t@missed bra again;\n"
      << "done:\n\t}";
  return emitAsm(builder, text, builder.getInt16Ty(), operands, AsmEffect::ReadsAndWrites);
}

} // namespace

bool NvidiaIsa::accessFence(Builder &builder, AtomicScope scope) const {
  emitAsm(builder, ("fence.acq_rel" + scopeName(scope) + ";").str(), builder.getVoidTy(), {},
          AsmEffect::ReadsAndWrites);
  return true;
}

// Values travel as integers: the instruction's own type says how they are added.
Value *NvidiaIsa::atomicUpdate(Builder &builder, AtomicKind kind, Value *pointer, Value *value,
                               const AtomicForm &form, bool used) const {
  Type *type = value->getType();
  std::string operation = operationName(kind, type, target);
  Value *bits = builder.CreateBitOrPointerCast(value, bitsOf(builder, type));
  if (operation.empty() && kind == AtomicKind::FloatAdd && type->isBFloatTy())
    return builder.CreateBitCast(emitBrainAdd(builder, pointer, bits, form), type);
  if (operation.empty())
    return nullptr;
  if (!used && !form.acquires() && kind != AtomicKind::Exchange) {
    emitReduction(builder, operation, pointer, bits, form);
    return PoisonValue::get(type);
  }
  Value *old = emitAtom(builder, operation, pointer, bits, form);
  return builder.CreateBitOrPointerCast(old, type);
}

// Registers have 16 bits at least.
Value *NvidiaIsa::atomicLoad(Builder &builder, Value *pointer, Type *type,
                             const AtomicForm &form) const {
  unsigned width = bitsOf(builder, type)->getIntegerBitWidth();
  Type *word = builder.getIntNTy(std::max(width, 16u));
  SmallVector<Value *> operands = {pointer};
  std::string text;
  raw_string_ostream out(text);
  if (form.mask) {
    out << "mov.b" << word->getIntegerBitWidth() << " $0, 0;\n\t@$2 ";
    operands.push_back(form.mask);
  }
  out << "ld" << orderName(form.order) << scopeName(form.scope) << spaceName(pointer) << ".b"
      << width << " $0, [$1];";
  Value *loaded = emitAsm(builder, text, word, operands, AsmEffect::ReadsAndWrites);
  return builder.CreateBitOrPointerCast(builder.CreateTrunc(loaded, builder.getIntNTy(width)),
                                        type);
}

void NvidiaIsa::atomicStore(Builder &builder, Value *pointer, Value *value,
                            const AtomicForm &form) const {
  Type *bits = bitsOf(builder, value->getType());
  unsigned width = bits->getIntegerBitWidth();
  Value *word = builder.CreateZExt(builder.CreateBitOrPointerCast(value, bits),
                                   builder.getIntNTy(std::max(width, 16u)));
  SmallVector<Value *> operands = {pointer, word};
  std::string text;
  raw_string_ostream out(text);
  if (form.mask) {
    out << "@$2 ";
    operands.push_back(form.mask);
  }
  out << "st" << orderName(form.order) << scopeName(form.scope) << spaceName(pointer) << ".b"
      << width << " [$0], $1;";
  emitAsm(builder, text, builder.getVoidTy(), operands, AsmEffect::ReadsAndWrites);
}

Value *NvidiaIsa::atomicSwap(Builder &builder, Value *pointer, Value *expected, Value *desired,
                             const AtomicForm &form) const {
  Type *type = expected->getType();
  Type *bits = bitsOf(builder, type);
  unsigned width = bits->getIntegerBitWidth();
  if (width < 16)
    return nullptr;
  Value *old = emitAtom(builder, ".cas.b" + std::to_string(width), pointer,
                        {builder.CreateBitOrPointerCast(expected, bits),
                         builder.CreateBitOrPointerCast(desired, bits)},
                        form);
  return builder.CreateBitOrPointerCast(old, type);
}

Value *NvidiaIsa::atomicPoll(Builder &builder, Value *pointer, Value *expected, Value *timeout,
                             const AtomicForm &form) const {
  unsigned width = expected->getType()->getIntegerBitWidth();
  std::string text;
  raw_string_ostream out(text);
  SmallVector<Value *> operands = {pointer, expected};
  out << "{\n\t.reg .pred p;\n\t.reg .b64 start, now;\n\t.reg .b" << width
      << " seen;\n\tmov.b32 $0, 1;\n\t";
  if (timeout) {
    operands.push_back(timeout);
    out << "mov.u64 start, %globaltimer;\n";
  }
  out << "poll:\n\tld.relaxed" << scopeName(form.scope) << ".global.b" << width
      << " seen, [$1];\n\tsetp.eq.u" << width << " p, seen, $2;\n\t@p bra done;\n\t";
  if (timeout)
    out << "mov.u64 now, %globaltimer;\n\tsub.u64 now, now, start;\n\tsetp.lt.u64 p, now, $3;\n\t"
           "@p bra poll;\n\tmov.b32 $0, 0;\n";
  else
    out << "bra poll;\n";
  out << "done:\n\t";
  if (form.acquires())
    out << "fence.acq_rel" << scopeName(form.scope) << ";\n\t";
  out << "}";
  Value *found = emitAsm(builder, text, builder.getInt32Ty(), operands, AsmEffect::ReadsAndWrites);
  return builder.CreateICmpNE(found, builder.getInt32(0));
}

} // namespace gluonc::codegen::nvidia
