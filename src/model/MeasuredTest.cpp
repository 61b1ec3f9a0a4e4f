// Timestamps in PTX, executed here: kernels compute what they did, and records become spans.
#include "model/Measured.h"
#include "model/Timeline.h"
#include "ptx/Execute.h"

#include "llvm/Support/MathExtras.h"

#include <gtest/gtest.h>

namespace gluonc::model {
namespace {

using Kind = MeasuredSpan::Kind;
using What = ptx::TimedPlace::What;

/// 64 threads: each stores its number, behind a barrier.
const std::string head = ".version 8.4\n.target sm_90a\n.address_size 64\n"
                         ".visible .entry k(\n\t.param .u64 k_param_0,\n\t.param .u64 k_param_1\n"
                         ")\n{\n\t.reg .b32 \t%r<8>;\n\t.reg .b64 \t%rd<8>;\n"
                         "\t.file\t1 \"kernel.py\"\n";
const std::string body = "\tld.param.b64 \t%rd1, [k_param_0];\n"
                         "\tmov.u32 \t%r1, %tid.x;\n"
                         "\t.loc\t1 7 3\n"
                         "\t// begin inline asm\n\tbar.sync 0, 64;\n\t// end inline asm\n"
                         "\tmul.wide.u32 \t%rd2, %r1, 4;\n"
                         "\tadd.s64 \t%rd1, %rd1, %rd2;\n"
                         "\tst.global.b32 \t[%rd1], %r1;\n";
const std::string tail = "\tret;\n}\n";

/// Executed with timestamps: what it stores and records.
struct Stamped {
  std::vector<uint32_t> out = std::vector<uint32_t>(64, ~0u);
  std::vector<uint8_t> records;
  llvm::ArrayRef<uint8_t> recorded;
  ptx::TimestampedKernel kernel;
  std::string problem;

