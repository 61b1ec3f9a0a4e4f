#include "runtime/hip/TensorWords.h"

#include "gtest/gtest.h"

using gluonc::TensorDescription;
using gluonc::hip::appendWords;
using gluonc::hip::check;
using gluonc::hip::TensorBlock;

namespace {

llvm::SmallVector<uint64_t, 20> wordsOf(const TensorBlock &block, const TensorDescription &tensor) {
  llvm::SmallVector<uint64_t, 20> words;
  appendWords(block, tensor, words);
  return words;
}

std::string problem(const TensorDescription &tensor) {
  return llvm::toString(check({tensor.rank, 2}, tensor));
}

TEST(TensorWords, OfTwoDims) {
  TensorDescription tensor{.base = 0x123456789abcde,
                           .rank = 2,
                           .shape = {0x11112222, 0x33334444},
                           .strides = {0x5555'6666'7777, 1}};
  llvm::SmallVector<uint64_t, 20> words = wordsOf({2, 2}, tensor);
  EXPECT_EQ(words,
            (llvm::SmallVector<uint64_t, 20>{1, 0, 0x789abcde, 0x80123456, 1 << 16, 0x44440000,
                                             0x22223333, 0x1111, 0, 0x66667777, 0x5555, 0}));
}

TEST(TensorWords, OfFiveDims) {
  TensorDescription tensor{.base = 256,
                           .rank = 5,
                           .shape = {0x0a0b0c0d, 4, 3, 2, 1},
                           .strides = {0x4444'4444'4444, 0x3333'3333'3333, 0x2222'2222'1111, 7, 1}};
  llvm::SmallVector<uint64_t, 20> words = wordsOf({5, 4}, tensor);
  EXPECT_EQ(words, (llvm::SmallVector<uint64_t, 20>{
                       1,          0,      256,        0x80000000, 2 << 16,    1 << 16, 2 << 16,
                       0,          0,      7,          0x11110000, 0x22222222, 3,       4,
                       0x33333333, 0x3333, 0x44444444, 0x0c0d4444, 0x0a0b,     0}));
}

TEST(TensorWords, AreRefusedForTensorsBeyondTheirFields) {
  TensorDescription good{.base = 4096, .rank = 2, .shape = {100, 48}, .strides = {48, 1}};
  EXPECT_EQ(problem(good), "");
  TensorDescription wrong = good;
  wrong.shape[0] = int64_t{1} << 31;
  EXPECT_NE(problem(wrong).find("dim 0 has 2147483648 elements"), std::string::npos);
  wrong = good;
  wrong.strides[0] = -48;
  EXPECT_NE(problem(wrong).find("stride -48"), std::string::npos);
  wrong = good;
  wrong.strides[1] = 2;
  EXPECT_NE(problem(wrong).find("needs stride 1"), std::string::npos);
  wrong = good;
  wrong.base = uint64_t{1} << 57;
  EXPECT_NE(problem(wrong).find("57 bits"), std::string::npos);
}

} // namespace
