//===- ConversionShared.cpp - Conversions through shared memory ------------===//
//
// Both layouts access one staging layout.  It should let both sides move wide
// vectors and hit every bank once.  All of this is a choice of a basis for the
// space of the CTA's elements:
//
//   offset bits, lowest first:  | word or vector | bank | segment |   repetition
//
//   vector   register bases common to both sides, up to 16 bytes, then registers of
//            one side that are lanes of the other: that side moves wide vectors, the
//            other narrow ones.  If all that fills no 4-byte word, other bases
//            complete it: elements that share a word never conflict.
//   segment  two elements are in the same bank exactly if they differ by a sum
//            of segment (and word) vectors.  So neither side conflicts if the
//            segment space meets neither S nor D in anything but 0, where S (D)
//            is what the lanes of one phase touch on the storing (loading) side.
//            Such a space exists: first whatever lies outside S + D, then, for
//            vectors a in S but not D and b in D but not S, the sums a ^ b.
//            These sums are the swizzle.
//   bank     anything that completes the basis.
//   repetition  segment vectors that are registers on both sides can be done one
//            after the other through the same scratch memory.
//
// A phase is what the hardware moves at once: 128 bytes, so all lanes for 4-byte
// vectors, half of them for 8 bytes, a quarter for 16.
//
// Where a warp moves matrices, memory sees another layout: each lane moves rows of 16
// bytes, of which registers and lanes of the warp's own layout are the elements. This
// layout is planned with; its rows are the vector. What needs the least instructions
// and time is taken.
//
//===----------------------------------------------------------------------===//
#include "layout/plan/ConversionParts.h"

#include "layout/linear/Gf2.h"
#include "layout/named/Blocks.h"
#include "support/Error.h"
#include "target/nvidia/Chips.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

#include <bit>

namespace gluonc::layout {

namespace {

using Vectors = llvm::SmallVector<uint64_t, 12>;

/// log2 of the bits in one pass over all banks, and in one word of one bank.
constexpr unsigned bankRowLog2Bits = 10, wordLog2Bits = 5;

/// How a half moves: each lane vectors of its own, or a warp matrices, the words of which lie along
/// their rows (ldmatrix, stmatrix) or columns (.trans).
enum class Moves : uint8_t { Vectors, Rows, Columns };

/// A side of a conversion.
struct Side {
  /// What each thread has.
  LinearLayout layout;
  Moves moves = Moves::Vectors;
  /// What memory sees: `layout`, or lanes with whole rows of matrices.
  LinearLayout seen;
  /// Of matrices: the elements of a row.
  Vectors row;

  /// False where the layout does not move so.
  bool see(unsigned elementBits) {
    seen = layout;
    if (moves == Moves::Vectors)
      return true;
    llvm::ArrayRef<uint64_t> registers = layout.packedBases(Dim::Register),
                             lanes = layout.packedBases(Dim::Lane);
    unsigned inWord = llvm::Log2_32(32 / elementBits);
    if (lanes.size() != std::countr_zero(target::nvidia::warpSize) || registers.size() < inWord)
      return false;
    Vectors word(registers.take_front(inWord)), others(registers.drop_front(inWord));
    Vectors along = word, across(lanes.drop_front(2));
    llvm::append_range(along, lanes.take_front(2));
    if (moves == Moves::Columns)
      std::swap(along, across);
    row = along;
    unsigned matrices = std::min<size_t>(others.size(), 2);
    llvm::append_range(across, llvm::ArrayRef(others).take_front(matrices));
    llvm::append_range(along, llvm::ArrayRef(others).drop_front(matrices));
    seen = layout.withBases(Dim::Register, along).withBases(Dim::Lane, across);
    return !llvm::is_contained(row, 0u) && !llvm::is_contained(across, 0u);
  }
};

class SharedPlanner {
public:
  SharedPlanner(const LinearLayout &srcLayout, const LinearLayout &dstLayout, unsigned elementBits,
                const ConversionOptions &options, Moves stores = Moves::Vectors,
                Moves loads = Moves::Vectors)
      : elementBits(std::max(elementBits, 8u)), elementLog2(llvm::Log2_32(this->elementBits)),
        options(options) {
    src.layout = withOwnerDims(srcLayout);
    llvm::SmallVector<Dim, 4> outs;
    for (const DimSize &out : src.layout.outDims())
      outs.push_back(out.dim);
    dst.layout = withOwnerDims(dstLayout).transposeOuts(outs);
    src.moves = stores;
    dst.moves = loads;
    splitOffBlocks();
  }

