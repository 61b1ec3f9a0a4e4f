//===- EmitTensorProducts.cpp - What one thread has tensor cores do: tcgen05 -------===//
//
// One thread of the first warp starts a product: an instruction for each tile of
// the sum and step along K, and then the commits. Descriptors are that of the
// first element and a constant. Copies from shared memory are started likewise.
//
// Where two CTAs multiply together, the first of them starts what both do: all
// offsets are the same in both. Its commits arrive at both.
//
//===----------------------------------------------------------------------===//
#include "codegen/nvidia/EmitHopper.h"
#include "codegen/nvidia/InlineAsm.h"
#include "codegen/nvidia/SharedOperand.h"
#include "ir/Encoding.h"
#include "ir/ttng/TensorMemoryRules.h"

#include "llvm/Support/raw_ostream.h"

#include <mlir/Interfaces/LoopLikeInterface.h>

using namespace llvm;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen::nvidia {

namespace tcgen05 = target::nvidia::tcgen05;

namespace {

/// Tells descriptors of tcgen05 from those of wgmma.
constexpr uint64_t version = uint64_t{1} << 46;

/// A branch around what only one warp of those that come here executes, if `condition` (null:
/// always) holds; with two CTAs in the first of them.
template <typename Body>
void inFirstWarp(Emitter &emitter, Value *condition, bool twoCtas, Body body) {
  Builder &builder = emitter.builder;
  Value *first = builder.CreateICmpEQ(emitter.threads.warpId(), builder.getInt32(0));
  for (Value *more : {condition, isLeast(emitter, twoCtas)})
    if (more)
      first = builder.CreateAnd(first, more);
  BasicBlock *only = emitter.blocks.create("one"), *then = emitter.blocks.create("then");
  builder.CreateCondBr(first, only, then);
  emitter.blocks.start(only);
  body();
  builder.CreateBr(then);
  emitter.blocks.start(then);
}

/// The CTAs that differ from this one in `bits` alone, as a set.
Value *ctasThatDifferIn(Emitter &emitter, uint32_t bits) {
  Builder &builder = emitter.builder;
  const uint32_t pattern = setOfCtas(bits);
  const uint32_t fixed = (emitter.threads.clusterSize() - 1) & ~bits;
  if (!fixed)
    return builder.getInt32(pattern);
  return builder.CreateShl(
      builder.getInt32(pattern),
      builder.CreateAnd(emitter.threads.clusterRank(), builder.getInt32(fixed)));
}

/// Assembly of one thread of a warp, put together line by line.
class OneThread {
public:
  OneThread(Emitter &emitter, bool twoCtas) : emitter(emitter), twoCtas(twoCtas), out(text) {
    out << "{\n\t.reg .pred one;\n\telect.sync _|one, 0xffffffff;\n\t";
  }

  /// "$3"
  std::string operand(Value *value) {
    auto [place, isNew] = numbers.try_emplace(value, unsigned(operands.size()));
    if (isNew)
      operands.push_back(value);
    return "$" + std::to_string(place->second);
  }
  raw_ostream &line() { return out; }
  /// ".cta_group::1"
  StringRef group() const { return twoCtas ? ".cta_group::2" : ".cta_group::1"; }

  /// One arrival at a barrier when all that was started before is over. `targets` are those of
  /// ttng::commitTargets.
  void commit(Value *barrier, Value *condition, ArrayRef<uint32_t> targets) {
    std::string who = "one";
    ConstantInt *known = dyn_cast_or_null<ConstantInt>(condition);
    if (known && known->isZero())
      return;
    const std::string number = std::to_string(++commits);
    if (condition && !known) {
      who = "tells" + number;
      out << ".reg .pred " << who << ";\n\tand.pred " << who << ", one, " << operand(condition)
          << ";\n\t";
    }
    Value *mask = nullptr;
    for (uint32_t bits : targets) {
      Value *set = ctasThatDifferIn(emitter, bits);
      mask = mask ? emitter.builder.CreateOr(mask, set) : set;
    }
    if (mask)
      out << ".reg .b16 ctas" << number << ";\n\tcvt.u16.u32 ctas" << number << ", "
          << operand(mask) << ";\n\t";
    out << "@" << who << " tcgen05.commit" << group() << ".mbarrier::arrive::one.shared::cluster"
        << (mask ? ".multicast::cluster" : "") << ".b64 [" << operand(barrier) << "]"
        << (mask ? ", ctas" + number : "") << ";\n\t";
  }

  void finish() {
    out << "}";
    emitOrdered(emitter, text, operands);
  }

private:
  Emitter &emitter;
  bool twoCtas;
  std::string text;
  raw_string_ostream out;
  SmallVector<Value *> operands;
  DenseMap<Value *, unsigned> numbers;
  unsigned commits = 0;
};

bool isKnownFalse(Value *condition) {
  ConstantInt *known = dyn_cast_or_null<ConstantInt>(condition);
  return known && known->isZero();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Whether all iterations have the same value; false where there is no loop.
bool isSameInLoop(mlir::Value value, mlir::LoopLikeOpInterface loop) {
  if (!loop || loop.isDefinedOutsideOfLoop(value))
    return bool(loop);
  mlir::Operation *made = value.getDefiningOp();
  return made && mlir::isPure(made) && llvm::all_of(made->getOperands(), [&](mlir::Value operand) {
           return isSameInLoop(operand, loop);
         });
}

template <typename Op> class Product {
public:
  Product(Emitter &emitter, Op op, const ttng::TensorProduct &product)
      : emitter(emitter), op(op), product(product), form(product.form), a(op.getA().getType()),
        d(op.getD().getType()),
        b(emitter, op.getB(), 0, product.columnsOfB(), depthOf(op.getB()), product.b.isPadded) {
    if (a.isShared())
      sharedA.emplace(emitter, op.getA(), 1, product.rows, depthOf(op.getA()), product.a.isPadded);
  }

  bool isValid() const { return b.isValid() && (!sharedA || sharedA->isValid()); }

  void emit() {
    if (sharedA)
      sharedA->start({}, version);
    b.start({}, version);
    Value *useD = emitter.scalar(op.getUseD());
    OneThread one(emitter, product.ctas == 2);
    raw_ostream &out = one.line();
    out << ".reg .pred adds;\n\t.reg .b32 form, low, high;\n\t.reg .b64 a, b;\n\t"
        << "setp.eq.b32 adds, 0, 0;\n\t";
    if (!product.scaleBlock)
      setForm(one);
    // Tiles beside each other have the rows of a in common, which tensor cores then keep.
    const bool keepsA = product.tilesRight > 1 && product.rows == target::nvidia::tmem::rows;
    for (int64_t m = 0; m < product.tilesDown; ++m)
      for (int64_t outer = 0; outer < (keepsA ? product.steps : product.tilesRight); ++outer)
        for (int64_t inner = 0; inner < (keepsA ? product.tilesRight : product.steps); ++inner) {
          const int64_t n = keepsA ? inner : outer, step = keepsA ? outer : inner;
          multiply(one, m, n, step, step ? nullptr : useD, keepsA ? useOfA(n) : "");
        }
    SmallVector<uint32_t, 4> targets = commitTargetsOf();
    for (auto [barrier, condition] : llvm::zip(op.getBarriers(), op.getBarrierPreds()))
      one.commit(barrierAddress(emitter, barrier), emitter.scalar(condition), targets);
    one.finish();
  }

private:
  /// Elements of a buffer that one instruction reads along K.
  static unsigned depthOf(mlir::Value buffer) {
    return target::nvidia::matrixDepth(
        elementBits(cast<ttg::MemDescType>(buffer.getType()).getElementType()));
  }

  SmallVector<uint32_t, 4> commitTargetsOf() {
    SmallVector<mlir::Type> buffers;
    if (op.getMulticast()) {
      buffers = {op.getA().getType(), op.getB().getType()};
      if constexpr (std::is_same_v<Op, ttng::TCGen5MMAScaledOp>)
        buffers.append({op.getAScale().getType(), op.getBScale().getType()});
    }
    return ttng::commitTargets(buffers, product.ctas == 2);
  }

  uint32_t placeOf(ttg::MemDescType type, int64_t row, int64_t column) const {
    return layout::tensorMemoryOffset(toLinear(type), elementBits(type.getElementType()),
                                      {row, column});
  }

  void setForm(OneThread &one) {
    one.line() << "mov.b32 form, " << tcgen05::instructionDescriptor(form) << ";\n\t";
  }

  /// ", [$4 + 8], [$5 + 2]": where the scales of an instruction begin; and says which bytes.
  std::string scales(OneThread &one, int64_t m, int64_t n, int64_t step) {
    if constexpr (std::is_same_v<Op, ttng::TCGen5MMAScaledOp>) {
      const int64_t perColumn = product.stepsPerScaleColumn();
      form.scaleByte = unsigned(step % perColumn) * tcgen05::scalesPerColumn / unsigned(perColumn);
      setForm(one);
      auto place = [&](mlir::Value buffer, int64_t tile, int64_t tiles, int64_t least) {
        const int64_t words = llvm::divideCeil(product.steps, perColumn);
        const int64_t all = ttng::columnsOfBuffer(cast<ttg::MemDescType>(buffer.getType()));
        const int64_t columns = std::max<int64_t>(llvm::divideCeil(all, tiles * words), least);
        return ", [" + one.operand(emitter.get(buffer)[0]) + " + " +
               std::to_string((tile + step / perColumn * tiles) * columns) + "]";
      };
      return place(op.getAScale(), m, product.tilesDown, 1) +
             place(op.getBScale(), n, product.tilesRight, 2);
    }
    return "";
  }

  /// What the tile `n` of a row of tiles does with a (PTX ISA, tcgen05.mma, .collector).
  const char *useOfA(int64_t n) const {
    if (n == 0)
      return ".collector::a::fill";
    return n + 1 == product.tilesRight ? ".collector::a::lastuse" : ".collector::a::use";
  }

  /// A step never leaves the 14 bits of the address. ptxas knows the upper word, which is the same
  /// for all; in a sum of 64 bits it would add the carry, too. Where a loop does not change the
  /// buffer, sums are the same in all iterations, and LLVM makes them in front of it, ptxas only
  /// some.
  void setDescriptor(OneThread &one, const char *name, mlir::Value buffer, SharedOperand &operand,
                     int64_t line, int64_t depth) const {
    const uint64_t step = operand.step(line, depth);
    auto loop = op->template getParentOfType<mlir::LoopLikeOpInterface>();
    if (!isSameInLoop(buffer, loop))
      one.line() << "mov.b64 {low, high}, " << one.operand(operand.begin())
                 << ";\n\tadd.s32 low, low, " << uint32_t(step) << ";\n\tmov.b64 " << name
                 << ", {low, high};\n\t";
    else if (keepsDescriptors(loop))
      one.line() << "mov.b64 " << name << ", "
                 << one.operand(
                        emitter.builder.CreateAdd(operand.begin(), emitter.builder.getInt64(step)))
                 << ";\n\t";
    else
      one.line() << "add.s64 " << name << ", " << one.operand(operand.begin()) << ", " << step
                 << ";\n\t";
  }

  /// Whether uniform registers hold all descriptors throughout `loop`, each of them two. What is
  /// made in front of a loop in a loop is made in front of both: who has tiles in a row wants the
  /// registers for more.
  bool keepsDescriptors(mlir::LoopLikeOpInterface loop) const {
    constexpr int64_t most = 16;
    return (product.tilesDown + product.tilesRight) * product.steps <= most &&
           !loop->template getParentOfType<mlir::LoopLikeOpInterface>();
  }

  /// `useD`: whether to add to the sum; null: always.
  void multiply(OneThread &one, int64_t m, int64_t n, int64_t step, Value *useD,
                const char *useOfA) {
    raw_ostream &out = one.line();
    const int64_t row = m * product.rows, column = n * product.columns;
    std::string ofScales = scales(one, m, n, step), left = "a";
    if (sharedA)
      setDescriptor(one, "a", op.getA(), *sharedA, row, step * depthOf(op.getA()));
    else
      left = "[" + one.operand(emitter.get(op.getA())[0]) + " + " +
             std::to_string(placeOf(a, row, step * product.depth / product.a.perElement)) + "]";
    setDescriptor(one, "b", op.getB(), b, n * product.columnsOfB(), step * depthOf(op.getB()));
    std::string adds = "adds";
    if (isKnownFalse(useD))
      adds = "!adds";
    else if (useD && !isa<Constant>(useD))
      adds = one.operand(useD);
    out << "@one tcgen05.mma" << one.group() << ".kind::" << tcgen05::name(form.kind);
    if (product.scaleBlock)
      out << ".block_scale.block" << product.scaleBlock;
    out << useOfA << " [" << one.operand(emitter.get(op.getD())[0]) << " + "
        << placeOf(d, row, column) << "], " << left << ", b, form" << ofScales << ", " << adds
        << ";\n\t";
  }

  Emitter &emitter;
  Op op;
  const ttng::TensorProduct &product;
  tcgen05::Form form;
  ttg::MemDescType a, d;
  std::optional<SharedOperand> sharedA;
  SharedOperand b;
};

template <typename Op>
LogicalResult emitProduct(Emitter &emitter, Op op, const std::optional<ttng::TensorProduct> &form) {
  if (!form || !tcgen05::has(emitter.state.target, form->form.kind))
    return emitter.unsupported(op, "this product of tensor cores");
  Product<Op> code(emitter, op, *form);
  if (!code.isValid())
    return emitter.unsupported(op, "an operand of tcgen05.mma in this shared layout");
  Value *predicate = emitter.scalar(op.getPred());
  if (!op.getBarriers().empty())
    emitter.threads.barrier();
  if (isKnownFalse(predicate))
    return success();
  inFirstWarp(emitter, isa<Constant>(predicate) ? nullptr : predicate, form->ctas == 2,
              [&] { code.emit(); });
  return success();
}

LogicalResult emitMma(Emitter &emitter, ttng::TCGen5MMAOp op) {
  std::string why;
  auto product =
      ttng::tensorProduct(op.getA().getType(), op.getB().getType(), op.getD().getType(), why);
  if (product) {
    product->form.unsignedA = op.getUnsignedA();
    product->form.unsignedB = op.getUnsignedB();
  }
  return emitProduct(emitter, op, product);
}

LogicalResult emitScaledMma(Emitter &emitter, ttng::TCGen5MMAScaledOp op) {
  std::string why;
  return emitProduct(emitter, op, ttng::tensorProduct(ttng::scaledOperands(op), why));
}

LogicalResult emitCommit(Emitter &emitter, ttng::TCGen5CommitOp op) {
  emitter.threads.barrier();
  Value *predicate = op.getPred() ? emitter.scalar(op.getPred()) : nullptr;
  if (isKnownFalse(predicate))
    return success();
  const bool twoCtas = ttg::hasTwoCtas(op);
  inFirstWarp(emitter, predicate && !isa<Constant>(predicate) ? predicate : nullptr, twoCtas, [&] {
    OneThread one(emitter, twoCtas);
    one.commit(barrierAddress(emitter, op.getBarrier()), nullptr,
               ttng::commitTargets(op.getDescs().getTypes(), twoCtas));
    one.finish();
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

LogicalResult emitCopy(Emitter &emitter, ttng::TMEMCopyOp op) {
  std::string why;
  ttg::MemDescType source = op.getSrc().getType();
  std::optional<ttng::TensorCopy> copy = ttng::tensorCopy(source, op.getDst().getType(), why);
  std::optional<layout::LinearLayout> inverse = toLinear(source).pseudoInvert();
  if (!copy || !inverse)
    return emitter.unsupported(op, "this copy to tensor memory");
  const bool twoCtas = ttg::hasTwoCtas(op);
  inFirstWarp(emitter, nullptr, twoCtas, [&] {
    Value *from =
        describeView(emitter, op.getSrc(), *inverse, elementBytes(source.getElementType()),
                     copy->descriptor.bits | version);
    OneThread one(emitter, twoCtas);
    raw_ostream &out = one.line();
    out << ".reg .b64 from;\n\t";
    for (const ttng::TensorCopy::Message &message : copy->messages)
      out << "add.s64 from, " << one.operand(from) << ", " << message.from / 16 << ";\n\t"
          << "@one tcgen05.cp" << one.group() << (copy->isRepeated ? ".warpx4." : ".") << copy->rows
          << "x" << copy->bits << "b [" << one.operand(emitter.get(op.getDst())[0]) << " + "
          << message.to << "], from;\n\t";
    one.finish();
  });
  return success();
}

} // namespace

void addTensorProducts(EmitTable &table) {
  table.add<emitMma>();
  table.add<emitScaledMma>();
  table.add<emitCommit>();
  table.add<emitCopy>();
}

} // namespace gluonc::codegen::nvidia
