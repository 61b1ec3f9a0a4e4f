//===- LowerArithmetic.cpp - Integers, comparisons, select, constants -------===//
#include "sim/lower/Elementwise.h"
#include "sim/machine/SharedView.h"

namespace gluonc::sim {
namespace {

//===----------------------------------------------------------------------===//
// Operations that are defined for all operands
//===----------------------------------------------------------------------===//

// Narrow operands promote to int; 32-bit unsigned arithmetic keeps the wrap-around defined.
template <class T> using Wide = std::conditional_t<(sizeof(T) < 4), uint32_t, T>;

struct Add {
  template <class E> static auto apply(StorageOf<E> l, StorageOf<E> r) {
    return static_cast<typename E::Storage>(Wide<decltype(l)>(l) + r);
  }
};
struct Subtract {
  template <class E> static auto apply(StorageOf<E> l, StorageOf<E> r) {
    return static_cast<typename E::Storage>(Wide<decltype(l)>(l) - r);
  }
};
struct Multiply {
  template <class E> static auto apply(StorageOf<E> l, StorageOf<E> r) {
    return static_cast<typename E::Storage>(Wide<decltype(l)>(l) * r);
  }
};
struct And {
  template <class E> static StorageOf<E> apply(StorageOf<E> l, StorageOf<E> r) { return l & r; }
};
struct Or {
  template <class E> static StorageOf<E> apply(StorageOf<E> l, StorageOf<E> r) { return l | r; }
};
struct Xor {
  template <class E> static StorageOf<E> apply(StorageOf<E> l, StorageOf<E> r) { return l ^ r; }
};
struct MinSigned {
  template <class E> static StorageOf<E> apply(StorageOf<E> l, StorageOf<E> r) {
    return E::toSigned(l) < E::toSigned(r) ? l : r;
  }
};
struct MaxSigned {
  template <class E> static StorageOf<E> apply(StorageOf<E> l, StorageOf<E> r) {
    return E::toSigned(l) > E::toSigned(r) ? l : r;
  }
};
struct MinUnsigned {
  template <class E> static StorageOf<E> apply(StorageOf<E> l, StorageOf<E> r) {
    return l < r ? l : r;
  }
};
struct MaxUnsigned {
  template <class E> static StorageOf<E> apply(StorageOf<E> l, StorageOf<E> r) {
    return l > r ? l : r;
  }
};
/// Upper half of the double-width product.
struct MultiplyHighUnsigned {
  template <class E> static StorageOf<E> apply(StorageOf<E> l, StorageOf<E> r) {
    return static_cast<typename E::Storage>((static_cast<unsigned __int128>(l) * r) >> E::kBits);
  }
};
struct MultiplyHighSigned {
  template <class E> static StorageOf<E> apply(StorageOf<E> l, StorageOf<E> r) {
    return static_cast<typename E::Storage>(
        (static_cast<__int128>(E::toSigned(l)) * E::toSigned(r)) >> E::kBits);
  }
};

/// arith.mulsi_extended and mului_extended: the low and the high half.
template <class High> bool lowerExtendedMultiply(Lowering &lowering, mlir::Operation *operation) {
  lowering.setShape(operation->getResult(0).getType());
  Slot left = lowering.slotOf(operation->getOperand(0));
  Slot right = lowering.slotOf(operation->getOperand(1));
  uint32_t elements = elementsOf(lowering, operation->getOperands());
  return withIntElement(lowering.kindOf(operation->getResult(0)), [&](auto element) {
    using E = decltype(element);
    lowering.emit(binaryHandler<OnIntegers<Multiply, E>>(left, right), taintElementwise,
                  lowering.define(operation->getResult(0), elements), {left, right});
    lowering.emit(binaryHandler<OnIntegers<High, E>>(left, right), taintElementwise,
                  lowering.define(operation->getResult(1), elements), {left, right});
  });
}

//===----------------------------------------------------------------------===//
// Division and shifts: some operands have no result
//===----------------------------------------------------------------------===//

// `excuse` says why a pair of operands has no result; null if it has one. Elements
// without a result hold 0 and are tainted.

struct DivideSigned {
  template <class E> static StorageOf<E> apply(StorageOf<E> l, StorageOf<E> r) {
    return static_cast<typename E::Storage>(E::toSigned(l) / E::toSigned(r));
  }
};
struct RemainderSigned {
  template <class E> static StorageOf<E> apply(StorageOf<E> l, StorageOf<E> r) {
    return static_cast<typename E::Storage>(E::toSigned(l) % E::toSigned(r));
  }
};
/// Quotients that are rounded otherwise than towards zero, from the truncated one.
struct DivideFloor {
  template <class E> static StorageOf<E> apply(StorageOf<E> l, StorageOf<E> r) {
    auto left = E::toSigned(l), right = E::toSigned(r);
    bool inexactNegative = left % right != 0 && (left < 0) != (right < 0);
    return static_cast<typename E::Storage>(left / right - inexactNegative);
  }
};
struct DivideCeiling {
  template <class E> static StorageOf<E> apply(StorageOf<E> l, StorageOf<E> r) {
    auto left = E::toSigned(l), right = E::toSigned(r);
    bool inexactPositive = left % right != 0 && (left < 0) == (right < 0);
    return static_cast<typename E::Storage>(left / right + inexactPositive);
  }
};
struct DivideUnsigned {
  template <class E> static StorageOf<E> apply(StorageOf<E> l, StorageOf<E> r) { return l / r; }
};
struct DivideCeilingUnsigned {
  template <class E> static StorageOf<E> apply(StorageOf<E> l, StorageOf<E> r) {
    return static_cast<typename E::Storage>(l / r + (l % r != 0));
  }
};
struct RemainderUnsigned {
  template <class E> static StorageOf<E> apply(StorageOf<E> l, StorageOf<E> r) { return l % r; }
};
// By the width or more: every bit is gone, but for copies of the sign. Machine code has it so too.
struct ShiftLeft {
  template <class E> static auto apply(StorageOf<E> l, StorageOf<E> r) {
    return static_cast<typename E::Storage>(r < E::kBits ? Wide<decltype(l)>(l) << r : 0);
  }
};
struct ShiftRightSigned {
  template <class E> static auto apply(StorageOf<E> l, StorageOf<E> r) {
    return static_cast<typename E::Storage>(E::toSigned(l) >> (r < E::kBits ? r : E::kBits - 1));
  }
};
struct ShiftRightUnsigned {
  template <class E> static auto apply(StorageOf<E> l, StorageOf<E> r) {
    return static_cast<typename E::Storage>(r < E::kBits ? l >> r : 0);
  }
};

template <bool Signed> struct DivisionRule {
  static constexpr diag::Kind kKind = diag::Kind::IntegerDivisionFault;
  template <class E> static bool allows(typename E::Storage left, typename E::Storage right) {
    if (right == 0)
      return false;
    // i1 holds 0 and -1 only; -1 / -1 overflows no more than a wrapped 1 does.
    return !Signed || E::kBits == 1 || left != E::kSignBit || right != E::kMask;
  }
  template <class E> static bool allowsAnyLeft(typename E::Storage right) {
    return right != 0 && (!Signed || right != E::kMask);
  }
  template <class E>
  static std::vector<std::string> arguments(typename E::Storage left, typename E::Storage right) {
    if (right == 0)
      return {"by zero"};
    return {"overflows: " + std::to_string(E::toSigned(left)) + " / -1"};
  }
};
struct ShiftRule {
  static constexpr diag::Kind kKind = diag::Kind::ShiftTooWide;
  template <class E> static bool allows(typename E::Storage, typename E::Storage right) {
    return allowsAnyLeft<E>(right);
  }
  template <class E> static bool allowsAnyLeft(typename E::Storage right) {
    return E::kBits == 1 || E::toSigned(right) >= 0;
  }
  template <class E>
  static std::vector<std::string> arguments(typename E::Storage, typename E::Storage right) {
    return {std::to_string(E::toSigned(right)), std::to_string(E::kBits)};
  }
};

template <class Op, class Rule, class E> void runPartial(const Instruction &instruction, Cta &cta) {
  using T = typename E::Storage;
  T *__restrict result = cta.at<T>(instruction.result);
  const T *left = cta.at<T>(instruction.operands[0]);
  const T *right = cta.at<T>(instruction.operands[1]);
  uint32_t leftStep = instruction.operands[0].elements != 1;
  uint32_t rightStep = instruction.operands[1].elements != 1;
  // Nearly every divisor and shift count is a harmless constant.
  if (leftStep && !rightStep && Rule::template allowsAnyLeft<E>(right[0]))
    return runBinary<OnIntegers<Op, E>, false, true>(instruction, cta);
  for (uint32_t element = 0; element < instruction.result.elements; ++element) {
    T l = left[element * leftStep], r = right[element * rightStep];
    if (Rule::template allows<E>(l, r)) [[likely]] {
      result[element] = E::wrap(Op::template apply<E>(l, r));
      continue;
    }
    result[element] = 0;
    // An operand that is tainted itself has the better story to tell.
    if (cta.tracking && cta.taintAt(instruction.result)[element])
      continue;
    cta.taintResult(instruction, element, Rule::kKind, Rule::template arguments<E>(l, r));
  }
}

template <class Op, class Rule> bool lowerPartial(Lowering &lowering, mlir::Operation *operation) {
  lowering.setShape(operation->getResult(0).getType());
  Slot left = lowering.slotOf(operation->getOperand(0));
  Slot right = lowering.slotOf(operation->getOperand(1));
  uint32_t elements = elementsOf(lowering, operation->getOperands());
  return withIntElement(lowering.kindOf(operation->getResult(0)), [&](auto element) {
    lowering.emit(runPartial<Op, Rule, decltype(element)>, taintElementwise,
                  lowering.define(operation->getResult(0), elements), {left, right});
  });
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

struct Equal {
  template <class T> static bool apply(T l, T r) { return l == r; }
};
struct NotEqual {
  template <class T> static bool apply(T l, T r) { return l != r; }
};
struct Less {
  template <class T> static bool apply(T l, T r) { return l < r; }
};
struct LessEqual {
  template <class T> static bool apply(T l, T r) { return l <= r; }
};

template <class Op, class E, bool Signed> struct CompareIntegers {
  using Result = uint8_t;
  using Left = typename E::Storage;
  using Right = Left;
  static Result apply(Left left, Right right) {
    if constexpr (Signed)
      return Op::apply(E::toSigned(left), E::toSigned(right));
    else
      return Op::apply(left, right);
  }
};

/// Emits a comparison; `swapped` turns < into >.
template <class Fn>
void emitComparison(Lowering &lowering, mlir::Operation *operation, bool swapped) {
  lowering.setShape(operation->getResult(0).getType());
  Slot left = lowering.slotOf(operation->getOperand(swapped ? 1 : 0));
  Slot right = lowering.slotOf(operation->getOperand(swapped ? 0 : 1));
  Slot result =
      lowering.define(operation->getResult(0), elementsOf(lowering, operation->getOperands()));
  lowering.emit(binaryHandler<Fn>(left, right), taintElementwise, result, {left, right});
}

bool lowerCompareIntegers(Lowering &lowering, mlir::Operation *operation) {
  using Predicate = mlir::arith::CmpIPredicate;
  Predicate predicate = mlir::cast<mlir::arith::CmpIOp>(operation).getPredicate();
  return withIntElement(lowering.kindOf(operation->getOperand(0)), [&](auto element) {
    using E = decltype(element);
    switch (predicate) {
    case Predicate::eq:
      return emitComparison<CompareIntegers<Equal, E, false>>(lowering, operation, false);
    case Predicate::ne:
      return emitComparison<CompareIntegers<NotEqual, E, false>>(lowering, operation, false);
    case Predicate::slt:
      return emitComparison<CompareIntegers<Less, E, true>>(lowering, operation, false);
    case Predicate::sle:
      return emitComparison<CompareIntegers<LessEqual, E, true>>(lowering, operation, false);
    case Predicate::sgt:
      return emitComparison<CompareIntegers<Less, E, true>>(lowering, operation, true);
    case Predicate::sge:
      return emitComparison<CompareIntegers<LessEqual, E, true>>(lowering, operation, true);
    case Predicate::ult:
      return emitComparison<CompareIntegers<Less, E, false>>(lowering, operation, false);
    case Predicate::ule:
      return emitComparison<CompareIntegers<LessEqual, E, false>>(lowering, operation, false);
    case Predicate::ugt:
      return emitComparison<CompareIntegers<Less, E, false>>(lowering, operation, true);
    case Predicate::uge:
      return emitComparison<CompareIntegers<LessEqual, E, false>>(lowering, operation, true);
    }
  });
}

//===----------------------------------------------------------------------===//
// Select and constants
//===----------------------------------------------------------------------===//

template <bool FirstUniform, bool SecondUniform, class T>
void selectElements(uint32_t count, const uint8_t *condition, const T *first, const T *second,
                    T *__restrict result) {
  const T onlyFirst = *first, onlySecond = *second;
  for (uint32_t element = 0; element < count; ++element) {
    const T one = FirstUniform ? onlyFirst : first[element];
    const T other = SecondUniform ? onlySecond : second[element];
    result[element] = condition[element] ? one : other;
  }
}

/// Chooses among stored bits; `T` is any type of the right size.
template <class T> void runSelect(const Instruction &instruction, Cta &cta) {
  T *result = cta.at<T>(instruction.result);
  const uint8_t *condition = cta.at<uint8_t>(instruction.operands[0]);
  const T *first = cta.at<T>(instruction.operands[1]);
  const T *second = cta.at<T>(instruction.operands[2]);
  const uint32_t count = instruction.result.elements;
  const bool firstUniform = instruction.operands[1].elements == 1;
  const bool secondUniform = instruction.operands[2].elements == 1;
  if (instruction.operands[0].elements == 1) {
    if (*condition ? firstUniform : secondUniform)
      std::fill_n(result, count, *condition ? *first : *second);
    else
      std::copy_n(*condition ? first : second, count, result);
  } else if (firstUniform && secondUniform) {
    selectElements<true, true>(count, condition, first, second, result);
  } else if (firstUniform) {
    selectElements<true, false>(count, condition, first, second, result);
  } else if (secondUniform) {
    selectElements<false, true>(count, condition, first, second, result);
  } else {
    selectElements<false, false>(count, condition, first, second, result);
  }
}

bool lowerSelect(Lowering &lowering, mlir::Operation *operation) {
  lowering.setShape(operation->getResult(0).getType());
  Slot operands[3];
  for (unsigned i = 0; i < 3; ++i)
    operands[i] = lowering.slotOf(operation->getOperand(i));
  ElementKind kind = lowering.kindOf(operation->getResult(0));
  uint32_t bytes = byteSize(kind);
  // Simplification turns branches that only choose between buffers, tensors or answers into this.
  bool isDescriptor = kind == ElementKind::Descriptor,
       isTensor = kind == ElementKind::TensorDescriptor;
  if (bytes > 16 && !isDescriptor && !isTensor)
    return false;
  Handler handler = isDescriptor  ? runSelect<Descriptor>
                    : isTensor    ? runSelect<TensorDescription>
                    : bytes == 16 ? runSelect<std::array<uint64_t, 2>>
                    : bytes == 1  ? runSelect<uint8_t>
                    : bytes == 2  ? runSelect<uint16_t>
                    : bytes == 4  ? runSelect<uint32_t>
                                  : runSelect<uint64_t>;
  Slot result =
      lowering.define(operation->getResult(0), elementsOf(lowering, operation->getOperands()));
  lowering.emit(handler, taintSelect, result, operands);
  return true;
}

void appendBits(std::string &bytes, const llvm::APInt &bits, uint32_t size) {
  uint64_t value = bits.getZExtValue();
  bytes.append(reinterpret_cast<const char *>(&value), size);
}

bool lowerConstant(Lowering &lowering, mlir::Operation *operation) {
  mlir::Attribute value = mlir::cast<mlir::arith::ConstantOp>(operation).getValue();
  uint32_t size = byteSize(lowering.kindOf(operation->getResult(0)));
  std::string bytes;
  uint32_t elements = 1;
  if (auto integer = mlir::dyn_cast<mlir::IntegerAttr>(value)) {
    appendBits(bytes, integer.getValue(), size);
  } else if (auto floating = mlir::dyn_cast<mlir::FloatAttr>(value)) {
    appendBits(bytes, floating.getValue().bitcastToAPInt(), size);
  } else if (auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(value)) {
    elements = dense.isSplat() ? 1 : uint32_t(dense.getNumElements());
    if (mlir::isa<mlir::FloatType>(dense.getElementType())) {
      auto values = dense.getValues<llvm::APFloat>();
      for (uint32_t element = 0; element < elements; ++element)
        appendBits(bytes, values[element].bitcastToAPInt(), size);
    } else {
      auto values = dense.getValues<llvm::APInt>();
      for (uint32_t element = 0; element < elements; ++element)
        appendBits(bytes, values[element], size);
    }
  } else {
    return false;
  }
  lowering.bindWhole(operation->getResult(0), lowering.constant(std::move(bytes), elements));
  return true;
}

/// Leaves zeros and taints them all: what a placeholder holds matters only if used.
void runPoison(const Instruction &instruction, Cta &cta) {
  std::memset(cta.at<uint8_t>(instruction.result), 0, instruction.immediate);
  for (uint32_t element = 0; element < instruction.result.elements; ++element)
    cta.taintResult(instruction, element, diag::Kind::PoisonUse, {});
}

bool lowerPoison(Lowering &lowering, mlir::Operation *operation) {
  mlir::Value value = operation->getResult(0);
  if (value.use_empty() || mlir::isa<ttg::AsyncTokenType>(value.getType()))
    return true;
  lowering.setShape(value.getType());
  Slot result = lowering.define(value, 1);
  lowering.emit(runPoison, taintNothing, result, {}).immediate = byteSize(lowering.kindOf(value));
  return true;
}

} // namespace

void addArithmetic(OperationTable &table) {
  table["arith.addi"] = lowerIntegerBinary<Add>;
  table["arith.subi"] = lowerIntegerBinary<Subtract>;
  table["arith.muli"] = lowerIntegerBinary<Multiply>;
  table["arith.andi"] = lowerIntegerBinary<And>;
  table["arith.ori"] = lowerIntegerBinary<Or>;
  table["arith.xori"] = lowerIntegerBinary<Xor>;
  table["arith.minsi"] = lowerIntegerBinary<MinSigned>;
  table["arith.maxsi"] = lowerIntegerBinary<MaxSigned>;
  table["arith.minui"] = lowerIntegerBinary<MinUnsigned>;
  table["arith.maxui"] = lowerIntegerBinary<MaxUnsigned>;
  table["tt.mulhiui"] = lowerIntegerBinary<MultiplyHighUnsigned>;
  table["arith.mului_extended"] = lowerExtendedMultiply<MultiplyHighUnsigned>;
  table["arith.mulsi_extended"] = lowerExtendedMultiply<MultiplyHighSigned>;
  table["arith.divsi"] = lowerPartial<DivideSigned, DivisionRule<true>>;
  table["arith.remsi"] = lowerPartial<RemainderSigned, DivisionRule<true>>;
  table["arith.floordivsi"] = lowerPartial<DivideFloor, DivisionRule<true>>;
  table["arith.ceildivsi"] = lowerPartial<DivideCeiling, DivisionRule<true>>;
  table["arith.divui"] = lowerPartial<DivideUnsigned, DivisionRule<false>>;
  table["arith.ceildivui"] = lowerPartial<DivideCeilingUnsigned, DivisionRule<false>>;
  table["arith.remui"] = lowerPartial<RemainderUnsigned, DivisionRule<false>>;
  table["arith.shli"] = lowerPartial<ShiftLeft, ShiftRule>;
  table["arith.shrsi"] = lowerPartial<ShiftRightSigned, ShiftRule>;
  table["arith.shrui"] = lowerPartial<ShiftRightUnsigned, ShiftRule>;
  table["arith.cmpi"] = lowerCompareIntegers;
  table["arith.select"] = lowerSelect;
  table["arith.constant"] = lowerConstant;
  table["ub.poison"] = lowerPoison;
}

} // namespace gluonc::sim
