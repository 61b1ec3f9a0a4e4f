#include "amdgcn/TestKernel.h"

using namespace gluonc::amdgcn;

namespace {

/// A descriptor as bits; the address of memory is added by the kernel.
struct Tile {
  uint32_t words[20] = {1, 0, 0, 0x80000000};

  void put(unsigned group, unsigned from, unsigned count, uint64_t value) {
    unsigned begin[] = {0, 4, 12, 16};
    for (unsigned i = 0; i != count; ++i)
      words[begin[group] + (from + i) / 32] |= uint32_t(value >> i & 1) << (from + i) % 32;
  }
  /// Of 32-bit elements, two dimensions: tile, what the tensor has, and the rows' distance.
  Tile(unsigned width, unsigned height, unsigned inner, unsigned outer, unsigned stride,
       unsigned logBytes = 2) {
    put(1, 16, 2, logBytes);
    put(1, 48, 32, inner);
    put(1, 80, 32, outer);
    put(1, 112, 16, width);
    put(1, 128, 16, height);
    put(1, 160, 48, stride);
  }
  Tile &third(unsigned tile, unsigned extent, unsigned stride) {
    put(1, 144, 16, tile);
    put(2, 0, 32, extent);
    put(1, 208, 48, stride);
    return *this;
  }
  Tile &fourth(unsigned tile, unsigned extent, unsigned stride) {
    put(2, 112, 16, tile);
    put(2, 32, 32, extent);
    put(2, 64, 48, stride);
    return *this;
  }
  Tile &fifth(unsigned tile, unsigned extent, unsigned stride) {
    put(3, 80, 16, tile);
    put(3, 48, 32, extent);
    put(3, 0, 48, stride);
    return *this;
  }
  Tile &rows(std::vector<unsigned> numbers, unsigned bits) {
    put(0, 31, 1, 1);
    put(0, 30, 1, bits == 32);
    for (unsigned i = 0; i != numbers.size(); ++i) {
      unsigned at = i * bits;
      put(at < 128 ? 2 : 3, at % 128, bits, numbers[i]);
    }
    return *this;
  }
  Tile &pad(unsigned logInterval, unsigned amount) {
    put(1, 20, 1, 1);
    put(1, 22, 3, logInterval - 1);
    put(1, 25, 7, amount - 1);
    return *this;
  }
  Tile &at(unsigned shared) {
    put(0, 32, 32, shared);
    return *this;
  }
  Tile &barrier(unsigned address) {
    put(1, 18, 1, 1);
    put(1, 32, 16, address >> 3);
    return *this;
  }

  /// The instruction, with memory from the pair of registers `base` on.
  std::string text(const char *name, unsigned base, bool hasFour = false) const {
    std::string made;
    for (unsigned i = 0; i != 20; ++i)
      made += "s_mov_b32 s" + std::to_string(16 + i) + ", " + std::to_string(words[i]) + "\n";
    made += "s_or_b32 s18, s18, s" + std::to_string(base) + "\ns_or_b32 s19, s19, s" +
            std::to_string(base + 1) + "\n";
    return made + name + " s[16:19], s[20:27]" + (hasFour ? ", s[28:31], s[32:35]\n" : "\n");
  }
  std::string load(bool hasFour = false) const { return text("tensor_load_to_lds", 2, hasFour); }
  std::string store(bool hasFour = false) const {
    return text("tensor_store_from_lds", 0, hasFour);
  }
};

} // namespace

static const std::string ended = "s_wait_tensorcnt 0x0\n";
/// Each thread's place in LDS; what is there goes to `out`.
static const std::string place = "v_lshlrev_b32_e32 v2, 2, v0\n";
static const std::string fetch = "ds_load_b32 v1, v2\ns_wait_dscnt 0x0\nresult\n";
/// Threads fill LDS with their numbers.
static const std::string fill = place + "ds_store_b32 v2, v0\ns_wait_dscnt 0x0\n";

static std::vector<uint32_t> count(unsigned words) {
  std::vector<uint32_t> made(words);
  for (unsigned i = 0; i != words; ++i)
    made[i] = i;
  return made;
}

static Executed runTiles(const std::string &body, unsigned threads = 32) {
  KernelText kernel;
  kernel.chip = "gfx1250";
  kernel.sharedBytes = 1024;
  kernel.body = body;
  return Executed(kernel, count(256), threads, 256);
}

static std::vector<uint32_t> first(const Executed &run, unsigned words) {
  EXPECT_EQ(run.message(), "");
  return {run.out.begin(), run.out.begin() + words};
}

static std::string saidOf(const std::string &body, unsigned threads = 32) {
  return runTiles(body, threads).message();
}