  /// False where a side has no matrices of that kind, rows lie in several CTAs, or both sides want
  /// different rows.
  bool suits() {
    if (!src.see(elementBits) || !dst.see(elementBits))
      return false;
    rows = src.row.empty() ? dst.row : src.row;
    return (dst.row.empty() || dst.row == rows) &&
           llvm::all_of(rows, [&](uint64_t basis) { return local(basis) == basis; });
  }

  /// Only where it suits.
  SharedPlan plan() {
    chooseVector();
    chooseSegments();
    chooseBanks();
    chooseRepetitions();
    return build();
  }

  /// Whether the vectors turned out as wide as the staging layout was made for.
  bool isRealizedBy(const SharedPlan &plan) const {
    return plan.store.vectorLog2 == storeLog2 && plan.load.vectorLog2 == loadLog2 &&
           plan.store.matrices.has_value() == (src.moves != Moves::Vectors) &&
           plan.load.matrices.has_value() == (dst.moves != Moves::Vectors);
  }
  unsigned widestLog2() const { return std::max(storeLog2, loadLog2); }

private:
  /// The bases of one side and dim, projected to this CTA's elements.
  Vectors bases(const Side &side, Dim dim) const {
    Vectors result;
    for (uint64_t basis : side.seen.packedBases(dim))
      result.push_back(local(basis));
    return result;
  }

  /// The tensor is the sum of one CTA's elements (what registers, lanes and warps of src reach) and
  /// of independent block bases.
  void splitOffBlocks() {
    for (Dim dim : {Dim::Register, Dim::Lane, Dim::Warp})
      for (uint64_t basis : src.layout.packedBases(dim))
        if (whole.insert(basis, uint64_t{1} << localBasis.size()))
          localBasis.push_back(basis);
    for (auto [i, basis] : llvm::enumerate(src.layout.packedBases(Dim::Block))) {
      if (whole.insert(basis, uint64_t{1} << (32 + blockBasis.size()))) {
        blockBasis.push_back(basis);
        blockBit.push_back(i);
      }
    }
    GL_CHECK(localBasis.size() < 32);
  }

  /// The part of an element that lies in this CTA's share.
  uint64_t local(uint64_t element) const {
    uint64_t combination = whole.reduce(element).combination & 0xffffffff;
    uint64_t result = 0;
    for (; combination; combination &= combination - 1)
      result ^= localBasis[llvm::countr_zero(combination)];
    return result;
  }

  bool isCommonRegister(uint64_t vector) const {
    return vector && llvm::is_contained(src.seen.packedBases(Dim::Register), vector) &&
           llvm::is_contained(dst.seen.packedBases(Dim::Register), vector);
  }

  void chooseVector() {
    if (!rows.empty())
      return takeRows();
    unsigned wanted = llvm::Log2_32(std::max(1u, options.maxVectorBits / elementBits));
    for (uint64_t basis : src.seen.packedBases(Dim::Register))
      if (word.size() < wanted && isCommonRegister(basis) && wordSpan.insert(basis))
        word.push_back(basis);
    storeLog2 = loadLog2 = word.size();
    widenOneSide(wanted);
    // Fill up the word, with bases that would otherwise cost the most instructions.
    for (Dim dim : {Dim::Warp, Dim::Register, Dim::Lane})
      for (const Side *side : {&src, &dst})
        for (uint64_t basis : bases(*side, dim))
          if (word.size() < wordLog2() && wordSpan.insert(basis))
            word.push_back(basis);
  }

  /// The vector is a row. A side that moves vectors moves as much of it as its own registers are.
  void takeRows() {
    for (uint64_t basis : rows)
      if (wordSpan.insert(basis))
        word.push_back(basis);
    auto leading = [&](const Side &side) {
      llvm::ArrayRef<uint64_t> registers = side.seen.packedBases(Dim::Register);
      return unsigned(
          llvm::find_if(word,
                        [&](uint64_t basis) { return !llvm::is_contained(registers, basis); }) -
          word.begin());
    };
    storeLog2 = leading(src);
    loadLog2 = leading(dst);
  }