  explicit Stamped(const std::string &text) {
    ptx::ParseError error;
    std::optional<ptx::TimestampedKernel> timed = ptx::addTimestamps(text, "k", 2, error);
    if (!timed) {
      problem = error.message;
      return;
    }
    kernel = std::move(*timed);
    std::unique_ptr<ptx::Module> module = ptx::parse(kernel.ptx, error);
    if (!module) {
      problem = "line " + std::to_string(error.line) + ": " + error.message;
      return;
    }
    records.resize(kernel.bytes(1) + ptx::TimestampedKernel::bytesOfWarp);
    uint8_t *begin = reinterpret_cast<uint8_t *>(llvm::alignTo(
        reinterpret_cast<uint64_t>(records.data()), ptx::TimestampedKernel::bytesOfWarp));
    recorded = {begin, kernel.bytes(1)};
    uint64_t slots[] = {reinterpret_cast<uint64_t>(out.data()), reinterpret_cast<uint64_t>(begin)};
    ptx::Range ranges[] = {{slots[0], slots[0] + 4 * out.size()},
                           {slots[1], slots[1] + recorded.size()}};
    ptx::Launch launch;
    launch.threads = 64;
    launch.slots = slots;
    launch.memory = ranges;
    launch.sharedBytes = 1024;
    if (std::optional<ptx::Fault> fault = ptx::execute(*module->kernel("k"), *module, launch))
      problem = fault->message;
  }
};

std::vector<uint32_t> numbers() {
  std::vector<uint32_t> made(64);
  for (uint32_t i = 0; i < 64; ++i)
    made[i] = i;
  return made;
}

/// Memory of one warp that began at 1000 ns, ran at 2 cycles a nanosecond and recorded these.
std::vector<uint8_t> warpMemory(std::vector<ptx::Record> records, uint32_t firstCycle = 100) {
  std::vector<uint8_t> memory(ptx::TimestampedKernel::bytesOfWarp);
  ptx::RecordHeader header = {1000, firstCycle, 0, 11000, firstCycle + 20000, 0};
  std::memcpy(memory.data(), &header, sizeof header);
  std::memcpy(memory.data() + sizeof header, records.data(), records.size() * sizeof(ptx::Record));
  return memory;
}

ptx::Record recordOf(uint32_t begin, uint32_t length, uint32_t place) {
  return {begin + length, begin << ptx::Record::stretchBits | place};
}

ptx::TimestampedKernel kernelOf(std::vector<ptx::TimedPlace> places) {
  ptx::TimestampedKernel kernel;
  kernel.warps = 1;
  kernel.places = std::move(places);
  kernel.places.insert(kernel.places.begin(), ptx::TimedPlace());
  // Each place is a stretch of its own.
  kernel.stretches.emplace_back();
  for (uint32_t place = 1; place < kernel.places.size(); ++place)
    kernel.stretches.push_back({place});
  return kernel;
}

} // namespace

TEST(MeasuredTest, AKernelWithTimestampsComputesTheSameAndRecordsItsWaits) {
  Stamped stamped(head + body + tail);
  ASSERT_EQ(stamped.problem, "");
  EXPECT_EQ(stamped.out, numbers());
  ASSERT_EQ(stamped.kernel.places.size(), 2u);
  EXPECT_EQ(stamped.kernel.places[1].instruction, "bar.sync");
  EXPECT_EQ(stamped.kernel.places[1].source, (ptx::SourcePlace{1, 7, 3}));
  MeasuredLaunch launch = readRecords(stamped.kernel, stamped.recorded, {});
  ASSERT_EQ(launch.spans.size(), 2u);
  EXPECT_EQ(launch.spans[0].kind, Kind::Cta);
  EXPECT_EQ(launch.spans[1].kind, Kind::Wait);
  EXPECT_LE(launch.spans[0].begin, launch.spans[1].begin);
  EXPECT_LT(launch.spans[1].begin, launch.spans[1].end);
  EXPECT_LE(launch.spans[1].end, launch.spans[0].end);
}

TEST(MeasuredTest, AWarpStopsToRecordWhereItsMemoryEnds) {
  Stamped stamped(head + "\tmov.u32 \t%r2, 0;\nagain:\n" + body +
                  "\tadd.u32 \t%r2, %r2, 1;\n\t.reg .pred \t%p<2>;\n"
                  "\tsetp.lt.u32 \t%p1, %r2, 5000;\n\t@%p1 bra \tagain;\n" +
                  tail);
  ASSERT_EQ(stamped.problem, "");
  EXPECT_EQ(stamped.out, numbers());
  MeasuredLaunch launch = readRecords(stamped.kernel, stamped.recorded, {});
  EXPECT_EQ(launch.full, 2u);
  EXPECT_EQ(launch.spans.size(), 1 + (ptx::TimestampedKernel::bytesOfWarp - 32) / 8);
}

TEST(MeasuredTest, PlacesOfStraightCodeAreOneStretch) {
  std::string between;
  for (int i = 0; i < 40; ++i)
    between += "\tadd.u32 \t%r3, %r3, 1;\n";
  const std::string code = "\tmov.u32 \t%r2, 0;\n\tmov.u32 \t%r3, 0;\nagain:\n" + body +
                           "\t.loc\t1 8 3\n\tbar.sync 0, 64;\n" + between +
                           "\t.loc\t1 9 3\n\tbar.sync 0, 64;\n"
                           "\tadd.u32 \t%r2, %r2, 1;\n\t.reg .pred \t%p<2>;\n"
                           "\tsetp.lt.u32 \t%p1, %r2, 3;\n\t@%p1 bra \tagain;\n"
                           "\t.loc\t1 10 3\n\tbar.sync 0, 64;\n";
  Stamped stamped(head + code + tail);
  ASSERT_EQ(stamped.problem, "");
  EXPECT_EQ(stamped.out, numbers());
  EXPECT_EQ(stamped.kernel.stretches, (std::vector<std::vector<uint32_t>>{{}, {1, 2, 3}, {4}}));
  MeasuredLaunch launch = readRecords(stamped.kernel, stamped.recorded, {});
  ASSERT_EQ(launch.spans.size(), 11u);
  std::vector<uint32_t> lines;
  for (const MeasuredSpan &span : llvm::drop_begin(launch.spans))
    lines.push_back(stamped.kernel.places[span.place].source.line);
  EXPECT_EQ(lines, (std::vector<uint32_t>{7, 8, 9, 7, 8, 9, 7, 8, 9, 10}));
  // A wait that is near begins where the one before it ends; one that is not does later.
  EXPECT_NEAR(launch.spans[2].begin, launch.spans[1].end, 1e-9);
  EXPECT_GT(launch.spans[3].begin, launch.spans[2].end + 1e-6);
  for (size_t i = 2; i < launch.spans.size(); ++i)
    EXPECT_GE(launch.spans[i].begin, launch.spans[i - 1].end - 1e-9);
}

TEST(MeasuredTest, PlacesWithoutANumberAreCounted) {
  std::string code;
  for (int i = 0; i < 300; ++i)
    code += "label" + std::to_string(i) + ":\n\t.loc\t1 " + std::to_string(i + 20) +
            " 3\n\tbar.sync 0, 64;\n";
  Stamped stamped(head + body + code + tail);
  ASSERT_EQ(stamped.problem, "");
  EXPECT_EQ(stamped.out, numbers());
  EXPECT_EQ(stamped.kernel.leftOut, 301u - 255u);
}

TEST(MeasuredTest, BordersOfRegionsAreReadOffTheClock) {
  const std::string begin = "\t// begin inline asm\n\tpmevent.mask ",
                    end = "\n\t// end inline asm\n";
  Stamped stamped(head + begin + "0; // scope all" + end + begin + "2; // scope \\C3\\A4" + end +
                  body + begin + "3; // scope \\C3\\A4" + end + begin + "1; // scope all" + end +
                  tail);
  ASSERT_EQ(stamped.problem, "");
  EXPECT_EQ(stamped.out, numbers());
  EXPECT_EQ(stamped.kernel.ptx.find("pmevent"), std::string::npos);
  std::vector<MeasuredSpan> regions;
  std::vector<std::string> names;
  for (const MeasuredSpan &span : readRecords(stamped.kernel, stamped.recorded, {}).spans)
    if (span.kind == Kind::Region) {
      regions.push_back(span);
      names.push_back(stamped.kernel.places[span.place].instruction);
    }
  ASSERT_EQ(names, (std::vector<std::string>{"ä", "all"}));
  EXPECT_LT(regions[1].begin, regions[0].begin);
  EXPECT_LT(regions[0].begin, regions[0].end);
  EXPECT_LT(regions[0].end, regions[1].end);
}

TEST(MeasuredTest, ARegionThatDidNotBeginIsNone) {
  ptx::TimestampedKernel kernel =
      kernelOf({{What::Enter, 0, {}, "a"}, {What::Exit, 0, {}, "a"}, {What::Exit, 0, {}, "b"}});
  MeasuredLaunch launch = readRecords(
      kernel, warpMemory({recordOf(2100, 0, 1), recordOf(4100, 0, 3), recordOf(6100, 0, 2)}), {});
  ASSERT_EQ(launch.spans.size(), 2u);
  EXPECT_EQ(launch.spans[1].kind, Kind::Region);
  EXPECT_DOUBLE_EQ(launch.spans[1].begin, 1);
  EXPECT_DOUBLE_EQ(launch.spans[1].end, 3);
}

TEST(MeasuredTest, CyclesBecomeMicrosecondsOfTheGlobalTimer) {
  ptx::TimestampedKernel kernel = kernelOf({{What::Wait, 0, {}, "bar.sync"}});
  MeasuredLaunch launch = readRecords(kernel, warpMemory({recordOf(2100, 4000, 1)}), {});
  ASSERT_EQ(launch.spans.size(), 2u);
  EXPECT_DOUBLE_EQ(launch.spans[0].end, 10);
  EXPECT_DOUBLE_EQ(launch.spans[1].begin, 1);
  EXPECT_DOUBLE_EQ(launch.spans[1].end, 3);
}

TEST(MeasuredTest, AClockMayWrapAround) {
  ptx::TimestampedKernel kernel = kernelOf({{What::Wait, 0, {}, "bar.sync"}});
  MeasuredLaunch launch = readRecords(kernel, warpMemory({recordOf(900, 200, 1)}, 0xfffffc00u), {});
  ASSERT_EQ(launch.spans.size(), 2u);
  EXPECT_DOUBLE_EQ(launch.spans[1].begin, (900 + 1024) / 2e3);
}

TEST(MeasuredTest, ProductsRunUntilAWaitLeavesFewerGroups) {
  ptx::TimestampedKernel kernel = kernelOf({{What::Group, 0, {}, "wgmma.commit_group"},
                                            {What::GroupWait, 1, {}, "wgmma.wait_group"},
                                            {What::GroupWait, 0, {}, "wgmma.wait_group"}});
  MeasuredLaunch launch =
      readRecords(kernel,
                  warpMemory({recordOf(2100, 0, 1), recordOf(4100, 0, 1), recordOf(6100, 2000, 2),
                              recordOf(10100, 2000, 3)}),
                  {});
  std::vector<std::pair<double, double>> products;
  for (const MeasuredSpan &span : launch.spans)
    if (span.kind == Kind::Product)
      products.push_back({span.begin, span.end});
  EXPECT_EQ(products, (std::vector<std::pair<double, double>>{{1, 4}, {2, 6}}));
}

TEST(MeasuredTest, ATimelineNamesPartitionsAndLines) {
  ptx::TimestampedKernel kernel = kernelOf({{What::Wait, 0, {1, 7, 3}, "bar.sync"}});
  kernel.files = {"", "/home/kernel.py"};
  Partition partition = {0, 3, "load"};
  Timeline timeline;
  timeline.add(readRecords(kernel, warpMemory({recordOf(2100, 4000, 1)}), partition), kernel,
               partition, "k", "cuda:0", 12, 11);
  std::string text = timeline.file("x.json");
  for (const char *word : {"warp 0 (load): wait", "wait kernel.py:7", "bar.sync",
                           "measured by timestamps in the kernel; 11.00 us without them"})
    EXPECT_NE(text.find(word), std::string::npos) << word;
}

TEST(MeasuredTest, TextThatIsNoPtxIsRefused) {
  ptx::ParseError error;
  EXPECT_FALSE(ptx::addTimestamps("nonsense", "k", 1, error));
  EXPECT_NE(error.message, "");
  EXPECT_FALSE(ptx::addTimestamps(head + body + tail, "other", 1, error));
  EXPECT_EQ(error.message, "no kernel `other` with parameters");
}

} // namespace gluonc::model
