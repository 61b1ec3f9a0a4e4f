//===- EmitDebug.cpp - Printing and assertions on the device ------------------------===//
//
//   pid (0, 0, 0) idx ( 3) prefix: (operand 0) value
//
// One line an element, printed by the one thread that owns it. An assertion
// stops the kernel from whichever thread sees a false element first.
//
//===----------------------------------------------------------------------===//
#include "codegen/core/Emitter.h"
#include "codegen/core/Format.h"
#include "codegen/passes/DebugInfo.h"
#include "ir/Hint.h"
#include "ir/Scope.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

/// A format and what it formats.
struct Line {
  std::string format;
  SmallVector<Value *> values;
};

/// Integers travel as i64, floats as double.
void addValue(Builder &builder, Line &line, Value *value, bool hex, bool isSigned) {
  Type *type = value->getType();
  if (type->isFloatingPointTy()) {
    line.format += hex ? "%a" : "%f";
    if (type->isBFloatTy() || type->isHalfTy())
      value = builder.CreateFPExt(value, builder.getFloatTy());
    line.values.push_back(builder.CreateFPExt(value, builder.getDoubleTy()));
    return;
  }
  if (type->isPointerTy()) {
    value = builder.CreatePtrToInt(value, builder.getInt64Ty());
    hex = true;
  }
  unsigned bits = value->getType()->getIntegerBitWidth();
  isSigned &= bits > 1 && !hex;
  if (hex)
    line.format += "0x%0" + std::to_string((bits + 3) / 4) + "llx";
  else
    line.format += isSigned ? "%lld" : "%llu";
  line.values.push_back(isSigned ? builder.CreateSExt(value, builder.getInt64Ty())
                                 : builder.CreateZExt(value, builder.getInt64Ty()));
}

/// "pid (0, 0, 0)"
Line startLine(Emitter &emitter) {
  Line line{"pid (%u, %u, %u)", {}};
  for (unsigned axis = 0; axis < 3; ++axis)
    line.values.push_back(emitter.isa.programId(emitter.builder, axis));
  return line;
}

/// " idx ( 3, 4)": every index as wide as the greatest of its dim.
void addIndex(Emitter &emitter, Line &line, const LinearLayout &layout, uint32_t reg) {
  uint64_t packed = layout.applyPacked(layout.packIn({{Dim::Register, reg}}));
  line.format += " idx (";
  for (unsigned i = 0; layout.hasOut(Dim::axis(i)); ++i) {
    SmallVector<uint32_t> images = Threads::images(layout, Dim::axis(i));
    size_t width = std::to_string(layout.outSize(Dim::axis(i)) - 1).size();
    line.format += (i ? ", %" : "%") + std::to_string(width) + "u";
    line.values.push_back(combineIndex(emitter.builder, emitter.threads.part(images),
                                       imageMask(images),
                                       layout.outComponent(packed, Dim::axis(i))));
  }
  line.format += ")";
}

/// Whether `later` computes what `value` is; `count` grows by what it takes of block `here`.
bool isSame(Value *value, Value *later, BasicBlock *here, size_t &count) {
  if (value == later)
    return true;
  auto *one = dyn_cast<Instruction>(value), *two = dyn_cast<Instruction>(later);
  if (!one || !two || two->getParent() != here || isa<PHINode, CallBase>(two) ||
      !one->isSameOperationAs(two))
    return false;
  ++count;
  for (auto [a, b] : zip_equal(one->operands(), two->operands()))
    if (!isSame(a, b, here, count))
      return false;
  return true;
}

/// The block that the threads of `condition` have just left, with nothing in between; null if there
/// is none.
BasicBlock *justLeft(BasicBlock *here, Value *condition) {
  for (BasicBlock *inside : predecessors(here)) {
    BasicBlock *before = inside->getSinglePredecessor();
    auto *branch = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) != inside ||
        branch->getSuccessor(1) != here || inside->getSingleSuccessor() != here)
      continue;
    size_t count = 0;
    if (isSame(branch->getCondition(), condition, here, count) && count == here->size())
      return inside;
  }
  return nullptr;
}

/// Runs `body` in the threads where `condition` holds. What stands in a row shares its branch: LLVM
/// would find out, at a price that grows with the square.
template <typename Body> void onlyWhere(Emitter &emitter, Value *condition, Body body) {
  BasicBlock *here = emitter.builder.GetInsertBlock();
  if (BasicBlock *again = justLeft(here, condition)) {
    while (!here->empty())
      here->back().eraseFromParent();
    emitter.builder.SetInsertPoint(again->getTerminator());
    body();
    emitter.blocks.start(here);
    return;
  }
  BasicBlock *inside = emitter.blocks.create("debug"), *after = emitter.blocks.create("after");
  emitter.builder.CreateCondBr(condition, inside, after);
  emitter.blocks.start(inside);
  body();
  emitter.builder.CreateBr(after);
  emitter.blocks.start(after);
}

