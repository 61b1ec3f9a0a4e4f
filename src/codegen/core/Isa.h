//===- Isa.h - What a vendor must supply to the emitters --------------------===//
//
// The emitters (Emit*.cpp) know tensors, layouts and LLVM IR; whatever has no
// vendor-neutral LLVM spelling goes through this interface. Each vendor's
// folder implements it once; nothing else may ask which vendor it is.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/Codegen.h"
#include "ir/tt/CachePolicy.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/FloatingPointMode.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace gluonc::codegen {

using Builder = llvm::IRBuilder<>;
/// One LLVM value per register of a layout (or one, for a scalar).
using Registers = llvm::SmallVector<llvm::Value *, 4>;

/// Address spaces, the same numbers on NVPTX and AMDGPU.
enum AddressSpace : unsigned { GlobalSpace = 1, SharedSpace = 3 };

struct MemoryHints {
  tt::CachePolicy caches = {};
  bool isVolatile = false;
  /// Bits of the CTA's number in its cluster: CTAs that differ in them only load the same together.
  uint32_t sharingCtas = 0;
  bool plain() const { return caches.saysNothing() && !isVolatile; }
};

enum class AtomicKind { And, Or, Xor, Add, FloatAdd, Max, Min, UnsignedMax, UnsignedMin, Exchange };
enum class AtomicOrder { Relaxed, Acquire, Release, AcquireRelease };
enum class AtomicScope { Cta, Cluster, Gpu, System };
/// How an atomic access is ordered, and in which threads (null: all) it takes place.
struct AtomicForm {
  AtomicOrder order = AtomicOrder::AcquireRelease;
  AtomicScope scope = AtomicScope::Gpu;
  llvm::Value *mask = nullptr;
  bool acquires() const {
    return order == AtomicOrder::Acquire || order == AtomicOrder::AcquireRelease;
  }
  bool releases() const {
    return order == AtomicOrder::Release || order == AtomicOrder::AcquireRelease;
  }
};

/// Math with a hardware approximation that LLVM IR cannot ask for. Accuracy is
/// stated where a vendor implements them.
enum class MathKind {
  Exp,
  Exp2,
  Log,
  Log2,
  Sin,
  Cos,
  Erf,
  Sqrt,
  Rsqrt,
  PreciseSqrt,
  Divide,
  PreciseDivide
};

/// Arithmetic of f32 and f64 that is rounded once, in a given direction.
enum class RoundedKind { Add, Multiply, MultiplyAdd, Divide, Reciprocal, Root };

/// Float formats that conversions tell apart; LLVM sees the 8-bit ones as i8. Those without
/// infinities and minus zero are AMD's of gfx942.
enum class FloatKind { F64, F32, F16, BF16, E4M3, E5M2, E4M3FNUZ, E5M2FNUZ };

class EmitTable;

/// Functions that are not pure are of units that some chips lack: they are asked only where the
/// chip has the feature.
class Isa {
public:
  virtual ~Isa() = default;

  /// Operations that only this vendor emits, or emits in its own way.
  virtual const EmitTable &operations() const = 0;
  /// Whether registers have 32 bits only, so that phis had better carry narrow elements in words.
  virtual bool carriesWords() const { return false; }
  /// Whether sums and products of two numbers of the type take one instruction.
  virtual bool computesPairs(llvm::Type *type) const { return false; }

  /// Sets triple, data layout and module flags.
  virtual void prepareModule(llvm::Module &module) const = 0;
  /// Where the CTA's dynamic shared memory begins.
  virtual llvm::Constant *sharedMemory(llvm::Module &module) const = 0;
  /// Marks `function` as a kernel with the launch bounds of `kernel`. The parameters
  /// `descriptors` are tensor descriptors, which stay where the launch put them.
  virtual void markKernel(llvm::Function &function, const KernelInfo &kernel,
                          std::optional<unsigned> maxRegisters,
                          llvm::ArrayRef<unsigned> descriptors) const = 0;

  /// What a kernel's parameter that is a tensor descriptor of so many dims is for the machine, and
  /// what the kernel makes of it; registers are of the same types wherever descriptors go. By
  /// default descriptors stay in memory, at a generic address.
  virtual llvm::SmallVector<llvm::Type *> descriptorParameters(llvm::LLVMContext &context,
                                                               unsigned rank) const;
  virtual llvm::SmallVector<llvm::Type *> descriptorRegisters(llvm::LLVMContext &context,
                                                              unsigned rank) const;
  virtual Registers readDescriptor(Builder &builder, llvm::ArrayRef<llvm::Value *> parameters,
                                   unsigned rank) const;

