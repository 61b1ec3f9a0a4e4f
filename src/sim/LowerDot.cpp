//===- LowerDot.cpp - Matrix products ---------------------------------------===//
//
// Products and sums are formed in the accumulator's type in the order of K, as
// the language defines `dot_fma`. Tensor cores sum in other orders and with fewer
// bits, so results of real hardware agree to a tolerance.
//
//===----------------------------------------------------------------------===//
#include "sim/Lowering.h"
#include "sim/Taint.h"

#include <cmath>

namespace gluonc::sim {
namespace {

struct DotData : OpData {
  uint32_t batches = 1, rows = 0, columns = 0, depth = 0;
  bool truncatesToTf32 = false;
};

/// The bits that a tensor core looks at; the others are cut off, not rounded.
float truncateToTf32(float value) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value) & 0xffffe000u);
}

template <class In> auto loadOperand(typename In::Storage value, bool tf32) {
  if constexpr (In::kKind <= ElementKind::I64)
    return static_cast<int32_t>(In::toSigned(value));
  else if constexpr (std::is_same_v<In, F32>)
    return tf32 ? truncateToTf32(value) : value;
  else
    return In::load(value);
}

/// Operands: a, b, c, all spelled out. `Acc` is the host type of the sum.
template <class In, class Out, class Acc> void runDot(const Instruction &instruction, Cta &cta) {
  const DotData &dot = static_cast<const DotData &>(*instruction.data);
  const auto *a = cta.at<typename In::Storage>(instruction.operands[0]);
  const auto *b = cta.at<typename In::Storage>(instruction.operands[1]);
  const auto *c = cta.at<typename Out::Storage>(instruction.operands[2]);
  auto *result = cta.at<typename Out::Storage>(instruction.result);
  // Both are kept between programs; converting b once pays for itself `rows` times.
  static thread_local std::vector<Acc> converted, sums;
  converted.resize(uint64_t(dot.depth) * dot.columns);
  sums.resize(dot.columns);
  for (uint32_t batch = 0; batch < dot.batches; ++batch) {
    for (uint64_t i = 0; i < converted.size(); ++i)
      converted[i] = Acc(loadOperand<In>(b[i], dot.truncatesToTf32));
    for (uint32_t row = 0; row < dot.rows; ++row) {
      for (uint32_t column = 0; column < dot.columns; ++column)
        if constexpr (std::is_integral_v<Acc>)
          sums[column] = Acc(c[column]);
        else
          sums[column] = Acc(Out::load(c[column]));
      for (uint32_t k = 0; k < dot.depth; ++k) {
        const Acc factor = Acc(loadOperand<In>(a[k], dot.truncatesToTf32));
        const Acc *__restrict line = converted.data() + uint64_t(k) * dot.columns;
        Acc *__restrict sum = sums.data();
        for (uint32_t column = 0; column < dot.columns; ++column)
          sum[column] += factor * line[column];
      }
      for (uint32_t column = 0; column < dot.columns; ++column)
        if constexpr (std::is_integral_v<Acc>)
          result[column] = static_cast<typename Out::Storage>(sums[column]);
        else
          result[column] = Out::store(sums[column]);
      a += dot.depth;
      c += dot.columns;
      result += dot.columns;
    }
    b += converted.size();
  }
}

Handler dotHandler(ElementKind in, ElementKind out) {
  Handler handler = nullptr;
  if (in == ElementKind::I8 && out == ElementKind::I32)
    return runDot<I8, I32, uint32_t>;
  if (in == ElementKind::F64 && out == ElementKind::F64)
    return runDot<F64, F64, double>;
  if (in == ElementKind::F64)
    return nullptr;
  withFloatElement(in, [&](auto element) {
    using In = decltype(element);
    if constexpr (!std::is_same_v<In, F64>) {
      if (out == ElementKind::F32)
        handler = runDot<In, F32, float>;
      else if (out == ElementKind::F16)
        handler = runDot<In, F16, float>;
    }
  });
  return handler;
}

bool lowerDot(Lowering &lowering, mlir::Operation *operation) {
  auto dot = mlir::cast<tt::DotOp>(operation);
  ElementKind in = lowering.kindOf(dot.getA());
  Handler handler = dotHandler(in, lowering.kindOf(dot.getC()));
  tt::InputPrecision precision = dot.getInputPrecision();
  // The bf16 and three-fold tf32 schemes exist to come close to the plain product.
  if (!handler || in != lowering.kindOf(dot.getB()))
    return false;
  DotData *data = lowering.addData<DotData>();
  llvm::ArrayRef<int64_t> a = shapeOf(dot.getA().getType()), c = shapeOf(dot.getC().getType());
  for (int64_t size : c.drop_back(2))
    data->batches *= uint32_t(size);
  data->rows = uint32_t(c[c.size() - 2]);
  data->columns = uint32_t(c.back());
  data->depth = uint32_t(a.back());
  data->truncatesToTf32 = precision == tt::InputPrecision::TF32;
  llvm::SmallVector<Slot, 3> operands;
  for (mlir::Value value : {dot.getA(), dot.getB(), dot.getC()})
    operands.push_back(lowering.materialize(lowering.slotOf(value), laneCountOf(value.getType()),
                                            lowering.kindOf(value)));
  Slot result = lowering.define(dot.getD(), laneCountOf(dot.getD().getType()));
  lowering.emit(handler, taintAll, result, operands).data = data;
  return true;
}

} // namespace

void addDot(OperationTable &table) { table["tt.dot"] = lowerDot; }

} // namespace gluonc::sim
