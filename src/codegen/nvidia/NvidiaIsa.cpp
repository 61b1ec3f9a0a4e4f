//===- NvidiaIsa.cpp - Memory access and launch geometry in PTX --------------===//
//
// A plain access is an ordinary LLVM load or store, which the optimizer can
// see through. A predicated access, or one with a cache modifier, is a fragment
// of PTX: LLVM has no predicated vector load, and a branch around each access
// would cost more than the predicate.
//
//   { mov.b32 $0, $4; mov.b32 $1, $5; @$3 ld.global.v2.b32 {$0, $1}, [$2]; }
//
//===----------------------------------------------------------------------===//
#include "codegen/nvidia/NvidiaIsa.h"

#include "codegen/core/Emitter.h"
#include "codegen/core/Words.h"
#include "codegen/nvidia/Caches.h"
#include "codegen/nvidia/EmitHopper.h"
#include "codegen/nvidia/InlineAsm.h"
#include "target/Features.h"
#include "target/Limits.h"
#include "target/nvidia/BoxCopies.h"
#include "target/nvidia/Chips.h"
#include "target/nvidia/Occupancy.h"
#include "target/nvidia/Registers.h"

#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gluonc::codegen::nvidia {
namespace {

constexpr uint32_t lastLane = target::nvidia::warpSize - 1;

Value *readRegister(Builder &builder, Intrinsic::ID id, uint32_t limit) {
  CallInst *call = builder.CreateIntrinsic(builder.getInt32Ty(), id, {});
  ConstantRange range(APInt(32, 0), APInt(32, limit));
  call->addRetAttr(Attribute::get(builder.getContext(), Attribute::Range, range));
  return call;
}

/// What the other kind of access has says nothing here.
std::string loadCache(tt::CacheModifier cache) {
  bool has = cache == tt::CacheModifier::CA || cache == tt::CacheModifier::CG ||
             cache == tt::CacheModifier::CS || cache == tt::CacheModifier::CV;
  return has ? ("." + tt::stringifyCacheModifier(cache)).str() : "";
}
std::string storeCache(tt::CacheModifier cache) {
  bool has = cache == tt::CacheModifier::CG || cache == tt::CacheModifier::CS ||
             cache == tt::CacheModifier::WB || cache == tt::CacheModifier::WT;
  return has ? ("." + tt::stringifyCacheModifier(cache)).str() : "";
}

/// Everything between `ld` or `st` and the operands.
std::string qualifiers(StringRef cache, const MemoryHints &hints, unsigned count, unsigned bits) {
  std::string text;
  raw_string_ostream out(text);
  if (hints.isVolatile)
    out << ".volatile";
  out << ".global";
  if (!hints.isVolatile) {
    out << cache;
    if (hints.caches.l1)
      out << ".L1::" << tt::stringifyEvictionPriority(*hints.caches.l1);
    out << l2Qualifiers(hints.caches);
  }
  if (count > 1)
    out << ".v" << count;
  out << ".b" << bits;
  return text;
}

/// "$3", or "{$3, $4}" for several.
std::string wordList(unsigned first, unsigned count) {
  std::string text;
  raw_string_ostream out(text);
  for (unsigned i = 0; i < count; ++i)
    out << (i ? ", $" : "$") << first + i;
  return count == 1 ? text : "{" + text + "}";
}

/// PTX has no 8-bit registers: bytes travel in 16-bit ones.
Type *registerType(Type *word) {
  return word->isIntegerTy(8) ? Type::getInt16Ty(word->getContext()) : word;
}

bool isZero(Value *value) {
  Constant *constant = dyn_cast<Constant>(value);
  return constant && constant->isNullValue();
}

} // namespace

namespace {
/// Operations of units that some chips lack.
enum class Units { None, TensorCopies, TensorMemory };
} // namespace

static EmitTable tableWith(Units units) {
  EmitTable table;
  addMma(table);
  addBarriers(table);
  addPackedArith(table);
  addLaunchControl(table);
  if (units >= Units::TensorCopies) {
    addWgmma(table);
    addAsyncBarriers(table);
    addTma(table);
    addDescriptors(table);
  }
  if (units >= Units::TensorMemory)
    addTensorMemory(table);
  return table;
}

const EmitTable &NvidiaIsa::operations() const {
  static const EmitTable oldest = tableWith(Units::None), copying = tableWith(Units::TensorCopies),
                         all = tableWith(Units::TensorMemory);
  if (target::has(target, target::Feature::TensorMemory))
    return all;
  return target::has(target, target::Feature::TensorCopies) ? copying : oldest;
}

