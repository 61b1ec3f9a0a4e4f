// Every program begins once, launched or taken over, whoever asks how often.
#include "sim/machine/ProgramPool.h"

#include "gtest/gtest.h"

#include <vector>

namespace gluonc::sim {
namespace {

/// How often each begins where every launched program asks up to `requests` times.
std::vector<int> begun(uint64_t programs, std::optional<uint64_t> seed, int requests,
                       uint64_t &launched) {
  std::vector<int> times(programs);
  ProgramPool pool(programs, seed);
  for (launched = 0; auto program = pool.launch(); ++launched) {
    ++times.at(*program);
    for (int i = 0; i < requests; ++i)
      if (auto other = pool.cancel())
        ++times.at(*other);
  }
  return times;
}

TEST(ProgramPool, EveryProgramBeginsOnce) {
  for (uint64_t programs : {1, 2, 3, 7, 64, 1000})
    for (int requests : {0, 1, 3, 5000})
      for (uint64_t seed = 0; seed < 20; ++seed) {
        uint64_t launched;
        std::optional<uint64_t> choice;
        if (seed)
          choice = seed;
        EXPECT_EQ(begun(programs, choice, requests, launched), std::vector<int>(programs, 1))
            << programs << " programs, " << requests << " requests, seed " << seed;
        if (!requests)
          EXPECT_EQ(launched, programs);
      }
}

TEST(ProgramPool, AProgramGetsHalfOfWhatIsLeft) {
  uint64_t launched;
  begun(16, std::nullopt, 100, launched);
  // 0 gets eight, 1 three, 2 one, 3 none.
  EXPECT_EQ(launched, 4u);
  ProgramPool pool(5, std::nullopt);
  EXPECT_EQ(pool.launch(), 0u);
  EXPECT_EQ(pool.cancel(), 4u);
  EXPECT_EQ(pool.cancel(), 3u);
  EXPECT_EQ(pool.cancel(), std::nullopt);
  EXPECT_EQ(pool.launch(), 1u);
}

} // namespace
} // namespace gluonc::sim
