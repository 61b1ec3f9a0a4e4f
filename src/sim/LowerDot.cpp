//===- LowerDot.cpp - Matrix products ---------------------------------------===//
//
// Products and sums are formed in the accumulator's type in the order of K, as
// the language defines `dot_fma`. Tensor cores sum in other orders and with fewer
// bits, so results of real hardware agree to a tolerance.
//
//===----------------------------------------------------------------------===//
#include "sim/Lowering.h"
#include "sim/Taint.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace gluonc::sim {
namespace {

/// Reads `count` elements of one kind into the type that the sum is formed in.
template <class Acc>
using Convert = void (*)(const std::byte *from, uint64_t count, bool tf32, Acc *to);

template <class Acc> struct DotData : OpData {
  uint32_t batches = 1, rows = 0, columns = 0, depth = 0;
  bool truncatesToTf32 = false;
  /// Integer products of tensor cores clamp each partial sum of 32 terms to 32 bits.
  bool saturates = false;
  Convert<Acc> convertA = nullptr, convertB = nullptr;
};

/// The bits that a tensor core looks at; the others are cut off, not rounded.
float truncateToTf32(float value) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value) & 0xffffe000u);
}

template <class In, class Acc>
void convertElements(const std::byte *from, uint64_t count, bool tf32, Acc *to) {
  const auto *elements = reinterpret_cast<const typename In::Storage *>(from);
  for (uint64_t i = 0; i < count; ++i) {
    if constexpr (In::kKind <= ElementKind::I64)
      to[i] = Acc(In::toSigned(elements[i]));
    else if constexpr (std::is_same_v<In, F32>)
      to[i] = Acc(tf32 ? truncateToTf32(elements[i]) : elements[i]);
    else
      to[i] = Acc(In::load(elements[i]));
  }
}

int64_t clampTo32(int64_t value) {
  return std::clamp<int64_t>(value, std::numeric_limits<int32_t>::min(),
                             std::numeric_limits<int32_t>::max());
}

/// Operands: a, b, c, all spelled out. `Acc` is the host type of the sum.
template <class Out, class Acc> void runDot(const Instruction &instruction, Cta &cta) {
  const auto &dot = static_cast<const DotData<Acc> &>(*instruction.data);
  const auto *c = cta.at<typename Out::Storage>(instruction.operands[2]);
  auto *result = cta.at<typename Out::Storage>(instruction.result);
  const uint64_t sizeA = uint64_t(dot.batches) * dot.rows * dot.depth;
  const uint64_t sizeB = uint64_t(dot.batches) * dot.depth * dot.columns;
  // Kept between programs; converting b once pays for itself `rows` times.
  static thread_local std::vector<Acc> left, right, sums;
  left.resize(sizeA);
  right.resize(sizeB);
  sums.resize(dot.columns);
  dot.convertA(cta.at<std::byte>(instruction.operands[0]), sizeA, dot.truncatesToTf32, left.data());
  dot.convertB(cta.at<std::byte>(instruction.operands[1]), sizeB, dot.truncatesToTf32,
               right.data());
  const Acc *a = left.data(), *b = right.data();
  for (uint32_t batch = 0; batch < dot.batches; ++batch) {
    for (uint32_t row = 0; row < dot.rows; ++row) {
      for (uint32_t column = 0; column < dot.columns; ++column)
        if constexpr (std::is_integral_v<Acc>)
          sums[column] = Acc(Out::toSigned(c[column]));
        else
          sums[column] = Acc(Out::load(c[column]));
      for (uint32_t k = 0; k < dot.depth; ++k) {
        const Acc factor = a[k];
        const Acc *__restrict line = b + uint64_t(k) * dot.columns;
        Acc *__restrict sum = sums.data();
        for (uint32_t column = 0; column < dot.columns; ++column)
          sum[column] += factor * line[column];
        if constexpr (std::is_integral_v<Acc>)
          if (dot.saturates && k % 32 == 31)
            for (Acc &partial : sums)
              partial = clampTo32(partial);
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
    b += uint64_t(dot.depth) * dot.columns;
  }
}

template <class Acc> Convert<Acc> converterFrom(ElementKind kind) {
  Convert<Acc> convert = nullptr;
  if constexpr (std::is_integral_v<Acc>) {
    if (kind == ElementKind::I8)
      convert = convertElements<I8, Acc>;
  } else if constexpr (std::is_same_v<Acc, double>) {
    if (kind == ElementKind::F64)
      convert = convertElements<F64, Acc>;
  } else {
    withFloatElement(kind, [&](auto element) {
      using In = decltype(element);
      if constexpr (!std::is_same_v<In, F64>)
        convert = convertElements<In, Acc>;
    });
  }
  return convert;
}

template <class Out, class Acc> bool emitDot(Lowering &lowering, tt::DotOp dot) {
  Convert<Acc> convertA = converterFrom<Acc>(lowering.kindOf(dot.getA()));
  Convert<Acc> convertB = converterFrom<Acc>(lowering.kindOf(dot.getB()));
  if (!convertA || !convertB)
    return false;
  auto *data = lowering.addData<DotData<Acc>>();
  data->convertA = convertA;
  data->convertB = convertB;
  llvm::ArrayRef<int64_t> a = shapeOf(dot.getA().getType()), c = shapeOf(dot.getC().getType());
  for (int64_t size : c.drop_back(2))
    data->batches *= uint32_t(size);
  data->rows = uint32_t(c[c.size() - 2]);
  data->columns = uint32_t(c.back());
  data->depth = uint32_t(a.back());
  // The bf16 and three-fold tf32 schemes exist to come close to the plain product.
  data->truncatesToTf32 = dot.getInputPrecision() == tt::InputPrecision::TF32;
  data->saturates = mlir::isa_and_nonnull<ttg::NvidiaMmaEncodingAttr>(
      mlir::cast<mlir::RankedTensorType>(dot.getC().getType()).getEncoding());
  llvm::SmallVector<Slot, 3> operands;
  for (mlir::Value value : {dot.getA(), dot.getB(), dot.getC()})
    operands.push_back(lowering.materialize(lowering.slotOf(value), laneCountOf(value.getType()),
                                            lowering.kindOf(value)));
  Slot result = lowering.define(dot.getD(), laneCountOf(dot.getD().getType()));
  lowering.emit(runDot<Out, Acc>, taintAll, result, operands).data = data;
  return true;
}

bool lowerDot(Lowering &lowering, mlir::Operation *operation) {
  auto dot = mlir::cast<tt::DotOp>(operation);
  switch (lowering.kindOf(dot.getC())) {
  case ElementKind::I32:
    return emitDot<I32, int64_t>(lowering, dot);
  case ElementKind::F64:
    return emitDot<F64, double>(lowering, dot);
  case ElementKind::F32:
    return emitDot<F32, float>(lowering, dot);
  case ElementKind::F16:
    return emitDot<F16, float>(lowering, dot);
  default:
    return false;
  }
}

} // namespace

void addDot(OperationTable &table) { table["tt.dot"] = lowerDot; }

} // namespace gluonc::sim