Constant *NvidiaIsa::sharedMemory(Module &module) const {
  Type *bytes = ArrayType::get(Type::getInt8Ty(module.getContext()), 0);
  GlobalVariable *shared =
      new GlobalVariable(module, bytes, /*isConstant=*/false, GlobalValue::ExternalLinkage,
                         /*Initializer=*/nullptr, "global_smem", /*InsertBefore=*/nullptr,
                         GlobalValue::NotThreadLocal, SharedSpace);
  shared->setAlignment(Align(16));
  return shared;
}

/// How many programs share a multiprocessor where shared memory allows so few that a thread may
/// have all registers that it can name; 0 where it allows more. ptxas does not know of dynamic
/// shared memory, and saves registers for programs that never come.
static unsigned programsWithAllRegisters(const target::Target &target, const KernelInfo &kernel) {
  using namespace target::nvidia;
  std::optional<Occupancy> most =
      occupancyOf(target, {.warps = kernel.numWarps, .sharedBytes = kernel.sharedBytes});
  return most && most->limit == OccupancyLimit::SharedMemory &&
                 mostRegistersOf(most->warps * warpSize) == maxRegistersPerThread
             ? most->ctas
             : 0;
}

void NvidiaIsa::markKernel(Function &function, const KernelInfo &kernel,
                           std::optional<unsigned> maxRegisters,
                           ArrayRef<unsigned> descriptors) const {
  function.setCallingConv(CallingConv::PTX_Kernel);
  function.addFnAttr("nvvm.reqntid", std::to_string(kernel.numWarps * target.warpSize()));
  if (maxRegisters)
    function.addFnAttr("nvvm.maxnreg", std::to_string(*maxRegisters));
  else if (unsigned programs = programsWithAllRegisters(target, kernel))
    function.addFnAttr("nvvm.minctasm", std::to_string(programs));
  if (kernel.numCtas > 1)
    function.addFnAttr("nvvm.cluster_dim", std::to_string(kernel.numCtas) + ",1,1");
  LLVMContext &context = function.getContext();
  Type *descriptor = ArrayType::get(Type::getInt8Ty(context), target::nvidia::tma::descriptorBytes);
  for (unsigned i : descriptors) {
    function.addParamAttr(i, Attribute::get(context, "nvvm.grid_constant"));
    function.addParamAttr(i, Attribute::getWithByValType(context, descriptor));
    function.addParamAttr(
        i, Attribute::getWithAlignment(context, Align(target::nvidia::tma::parameterAlignment)));
  }
}

Value *NvidiaIsa::threadId(Builder &builder, unsigned threads) const {
  return readRegister(builder, Intrinsic::nvvm_read_ptx_sreg_tid_x, threads);
}

Value *NvidiaIsa::programId(Builder &builder, unsigned axis) const {
  static constexpr Intrinsic::ID ids[] = {Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
                                          Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                                          Intrinsic::nvvm_read_ptx_sreg_ctaid_z};
  return readRegister(builder, ids[axis], axis == 0 ? target::maxGridX : target::maxGridYZ);
}

Value *NvidiaIsa::programCount(Builder &builder, unsigned axis) const {
  static constexpr Intrinsic::ID ids[] = {Intrinsic::nvvm_read_ptx_sreg_nctaid_x,
                                          Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
                                          Intrinsic::nvvm_read_ptx_sreg_nctaid_z};
  return readRegister(builder, ids[axis], (axis == 0 ? target::maxGridX : target::maxGridYZ) + 1);
}

void NvidiaIsa::ctaBarrier(Builder &builder, bool) const {
  builder.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_aligned_all, {builder.getInt32(0)});
}

void NvidiaIsa::warpBarrier(Builder &builder) const {
  builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::nvvm_bar_warp_sync,
                          {builder.getInt32(-1)});
}

void NvidiaIsa::groupBarrier(Builder &builder, unsigned id, unsigned threads, bool) const {
  std::string text = "bar.sync " + std::to_string(id) + ", " + std::to_string(threads) + ";";
  emitAsm(builder, text, builder.getVoidTy(), {}, AsmEffect::ReadsAndWrites, Threads::Together);
}

// `bar.sync` is `barrier.sync.aligned`: all threads of the CTA must come to the same instruction.
// Hardware that only counts them does not mind; synccheck of compute-sanitizer does.
void NvidiaIsa::workersBarrier(Builder &builder, unsigned id, unsigned threads) const {
  std::string text = "barrier.sync " + std::to_string(id) + ", " + std::to_string(threads) + ";";
  emitAsm(builder, text, builder.getVoidTy(), {}, AsmEffect::ReadsAndWrites, Threads::Together);
}