static bool has(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

using Words = std::vector<uint32_t>;

TEST(Tensor, LoadsFillWithZeros) {
  Executed run = runTiles(fill + Tile(4, 3, 3, 2, 16).load() + ended + fetch);
  EXPECT_EQ(first(run, 13), (Words{0, 1, 2, 0, 16, 17, 18, 0, 0, 0, 0, 0, 12}));
}

TEST(Tensor, LoadsOfBytesAndOfEight) {
  Executed run = runTiles(fill + Tile(8, 2, 6, 2, 4, 0).load() + ended + fetch);
  // Bytes 0 to 7 of memory are the words 0 and 1, and rows are four bytes apart.
  EXPECT_EQ(first(run, 5), (Words{0, 1, 1, 2, 4}));
  run = runTiles(fill + Tile(2, 2, 2, 1, 4, 3).load() + ended + fetch);
  EXPECT_EQ(first(run, 9), (Words{0, 1, 2, 3, 0, 0, 0, 0, 8}));
}

TEST(Tensor, LoadsLeavePaddingAlone) {
  // One word after every two, inside of rows of three.
  Executed run = runTiles(fill + Tile(3, 2, 3, 2, 16).pad(1, 1).load() + ended + fetch);
  EXPECT_EQ(first(run, 10), (Words{0, 1, 2, 2, 16, 5, 17, 18, 8, 9}));
}

TEST(Tensor, StoresDropWhatIsOutside) {
  Executed run = runTiles(fill + Tile(4, 3, 3, 2, 16).pad(1, 1).store() + ended);
  std::vector<uint32_t> out = first(run, 64);
  uint32_t none = 0xdeadbeef;
  EXPECT_EQ(Words(out.begin(), out.begin() + 5), (Words{0, 1, 2, none, none}));
  EXPECT_EQ(Words(out.begin() + 16, out.begin() + 20), (Words{4, 5, 6, none}));
  EXPECT_EQ(out[32], none);
}

TEST(Tensor, ThreeToFiveDimensions) {
  Tile tile = Tile(2, 2, 2, 2, 4).third(2, 2, 16);
  Executed run = runTiles(place + tile.load(true) + ended + fetch);
  EXPECT_EQ(first(run, 8), (Words{0, 1, 4, 5, 16, 17, 20, 21}));
  tile = Tile(2, 1, 2, 1, 4).third(2, 1, 16).fourth(2, 2, 32).fifth(2, 2, 100);
  run = runTiles(place + tile.load(true) + ended + fetch);
  EXPECT_EQ(first(run, 16), (Words{0, 1, 0, 0, 32, 33, 0, 0, 100, 101, 0, 0, 132, 133, 0, 0}));
  run = runTiles(fill + tile.store(true) + ended);
  EXPECT_EQ(first(run, 134)[133], 13u);
  EXPECT_EQ(run.out[101], 9u);
  EXPECT_EQ(run.out[16], 0xdeadbeefu);
}

TEST(Tensor, RowsByNumber) {
  Tile tile = Tile(2, 4, 2, 10, 16).rows({3, 0, 12, 5}, 16);
  Executed run = runTiles(place + tile.load(true) + ended + fetch);
  EXPECT_EQ(first(run, 8), (Words{48, 49, 0, 1, 0, 0, 80, 81}));
  tile = Tile(2, 6, 1, 16, 16).rows({1, 2, 3, 4, 9, 8}, 32);
  run = runTiles(place + tile.load(true) + ended + fetch);
  EXPECT_EQ(first(run, 12), (Words{16, 0, 32, 0, 48, 0, 64, 0, 144, 0, 128, 0}));
  tile = Tile(1, 9, 1, 16, 16).rows({1, 2, 3, 4, 5, 6, 7, 9, 8}, 16);
  run = runTiles(fill + tile.store(true) + ended);
  EXPECT_EQ(first(run, 145)[144], 7u);
  EXPECT_EQ(run.out[128], 8u);
  EXPECT_EQ(run.out[0], 0xdeadbeefu);
}

TEST(Tensor, NothingIfItIsSwitchedOff) {
  Tile tile(4, 3, 3, 2, 16);
  tile.words[0] = 0;
  tile.words[3] = 0;
  EXPECT_EQ(first(runTiles(fill + tile.load() + fetch), 4), (Words{0, 1, 2, 3}));
}

TEST(Tensor, Repeats) {
  Tile tile(2, 1, 2, 1, 0);
  tile.put(1, 19, 1, 1);
  // 4 elements further in LDS, 10 in memory, 3 times.
  tile.put(2, 32, 32, 4);
  tile.put(2, 64, 48, 10);
  tile.put(2, 112, 16, 2);
  Executed run = runTiles(fill + tile.load(true) + ended + fetch);
  EXPECT_EQ(first(run, 12), (Words{0, 1, 2, 3, 10, 11, 6, 7, 20, 21, 10, 11}));
}

TEST(Tensor, LanesDoNotMatter) {
  Executed run = runTiles(fill + "s_mov_b32 exec_lo, 0\n" + Tile(4, 1, 4, 1, 16).at(8).load() +
                          ended + "s_mov_b32 exec_lo, -1\n" + fetch);
  EXPECT_EQ(first(run, 7), (Words{0, 1, 0, 1, 2, 3, 6}));
}

TEST(Tensor, WaitsThatAreMissing) {
  std::string two = fill + Tile(4, 1, 4, 1, 16).load() + Tile(4, 1, 4, 1, 16).at(64).load();
  EXPECT_TRUE(has(saidOf(two + fetch), "is read while a transfer into it is under way"));
  EXPECT_TRUE(has(saidOf(two + "s_wait_tensorcnt 0x1\n" + fetch), "LDS byte 0x40 is read while"));
  EXPECT_EQ(saidOf(two + ended + fetch), "");
  std::string only = "v_cmpx_gt_u32_e32 4, v0\n";
  EXPECT_EQ(saidOf(two + "s_wait_tensorcnt 0x1\n" + only + fetch), "");
  std::string over = "ds_store_b32 v2, v2\n";
  EXPECT_TRUE(has(saidOf(two + over), "is written while a transfer into it is under way"));
  std::string store = fill + Tile(4, 1, 4, 1, 16).store();
  EXPECT_TRUE(has(saidOf(store + over), "is written while a transfer from it is under way"));
  EXPECT_EQ(saidOf(store + ended + over), "");
  EXPECT_TRUE(has(saidOf(place + "ds_store_b32 v2, v0\n" + Tile(4, 1, 4, 1, 16).store()),
                  "is read by a transfer before the wave has waited for its own write"));
}

/// Thread 0 of the workgroup makes a barrier at address 512 that so many arrivals end.
static std::string barrierOf(unsigned arrivals) {
  return "s_mov_b32 s40, exec_lo\nv_cmpx_eq_u32_e32 0, v0\nv_mov_b32_e32 v5, 0x200\n"
         "v_mov_b32_e32 v6, " +
         std::to_string(arrivals - 1) + "\nv_mov_b32_e32 v7, v6\nds_store_b64 v5, v[6:7]\n" +
         "s_mov_b32 exec_lo, s40\ns_wait_dscnt 0x0\ns_barrier_signal -1\ns_barrier_wait -1\n";
}

/// Which of two waves comes first depends on whose turn it is.
static bool isRace(const std::string &text) {
  return has(text, "is read, which another wave wrote") || has(text, "nothing has waited for") ||
         has(text, "is written while another wave may still read it");
}

/// Until the barrier's phase 0 is over.
static const std::string poll = "v_mov_b32_e32 v5, 0x200\n.Lpoll:\ns_sleep 1\nds_load_b32 v6, v5\n"
                                "s_wait_dscnt 0x0\nv_and_b32_e32 v6, 0x20000000, v6\n"
                                "v_cmp_eq_u32_e32 vcc_lo, 0, v6\ns_cbranch_vccnz .Lpoll\n";

/// Only wave 0 of the workgroup does it.
static std::string once(const std::string &text) {
  return "v_readfirstlane_b32 s41, v0\ns_cmp_lg_u32 s41, 0\ns_cbranch_scc1 .Lothers\n" + text +
         ".Lothers:\n";
}

TEST(Tensor, BarriersAreTold) {
  std::string load = Tile(16, 4, 16, 4, 16).barrier(512).load();
  // Waves see what the other one's transfer has brought.
  std::string all = place + barrierOf(1) + once(load);
  Executed run = runTiles(all + poll + fetch, 64);
  EXPECT_EQ(first(run, 64), count(64));
  EXPECT_TRUE(isRace(saidOf(all + fetch, 64)));
  EXPECT_EQ(saidOf(place + barrierOf(2) + once(load) + poll + fetch, 64),
            "the wave asks again and again for what no other wave will do");
  // The wave's own wait tells nobody else.
  EXPECT_TRUE(isRace(saidOf(place + barrierOf(1) + once(load + ended) + fetch, 64)));
}

TEST(Tensor, Faults) {
  Tile untyped(4, 1, 4, 1, 16);
  untyped.words[3] = 0;
  EXPECT_EQ(saidOf(untyped.load()), "the descriptor is not of type 2, a tensor's");
  Tile invalid(4, 1, 4, 1, 16);
  invalid.words[0] = 3;
  EXPECT_EQ(saidOf(invalid.load()), "bits 1 and 0 of the descriptor are neither 0 nor 1");
  EXPECT_EQ(saidOf(Tile(0, 1, 4, 1, 16).load()),
            "the descriptor's tile has no elements in dimension 0");
  EXPECT_TRUE(has(saidOf(Tile(64, 5, 64, 5, 0).load()),
                  "LDS address 0x400 is outside of the 1024 bytes that the workgroup has"));
  EXPECT_TRUE(has(saidOf(Tile(4, 3, 4, 3, 128).load()), "a tensor load of 16 bytes at 0x"));
  EXPECT_TRUE(
      has(saidOf(fill + Tile(4, 3, 4, 3, 128).store()), "a tensor store of 16 bytes at 0x"));
  EXPECT_EQ(saidOf(Tile(1, 1, 1, 1, 1).rows({0}, 16).load()),
            "the descriptor has rows, but no registers with their numbers");
  EXPECT_EQ(saidOf(Tile(1, 9, 1, 1, 1).rows({0}, 32).load(true)),
            "the descriptor has more rows than registers with their numbers");
}