  /// Continues the vector with registers of one side that are lanes of the other. Other registers
  /// would not do: the narrow side's lanes need all banks, but may not move the lowest bits of an
  /// offset, or the wide side's vectors would not be aligned. Within a word there are no banks.
  void widenOneSide(unsigned wanted) {
    auto widened = [&](const Side &side, const Side &other) {
      Gf2Span span = wordSpan;
      Vectors more, lanes = phase(other, storeLog2);
      for (uint64_t basis : bases(side, Dim::Register)) {
        size_t size = word.size() + more.size();
        if (size < wanted && (size < wordLog2() || llvm::is_contained(lanes, basis)) &&
            span.insert(basis))
          more.push_back(basis);
      }
      return more;
    };
    Vectors forStore = widened(src, dst), forLoad = widened(dst, src);
    // Equal widths: prefer few loads, because what follows waits for them.
    bool isStore = forStore.size() > forLoad.size();
    for (uint64_t basis : isStore ? forStore : forLoad) {
      wordSpan.insert(basis);
      word.push_back(basis);
    }
    (isStore ? storeLog2 : loadLog2) = word.size();
  }

  /// log2 of the elements of a word; 0 for elements of a word or more.
  unsigned wordLog2() const { return wordLog2Bits > elementLog2 ? wordLog2Bits - elementLog2 : 0; }

  /// The lanes that access memory together, when each moves 2^vectorLog2 elements.
  Vectors phase(const Side &side, unsigned vectorLog2) const {
    unsigned vectorBitsLog2 = vectorLog2 + elementLog2;
    unsigned words = vectorBitsLog2 > wordLog2Bits ? vectorBitsLog2 - wordLog2Bits : 0;
    Vectors lanes = bases(side, Dim::Lane);
    lanes.truncate(std::min<size_t>(lanes.size(), wordLog2Bits - std::min(words, wordLog2Bits)));
    return lanes;
  }

  /// What one side touches in a phase, whole words.
  Gf2Span touched(llvm::ArrayRef<uint64_t> lanes, unsigned vectorLog2) const {
    Gf2Span span;
    size_t low = std::min<size_t>(word.size(), std::max(vectorLog2, wordLog2()));
    for (uint64_t basis : llvm::ArrayRef(word).take_front(low))
      span.insert(basis);
    for (uint64_t lane : lanes)
      span.insert(lane);
    return span;
  }

  void chooseSegments() {
    unsigned bankRow = bankRowLog2Bits - elementLog2;
    unsigned wanted = localBasis.size() > bankRow ? localBasis.size() - bankRow : 0;
    Vectors storeLanes = phase(src, storeLog2), loadLanes = phase(dst, loadLog2);
    Gf2Span stored = touched(storeLanes, storeLog2), loaded = touched(loadLanes, loadLog2);
    // What tells S and D apart. The wider side touches vector bases that the other does not.
    Gf2Span storedOrLoaded = stored, loadedOrStored = loaded;
    Vectors onlyLoaded, onlyStored;
    for (llvm::ArrayRef<uint64_t> part : {llvm::ArrayRef(word), llvm::ArrayRef(loadLanes)})
      for (uint64_t vector : part)
        if (loaded.contains(vector) && storedOrLoaded.insert(vector))
          onlyLoaded.push_back(vector);
    for (llvm::ArrayRef<uint64_t> part : {llvm::ArrayRef(word), llvm::ArrayRef(storeLanes)})
      for (uint64_t vector : part)
        if (stored.contains(vector) && loadedOrStored.insert(vector))
          onlyStored.push_back(vector);

    // Common registers come first, because they may become repetitions.
    Vectors candidates;
    llvm::copy_if(src.seen.packedBases(Dim::Register), std::back_inserter(candidates),
                  [&](uint64_t basis) { return isCommonRegister(basis); });
    for (Dim dim : {Dim::Register, Dim::Warp, Dim::Lane})
      for (const Side *side : {&src, &dst})
        llvm::append_range(candidates, bases(*side, dim));
    for (uint64_t candidate : candidates)
      if (segment.size() < wanted && storedOrLoaded.insert(candidate))
        segment.push_back(candidate);
    for (size_t i = 0; i < std::min(onlyStored.size(), onlyLoaded.size()); ++i)
      if (segment.size() < wanted)
        segment.push_back(onlyStored[i] ^ onlyLoaded[i]);
    // S and D never have more vectors than a row of banks, so that the above always suffices.
    GL_CHECK(segment.size() == wanted);
  }