  /// Thread of the CTA, known to lie in [0, threads).
  virtual llvm::Value *threadId(Builder &builder, unsigned threads) const = 0;
  /// Warp of the CTA, the same value in all lanes; null where no register has it.
  virtual llvm::Value *warpId(Builder &builder, unsigned warps) const;
  virtual llvm::Value *programId(Builder &builder, unsigned axis) const = 0;
  virtual llvm::Value *programCount(Builder &builder, unsigned axis) const = 0;

  /// All threads of the CTA arrive, and see each other's accesses to shared memory; with `global`,
  /// to global memory, too.
  virtual void ctaBarrier(Builder &builder, bool global) const = 0;
  virtual void warpBarrier(Builder &builder) const = 0;
  /// Whether a branch must be on a value that LLVM knows to be the same in all lanes, or both of
  /// its sides are run.
  virtual bool wantsUniformBranches() const { return false; }
  /// The warps that come here are those of the barrier `id` from now on.
  virtual void joinGroup(Builder &, unsigned) const {}
  /// A ctaBarrier for the `threads` of the barrier `id`.
  virtual void groupBarrier(Builder &builder, unsigned id, unsigned threads, bool global) const;
  /// The same for all `threads` of the CTA, which come from several places of the program.
  virtual void workersBarrier(Builder &builder, unsigned id, unsigned threads) const;
  /// The warps that come here, which own them together, have `count` registers each from now on;
  /// `grows` says that they had fewer.
  virtual void setRegisters(Builder &builder, unsigned count, bool grows) const;
  /// The i32 that `lane` of the same warp passes in.
  virtual llvm::Value *shuffle(Builder &builder, llvm::Value *value, llvm::Value *lane) const = 0;
  /// The i32 of the lane whose number is this lane's XOR `distance`.
  virtual llvm::Value *shuffleXor(Builder &builder, llvm::Value *value,
                                  unsigned distance) const = 0;

  /// Number of this CTA in its cluster, known to lie in [0, ctas).
  virtual llvm::Value *clusterRank(Builder &builder, unsigned ctas) const;
  /// All threads of the cluster arrive, and unless `relaxed` see each other's memory accesses.
  virtual void clusterBarrier(Builder &builder, bool relaxed) const;
  /// Its halves.
  virtual void clusterArrive(Builder &builder, bool relaxed) const;
  virtual void clusterWait(Builder &builder) const;
  /// A barrier object in shared memory for `arrivals` of other CTAs; begun by the thread where
  /// `predicate` holds, and known to the cluster behind its next barrier.
  virtual void beginPeerBarrier(Builder &builder, llvm::Value *shared, unsigned arrivals,
                                llvm::Value *predicate) const;
  /// Arrives at the `peer` address of one where `predicate` holds, then waits for the phase of its
  /// own.
  virtual void synchronizePeers(Builder &builder, llvm::Value *own, llvm::Value *peer,
                                llvm::Value *predicate, llvm::Value *phase) const;
  /// What CTA `rank` has where this one has `shared`: an i32 address for the accesses below and
  /// for asynchronous units, to which offsets may be added.
  virtual llvm::Value *peerAddress(Builder &builder, llvm::Value *shared, llvm::Value *rank) const;
  /// `count` words (i8…i64) side by side.
  virtual Registers loadPeerWords(Builder &builder, llvm::Value *address, llvm::Type *word,
                                  unsigned count) const;
  virtual void storePeerWords(Builder &builder, llvm::Value *address,
                              llvm::ArrayRef<llvm::Value *> words) const;

  /// Loads `words` (each i8…i64, all of one type) that lie side by side at
  /// `pointer` where `mask` (null: always) holds; `other` elsewhere.
  virtual Registers loadWords(Builder &builder, llvm::Value *pointer, llvm::Type *word,
                              llvm::Value *mask, llvm::ArrayRef<llvm::Value *> other,
                              unsigned count, const MemoryHints &hints) const = 0;
  virtual void storeWords(Builder &builder, llvm::Value *pointer,
                          llvm::ArrayRef<llvm::Value *> words, llvm::Value *mask,
                          const MemoryHints &hints) const = 0;

  /// Orders the accesses of a thread before it and those behind it, acquire and release; false, and
  /// nothing, where a chip orders each atomic as cheaply.
  virtual bool accessFence(Builder & /*builder*/, AtomicScope /*scope*/) const { return false; }
  /// The value that was at `pointer`, which may also be a peerAddress; zero where the mask does not
  /// hold. `used` is false where nobody asks for it. Null where the chip has no such update of
  /// this type.
  virtual llvm::Value *atomicUpdate(Builder &builder, AtomicKind kind, llvm::Value *pointer,
                                    llvm::Value *value, const AtomicForm &form,
                                    bool used) const = 0;
  /// Loads a value of up to 64 bits; zero where the mask does not hold.
  virtual llvm::Value *atomicLoad(Builder &builder, llvm::Value *pointer, llvm::Type *type,
                                  const AtomicForm &form) const = 0;
  virtual void atomicStore(Builder &builder, llvm::Value *pointer, llvm::Value *value,
                           const AtomicForm &form) const = 0;
  /// Compares and swaps a 16-, 32- or 64-bit integer; the value that was at `pointer`.
  virtual llvm::Value *atomicSwap(Builder &builder, llvm::Value *pointer, llvm::Value *expected,
                                  llvm::Value *desired, const AtomicForm &form) const = 0;

