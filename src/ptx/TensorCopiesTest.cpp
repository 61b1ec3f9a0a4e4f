//===- TensorCopiesTest.cpp - Boxes, four rows, pixels -------------------------------===//
#include "ptx/TensorMap.h"
#include "ptx/TestKernel.h"

namespace gluonc::ptx {
namespace {

/// A map in front of a tensor, both in the kernel's `in`: 128 bytes, then bytes 0, 1, 2, ….
struct Source {
  alignas(128) uint8_t bytes[128 + 16384] = {};
  TensorMap map = {};

  Source() {
    for (unsigned i = 0; i != 16384; ++i)
      bytes[128 + i] = uint8_t(i * 7 + i / 256);
    map.address = reinterpret_cast<uint64_t>(bytes + 128);
    std::fill(std::begin(map.elementStrides), std::end(map.elementStrides), 1);
  }
  uint8_t at(size_t place) const { return bytes[128 + place]; }
};

/// One thread copies `bytes` with an instruction whose map is %rd1, to shared memory at mem+128
/// with the barrier mem; what is there then goes to `out`.
struct Copied {
  std::vector<uint8_t> bytes;
  std::string message;

  Copied(Source &source, const std::string &instruction, unsigned count, unsigned ctas = 1) {
    std::memcpy(source.bytes, &source.map, sizeof(source.map));
    ParseError error;
    std::vector<uint8_t> out(count * ctas);
    std::string size = std::to_string(count);
    auto module = parse(
        ".extern .shared .align 128 .b8 mem[];\n"
        ".visible .entry k(.param .u64 a, .param .u64 b) {\n"
        ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>;\n"
        "ld.param.b64 %rd1, [a]; ld.param.b64 %rd2, [b]; mov.u32 %r9, %cluster_ctarank;\n"
        "mov.b32 %r1, mem; add.s32 %r1, %r1, 128; mov.b32 %r2, mem;\n"
        "mbarrier.init.shared::cta.b64 [mem], 1;\n"
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [mem], " +
            size +
            ";\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
            "setp.ne.u32 %p1, %r9, 0;\n@%p1 bra wait;\n" +
            instruction +
            "\nwait:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [mem], 0;\n@!%p2 bra wait;\n"
            "mul.lo.u32 %r3, %r9, " +
            size +
            "; cvt.u64.u32 %rd3, %r3; add.s64 %rd2, %rd2, %rd3; mov.b32 %r4, 0;\n"
            "copy:\nld.shared.b8 %r5, [%r1]; st.global.b8 [%rd2], %r5;\n"
            "add.s32 %r1, %r1, 1; add.s64 %rd2, %rd2, 1; add.s32 %r4, %r4, 1;\n"
            "setp.lt.u32 %p1, %r4, " +
            size + ";\n@%p1 bra copy;\n}\n",
        error);
    if (!module) {
      message = error.message;
      return;
    }
    uint64_t slots[] = {reinterpret_cast<uint64_t>(source.bytes),
                        reinterpret_cast<uint64_t>(out.data())};
    Range ranges[] = {{slots[0], slots[0] + sizeof(source.bytes)},
                      {slots[1], slots[1] + out.size()}};
    Launch launch = threads(1);
    launch.ctasPerCluster = ctas;
    launch.grid = {ctas, 1, 1};
    launch.sharedBytes = 16384;
    launch.slots = slots;
    launch.memory = ranges;
    if (auto fault = execute(*module->kernel("k"), *module, launch))
      message = fault->message;
    bytes = out;
  }
};

const std::string load = "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes "
                         "[%r1], [%rd1, {4, -1}], [%r2];";

/// 64 columns and 60 rows of 16 bits, with 128 bytes from row to row; boxes of 32 × 4.
Source halves() {
  Source source;
  source.map.rank = 1;
  source.map.elementType = 1;
  source.map.dims[0] = 64;
  source.map.dims[1] = 60;
  source.map.strides[0] = 128;
  source.map.box[0] = 32;
  source.map.box[1] = 4;
  return source;
}

TEST(PtxTensorCopies, BoxesBeginBeforeTheTensorAndAreSwizzled) {
  Source source = halves();
  source.map.swizzle = 2; // 64 bytes
  source.map.address = reinterpret_cast<uint64_t>(source.bytes + 128);
  Copied copied(source, load, 256);
  ASSERT_EQ(copied.message, "");
  for (unsigned row = 0; row != 4; ++row)
    for (unsigned byte = 0; byte != 64; ++byte) {
      // The box lies 128 bytes behind a multiple of 512: rows 0 and 1 are its second pattern line.
      unsigned line = (row * 64 + 128) / 128, piece = byte / 16 ^ line % 4;
      uint8_t wanted = row == 0 ? 0 : source.at((row - 1) * 128 + 8 + byte);
      ASSERT_EQ(copied.bytes[row * 64 + piece * 16 + byte % 16], wanted) << row << " " << byte;
    }
}

TEST(PtxTensorCopies, FourRowsAreGatheredAndScattered) {
  Source source = halves();
  source.map.box[1] = 1;
  const std::string rows = "{8, 3, 59, 60, 0}";
  Copied copied(source,
                "cp.async.bulk.tensor.2d.tile::gather4.shared::cta.global.mbarrier::complete_tx::"
                "bytes [%r1], [%rd1, " +
                    rows + "], [%r2];",
                256);
  ASSERT_EQ(copied.message, "");
  int wanted[] = {3, 59, -1, 0};
  for (unsigned row = 0; row != 4; ++row)
    for (unsigned byte = 0; byte != 64; ++byte)
      ASSERT_EQ(copied.bytes[row * 64 + byte],
                wanted[row] < 0 ? 0 : source.at(unsigned(wanted[row]) * 128 + 16 + byte));
  Source target = halves();
  target.map.box[1] = 1;
  Copied back(
      target,
      "mov.b32 %r3, 0x01020304; st.shared.b32 [%r1+64], %r3; st.shared.b32 [%r1+128], %r3;\n"
      "cp.async.bulk.tensor.2d.tile::scatter4.global.shared::cta.bulk_group [%rd1, " +
          rows +
          "], [%r1];\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"
          "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [mem], 256;",
      256);
  ASSERT_EQ(back.message, "");
  EXPECT_EQ(target.at(59 * 128 + 16), 4);
  EXPECT_EQ(target.at(59 * 128 + 19), 1);
  EXPECT_EQ(target.at(60 * 128 + 16), source.at(60 * 128 + 16)); // row 60 is not in the tensor
}

TEST(PtxTensorCopies, NumbersOfLessThan8BitsArePadded) {
  for (unsigned type : {13u, 14u, 15u}) {
    Source source;
    source.map.rank = 1;
    source.map.elementType = uint8_t(type);
    source.map.dims[0] = 256;
    source.map.dims[1] = 8;
    source.map.strides[0] = 256;
    source.map.box[0] = 128;
    source.map.box[1] = 2;
    unsigned from = type == 15 ? 12 : 8, to = type == 13 ? 8 : 16;
    Copied copied(source,
                  "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%r1], "
                  "[%rd1, {128, 3}], [%r2];\n"
                  "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [mem], " +
                      std::to_string(2 * 8 * (to - from)) + ";",
                  2 * 8 * to);
    ASSERT_EQ(copied.message, "");
    for (unsigned row = 0; row != 2; ++row)
      for (unsigned group = 0; group != 8; ++group)
        for (unsigned byte = 0; byte != to; ++byte)
          ASSERT_EQ(copied.bytes[(row * 8 + group) * to + byte],
                    byte < from ? source.at((row + 3) * 256 + (8 + group) * from + byte) : 0)
              << type;
  }
}

TEST(PtxTensorCopies, PixelsOfIm2col) {
  // Two images of 3 × 4 pixels with 16 bytes; a filter of 3 × 3 with padding 1.
  Source source;
  source.map.rank = 3;
  source.map.elementType = 0;
  uint32_t dims[] = {16, 4, 3, 2};
  std::copy(std::begin(dims), std::end(dims), source.map.dims);
  source.map.strides[0] = 16;
  source.map.strides[1] = 64;
  source.map.strides[2] = 192;
  source.map.isIm2col = 1;
  source.map.lower[0] = source.map.lower[1] = -1;
  source.map.upper[0] = source.map.upper[1] = -1;
  source.map.box[0] = 16;
  source.map.box[1] = 16;
  Copied copied(source,
                "cp.async.bulk.tensor.4d.im2col.shared::cta.global.mbarrier::complete_tx::bytes "
                "[%r1], [%rd1, {0, 1, -1, 0}], [%r2], {2, 1};",
                256);
  ASSERT_EQ(copied.message, "");
  // Positions of the filter's corner, along w from -1 to 2, along h from -1 to 1.
  int w = 1, h = -1, image = 0;
  for (unsigned pixel = 0; pixel != 16; ++pixel) {
    int x = w + 2, y = h + 1;
    bool inside = x >= 0 && x < 4 && y >= 0 && y < 3 && image < 2;
    for (unsigned byte = 0; byte != 16; ++byte)
      ASSERT_EQ(copied.bytes[pixel * 16 + byte],
                inside ? source.at(unsigned(image * 192 + y * 64 + x * 16) + byte) : 0)
          << "pixel " << pixel;
    if (++w == 3) {
      w = -1;
      if (++h == 2) {
        h = -1;
        ++image;
      }
    }
  }
}

TEST(PtxTensorCopies, BarriersOfAPairAreWhereTheAddressSays) {
  Source source = halves();
  // CTA 0 loads for both and names its own barrier: each pair has it in the even CTA.
  Copied copied(source,
                "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [mem], 256;\n"
                "cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.mbarrier::complete_tx"
                "::bytes.multicast::cluster [%r1], [%rd1, {4, -1}], [%r2], 3;\n"
                "mapa.shared::cluster.u32 %r6, %r2, 1;\n"
                "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r6], 256;",
                256, 2);
  ASSERT_EQ(copied.message, "");
  for (unsigned cta : {0u, 1u})
    EXPECT_EQ(copied.bytes[cta * 256 + 64], source.at(8)) << cta;
  Copied one(source,
             "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
             ".multicast::cluster [%r1], [%rd1, {4, -1}], [%r2], 3;",
             256, 2);
  EXPECT_EQ(one.message, "");
}

TEST(PtxTensorCopies, MapsThatDoNotFitAreFaults) {
  Source source = halves();
  source.map.rank = 2;
  EXPECT_NE(Copied(source, load, 256).message.find("it has 3 dims"), std::string::npos);
  source = halves();
  source.map.isIm2col = 1;
  EXPECT_NE(Copied(source, load, 256).message.find("it is for im2col"), std::string::npos);
  source = halves();
  source.map.dims[1] = 1000;
  EXPECT_NE(Copied(source,
                   "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%r1], "
                   "[%rd1, {0, 900}], [%r2];",
                   256)
                .message.find("beyond the kernel's memory"),
            std::string::npos);
}

TEST(PtxTensorCopies, SharedMemoryIsCleared) {
  Source source = halves();
  Copied copied(source,
                "mov.b32 %r3, -1; st.shared.b32 [%r1], %r3; st.shared.b32 [%r1+4], %r3;\n"
                "st.shared.b32 [%r1+8], %r3;\nst.bulk.weak.shared::cta [%r1], 8, 0;\n"
                "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [mem], 16;",
                16);
  ASSERT_EQ(copied.message, "");
  EXPECT_EQ(copied.bytes[7], 0);
  EXPECT_EQ(copied.bytes[8], 0xff);
}

} // namespace
} // namespace gluonc::ptx