  void chooseBanks() {
    Gf2Span taken = wordSpan;
    for (uint64_t vector : segment)
      GL_CHECK(taken.insert(vector));
    // Store lanes first: then the storing side has plain addresses.
    for (Dim dim : {Dim::Lane, Dim::Register, Dim::Warp})
      for (const Side *side : {&src, &dst})
        for (uint64_t basis : bases(*side, dim))
          if (taken.insert(basis))
            bank.push_back(basis);
    GL_CHECK(taken.dimension() == localBasis.size());
  }

  int64_t bytes(unsigned bits) const { return (int64_t{1} << bits) * elementBits / 8; }

  void chooseRepetitions() {
    for (unsigned i = segment.size(); i-- > 0;) {
      if (bytes(localBasis.size() - repetition.size()) <= options.scratchBudgetBytes)
        return;
      uint64_t vector = segment[i];
      if (!isCommonRegister(vector))
        continue;
      segment.erase(segment.begin() + i);
      repetition.push_back(vector);
      // Lanes and warps must take part in every repetition alike.
      if (!threadsStayInRepetition()) {
        repetition.pop_back();
        segment.insert(segment.begin() + i, vector);
      }
    }
  }

  /// Elements to (offset, repetition, block): the inverse of the staging layout.
  Gf2Span memorySpan() const {
    Gf2Span span;
    unsigned position = 0;
    for (const Vectors *part : {&word, &bank, &segment, &repetition})
      for (uint64_t vector : *part)
        GL_CHECK(span.insert(vector, uint64_t{1} << position++));
    for (auto [vector, bit] : llvm::zip_equal(blockBasis, blockBit))
      GL_CHECK(span.insert(vector, uint64_t{1} << (position + bit)));
    return span;
  }

  bool threadsStayInRepetition() const {
    Gf2Span span = memorySpan();
    uint64_t mask = ((uint64_t{1} << repetition.size()) - 1) << offsetBits();
    for (const Side *side : {&src, &dst})
      for (Dim dim : {Dim::Lane, Dim::Warp, Dim::Block})
        for (uint64_t basis : side->seen.packedBases(dim))
          if (span.reduce(basis).combination & mask)
            return false;
    return true;
  }

  unsigned offsetBits() const { return word.size() + bank.size() + segment.size(); }

  llvm::SmallVector<DimSize, 3> memoryDims() const {
    return {{Dim::Offset, offsetBits()},
            {Dim::Repetition, static_cast<unsigned>(repetition.size())},
            {Dim::Block, src.layout.inLog2(Dim::Block)}};
  }

  /// (register, lane, warp, block) -> (offset, repetition, block).
  LinearLayout mapOf(const LinearLayout &side) const {
    Gf2Span span = memorySpan();
    Vectors images;
    for (uint64_t basis : side.packedBases())
      images.push_back(span.reduce(basis).combination);
    // Blocks that hold copies use their own: bit i in place of the bits that it is a sum of.
    unsigned blockShift = offsetBits() + repetition.size();
    for (unsigned i = 0; i < side.inLog2(Dim::Block); ++i) {
      if (llvm::is_contained(blockBit, i))
        continue;
      uint64_t sum = span.reduce(src.layout.packedBasis(Dim::Block, i)).combination >> blockShift;
      images[side.inShift(Dim::Block) + i] ^= (sum | uint64_t{1} << i) << blockShift;
    }
    return LinearLayout::fromPacked(side.inDims(), memoryDims(), images);
  }

  SharedHalf half(const Side &side, unsigned vectorLog2, bool crossesCtas) const {
    LinearLayout full = mapOf(side.layout);
    SharedHalf result;
    result.instructions.resize(size_t{1} << repetition.size());
    if (side.moves != Moves::Vectors && !crossesCtas)
      result.matrices = matricesOf(side, full);
    if (result.matrices)
      addMatrices(result, full);
    else
      addVectors(result, full, vectorLog2);
    for (Dim dim : {Dim::Lane, Dim::Warp, Dim::Block})
      for (unsigned i = 0; i < full.inLog2(dim); ++i)
        result.threadBits |= full.basis(dim, i, Dim::Offset);
    result.redundantLanes = side.layout.freeVariableMask(Dim::Lane);
    result.redundantWarps = side.layout.freeVariableMask(Dim::Warp);

    llvm::SmallVector<Dim, 4> ins{Dim::Register, Dim::Lane, Dim::Warp}, outs{Dim::Offset};
    if (side.layout.inLog2(Dim::Block))
      ins.push_back(Dim::Block);
    if (crossesCtas)
      outs.push_back(Dim::Block);
    result.map = full.sublayout(ins, outs);
    return result;
  }

