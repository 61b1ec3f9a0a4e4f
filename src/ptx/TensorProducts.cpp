//===- TensorProducts.cpp - tcgen05.mma ------------------------------------------===//
//
// PTX ISA 9.7.16.10. One thread asks; one CTA or both of a pair compute, at once. D and A of
// tensor memory lie in lanes as 9.7.16.10.5 shows ("data path layouts" A to F). Of a
// pair each CTA has half of the rows of A and of the columns of B in its memory, at the same
// places.
//
//===----------------------------------------------------------------------===//
#include "ptx/TensorOperands.h"

namespace gluonc::ptx {
namespace {

using llvm::StringRef;

ProductKind kindOf(const Instruction &instruction) {
  for (StringRef modifier : instruction.modifiers)
    if (modifier.consume_front("kind::"))
      return productKindNamed(modifier);
  return ProductKind::None;
}

/// Elements of K that share a scale, by `.scale_vec::NX` or `.blockN`; 0 without a block_scale.
unsigned elementsPerScale(const Instruction &instruction, ProductKind kind) {
  if (!instruction.has("block_scale"))
    return 0;
  if (instruction.has("block16") || instruction.has("scale_vec::4X"))
    return 16;
  bool says = instruction.has("block32") || instruction.has("scale_vec::1X") ||
              instruction.has("scale_vec::2X");
  return says || kind != ProductKind::Mxf4nvf4 ? 32 : 0;
}

/// Operand numbers of the optional ones; 0 for what is not there.
struct Places {
  unsigned scalesA = 0, scalesB = 0, mask = 0, adds = 4, shift = 0;
};
Places placesOf(const Instruction &instruction) {
  if (instruction.has("block_scale"))
    return {4, 5, 0, 6, 0};
  Places places;
  if (instruction.operands.size() > 4 && instruction.operands[4].kind == OperandKind::Vector) {
    places.mask = 4;
    places.adds = 5;
  }
  if (instruction.operands.size() > places.adds + 1)
    places.shift = places.adds + 1;
  return places;
}

constexpr unsigned rowsAtOnce = 4, maxColumns = 256;
typedef double Doubles __attribute__((vector_size(32)));

/// Adds products of some rows of A with columns of B, which lie line by line along K. Products are
/// exact in f64, so it does not show whether the host fuses. Columns behind the last one may be
/// computed, too.
__attribute__((always_inline)) inline void addInOrder(const double (*rows)[maxK],
                                                      const double (*byK)[maxColumns],
                                                      unsigned depth, unsigned width,
                                                      double (*sums)[maxColumns]) {
  for (unsigned column = 0; column < width; column += 8) {
    Doubles low[rowsAtOnce], high[rowsAtOnce];
    for (unsigned row = 0; row != rowsAtOnce; ++row) {
      std::memcpy(&low[row], sums[row] + column, sizeof(Doubles));
      std::memcpy(&high[row], sums[row] + column + 4, sizeof(Doubles));
    }
    for (unsigned k = 0; k != depth; ++k) {
      Doubles left, right;
      std::memcpy(&left, byK[k] + column, sizeof(Doubles));
      std::memcpy(&right, byK[k] + column + 4, sizeof(Doubles));
      for (unsigned row = 0; row != rowsAtOnce; ++row) {
        const double a = rows[row][k];
        const Doubles factor = {a, a, a, a};
        low[row] += factor * left;
        high[row] += factor * right;
      }
    }
    for (unsigned row = 0; row != rowsAtOnce; ++row) {
      std::memcpy(sums[row] + column, &low[row], sizeof(Doubles));
      std::memcpy(sums[row] + column + 4, &high[row], sizeof(Doubles));
    }
  }
}

void addProducts(const double (*rows)[maxK], const double (*byK)[maxColumns], unsigned depth,
                 unsigned width, double (*sums)[maxColumns]) {
  addInOrder(rows, byK, depth, width, sums);
}

__attribute__((target("avx2,fma"))) void addProductsWithFma(const double (*rows)[maxK],
                                                            const double (*byK)[maxColumns],
                                                            unsigned depth, unsigned width,
                                                            double (*sums)[maxColumns]) {
  addInOrder(rows, byK, depth, width, sums);
}

class Product {
public:
  Product(Step &step, unsigned thread) : step(step), thread(thread) {}