void NvidiaIsa::setRegisters(Builder &builder, unsigned count, bool grows) const {
  std::string text = std::string("setmaxnreg.") + (grows ? "inc" : "dec") + ".sync.aligned.u32 " +
                     std::to_string(count) + ";";
  emitAsm(builder, text, builder.getVoidTy(), {}, AsmEffect::ReadsAndWrites, Threads::Together);
}

Value *NvidiaIsa::shuffle(Builder &builder, Value *value, Value *lane) const {
  return builder.CreateIntrinsic(builder.getInt32Ty(), Intrinsic::nvvm_shfl_sync_idx_i32,
                                 {builder.getInt32(-1), value, lane, builder.getInt32(lastLane)});
}

Value *NvidiaIsa::shuffleXor(Builder &builder, Value *value, unsigned distance) const {
  return builder.CreateIntrinsic(
      builder.getInt32Ty(), Intrinsic::nvvm_shfl_sync_bfly_i32,
      {builder.getInt32(-1), value, builder.getInt32(distance), builder.getInt32(lastLane)});
}

Registers NvidiaIsa::loadWords(Builder &builder, Value *pointer, Type *word, Value *mask,
                               ArrayRef<Value *> other, unsigned count,
                               const MemoryHints &hints) const {
  if (!mask && hints.plain())
    return wordsOf(builder, loadVector(builder, pointer, word, count));

  unsigned bits = word->getPrimitiveSizeInBits();
  Type *inRegister = registerType(word);
  std::string text;
  raw_string_ostream out(text);
  SmallVector<Value *> operands = {pointer};
  unsigned next = count;
  std::string address = "[$" + std::to_string(next++) + "]";
  if (mask) {
    std::string predicate = "@$" + std::to_string(next++) + " ";
    operands.push_back(mask);
    for (unsigned i = 0; i < count; ++i) {
      out << "mov.b" << inRegister->getPrimitiveSizeInBits() << " $" << i << ", ";
      // A masked-off element reads as zero where the program names no other value.
      if (other.empty() || isZero(other[i])) {
        out << "0;\n\t";
        continue;
      }
      out << "$" << next++ << ";\n\t";
      operands.push_back(builder.CreateZExt(other[i], inRegister));
    }
    out << predicate;
  }
  out << "ld" << qualifiers(loadCache(hints.caches.modifier), hints, count, bits) << " "
      << wordList(0, count) << ", " << address;
  if (hints.caches.l2 && !hints.isVolatile) {
    out << ", $" << next++;
    operands.push_back(l2Policy(builder, *hints.caches.l2));
  }
  out << ";";

  Type *result = inRegister;
  if (count > 1)
    result = StructType::get(builder.getContext(), SmallVector<Type *>(count, inRegister));
  AsmEffect effect = hints.isVolatile ? AsmEffect::Writes : AsmEffect::Reads;
  Value *loaded = emitAsm(builder, text, result, operands, effect);
  Registers words;
  for (unsigned i = 0; i < count; ++i) {
    Value *value = count == 1 ? loaded : builder.CreateExtractValue(loaded, i);
    words.push_back(builder.CreateTrunc(value, word));
  }
  return words;
}

/// A float as an integer, which inline assembly makes of it anyway. LLVM's own cast comes so late
/// that a load before it would get the assembly's place in the source.
static Value *asInteger(Builder &builder, Value *value) {
  if (!value->getType()->isFloatingPointTy())
    return value;
  return builder.CreateBitCast(value,
                               builder.getIntNTy(value->getType()->getPrimitiveSizeInBits()));
}

void NvidiaIsa::storeWords(Builder &builder, Value *pointer, ArrayRef<Value *> words, Value *mask,
                           const MemoryHints &hints) const {
  if (!mask && hints.plain()) {
    storeVector(builder, pointer, words);
    return;
  }

  Type *word = words[0]->getType();
  unsigned count = words.size();
  SmallVector<Value *> operands;
  for (Value *value : words) {
    Value *bits = asInteger(builder, value);
    operands.push_back(builder.CreateZExt(bits, registerType(bits->getType())));
  }
  operands.push_back(pointer);
  unsigned next = count + 1;
  std::string text;
  raw_string_ostream out(text);
  if (mask) {
    out << "@$" << next++ << " ";
    operands.push_back(mask);
  }
  out << "st"
      << qualifiers(storeCache(hints.caches.modifier), hints, count, word->getPrimitiveSizeInBits())
      << " [$" << count << "], " << wordList(0, count);
  if (hints.caches.l2 && !hints.isVolatile) {
    out << ", $" << next++;
    operands.push_back(l2Policy(builder, *hints.caches.l2));
  }
  out << ";";
  emitAsm(builder, text, builder.getVoidTy(), operands, AsmEffect::Writes);
}

} // namespace gluonc::codegen::nvidia