  void addInstruction(SharedHalf &half, const LinearLayout &full,
                      llvm::SmallVector<uint32_t, 8> registers) const {
    uint64_t place = full.applyPacked(full.packIn({{Dim::Register, registers[0]}}));
    half.instructions[full.outComponent(place, Dim::Repetition)].push_back(
        {std::move(registers), full.outComponent(place, Dim::Offset)});
  }

  void addVectors(SharedHalf &half, const LinearLayout &full, unsigned vectorLog2) const {
    RegisterVectors vectors = vectorizeAlong(full, Dim::Offset, vectorLog2);
    half.vectorLog2 = vectors.log2;
    half.representative = std::move(vectors.representative);
    for (auto &registers : vectors.vectors)
      addInstruction(half, full, std::move(registers));
  }

  void addMatrices(SharedHalf &half, const LinearLayout &full) const {
    const MatrixAccess &access = *half.matrices;
    half.vectorLog2 = rows.size();
    llvm::append_range(half.representative, llvm::seq(uint32_t(full.inSize(Dim::Register))));
    for (uint32_t base : access.bases) {
      llvm::SmallVector<uint32_t, 8> registers;
      for (unsigned matrix = 0; matrix < access.matrices(); ++matrix)
        for (unsigned element = 0; element < access.elementsPerWord(); ++element)
          registers.push_back(access.registerOf(base, matrix, element));
      addInstruction(half, full, std::move(registers));
    }
  }

  /// Nullopt where bases that are sums of others cut rows.
  std::optional<MatrixAccess> matricesOf(const Side &side, const LinearLayout &full) const {
    // The registers of one repetition; others only add to addresses.
    Vectors kept;
    uint32_t others = 0, steps = 0;
    for (auto [i, basis] : llvm::enumerate(full.packedBases(Dim::Register))) {
      if (full.basis(Dim::Register, i, Dim::Repetition) == 0) {
        kept.push_back(basis);
        continue;
      }
      others |= 1u << i;
      steps |= full.basis(Dim::Register, i, Dim::Offset);
    }
    for (unsigned i = 0; i < full.inLog2(Dim::Block); ++i)
      steps |= full.basis(Dim::Block, i, Dim::Offset);
    if (steps & ((1u << rows.size()) - 1))
      return std::nullopt;
    std::optional<MatrixAccess> access =
        planMatrixAccess(full.withBases(Dim::Register, kept)
                             .sublayout({Dim::Register, Dim::Lane, Dim::Warp}, {Dim::Offset}),
                         elementBits, /*transposable=*/side.moves == Moves::Columns);
    bool isUseful = access && access->transposed == (side.moves == Moves::Columns) &&
                    (access->transposed || access->matrices() > 1);
    if (!isUseful)
      return std::nullopt;
    widenRegisters(*access, others);
    return access;
  }

  /// Numbers registers as with the bits of `others`, which the access does not know of.
  static void widenRegisters(MatrixAccess &access, uint32_t others) {
    auto widened = [&](uint32_t reg) {
      for (uint32_t bit = 1; bit <= others; bit <<= 1)
        if (others & bit)
          reg = (reg & (bit - 1)) | (reg & ~(bit - 1)) << 1;
      return reg;
    };
    for (uint32_t &bit : access.wordBits)
      bit = widened(bit);
    for (uint32_t &bit : access.matrixBits)
      bit = widened(bit);
    llvm::SmallVector<uint32_t, 8> bases;
    for (uint32_t other : combinations(others))
      for (uint32_t base : access.bases)
        bases.push_back(widened(base) | other);
    access.bases = std::move(bases);
  }

