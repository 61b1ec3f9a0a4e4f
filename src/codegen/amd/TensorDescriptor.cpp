//===- TensorDescriptor.cpp - Fields of descriptors, and words of them ---------------===//
//
// Most fields are halves of words or more. Halves are put together as vectors of two i16,
// which are one scalar instruction; shifted and combined by hand they become one of the
// vector unit, and its result has to come back.
//
// Source: the ISA document of gfx1250, "Tensor data mover".
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/TensorDescriptor.h"

#include "codegen/core/Words.h"
#include "target/amd/TensorMover.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace gluonc::codegen::amd {

namespace tdm = target::amd::tdm;

namespace {

Value *half(Builder &builder, Value *word, unsigned which) {
  auto *halves = FixedVectorType::get(builder.getInt16Ty(), 2);
  return builder.CreateExtractElement(builder.CreateBitCast(word, halves), which);
}
Value *low(Builder &builder, Value *word) { return half(builder, word, 0); }
Value *high(Builder &builder, Value *word) { return half(builder, word, 1); }

Value *join(Builder &builder, Value *lower, Value *upper) {
  Value *halves = PoisonValue::get(FixedVectorType::get(builder.getInt16Ty(), 2));
  halves = builder.CreateInsertElement(halves, lower, uint64_t(0));
  return builder.CreateBitCast(builder.CreateInsertElement(halves, upper, 1), builder.getInt32Ty());
}

/// A word of a 64-bit number.
Value *word(Builder &builder, Value *wide, unsigned which) {
  return builder.CreateTrunc(which ? builder.CreateLShr(wide, 32) : wide, builder.getInt32Ty());
}

Value *wide(Builder &builder, Value *lower, Value *upper) {
  Value *bits = builder.CreateShl(builder.CreateZExt(upper, builder.getInt64Ty()), 32);
  return builder.CreateOr(bits, builder.CreateZExt(lower, builder.getInt64Ty()));
}

/// 48 bits: a word, and the lower half of the next.
Value *wideByHalf(Builder &builder, Value *lower, Value *upper) {
  return wide(builder, lower, builder.CreateAnd(upper, 0xffff));
}

} // namespace

Registers TensorDescriptor::registers() const {
  Registers all = {base, active};
  append_range(all, extents);
  append_range(all, strides);
  return all;
}

TensorDescriptor TensorDescriptor::ofRegisters(ArrayRef<Value *> registers, unsigned rank) {
  ArrayRef<Value *> dims = registers.drop_front(2);
  TensorDescriptor made;
  made.base = registers[0];
  made.active = registers[1];
  made.extents.assign(dims.begin(), dims.begin() + rank);
  made.strides.assign(dims.begin() + rank, dims.end());
  return made;
}

SmallVector<Type *> TensorDescriptor::types(LLVMContext &context, unsigned rank) {
  Type *i32 = Type::getInt32Ty(context), *i64 = Type::getInt64Ty(context);
  SmallVector<Type *> all = {i64, i32};
  all.append(rank, i32);
  all.append(rank - 1, i64);
  return all;
}

TensorDescriptor TensorDescriptor::ofWords(Builder &builder, ArrayRef<Value *> words,
                                           unsigned rank) {
  ArrayRef<Value *> first = words.take_front(4), second = words.slice(4, 8),
                    rest = words.drop_front(12);
  TensorDescriptor made;
  made.base = wide(builder, first[2], first[3]);
  made.active = builder.getInt32(1);
  // Innermost first.
  SmallVector<Value *> extents, strides;
  extents.push_back(join(builder, high(builder, second[1]), low(builder, second[2])));
  if (rank > 1) {
    extents.push_back(join(builder, high(builder, second[2]), low(builder, second[3])));
    strides.push_back(wideByHalf(builder, second[5], second[6]));
  }
  if (rank > 2) {
    extents.push_back(rest[0]);
    Value *lower = join(builder, high(builder, second[6]), low(builder, second[7]));
    strides.push_back(wide(builder, lower, builder.CreateLShr(second[7], 16)));
  }
  if (rank > 3) {
    extents.push_back(rest[1]);
    strides.push_back(wideByHalf(builder, rest[2], rest[3]));
  }
  if (rank > 4) {
    extents.push_back(join(builder, high(builder, rest[5]), low(builder, rest[6])));
    strides.push_back(wideByHalf(builder, rest[4], rest[5]));
  }
  made.extents.assign(extents.rbegin(), extents.rend());
  made.strides.assign(strides.rbegin(), strides.rend());
  return made;
}

TensorDescriptor TensorDescriptor::make(Builder &builder, Value *pointer, ArrayRef<Value *> extents,
                                        ArrayRef<Value *> strides) {
  TensorDescriptor made;
  made.base = builder.CreateOr(builder.CreatePtrToInt(pointer, builder.getInt64Ty()),
                               builder.getInt64(tdm::isDescriptor << 32));
  made.active = builder.getInt32(1);
  for (Value *extent : extents)
    made.extents.push_back(
        builder.CreateBinaryIntrinsic(Intrinsic::smax, extent, builder.getInt32(0)));
  made.strides.assign(strides.begin(), strides.end());
  return made;
}

