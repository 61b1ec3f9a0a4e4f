//===- EmitReducingLoad.cpp - Rows of tensor memory and their extremes -------------===//
//
// tcgen05.ld.red gives a thread elements of its row, and the least or largest of
// these. A row that takes several such loads has the extreme of theirs.
//
//===----------------------------------------------------------------------===//
#include "codegen/nvidia/InlineAsm.h"
#include "codegen/nvidia/TensorTransfer.h"
#include "target/Features.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen::nvidia {
namespace {

/// Of all, pair by pair.
Value *extremeOf(Builder &builder, SmallVector<Value *> values, bool isMin, bool keepsNan) {
  auto choose = [&](Value *a, Value *b) {
    if (keepsNan)
      return isMin ? builder.CreateMinimum(a, b) : builder.CreateMaximum(a, b);
    return isMin ? builder.CreateMinNum(a, b) : builder.CreateMaxNum(a, b);
  };
  while (values.size() > 1) {
    SmallVector<Value *> next;
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      next.push_back(choose(values[i], values[i + 1]));
    if (values.size() % 2)
      next.push_back(values.back());
    values = std::move(next);
  }
  return values.front();
}

} // namespace

LogicalResult emitReducingLoad(Emitter &emitter, ttng::TMEMLoadOp op) {
  const auto type = cast<mlir::RankedTensorType>(op.getResult().getType());
  std::optional<Transfer> transfer = planTransfer(emitter, op, type, op.getSrc());
  if (!transfer || transfer->access.words() < 2 ||
      !target::has(emitter.state.target, target::Feature::ReducingLoad))
    return emitter.unsupported(op, "a load of tensor memory that reduces rows");
  const layout::TensorMemoryAccess &access = transfer->access;
  Builder &builder = emitter.builder;
  const bool isMin = *op.getRedOp() == ttng::TMEMLoadReduceModifier::MIN;
  const bool keepsNan = op.getNaN().value_or(false);
  const unsigned words = access.words(), messages = access.messages.size();
  const unsigned count = (words + 1) * messages;
  std::string text;
  raw_string_ostream out(text);
  // The elements of all loads, then the extremes.
  for (auto [i, message] : enumerate(access.messages))
    out << "tcgen05.ld.red.sync.aligned." << shapeText(access, "") << (isMin ? ".min" : ".max")
        << (op.getAbs().value_or(false) ? ".abs" : "") << (keepsNan ? ".NaN" : "") << ".f32 "
        << registerList(i * words, words) << ", $" << words * messages + i << ", [$" << count
        << " + " << message.offset << "]" << halfText(access) << ";\n\t";
  out << "tcgen05.wait::ld.sync.aligned;";
  SmallVector<Type *> types(count, builder.getFloatTy());
  Value *loaded =
      emitTiedAsm(builder, text, types, {}, {transfer->address}, AsmEffect::ReadsAndWrites);
  Registers result(emitter.types.registerCount(type));
  for (auto [i, message] : enumerate(access.messages))
    for (unsigned word = 0; word < words; ++word)
      result[access.registerOf(message.base, word, 0)] =
          builder.CreateExtractValue(loaded, i * words + word);
  emitter.set(op.getResult(), std::move(result));
  SmallVector<Value *> extremes;
  for (unsigned i = 0; i < messages; ++i)
    extremes.push_back(builder.CreateExtractValue(loaded, words * messages + i));
  Value *extreme = extremeOf(builder, std::move(extremes), isMin, keepsNan);
  emitter.set(op.getRed(), Registers(emitter.types.registerCount(op.getRed().getType()), extreme));
  return success();
}

} // namespace gluonc::codegen::nvidia