LogicalResult emitPrint(Emitter &emitter, tt::PrintOp op) {
  Builder &builder = emitter.builder;
  std::string prefix = formatOf(op.getPrefix());
  if (op.getArgs().empty())
    onlyWhere(emitter, emitter.threads.isFirst(Among::Cluster), [&] {
      Line line = startLine(emitter);
      emitter.isa.print(builder, line.format + prefix + "\n", line.values);
    });
  for (auto [number, value] : enumerate(op.getArgs())) {
    mlir::Type element = mlir::getElementTypeOrSelf(value.getType());
    if (llvm::isa<mlir::FloatType>(element) && element.getIntOrFloatBitWidth() == 8)
      return emitter.unsupported(op, "`tt.print` of 8-bit floats");
    bool isSigned = number >= op.getIsSigned().size() || op.getIsSigned()[number];
    const LinearLayout *layout = llvm::isa<mlir::RankedTensorType>(value.getType())
                                     ? &emitter.types.layoutOf(value.getType())
                                     : nullptr;
    Value *owner = layout ? emitter.threads.ownerMask(*layout, Among::Cluster)
                          : emitter.threads.isFirst(Among::Cluster);
    const Registers registers = emitter.get(value);
    std::string before = prefix;
    if (op.getArgs().size() > 1)
      before += "(operand " + std::to_string(number) + ") ";
    onlyWhere(emitter, owner ? owner : builder.getTrue(), [&] {
      for (uint32_t reg = 0; reg < registers.size(); ++reg) {
        Line line = startLine(emitter);
        if (layout)
          addIndex(emitter, line, *layout, reg);
        else
          line.format += " idx ()";
        line.format += before;
        addValue(builder, line, registers[reg], op.getHex(), isSigned);
        emitter.isa.print(builder, line.format + "\n", line.values);
      }
    });
  }
  return success();
}

LogicalResult emitAssert(Emitter &emitter, tt::AssertOp op) {
  Builder &builder = emitter.builder;
  Value *holds = builder.getTrue();
  for (Value *bit : emitter.get(op.getCondition()))
    holds = builder.CreateAnd(holds, bit);
  std::optional<mlir::FileLineColLoc> place = filePosition(op.getLoc());
  onlyWhere(emitter, builder.CreateNot(holds), [&] {
    emitter.isa.assertFail(builder, op.getMessage(),
                           place ? place->getFilename().getValue() : "unknown",
                           place ? place->getLine() : 0, emitter.function.getName());
  });
  return success();
}

LogicalResult emitAssume(Emitter &emitter, llvmir::AssumeOp op) {
  emitter.builder.CreateAssumption(emitter.get(op.getCondition())[0]);
  return success();
}

/// AxisInfo has read it.
LogicalResult emitHint(Emitter &, gluon::HintOp) { return success(); }

/// The name as a comment holds it: anything but these becomes two digits.
std::string escaped(StringRef name) {
  std::string text;
  for (char c : name)
    if (isAlnum(c) || StringRef("_ .:-+/()[],").contains(c))
      text += c;
    else
      text += "\\" + toHex(StringRef(&c, 1));
  return text;
}

/// An event for whoever executes the code, with the name as a comment (ptx/Scopes.h): on NVIDIA's
/// GPUs one that timestamps replace, on AMD's what its thread traces have for that.
LogicalResult emitScope(Emitter &emitter, gluon::ScopeOp op) {
  Builder &builder = emitter.builder;
  auto number = op->getAttrOfType<mlir::IntegerAttr>(gluon::numberAttr);
  if (!number)
    return success();
  const bool isNvidia = emitter.function.getParent()->getTargetTriple().isNVPTX();
  const std::string border = utostr(2 * uint64_t(number.getInt()) + op.getEnds());
  const std::string comment = "; // scope " + escaped(op.getName());
  const std::string text =
      isNvidia ? "pmevent.mask " + border + comment
               : "s_mov_b32 m0, " + border + comment + "\n\ts_nop 0\n\ts_ttracedata";
  CallInst *call = builder.CreateCall(
      InlineAsm::get(FunctionType::get(builder.getVoidTy(), false), text,
                     isNvidia ? "~{memory}" : "~{m0},~{memory}", /*hasSideEffects=*/true),
      {});
  call->setConvergent();
  return success();
}

} // namespace

void addDebug(EmitTable &table) {
  table.add<emitPrint>();
  table.add<emitAssert>();
  table.add<emitAssume>();
  table.add<emitHint>();
  table.add<emitScope>();
}

} // namespace gluonc::codegen
