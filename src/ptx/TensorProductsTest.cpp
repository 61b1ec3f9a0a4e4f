//===- TensorProductsTest.cpp - tcgen05.mma and .cp against plain loops -------------===//
//
// The model here places matrices in shared memory and scales and sums in tensor memory by
// formulas of its own: a row of a swizzled panel has its 16-byte pieces in the order (piece xor
// row), a panel of rows follows another, and so on.
//
//===----------------------------------------------------------------------===//
#include "ptx/Numbers.h"
#include "ptx/TestKernel.h"

#include <cmath>
#include <functional>

namespace gluonc::ptx {
namespace {

/// A number's encoding that is the same in the model and in the memory: small whole numbers and
/// halves, so that sums are exact.
struct Format {
  const char *kind;
  /// Field of the instruction descriptor, bits in memory.
  unsigned code, bits;
  std::vector<std::pair<uint32_t, float>> values;
};
const Format f16 = {"f16", 0, 16, {{0x3c00, 1}, {0xc000, -2}, {0x3800, .5f}, {0, 0}, {0x4200, 3}}};
const Format bf16 = {"f16", 1, 16, {{0x3f80, 1}, {0xc000, -2}, {0x3f00, .5f}, {0x4040, 3}}};
const Format tf32 = {"tf32", 2, 32, {{0x3f800000, 1}, {0xc0001fff, -2}, {0x3f000000, .5f}}};
const Format e4m3 = {"f8f6f4", 0, 8, {{0x38, 1}, {0xc0, -2}, {0x30, .5f}, {0x44, 3}}};
const Format e5m2 = {"f8f6f4", 1, 8, {{0x3c, 1}, {0xc0, -2}, {0x38, .5f}, {0x42, 3}}};
const Format e2m3 = {"f8f6f4", 3, 6, {{0x08, 1}, {0x30, -2}, {0x04, .5f}, {0x1f, 7.5f}}};
const Format e3m2 = {"f8f6f4", 4, 6, {{0x0c, 1}, {0x30, -2}, {0x08, .5f}, {0x1f, 28}}};
const Format e2m1 = {"f8f6f4", 5, 4, {{2, 1}, {0xc, -2}, {1, .5f}, {7, 6}}};
const Format s8 = {"i8", 1, 8, {{1, 1}, {0xfe, -2}, {0x80, -128}, {5, 5}}};
const Format u8 = {"i8", 0, 8, {{1, 1}, {0xfe, 254}, {3, 3}}};

struct Matrix {
  unsigned rows, k;
  std::vector<uint32_t> codes;
  std::vector<float> values;
  float at(unsigned row, unsigned i) const { return values[row * k + i]; }
};
Matrix make(const Format &format, unsigned rows, unsigned k, unsigned seed) {
  Matrix matrix = {rows, k, {}, {}};
  for (unsigned i = 0; i != rows * k; ++i) {
    seed = seed * 1664525 + 1013904223;
    const auto &[code, value] = format.values[(seed >> 16) % format.values.size()];
    matrix.codes.push_back(code);
    matrix.values.push_back(value);
  }
  return matrix;
}

/// Where things are: bytes of shared memory behind the first 1024.
struct Memory {
  std::vector<uint8_t> bytes = std::vector<uint8_t>(48 << 10);
  void put(size_t bit, unsigned count, uint32_t code) {
    for (unsigned i = 0; i != count; ++i, ++bit)
      if (code >> i & 1)
        bytes[bit / 8] |= uint8_t(1u << (bit % 8));
  }
};

/// A K-major matrix with panels as wide as the swizzle: rows one after another. Gives the
/// descriptor's constant part.
uint64_t placeAlongK(Memory &memory, size_t at, const Matrix &matrix, unsigned bits, unsigned width,
                     bool isPadded) {
  for (unsigned row = 0; row != matrix.rows; ++row)
    for (unsigned i = 0; i != matrix.k; ++i) {
      size_t bit = isPadded ? i / 16 * 128 + i % 16 * bits : i * bits;
      size_t piece = bit / 128, inPiece = bit % 128, place;
      if (width == 16) // columns of 16 bytes, each with all rows
        place = piece * matrix.rows * 16 + row * 16;
      else
        place = row * width + (piece ^ (row * width / 128 % (width / 16))) * 16;
      memory.put((at + place) * 8 + inPiece, bits, matrix.codes[row * matrix.k + i]);
    }
  uint64_t stride = width == 16 ? 128 : 8 * width, leading = width == 16 ? matrix.rows * 16 : 0;
  uint64_t code = width == 128 ? 2 : width == 64 ? 4 : width == 32 ? 6 : 0;
  return code << 61 | 1ull << 46 | stride >> 4 << 32 | leading >> 4 << 16 | at >> 4;
}

/// The rows are contiguous: panels of `width` bytes of rows, in each one line of them for each k.
uint64_t placeAlongRows(Memory &memory, size_t at, const Matrix &matrix, unsigned bits,
                        unsigned width, unsigned atom = 16) {
  unsigned bytes = bits / 8, group = atom == 32 ? 4 : 8;
  for (unsigned row = 0; row != matrix.rows; ++row)
    for (unsigned i = 0; i != matrix.k; ++i) {
      size_t byte = row * bytes, panel = byte / width, inPanel = byte % width, place;
      if (width == 16) { // cores of 8 lines: first along the rows, then along K
        place = (i / 8 * (matrix.rows * bytes / 16) + panel) * 128 + i % 8 * 16 + inPanel;
      } else {
        size_t line = i * width, piece = inPanel / atom;
        piece ^= line / 128 % (width / atom);
        place = panel * matrix.k * width + line + piece * atom + inPanel % atom;
      }
      memory.put((at + place) * 8, bits, matrix.codes[row * matrix.k + i]);
    }
  uint64_t stride = width == 16 ? 128 : group * width;
  uint64_t leading = width == 16 ? matrix.rows * bytes / 16 * 128 : matrix.k * width;
  uint64_t code = atom == 32 ? 1 : width == 128 ? 2 : width == 64 ? 4 : width == 32 ? 6 : 0;
  return code << 61 | 1ull << 46 | stride >> 4 << 32 | leading >> 4 << 16 | at >> 4;
}

std::string hex(uint64_t value) {
  char text[32];
  snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

/// 128 threads put `in` into shared memory behind the first 1024 bytes, write `words` into all of
/// the first 64 columns (zeros without any), have one thread run the body, and give all words of
/// `columns` columns from `first` on. %rd1 is what a descriptor gets for the place of the bytes;
/// %r1 the address of tensor memory.
struct Kernel {
  std::string before = "", body = "";
  unsigned first = 0, columns = 16, ctas = 1;
  const char *group = "1";

  std::string text(size_t words) const {
    std::string g = group;
    return "mov.b32 %r10, mem; mov.b32 %r11, %t;\n"
           "copying:\nsetp.ge.u32 %p1, %r11, " +
           std::to_string(words) +
           ";\n@%p1 bra copied;\nmul.wide.u32 %rd2, %r11, 4;\n"
           "mov.u32 %r14, %cluster_ctarank; mul.lo.u32 %r14, %r14, " +
           std::to_string(words * 4) +
           "; cvt.u64.u32 %rd3, %r14; add.s64 %rd2, %rd2, %rd3; add.s64 %rd2, %in, %rd2;\n"
           "ld.global.b32 %r12, [%rd2];\nshl.b32 %r13, %r11, 2; add.s32 %r13, %r13, %r10;\n"
           "st.shared.b32 [%r13+1024], %r12;\nadd.s32 %r11, %r11, 128;\nbra copying;\n"
           "copied:\nsetp.ge.u32 %p7, %t, 32;\n@%p7 bra taken;\n"
           "tcgen05.alloc.cta_group::" +
           g +
           ".sync.aligned.shared::cta.b32 [mem], 512;\n"
           "taken:\nsetp.eq.u32 %p2, %t, 0;\n"
           "@%p2 mbarrier.init.shared::cta.b64 [mem+8], 1;\nbar.sync 0;\n"
           "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
           "ld.shared.b32 %r1, [mem];\n"
           "and.b32 %r20, %t, 96; shl.b32 %r20, %r20, 16; add.s32 %r20, %r20, %r1;\n"
           "mov.b32 %r21, 0; mov.b32 %r23, %r20;\nmov.b32 %r22, 0;\n"
           "clearing:\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%r23], {%r22};\n"
           "add.s32 %r23, %r23, 1; add.s32 %r21, %r21, 1; setp.lt.u32 %p1, %r21, 512;\n"
           "@%p1 bra clearing;\n" +
           before +
           "tcgen05.wait::st.sync.aligned;\nbar.sync 0;\n"
           "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
           "mov.u32 %r14, %cluster_ctarank;\nsetp.eq.and.u32 %p2, %r14, 0, %p2;\n"
           "@!%p2 bra computed;\n"
           "mov.b32 %r2, mem; add.s32 %r2, %r2, 1024; shr.u32 %r2, %r2, 4;\n"
           "and.b32 %r2, %r2, 0x3fff; cvt.u64.u32 %rd1, %r2;\n" +
           body + "tcgen05.commit.cta_group::" + g + ".mbarrier::arrive::one.shared::cluster" +
           (ctas == 2 ? ".multicast::cluster.b64 [mem+8], 3;\n" : ".b64 [mem+8];\n") +
           "computed:\nmbarrier.try_wait.parity.shared::cta.b64 %p1, [mem+8], 0;\n"
           "@!%p1 bra computed;\n"
           "mov.u32 %r14, %cluster_ctarank; mad.lo.u32 %r14, %r14, 128, %t;\n"
           "mul.wide.u32 %rd2, %r14, " +
           std::to_string(4 * columns) +
           "; add.s64 %rd2, %out, %rd2;\nmov.b32 %r21, 0; add.s32 %r20, %r20, " +
           std::to_string(first) +
           ";\nreading:\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%r22}, [%r20];\n"
           "st.global.b32 [%rd2], %r22; add.s64 %rd2, %rd2, 4;\n"
           "add.s32 %r20, %r20, 1; add.s32 %r21, %r21, 1; setp.lt.u32 %p1, %r21, " +
           std::to_string(columns) +
           ";\n@%p1 bra reading;\nbar.sync 0;\n"
           "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
           "@%p7 bra given;\ntcgen05.dealloc.cta_group::" +
           g + ".sync.aligned.b32 %r1, 512;\ngiven:\n";
  }

  /// Of lane `lane` in CTA `cta`: out[(cta * 128 + lane) * columns + column].
  Executed run(const std::vector<Memory> &memories) const {
    std::vector<uint32_t> in;
    for (const Memory &memory : memories) {
      size_t begin = in.size();
      in.resize(begin + memory.bytes.size() / 4);
      std::memcpy(in.data() + begin, memory.bytes.data(), memory.bytes.size());
    }
    Launch launch = threads(128);
    launch.ctasPerCluster = ctas;
    launch.grid = {ctas, 1, 1};
    launch.sharedBytes = 1024 + static_cast<unsigned>(memories[0].bytes.size());
    return Executed(text(memories[0].bytes.size() / 4), launch, size_t(ctas) * 128 * columns, in);
  }
};

/// `add.s64 %rdN, %rd1, constant;`
std::string descriptor(unsigned reg, uint64_t constant) {
  return "add.s64 %rd" + std::to_string(reg) + ", %rd1, " + hex(constant) + ";\n";
}
/// A product of descriptors %rd4 and %rd5 into column 0, twice: the second one adds.
std::string twice(const std::string &modifiers, uint32_t bits, const std::string &a = "%rd4") {
  std::string one = "tcgen05.mma." + modifiers + " [%r1], " + a + ", %rd5, %r30, ";
  return "mov.b32 %r30, " + hex(bits) + ";\nmov.pred %p3, 0;\nmov.pred %p4, 1;\n" + one + "%p3;\n" +
         one + "%p4;\n";
}

float asFloat(uint32_t bits) { return std::bit_cast<float>(bits); }

float product(const Matrix &a, const Matrix &b, unsigned row, unsigned column) {
  float sum = 0;
  for (unsigned i = 0; i != a.k; ++i)
    sum += a.at(row, i) * b.at(column, i);
  return sum;
}

TEST(PtxTensorProducts, TypesAlongKWithEverySwizzle) {
  for (const Format *type : {&f16, &bf16, &tf32, &e4m3, &e5m2, &e2m3, &e3m2, &e2m1})
    for (unsigned width : {16, 32, 64, 128})
      for (unsigned m : {64, 128}) {
        unsigned k = type->bits == 32 ? 8 : type->bits == 16 ? 16 : 32, n = 24;
        Matrix a = make(*type, m, k, 1 + width), b = make(*type, n, k, 2);
        Memory memory;
        uint64_t da = placeAlongK(memory, 0, a, type->bits, width, type->bits < 8);
        uint64_t db = placeAlongK(memory, 32768, b, type->bits, width, type->bits < 8);
        Kernel kernel;
        kernel.columns = n;
        uint32_t bits = m / 16 << 24 | n / 8 << 17 | type->code << 10 | type->code << 7 | 1 << 4;
        kernel.body = descriptor(4, da) + descriptor(5, db) +
                      twice(std::string("cta_group::1.kind::") + type->kind, bits);
        Executed run = kernel.run({memory});
        ASSERT_TRUE(run.isFine()) << type->kind << type->code << " " << run.message();
        for (unsigned row = 0; row != m; ++row) {
          unsigned lane = m == 128 ? row : row / 16 * 32 + row % 16;
          for (unsigned column = 0; column != n; ++column)
            ASSERT_EQ(asFloat(run.out[lane * n + column]), 2 * product(a, b, row, column))
                << type->kind << type->code << " width " << width << " row " << row << " column "
                << column;
        }
      }
}

TEST(PtxTensorProducts, TransposedOperands) {
  struct Case {
    const Format *type;
    unsigned width, atom;
  };
  for (const Case &c : std::initializer_list<Case>{{&f16, 16, 16},
                                                   {&f16, 32, 16},
                                                   {&f16, 64, 16},
                                                   {&bf16, 128, 16},
                                                   {&e4m3, 64, 16},
                                                   {&e5m2, 16, 16},
                                                   {&tf32, 128, 32}}) {
    unsigned k = c.type->bits == 32 ? 8 : c.type->bits == 16 ? 16 : 32, m = 128, n = 128;
    Matrix a = make(*c.type, m, k, 7), b = make(*c.type, n, k, 8);
    Memory memory;
    uint64_t da = placeAlongRows(memory, 0, a, c.type->bits, c.width, c.atom);
    uint64_t db = placeAlongRows(memory, 16384, b, c.type->bits, c.width, c.atom);
    Kernel kernel;
    kernel.columns = n;
    uint32_t bits =
        m / 16 << 24 | n / 8 << 17 | c.type->code << 10 | c.type->code << 7 | 1 << 4 | 3 << 15;
    kernel.body = descriptor(4, da) + descriptor(5, db) +
                  twice(std::string("cta_group::1.kind::") + c.type->kind, bits);
    Executed run = kernel.run({memory});
    ASSERT_TRUE(run.isFine()) << c.type->kind << " " << run.message();
    for (unsigned row = 0; row != m; ++row)
      for (unsigned column = 0; column != n; ++column)
        ASSERT_EQ(asFloat(run.out[row * n + column]), 2 * product(a, b, row, column))
            << c.type->kind << " width " << c.width << " row " << row << " column " << column;
  }
}

TEST(PtxTensorProducts, IntegersWrapOrSaturate) {
  Matrix a = make(s8, 128, 32, 3), b = make(u8, 16, 32, 4);
  Memory memory;
  uint64_t da = placeAlongK(memory, 0, a, 8, 32, false);
  uint64_t db = placeAlongK(memory, 32768, b, 8, 32, false);
  for (bool saturates : {false, true}) {
    Kernel kernel;
    // What is there before: the greatest number.
    kernel.before = "mov.b32 %r22, 0x7fffffff;\n"
                    "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r20], {%r22};\n";
    uint32_t bits = 8u << 24 | 2 << 17 | 1 << 7 | 2 << 4 | unsigned(saturates) << 3;
    kernel.body = descriptor(4, da) + descriptor(5, db) + "mov.b32 %r30, " + hex(bits) +
                  ";\nmov.pred %p4, 1;\n"
                  "tcgen05.mma.cta_group::1.kind::i8 [%r1], %rd4, %rd5, %r30, %p4;\n";
    Executed run = kernel.run({memory});
    ASSERT_TRUE(run.isFine()) << run.message();
    for (unsigned row = 0; row != 128; ++row)
      for (unsigned column = 0; column != 16; ++column) {
        int64_t sum = int64_t(product(a, b, row, column)) + (column ? 0 : 0x7fffffff);
        int64_t wanted = saturates ? std::min<int64_t>(sum, 0x7fffffff) : int32_t(sum);
        ASSERT_EQ(int32_t(run.out[row * 16 + column]), wanted) << row << " " << column;
      }
  }
}

TEST(PtxTensorProducts, NegationScalingMasksAndSumsOf16Bits) {
  Matrix a = make(f16, 128, 16, 5), b = make(f16, 16, 16, 6);
  Memory memory;
  uint64_t da = placeAlongK(memory, 0, a, 16, 32, false);
  uint64_t db = placeAlongK(memory, 32768, b, 16, 32, false);
  Kernel kernel;
  std::string shared = descriptor(4, da) + descriptor(5, db) + "mov.pred %p4, 1;\n";
  // D begins as 4; A is negated: 4 / 8 - A B.
  kernel.before = "mov.b32 %r22, 0f40800000; mov.b32 %r23, %r20; mov.b32 %r21, 0;\n"
                  "fours:\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%r23], {%r22};\n"
                  "add.s32 %r23, %r23, 1; add.s32 %r21, %r21, 1; setp.lt.u32 %p1, %r21, 16;\n"
                  "@%p1 bra fours;\n";
  kernel.body = shared + "mov.b32 %r30, " + hex(8 << 24 | 2 << 17 | 1 << 13 | 1 << 4) +
                ";\nmov.b32 %r31, 0; mov.b32 %r32, 5;\n"
                "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd4, %rd5, %r30, "
                "{%r31, %r32, %r31, %r31}, %p4, 3;\n";
  Executed run = kernel.run({memory});
  ASSERT_TRUE(run.isFine()) << run.message();
  for (unsigned row = 0; row != 128; ++row)
    for (unsigned column = 0; column != 16; ++column)
      ASSERT_EQ(asFloat(run.out[row * 16 + column]),
                row == 32 || row == 34 ? 4 : 0.5f - product(a, b, row, column));
  Kernel half;
  half.body = shared + "mov.pred %p4, 0;\nmov.b32 %r30, " + hex(8 << 24 | 2 << 17) +
              ";\ntcgen05.mma.cta_group::1.kind::f16.collector::a::fill [%r1], %rd4, %rd5, %r30, "
              "%p4;\n";
  Executed narrow = half.run({memory});
  ASSERT_TRUE(narrow.isFine()) << narrow.message();
  for (unsigned i = 0; i != 128 * 16; ++i)
    ASSERT_EQ(numeric::decode(numeric::kF16, narrow.out[i]), product(a, b, i / 16, i % 16));
}

TEST(PtxTensorProducts, AInTensorMemory) {
  // Row r has 1, r, 0, …: halves, two in a word.
  for (unsigned m : {64u, 128u}) {
    Matrix b = make(f16, 16, 16, 9);
    Memory memory;
    uint64_t db = placeAlongK(memory, 32768, b, 16, 32, false);
    Kernel kernel;
    kernel.before = "cvt.rn.f16.u32 %h1, %t; mov.b16 %h2, 0x3c00; mov.b32 %r22, {%h2, %h1};\n"
                    "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r20+256], {%r22};\n";
    kernel.body = descriptor(5, db) + "add.s32 %r3, %r1, 256;\n" +
                  twice("cta_group::1.kind::f16", m / 16 << 24 | 2 << 17 | 1 << 4, "[%r3]");
    Executed run = kernel.run({memory});
    ASSERT_TRUE(run.isFine()) << run.message();
    for (unsigned row = 0; row != m; ++row)
      for (unsigned column = 0; column != 16; ++column) {
        unsigned lane = m == 128 ? row : row / 16 * 32 + row % 16;
        ASSERT_EQ(asFloat(run.out[lane * 16 + column]),
                  2 * (b.at(column, 0) + float(lane) * b.at(column, 1)));
      }
  }
}

TEST(PtxTensorProducts, TwoCtasShareAProduct) {
  for (unsigned m : {128u, 256u}) {
    unsigned n = 32, each = m / 2;
    Matrix a = make(f16, m, 16, 10), b = make(f16, n, 16, 11);
    auto half = [](const Matrix &matrix, unsigned which) {
      unsigned rows = matrix.rows / 2, k = matrix.k, from = which * rows * k;
      Matrix result = {rows, k, {}, {}};
      result.codes.assign(matrix.codes.begin() + from, matrix.codes.begin() + from + rows * k);
      return result;
    };
    std::vector<Memory> memories(2);
    uint64_t da = 0, db = 0;
    for (unsigned cta : {0u, 1u}) {
      da = placeAlongK(memories[cta], 0, half(a, cta), 16, 32, false);
      db = placeAlongK(memories[cta], 32768, half(b, cta), 16, 32, false);
    }
    Kernel kernel;
    kernel.ctas = 2;
    kernel.group = "2";
    kernel.columns = n;
    kernel.body = descriptor(4, da) + descriptor(5, db) +
                  twice("cta_group::2.kind::f16", m / 16 << 24 | n / 8 << 17 | 1 << 4);
    Executed run = kernel.run(memories);
    ASSERT_TRUE(run.isFine()) << run.message();
    for (unsigned row = 0; row != m; ++row)
      for (unsigned column = 0; column != n; ++column) {
        unsigned cta = row / each, lane = row % each, place = column;
        if (m == 128) { // the second half of the columns is in the upper lanes
          lane += column / (n / 2) * 64;
          place = column % (n / 2);
        }
        ASSERT_EQ(asFloat(run.out[(cta * 128 + lane) * n + place]), 2 * product(a, b, row, column))
            << m << ": " << row << " " << column;
      }
  }
}

// -- Scales ------------------------------------------------------------------------

/// `count` bytes per row of `rows` as a copy wants them: 512 bytes have 4 for each of 128 rows.
void placeScales(Memory &memory, size_t at, unsigned rows,
                 const std::function<uint8_t(unsigned row, unsigned i)> &scale) {
  for (unsigned row = 0; row != rows; ++row)
    for (unsigned i = 0; i != 4; ++i)
      memory.bytes[at + row % 32 * 16 + row / 32 * 4 + i] = scale(row, i);
}

struct Scaled {
  const char *kind, *vector;
  const Format *a, *b;
  unsigned k, perScale, id;
  bool isExponent;
};

TEST(PtxTensorProducts, ScalesMultiplyBlocksOfK) {
  Format four = e2m1;
  four.code = 1;
  for (const Scaled &c :
       std::initializer_list<Scaled>{{"mxf8f6f4", "scale_vec::1X", &e4m3, &e5m2, 32, 32, 2, true},
                                     {"mxf8f6f4", "block32", &e4m3, &e2m1, 32, 32, 3, true},
                                     {"mxf4", "scale_vec::2X", &four, &four, 64, 32, 2, true},
                                     {"mxf4nvf4", "block32", &four, &four, 64, 32, 0, true},
                                     {"mxf4nvf4", "scale_vec::4X", &four, &four, 64, 16, 0, false},
                                     {"mxf4nvf4", "block16", &four, &four, 64, 16, 0, true}}) {
    unsigned n = 32;
    Matrix a = make(*c.a, 128, c.k, 20), b = make(*c.b, n, c.k, 21);
    Memory memory;
    bool packed = c.k == 64;
    uint64_t da = placeAlongK(memory, 0, a, c.a->bits, 32, !packed && c.a->bits < 8);
    uint64_t db = placeAlongK(memory, 16384, b, c.b->bits, 32, !packed && c.b->bits < 8);
    // Exponents of 2 from -1 to 2; as fp8 1, 1.5, 2.5, 3.5.
    static constexpr uint8_t small[] = {0x38, 0x3c, 0x42, 0x46};
    static constexpr float smallValue[] = {1, 1.5f, 2.5f, 3.5f};
    auto pick = [](unsigned row, unsigned i) { return (row * 3 + row / 32 + i) % 4; };
    auto code = [&](unsigned row, unsigned i) -> uint8_t {
      return c.isExponent ? uint8_t(126 + pick(row, i)) : small[pick(row, i)];
    };
    auto value = [&](unsigned row, unsigned i) {
      return c.isExponent ? std::ldexp(1.0f, int(pick(row, i)) - 1) : smallValue[pick(row, i)];
    };
    placeScales(memory, 20480, 128, code);
    placeScales(memory, 20992, 128, [&](unsigned row, unsigned i) { return code(row + 5, i); });
    uint64_t copied = 1ull << 46 | 8ull << 32;
    Kernel kernel;
    kernel.columns = n;
    uint32_t bits = 1u << 27 | n / 8 << 17 | c.b->code << 10 | c.a->code << 7 | c.id << 29 |
                    c.id << 4 | unsigned(c.isExponent) << 23;
    std::string mma = std::string("tcgen05.mma.cta_group::1.kind::") + c.kind + ".block_scale." +
                      c.vector + " [%r1], %rd4, %rd5, %r30, [%r3], [%r4], %p4;\n";
    kernel.body = descriptor(4, da) + descriptor(5, db) + descriptor(6, copied | 20480 >> 4) +
                  descriptor(7, copied | 20992 >> 4) +
                  "add.s32 %r3, %r1, 256; add.s32 %r4, %r1, 260;\n"
                  "tcgen05.cp.cta_group::1.warpx4.32x128b [%r3], %rd6;\n"
                  "tcgen05.cp.cta_group::1.32x128b.warpx4 [%r4], %rd7;\n"
                  "mov.pred %p4, 1; mov.b32 %r30, " +
                  hex(bits) + ";\n" + mma;
    Executed run = kernel.run({memory});
    ASSERT_TRUE(run.isFine()) << c.kind << " " << run.message();
    for (unsigned row = 0; row != 128; ++row)
      for (unsigned column = 0; column != n; ++column) {
        float sum = 0;
        for (unsigned i = 0; i != c.k; ++i) {
          unsigned which = c.id + i / c.perScale;
          sum += a.at(row, i) * value(row, which) * b.at(column, i) * value(column + 5, which);
        }
        ASSERT_EQ(asFloat(run.out[row * n + column]), sum) << c.kind << row << " " << column;
      }
  }
}

// -- Copies ------------------------------------------------------------------------

TEST(PtxTensorProducts, CopiesFillTheLanesOfTheirShape) {
  struct Copy {
    const char *name;
    unsigned rows, bytes;
    /// The row that a lane gets; -1 for none.
    int (*rowOf)(int lane);
  };
  for (const Copy &c : std::initializer_list<Copy>{
           {"128x256b", 128, 32, [](int lane) { return lane; }},
           {"128x128b", 128, 16, [](int lane) { return lane; }},
           {"4x256b", 4, 32, [](int lane) { return lane % 32 ? -1 : lane / 32; }},
           {"64x128b.warpx2::02_13", 64, 16, [](int lane) { return lane % 64; }},
           {"64x128b.warpx2::01_23", 64, 16, [](int lane) { return lane / 64 * 32 + lane % 32; }},
           {"32x128b.warpx4", 32, 16, [](int lane) { return lane % 32; }}}) {
    Format words = {"", 0, 32, {{0x01020304, 0}, {0x5a5a0000, 0}, {77, 0}, {0xffff, 0}}};
    Matrix source = make(words, c.rows, c.bytes / 4, 30);
    for (unsigned width : {16, 32, 128}) {
      Memory memory;
      uint64_t from = placeAlongK(memory, 4096, source, 32, width, false);
      Kernel kernel;
      kernel.columns = 12;
      kernel.body = descriptor(4, from) + "add.s32 %r3, %r1, 2;\ntcgen05.cp.cta_group::1." +
                    c.name + " [%r3], %rd4;\n";
      Executed run = kernel.run({memory});
      ASSERT_TRUE(run.isFine()) << c.name << " " << run.message();
      for (int lane = 0; lane != 128; ++lane)
        for (unsigned column = 0; column != 12; ++column) {
          int row = c.rowOf(lane);
          bool inside = row >= 0 && column >= 2 && column < 2 + c.bytes / 4;
          uint32_t wanted = inside ? source.codes[unsigned(row) * source.k + column - 2] : 0;
          ASSERT_EQ(run.out[unsigned(lane) * 12 + column], wanted) << c.name << " lane " << lane;
        }
    }
  }
}

TEST(PtxTensorProducts, CopiesSpreadNumbersOfFourAndSixBits) {
  for (const auto &[format, name] :
       {std::pair(&e2m1, "b4x16_p64"), std::pair(&e3m2, "b6x16_p32")}) {
    Matrix source = make(*format, 128, 16, 31);
    Memory memory;
    uint64_t from = placeAlongK(memory, 0, source, format->bits, 16, true);
    Kernel kernel;
    kernel.columns = 4;
    kernel.body =
        descriptor(4, from) + "tcgen05.cp.cta_group::1.128x128b.b8x16." + name + " [%r1], %rd4;\n";
    Executed run = kernel.run({memory});
    ASSERT_TRUE(run.isFine()) << run.message();
    for (unsigned row = 0; row != 128; ++row)
      for (unsigned i = 0; i != 16; ++i)
        ASSERT_EQ(run.out[row * 4 + i / 4] >> (i % 4 * 8) & 0xff,
                  source.codes[row * 16 + i] << (format->bits == 4 ? 2 : 0));
  }
}

// -- What goes wrong ---------------------------------------------------------------

TEST(PtxTensorProducts, DescriptorsThatSayNothingAreFaults) {
  Matrix a = make(f16, 128, 16, 1), b = make(f16, 16, 16, 2);
  Memory memory;
  uint64_t da = placeAlongK(memory, 0, a, 16, 32, false);
  uint64_t db = placeAlongK(memory, 32768, b, 16, 32, false);
  uint32_t fine = 8 << 24 | 2 << 17 | 1 << 4;
  auto message = [&](uint64_t first, uint32_t bits, const char *kind = "f16") {
    Kernel kernel;
    kernel.body = descriptor(4, first) + descriptor(5, db) +
                  twice(std::string("cta_group::1.kind::") + kind, bits);
    Executed run = kernel.run({memory});
    return run.fault ? run.fault->message : "";
  };
  EXPECT_EQ(message(da, fine), "");
  EXPECT_NE(message(da ^ 1ull << 46, fine).find("not one of tcgen05"), std::string::npos);
  EXPECT_NE(message(da | 3ull << 61, fine).find("not one of tcgen05"), std::string::npos);
  EXPECT_NE(message(da + (60000 >> 4), fine).find("reaches"), std::string::npos);
  EXPECT_NE(message(da, fine ^ 14 << 24).find("no shape of M 96, N 16"), std::string::npos);
  EXPECT_NE(message(da, 8 << 24 | 33 << 17 | 1 << 4).find("no shape"), std::string::npos);
  EXPECT_NE(message(da, fine | 1 << 23).find("bits that are to be 0"), std::string::npos);
  EXPECT_NE(message(da, fine | 2 << 7).find("no such type of A or B"), std::string::npos);
  EXPECT_NE(message(da, (fine | 1 << 7 | 1 << 10) ^ 1 << 4).find("no such type of D"),
            std::string::npos);
  EXPECT_NE(message(da, fine, "i8").find("no such type of D"), std::string::npos);
}

} // namespace
} // namespace gluonc::ptx