  /// Reads what is to be done, and tells the observer. False after a failure, and where nothing is.
  bool describe() {
    const Instruction &instruction = step.instruction;
    ProductKind kind = kindOf(instruction);
    places = placesOf(instruction);
    ctas = ctasOf(step, thread);
    if (ctas.empty())
      return false;
    std::string error;
    auto bits = static_cast<uint32_t>(step.read(3, thread));
    auto decoded = decodeInstruction(kind, static_cast<unsigned>(ctas.size()),
                                     elementsPerScale(instruction, kind), bits, error);
    if (!decoded) {
      step.fail(thread, error);
      return false;
    }
    what = *decoded;
    if (step.touched)
      step.touched->product = {what.m,
                               what.n,
                               what.k,
                               bitsOf(kind),
                               static_cast<unsigned>(ctas.size()),
                               !aIsInTensorMemory()};
    return true;
  }

  void run() {
    if (!describe())
      return;
    ProductKind kind = kindOf(step.instruction);
    bool fourBit = kind == ProductKind::Mxf4 || kind == ProductKind::Mxf4nvf4;
    a = {what.a, what.k, what.negatesA, what.transposesA, fourBit};
    b = {what.b, what.k, what.negatesB, what.transposesB, fourBit};
    rows = what.m / static_cast<unsigned>(ctas.size());
    // Of a pair with 64 rows in each, the upper lanes have the second half of the columns.
    splits = ctas.size() == 2 && rows == 64;
    if (checkPlaces() && readB())
      for (Cta *cta : ctas)
        if (!multiplyIn(*cta))
          return;
  }

private:
  /// As tensor cores count them: narrower ones are padded to 8 bits but in kinds of their own.
  static unsigned bitsOf(ProductKind kind) {
    switch (kind) {
    case ProductKind::F16:
      return 16;
    case ProductKind::Tf32:
      return 32;
    case ProductKind::Mxf4:
    case ProductKind::Mxf4nvf4:
      return 4;
    default:
      return 8;
    }
  }
  /// D and A begin at lane 0, or, with 64 rows, at lane 0 or 16.
  bool checkPlaces() {
    bool isHalf = ctas.size() == 1 && rows == 64;
    TensorPlace d = placeOf(0);
    bool fine = d.lane == 0 || (isHalf && d.lane == 16);
    if (fine && aIsInTensorMemory()) {
      fine = placeOf(1).lane == d.lane;
      if (what.transposesA) {
        step.fail(thread, "A in tensor memory is transposed");
        return false;
      }
    }
    if (!fine)
      step.fail(thread, "D and A begin at lane 0, or, with 64 rows, both at lane 0 or 16");
    return fine;
  }
  bool aIsInTensorMemory() const { return step.operand(1).kind == OperandKind::Address; }
  TensorPlace placeOf(unsigned operand) {
    return TensorPlace(static_cast<uint32_t>(step.address(step.operand(operand), thread)));
  }

  /// The lane of a row of a CTA's share; `half` of the columns where they are split.
  unsigned laneOf(unsigned row, unsigned half) const {
    if (ctas.size() == 1 && rows == 64)
      return row % 16 + row / 16 * 32;
    return row + 64 * half;
  }

  /// All columns of B; of a pair the second CTA has the second half.
  bool readB() {
    unsigned each = what.n / static_cast<unsigned>(ctas.size());
    for (unsigned i = 0; i != ctas.size(); ++i)
      if (!b.readShared(step, thread, *ctas[i], step.read(2, thread), each, columnsOfB + i * each))
        return false;
    return true;
  }

  /// A's rows of a CTA, as one half of the lanes or the other sees them.
  bool readA(const Cta &cta, unsigned half) {
    if (!aIsInTensorMemory())
      return a.readShared(step, thread, cta, step.read(1, thread), rows, rowsOfA);
    for (unsigned row = 0; row != rows; ++row) {
      TensorPlace place = placeOf(1);
      place.lane += laneOf(row, half);
      if (!a.readLane(step, thread, cta, place, rowsOfA[row]))
        return false;
    }
    return true;
  }

  bool scale(const Cta &cta) {
    const ScaleRule &rule = what.scales;
    for (unsigned row = 0; row != rows; ++row)
      if (!applyScales(step, thread, cta, placeOf(places.scalesA), row, rule.firstA, rule, what.k,
                       rowsOfA[row]))
        return false;
    for (unsigned column = 0; column != what.n; ++column) {
      std::copy_n(columnsOfB[column], what.k, scaledB[column]);
      if (!applyScales(step, thread, cta, placeOf(places.scalesB), column, rule.firstB, rule,
                       what.k, scaledB[column]))
        return false;
    }
    return true;
  }

  bool multiplyIn(Cta &cta) {
    unsigned halves = splits ? 2 : 1, width = what.n / halves;
    for (unsigned half = 0; half != halves; ++half) {
      if (!readA(cta, half) || (places.scalesA && !scale(cta)))
        return false;
      const double (*columns)[maxK] = places.scalesA ? scaledB : columnsOfB;
      for (unsigned column = 0; column != width; ++column)
        for (unsigned k = 0; k != what.k; ++k)
          byK[k][column] = columns[half * width + column][k];
      for (unsigned row = 0; row != rows; row += rowsAtOnce)
        if (!addRows(cta, row, half, width))
          return false;
    }
    return true;
  }