// Of `condition ? 1 : 0` LLVM makes a number of each lane, which then has to come back; so the 1 is
// one that it does not know.
void TensorDescriptor::onlyIf(Builder &builder, Value *condition) {
  if (auto *known = dyn_cast<ConstantInt>(condition)) {
    active = known->isOne() ? active : builder.getInt32(0);
    return;
  }
  if (isa<Constant>(active) && !cast<Constant>(active)->isNullValue())
    active = builder.CreateCall(InlineAsm::get(FunctionType::get(builder.getInt32Ty(), false),
                                               "s_mov_b32 $0, 1", "=s", /*hasSideEffects=*/false));
  active = builder.CreateSelect(condition, active, builder.getInt32(0));
}

namespace {

class WordMaker {
public:
  WordMaker(Builder &builder, const TensorDescriptor &descriptor, const MoverTile &tile)
      : builder(builder), descriptor(descriptor), tile(tile), rank(descriptor.rank()) {}

  MoverWords run() {
    MoverWords words;
    words.groups[0] = vectorOf(builder, {state(), tile.address, word(builder, descriptor.base, 0),
                                         word(builder, descriptor.base, 1)});
    words.groups[1] = vectorOf(builder, second());
    if (!tile.rows.empty())
      setRows(words);
    else if (rank > 2)
      setOuterDims(words);
    return words;
  }

private:
  /// By number from the innermost on; 0 where there is none.
  Value *extent(unsigned dim) const {
    return dim < rank ? descriptor.extents[rank - 1 - dim] : builder.getInt32(0);
  }
  Value *length(unsigned dim) const {
    if (dim == 1 && !tile.rows.empty())
      return builder.getInt16(tile.rows.size());
    return builder.getInt16(dim < rank ? tile.shape[rank - 1 - dim] : 0);
  }
  /// From one element to the next along the dim.
  Value *stride(unsigned dim) const {
    return dim < rank ? descriptor.strides[rank - 1 - dim] : builder.getInt64(0);
  }

  Value *state() {
    if (tile.rows.empty())
      return descriptor.active;
    uint32_t mode = tdm::rowMode | (hasWideRows() ? tdm::wideRows : 0);
    return builder.CreateOr(descriptor.active, mode);
  }

  bool hasWideRows() const { return tile.rows.front()->getType()->isIntegerTy(32); }

  Value *modes() {
    uint32_t bits = Log2_32(tile.elementBytes) << tdm::elementShift;
    if (tile.barrier)
      bits |= tdm::tellsBarrier;
    if (tile.padInterval)
      bits |= tdm::pads |
              (Log2_64(tile.padInterval / tdm::padUnitBytes) - 1) << tdm::intervalShift |
              uint32_t(tile.padding / tdm::padUnitBytes - 1) << tdm::paddingShift;
    return tile.workgroups ? builder.CreateOr(tile.workgroups, bits) : builder.getInt32(bits);
  }

  SmallVector<Value *, 8> second() {
    constexpr unsigned barrierShift = 3;
    Value *barrier =
        tile.barrier ? low(builder, builder.CreateLShr(tile.barrier, barrierShift)) : zero();
    Value *lengths = join(builder, length(1), length(2));
    Value *upper = word(builder, stride(1), 1);
    return {modes(),
            join(builder, barrier, low(builder, extent(0))),
            join(builder, high(builder, extent(0)), low(builder, extent(1))),
            join(builder, high(builder, extent(1)), length(0)),
            lengths,
            word(builder, stride(1), 0),
            join(builder, low(builder, upper), low(builder, word(builder, stride(2), 0))),
            word(builder, builder.CreateLShr(stride(2), 16), 0)};
  }

  /// What lies at 48 bits: the stride of a dim, and a half.
  std::pair<Value *, Value *> strideAnd(unsigned dim, Value *upper) {
    Value *bits = stride(dim);
    return {word(builder, bits, 0), join(builder, low(builder, word(builder, bits, 1)), upper)};
  }

  void setOuterDims(MoverWords &words) {
    auto [third, thirdUp] = strideAnd(3, length(3));
    words.groups[2] = vectorOf(builder, {extent(2), extent(3), third, thirdUp});
    auto [fourth, fourthUp] = strideAnd(4, low(builder, extent(4)));
    words.groups[3] =
        vectorOf(builder, {fourth, fourthUp, join(builder, high(builder, extent(4)), length(4)),
                           builder.getInt32(0)});
  }

  void setRows(MoverWords &words) {
    SmallVector<Value *, 8> numbers;
    unsigned perWord = hasWideRows() ? 1 : 2;
    for (unsigned i = 0; i < tile.rows.size(); i += perWord)
      numbers.push_back(uniform(perWord == 1 ? tile.rows[i] : pairOfRows(i)));
    numbers.resize(8, builder.getInt32(0));
    words.groups[2] = vectorOf(builder, ArrayRef(numbers).take_front(4));
    words.groups[3] = vectorOf(builder, ArrayRef(numbers).drop_front(4));
  }

  Value *pairOfRows(unsigned i) {
    return join(builder, tile.rows[i], i + 1 < tile.rows.size() ? tile.rows[i + 1] : zero());
  }

  Value *uniform(Value *value) {
    return isa<Constant>(value) ? value
                                : builder.CreateIntrinsic(builder.getInt32Ty(),
                                                          Intrinsic::amdgcn_readfirstlane, {value});
  }

  Value *zero() { return builder.getInt16(0); }

  Builder &builder;
  const TensorDescriptor &descriptor;
  const MoverTile &tile;
  const unsigned rank;
};

} // namespace

MoverWords makeWords(Builder &builder, const TensorDescriptor &descriptor, const MoverTile &tile) {
  return WordMaker(builder, descriptor, tile).run();
}

} // namespace gluonc::codegen::amd