  /// One to four matrices of 8 rows of 16 bytes in shared memory, accessed by a whole warp; `row`
  /// is the address of the row that this lane names. See layout/plan/MatrixAccess.h.
  virtual Registers loadMatrices(Builder &builder, llvm::Value *row, unsigned count,
                                 bool transposed) const;
  virtual void storeMatrices(Builder &builder, llvm::Value *row,
                             llvm::ArrayRef<llvm::Value *> words, bool transposed) const;
  /// Waits until `pointer` holds the integer `expected`; i1, false where `timeout` (null: never)
  /// nanoseconds passed first.
  virtual llvm::Value *atomicPoll(Builder &builder, llvm::Value *pointer, llvm::Value *expected,
                                  llvm::Value *timeout, const AtomicForm &form) const = 0;

  /// Starts a copy of 4, 8 or 16 bytes to shared memory, in the threads where `predicate` (null:
  /// always) holds; zeros where `mask` (null: always) does not.
  virtual void copyAsync(Builder &builder, llvm::Value *shared, llvm::Value *global, unsigned bytes,
                         llvm::Value *mask, llvm::Value *predicate,
                         const tt::CachePolicy &caches) const;
  /// Closes the group of copies that this thread started.
  virtual void commitCopies(Builder &builder) const;
  /// Waits until at most `pending` groups of this thread are unfinished.
  virtual void waitCopies(Builder &builder, unsigned pending) const;

  /// Allocates columns of tensor memory for the CTA, at the start of a kernel, by all threads:
  /// those of the first warp do, with the 4 bytes of shared memory at `place`. The address, an i32.
  /// `ctas`: 2 where products are of two CTAs; both do it then.
  virtual llvm::Value *allocateTensorMemory(Builder &builder, llvm::Value *isFirstWarp,
                                            llvm::Value *place, unsigned columns,
                                            unsigned ctas) const;
  /// Gives them back; nobody accesses them any more.
  virtual void freeTensorMemory(Builder &builder, llvm::Value *isFirstWarp, llvm::Value *address,
                                unsigned columns, unsigned ctas) const;

  /// Prints i32, i64 and double values by a format of C's printf.
  virtual void print(Builder &builder, llvm::StringRef format,
                     llvm::ArrayRef<llvm::Value *> values) const = 0;
  /// Reports a failed assertion and stops the kernel.
  virtual void assertFail(Builder &builder, llvm::StringRef message, llvm::StringRef file,
                          unsigned line, llvm::StringRef function) const = 0;

  /// Whether assembly may name vector, scalar and accumulation registers.
  virtual bool hasVectorRegisters() const { return false; }
  /// The user's own assembly, which may have several results. The constraints are checked.
  virtual Registers inlineAsm(Builder &builder, llvm::StringRef text, llvm::StringRef constraints,
                              llvm::ArrayRef<llvm::Type *> results,
                              llvm::ArrayRef<llvm::Value *> operands, bool isPure) const = 0;

  /// Null where the kind does not exist for the operand type.
  virtual llvm::Value *math(Builder &builder, MathKind kind,
                            llvm::ArrayRef<llvm::Value *> operands) const = 0;
  /// Null where the chip has no such instruction.
  virtual llvm::Value *roundedMath(Builder &builder, RoundedKind kind, llvm::RoundingMode rounding,
                                   llvm::ArrayRef<llvm::Value *> operands) const = 0;
  /// Between f32 or f64 and i32 or i64, or from f64 to f32. Integers beyond the range saturate.
  /// Null where the chip has no such instruction.
  virtual llvm::Value *roundedCast(Builder &builder, llvm::Value *value, llvm::Type *to,
                                   bool isUnsigned, llvm::RoundingMode rounding) const = 0;
  /// Rounds to nearest even, or towards zero; 8-bit results saturate at the
  /// largest finite value. Null where the chip has no such conversion.
  virtual llvm::Value *convertFloat(Builder &builder, llvm::Value *value, FloatKind from,
                                    FloatKind to, bool towardsZero) const = 0;
  /// Two numbers at once, rounded to nearest even, as a vector of two elements; 8-bit results as by
  /// convertFloat. Null where the chip has no instruction for pairs of these formats.
  virtual llvm::Value *convertPair(Builder &builder, llvm::Value *low, llvm::Value *high,
                                   FloatKind from, FloatKind to) const = 0;
};

} // namespace gluonc::codegen