  /// One bit per lane that is not to be written.
  bool isMasked(const Cta &cta, unsigned lane) {
    if (!places.mask)
      return false;
    unsigned word = lane / 32 + (ctas.size() == 2 ? cta.rank % 2 * 4 : 0);
    return step.read(step.operand(places.mask).elements[word], thread) >> (lane % 32) & 1;
  }

  /// Rows of D from `first` on. Those that are masked are computed, but not written.
  bool addRows(Cta &cta, unsigned first, unsigned half, unsigned width) {
    double sums[rowsAtOnce][maxColumns] = {};
    auto lineOf = [&](unsigned row) {
      TensorPlace place = placeOf(0);
      place.lane += laneOf(first + row, half);
      return place;
    };
    for (unsigned row = 0; row != rowsAtOnce; ++row)
      if (TensorPlace place = lineOf(row);
          !isMasked(cta, place.lane) && !readSums(cta, place, sums[row], width))
        return false;
    static const bool hasFma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    (hasFma ? addProductsWithFma : addProducts)(&rowsOfA[first], byK, what.k, width, sums);
    for (unsigned row = 0; row != rowsAtOnce; ++row)
      if (TensorPlace place = lineOf(row);
          !isMasked(cta, place.lane) && !writeSums(cta, place, sums[row], width))
        return false;
    return true;
  }

  /// What a row of D has before.
  bool readSums(const Cta &cta, TensorPlace place, double (&sums)[maxColumns], unsigned width) {
    bool adds = step.read(places.adds, thread) != 0;
    int shift = places.shift ? static_cast<int>(step.read(places.shift, thread)) : 0;
    for (unsigned column = 0; adds && column != width; ++column) {
      uint32_t before = 0;
      if (!readTensor(step, thread, cta, {place.lane, place.column + column}, before))
        return false;
      sums[column] = valueOf(what.sum, before);
      if (shift)
        sums[column] = std::ldexp(sums[column], -shift);
    }
    return true;
  }

  bool writeSums(Cta &cta, TensorPlace place, const double (&sums)[maxColumns], unsigned width) {
    for (unsigned column = 0; column != width; ++column)
      if (!writeTensor(step, thread, cta, {place.lane, place.column + column},
                       static_cast<uint32_t>(rounded(what.sum, sums[column], what.saturates))))
        return false;
    return true;
  }

  Step &step;
  unsigned thread, rows = 0;
  bool splits = false;
  Places places;
  llvm::SmallVector<Cta *, 2> ctas;
  InstructionDescriptor what;
  TensorOperand a, b;
  static thread_local double rowsOfA[128][maxK], columnsOfB[256][maxK], scaledB[256][maxK],
      byK[maxK][maxColumns];
};
thread_local double Product::rowsOfA[128][maxK], Product::columnsOfB[256][maxK],
    Product::scaledB[256][maxK], Product::byK[maxK][maxColumns];

void multiply(Step &step) {
  step.eachLane([&](unsigned lane) { Product(step, lane).run(); });
}

} // namespace

void tellTensorProduct(Step &step) {
  step.eachLane([&](unsigned lane) { Product(step, lane).describe(); });
}

Handler chooseTensorProduct(const Instruction &instruction) {
  ProductKind kind = kindOf(instruction);
  bool isScaled = kind >= ProductKind::Mxf8f6f4;
  bool oneGroup = instruction.has("cta_group::1") != instruction.has("cta_group::2");
  if (kind == ProductKind::None || !oneGroup || instruction.has("sp") || instruction.has("ws") ||
      instruction.has("ashift") || isScaled != instruction.has("block_scale"))
    return nullptr;
  unsigned perScale = elementsPerScale(instruction, kind);
  bool sixteen = perScale == 16;
  if (isScaled && (!perScale || (sixteen && kind != ProductKind::Mxf4nvf4)))
    return nullptr;
  if (instruction.has("scale_vec::1X") && kind != ProductKind::Mxf8f6f4)
    return nullptr;
  if (instruction.has("scale_vec::2X") && kind == ProductKind::Mxf8f6f4)
    return nullptr;
  Places places = placesOf(instruction);
  size_t count = instruction.operands.size();
  if (count < places.adds + 1u || count > places.adds + (isScaled ? 1u : 2u))
    return nullptr;
  size_t lanes = instruction.has("cta_group::1") ? 4 : 8;
  return !places.mask || instruction.operands[places.mask].elements.size() == lanes ? multiply
                                                                                    : nullptr;
}

} // namespace gluonc::ptx