  SyncScope scope() const {
    LinearLayout load = mapOf(dst.layout);
    for (const DimSize &in : load.inDims())
      for (unsigned i = 0; i < in.log2; ++i)
        if (load.basis(in.dim, i, Dim::Block) != (in.dim == Dim::Block ? 1u << i : 0))
          return SyncScope::Cluster;
    // Warps that hold copies share their scratch, so that one might overwrite what another reads.
    LinearLayout sources = nearestSources(src.layout, dst.layout);
    bool withinWarp =
        src.layout.freeVariableMask(Dim::Warp) == 0 &&
        sources.sublayout({Dim::Register, Dim::Lane, Dim::Warp, Dim::Block}, {Dim::Warp})
            .isTrivialOver({Dim::Warp});
    return withinWarp ? SyncScope::Warp : SyncScope::Cta;
  }

  SharedPlan build() const {
    SharedPlan plan;
    plan.sync = scope();
    plan.store = half(src, storeLog2, plan.sync == SyncScope::Cluster);
    plan.load = half(dst, loadLog2, plan.sync == SyncScope::Cluster);
    plan.elementBits = elementBits;
    plan.repetitions = 1u << repetition.size();
    plan.scratchBytes = bytes(offsetBits());
    Vectors stagingBases;
    for (const Vectors *part : {&word, &bank, &segment, &repetition})
      llvm::append_range(stagingBases, *part);
    llvm::append_range(stagingBases, src.layout.packedBases(Dim::Block));
    plan.staging = LinearLayout::fromPacked(memoryDims(), src.layout.outDims(), stagingBases);
    return plan;
  }

  Side src, dst;
  /// Of matrices, empty without.
  Vectors rows;
  unsigned elementBits, elementLog2;
  const ConversionOptions &options;

  /// Tags: the low half names localBasis, the high half blockBasis.
  Gf2Span whole;
  Vectors localBasis, blockBasis;
  /// The bit of the block id that each of blockBasis stands for.
  llvm::SmallVector<unsigned, 4> blockBit;

  /// log2 of the elements that one instruction moves.
  unsigned storeLog2 = 0, loadLog2 = 0;
  Vectors word, bank, segment, repetition;
  Gf2Span wordSpan;
};

/// What a thread issues, and what its warp waits for where there are no conflicts.
int64_t timeOf(const SharedPlan &plan) {
  // Of a barrier, and of the wait for what was stored.
  constexpr int64_t timeOfRepetition = 8;
  int64_t time = timeOfRepetition * plan.repetitions;
  for (const SharedHalf *half : {&plan.store, &plan.load})
    for (const auto &instructions : half->instructions)
      for (const SharedInstruction &instruction : instructions)
        time += 1 + std::max<int64_t>(1, int64_t(instruction.registers.size()) * plan.elementBits /
                                             (8 * sharedWordBytes));
  return time;
}

SharedPlan planByVectors(const LinearLayout &src, const LinearLayout &dst, unsigned elementBits,
                         const ConversionOptions &options) {
  ConversionOptions narrowed = options;
  for (;;) {
    SharedPlanner planner(src, dst, elementBits, narrowed);
    GL_CHECK(planner.suits());
    SharedPlan plan = planner.plan();
    if (planner.isRealizedBy(plan))
      return plan;
    // Bases that are sums of others can leave vectors unaligned. The phases were then chosen for
    // the wrong width.
    narrowed.maxVectorBits = plan.elementBits << (planner.widestLog2() - 1);
  }
}

} // namespace

SharedPlan planThroughShared(const LinearLayout &src, const LinearLayout &dst, unsigned elementBits,
                             const ConversionOptions &options) {
  SharedPlan best = planByVectors(src, dst, elementBits, options);
  if (elementBits > 32 || options.maxVectorBits < 128)
    return best;
  int64_t most = std::max(best.scratchBytes, options.scratchBudgetBytes);
  auto ways = [&](bool hasMatrices) {
    llvm::SmallVector<Moves, 3> ways = {Moves::Vectors};
    if (hasMatrices)
      ways.push_back(Moves::Rows);
    if (hasMatrices && elementBits == 16)
      ways.push_back(Moves::Columns);
    return ways;
  };
  for (Moves stores : ways(options.matrixStores)) {
    for (Moves loads : ways(options.matrixLoads)) {
      SharedPlanner planner(src, dst, elementBits, options, stores, loads);
      if ((stores == Moves::Vectors && loads == Moves::Vectors) || !planner.suits())
        continue;
      SharedPlan plan = planner.plan();
      if (planner.isRealizedBy(plan) && plan.scratchBytes <= most && timeOf(plan) < timeOf(best))
        best = std::move(plan);
    }
  }
  return best;
}

} // namespace gluonc::layout
