#include "host/Array.h"
#include "host/Npy.h"
#include "host/NumberFormat.h"
#include "host/Random.h"

#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <unistd.h>

using namespace gluonc::host;
using gluonc::sema::DType;
using gluonc::sema::ScalarKind;
namespace dtypes = gluonc::sema::dtypes;

namespace {

Tensor make(DType dtype, llvm::ArrayRef<int64_t> shape) {
  return llvm::cantFail(Tensor::create(dtype, shape));
}

/// 0, 1, 2, …
Tensor counted(DType dtype, llvm::ArrayRef<int64_t> shape) {
  Tensor tensor = make(dtype, shape);
  double next = 0;
  tensor.forEach([&](uint8_t *at) { encodeElement(dtype, next++, at); });
  return tensor;
}

std::vector<double> valuesOf(const Tensor &tensor) {
  std::vector<double> values;
  tensor.forEach([&](const uint8_t *at) { values.push_back(decodeElement(tensor.dtype(), at)); });
  return values;
}

template <typename T> std::string errorOf(llvm::Expected<T> result) {
  return result ? "no error" : llvm::toString(result.takeError());
}

using Doubles = std::vector<double>;

TEST(NumberFormat, EveryHalfAndBfloatCodeSurvivesARoundTrip) {
  for (DType dtype : {dtypes::float16, dtypes::bfloat16})
    for (unsigned code = 0; code != 65536; ++code) {
      uint16_t bits = static_cast<uint16_t>(code), back = 0;
      double value = decodeElement(dtype, &bits);
      encodeElement(dtype, value, &back);
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(decodeElement(dtype, &back)));
      else
        ASSERT_EQ(back, bits) << dtype.shortName();
    }
}

TEST(NumberFormat, EveryFloat8CodeSurvivesARoundTrip) {
  for (ScalarKind kind : {ScalarKind::Float8E5, ScalarKind::Float8E5B16, ScalarKind::Float8E4NV,
                          ScalarKind::Float8E4B8, ScalarKind::Float8E4B15})
    for (unsigned code = 0; code != 256; ++code) {
      uint8_t bits = static_cast<uint8_t>(code), back = 0;
      double value = decodeElement(kind, &bits);
      encodeElement(kind, value, &back);
      if (!std::isnan(value))
        ASSERT_EQ(back, bits) << DType(kind).shortName();
    }
}

TEST(NumberFormat, HalfRoundsToNearestEvenAndOverflowsToInfinity) {
  auto half = [](double value) {
    uint16_t code = 0;
    encodeElement(dtypes::float16, value, &code);
    return code;
  };
  EXPECT_EQ(half(1.0), 0x3C00);
  EXPECT_EQ(half(2049.0), 0x6800);
  EXPECT_EQ(half(2051.0), 0x6802);
  EXPECT_EQ(half(65519.0), 0x7BFF);
  EXPECT_EQ(half(65520.0), 0x7C00);
  EXPECT_EQ(half(-1e300), 0xFC00);
  EXPECT_EQ(half(0x1p-24), 0x0001);
  EXPECT_EQ(half(0x1p-25), 0x0000);
  EXPECT_EQ(half(0x1.8p-25), 0x0001);
  // Rounding first to float would make 1 + 2^-11 of this, and then 1.
  EXPECT_EQ(half(1 + 0x1p-11 + 0x1p-40), 0x3C01);
}

TEST(Tensor, ViewsShareStorage) {
  Tensor tensor = counted(dtypes::int32, {3, 4});
  EXPECT_EQ(valuesOf(tensor.select(0, 1)), (Doubles{4, 5, 6, 7}));
  EXPECT_EQ(valuesOf(tensor.select(1, 2)), (Doubles{2, 6, 10}));
  EXPECT_EQ(valuesOf(tensor.slice(1, 0, 2, 2)), (Doubles{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(valuesOf(tensor.slice(0, 2, 3, -1)), (Doubles{8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3}));
  EXPECT_EQ(valuesOf(tensor.transposed()), (Doubles{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  EXPECT_EQ(tensor.transposed().storage(), tensor.storage());
}

TEST(Tensor, EmptySlicesHaveNoElements) {
  Tensor tensor = counted(dtypes::int32, {3, 4});
  EXPECT_TRUE(valuesOf(tensor.slice(0, 3, 0, 1)).empty());
}

TEST(Tensor, SizesThatMakeNoSenseAreErrors) {
  EXPECT_EQ(errorOf(Tensor::create(dtypes::float32, {-1})), "(-1,) is no shape of a tensor");
  EXPECT_EQ(errorOf(Tensor::create(dtypes::float32, {int64_t(1) << 40, int64_t(1) << 40})),
            "(1099511627776, 1099511627776) is no shape of a tensor");
}

TEST(Tensor, StorageIsAlignedAsDeviceMemoryIs) {
  EXPECT_EQ(reinterpret_cast<uintptr_t>(make(dtypes::int8, {5}).data()) % 256, 0u);
}

TEST(Tensor, PoisonedTensorReportsTheFirstHole) {
  Tensor tensor = make(dtypes::float32, {4});
  tensor.storage()->poison();
  EXPECT_EQ(tensor.firstUnwritten(), 0);
  tensor.storage()->written.assign(16, true);
  EXPECT_EQ(tensor.firstUnwritten(), std::nullopt);
  tensor.storage()->written[10] = false;
  EXPECT_EQ(tensor.firstUnwritten(), 2);
  EXPECT_EQ(tensor.slice(0, 0, 2, 1).firstUnwritten(), std::nullopt);
}

TEST(Npy, RoundTripsEveryDtypeAndView) {
  for (DType dtype : {dtypes::int1, dtypes::int8, dtypes::uint8, dtypes::int16, dtypes::uint16,
                      dtypes::int32, dtypes::uint32, dtypes::int64, dtypes::uint64, dtypes::float16,
                      dtypes::float32, dtypes::float64}) {
    Tensor tensor = counted(dtype, {2, 3});
    Tensor back = llvm::cantFail(parseNpy(formatNpy(tensor.transposed())));
    EXPECT_EQ(back.dtype(), dtype);
    EXPECT_EQ(back.shape(), (llvm::ArrayRef<int64_t>{3, 2}));
    EXPECT_EQ(valuesOf(back), valuesOf(tensor.transposed()));
  }
}

TEST(Npy, ElementsStartAtAMultipleOf64) {
  std::string bytes = formatNpy(counted(dtypes::float64, {1}));
  EXPECT_EQ((bytes.size() - 8) % 64, 0u);
  EXPECT_EQ(bytes[bytes.size() - 9], '\n');
}

TEST(Npy, ScalarsAndEmptyArraysRoundTrip) {
  EXPECT_EQ(llvm::cantFail(parseNpy(formatNpy(make(dtypes::int32, {})))).rank(), 0u);
  EXPECT_EQ(llvm::cantFail(parseNpy(formatNpy(make(dtypes::int32, {0, 3})))).size(), 0);
}

TEST(Npy, RawElementsNeedADtypeOfTheirSize) {
  std::string bytes = formatNpy(counted(dtypes::bfloat16, {3}));
  EXPECT_NE(errorOf(parseNpy(bytes)).find("its elements are raw"), std::string::npos);
  EXPECT_EQ(errorOf(parseNpy(bytes, dtypes::float32)),
            "its elements have 2 bytes, those of fp32 have 4");
  EXPECT_EQ(valuesOf(llvm::cantFail(parseNpy(bytes, dtypes::bfloat16))), (Doubles{0, 1, 2}));
}

TEST(Npy, UnsignedElementsMayBeReadAsBfloat) {
  Tensor raw = make(dtypes::uint16, {1});
  encodeInteger(dtypes::uint16, 0x3F80, raw.data());
  EXPECT_EQ(valuesOf(llvm::cantFail(parseNpy(formatNpy(raw), dtypes::bfloat16))), (Doubles{1}));
}

TEST(Npy, WrongDtypeIsAnErrorThatNamesBoth) {
  EXPECT_EQ(errorOf(parseNpy(formatNpy(counted(dtypes::float16, {3})), dtypes::float32)),
            "its elements are fp16, not fp32");
}

TEST(Npy, EveryTruncationIsAnError) {
  std::string bytes = formatNpy(counted(dtypes::float32, {5}));
  for (size_t length = 0; length != bytes.size(); ++length)
    EXPECT_NE(errorOf(parseNpy(llvm::StringRef(bytes).take_front(length))), "no error") << length;
}

std::string withHeader(llvm::StringRef dict, llvm::StringRef elements = "") {
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(dict.size());
  out += '\0';
  return out + dict.str() + elements.str();
}

TEST(Npy, DamagedHeadersAreErrors) {
  for (const char *dict :
       {"", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': Maybe, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}"})
    EXPECT_EQ(errorOf(parseNpy(withHeader(dict))),
              "its header is damaged, or its elements are structured")
        << dict;
}

TEST(Npy, ClaimsBeyondTheFileAreErrorsBeforeAnythingIsAllocated) {
  EXPECT_EQ(errorOf(parseNpy(
                withHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,)}"))),
            "it holds 0 bytes of elements; its shape (1000000000000,) needs 4000000000000");
  EXPECT_EQ(
      errorOf(parseNpy(withHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (-4,)}"))),
      "its shape (-4,) makes no sense");
}

TEST(Npy, HeadersAreBounded) {
  std::string huge("\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF", 12);
  EXPECT_EQ(errorOf(parseNpy(huge + std::string(1000, ' '))),
            "its header has 4294967295 bytes; at most 65536 are read");
  std::string ones;
  for (int i = 0; i != 65; ++i)
    ones += "1,";
  EXPECT_EQ(errorOf(parseNpy(
                withHeader("{'descr': '|u1', 'fortran_order': False, 'shape': (" + ones + ")}"))),
            "it has 65 dims; at most 64 are read");
}

TEST(Npy, FilesReadBackWhateverTheirSize) {
  llvm::SmallString<64> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("gluonc-tensor-test", "npy", path));
  for (int64_t count : {0, 1, 16365, 100000}) {
    Tensor tensor = counted(dtypes::int32, {count});
    llvm::cantFail(writeNpy(path, tensor));
    EXPECT_EQ(valuesOf(llvm::cantFail(readNpy(path))), valuesOf(tensor));
  }
  ASSERT_EQ(truncate(path.c_str(), 399999), 0);
  EXPECT_EQ(errorOf(readNpy(path)),
            "it holds 399871 bytes of elements; its shape (100000,) needs 400000");
  llvm::sys::fs::remove(path);
}

TEST(Npy, DevicesAndPipesAreNoFiles) {
  EXPECT_EQ(errorOf(readNpy("/dev/zero")), "it is not a regular file");
}

TEST(Npy, ForeignElementTypesAreNamed) {
  EXPECT_EQ(errorOf(parseNpy(withHeader("{'descr': '>f4', 'fortran_order': False, 'shape': ()}"))),
            "its elements are big-endian (>f4)");
  EXPECT_EQ(errorOf(parseNpy(withHeader("{'descr': '|O', 'fortran_order': False, 'shape': ()}"))),
            "elements of type '|O' are not supported");
}

TEST(Npy, FortranOrderIsATransposedView) {
  float elements[] = {0, 1, 2, 3, 4, 5};
  Tensor tensor = llvm::cantFail(
      parseNpy(withHeader("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}",
                          llvm::StringRef(reinterpret_cast<char *>(elements), sizeof elements))));
  EXPECT_EQ(tensor.shape(), (llvm::ArrayRef<int64_t>{2, 3}));
  EXPECT_EQ(valuesOf(tensor), (Doubles{0, 2, 4, 1, 3, 5}));
}

TEST(Npy, MissingFileSaysSo) {
  EXPECT_EQ(errorOf(readNpy("/nonexistent/x.npy")), "No such file or directory");
}

TEST(Random, DependsOnSeedAndIndexOnly) {
  Tensor small = make(dtypes::float32, {1000}), large = make(dtypes::float32, {1 << 20});
  fillRandom(small, Distribution::Normal, 7);
  fillRandom(large, Distribution::Normal, 7);
  EXPECT_EQ(valuesOf(small), valuesOf(large.slice(0, 0, 1000, 1)));
  fillRandom(small, Distribution::Normal, 8);
  EXPECT_NE(valuesOf(small), valuesOf(large.slice(0, 0, 1000, 1)));
}

TEST(Random, HasTheMomentsThatItPromises) {
  Tensor tensor = make(dtypes::float64, {1 << 20});
  auto moments = [&] {
    double sum = 0, squares = 0;
    for (double value : valuesOf(tensor)) {
      sum += value;
      squares += value * value;
    }
    double mean = sum / (1 << 20);
    return std::pair(mean, squares / (1 << 20) - mean * mean);
  };
  fillRandom(tensor, Distribution::Normal, 0);
  EXPECT_NEAR(moments().first, 0, 0.005);
  EXPECT_NEAR(moments().second, 1, 0.005);
  fillRandom(tensor, Distribution::Uniform, 0);
  EXPECT_NEAR(moments().first, 0.5, 0.002);
  EXPECT_NEAR(moments().second, 1.0 / 12, 0.001);
}

TEST(Random, IntegersStayInTheirRangeAndReachItsEnds) {
  Tensor tensor = make(dtypes::int8, {10000});
  fillRandomIntegers(tensor, -3, 4, 0);
  Doubles values = valuesOf(tensor);
  EXPECT_EQ(*std::min_element(values.begin(), values.end()), -3);
  EXPECT_EQ(*std::max_element(values.begin(), values.end()), 3);
}

Array array(Tensor tensor) { return Array::of(std::move(tensor)); }

TEST(Array, BroadcastsAsNumpyDoes) {
  Array column = array(counted(dtypes::int32, {3, 1})), row = array(counted(dtypes::int32, {4}));
  Array sum = llvm::cantFail(apply(ArrayOp::Add, column, row));
  EXPECT_EQ(sum.shape(), (llvm::ArrayRef<int64_t>{3, 4}));
  EXPECT_EQ(valuesOf(sum.tensor), (Doubles{0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5}));
  EXPECT_EQ(sum.dtype, dtypes::int32);
}

TEST(Array, ShapesThatDoNotFitAreAnError) {
  EXPECT_EQ(errorOf(apply(ArrayOp::Add, array(make(dtypes::int32, {3})),
                          array(make(dtypes::int32, {4})))),
            "shapes (3,) and (4,) do not fit together");
}

TEST(Array, NumbersAdoptTheDtypeOfArrays) {
  Array half = array(counted(dtypes::float16, {2}));
  EXPECT_EQ(llvm::cantFail(apply(ArrayOp::Mul, half, Array::number(2.5, false))).dtype,
            dtypes::float16);
  Array ints = array(counted(dtypes::int8, {2}));
  EXPECT_EQ(llvm::cantFail(apply(ArrayOp::Mul, ints, Array::number(2, true))).dtype, dtypes::int8);
  EXPECT_EQ(llvm::cantFail(apply(ArrayOp::Div, ints, Array::number(2, true))).dtype,
            dtypes::float32);
}

TEST(Array, ModuloAndFloorDivisionAreThoseOfPython) {
  Array x = llvm::cantFail(
      apply(ArrayOp::Sub, array(counted(dtypes::int32, {7})), Array::number(3, true)));
  Array three = Array::number(3, true);
  EXPECT_EQ(valuesOf(llvm::cantFail(apply(ArrayOp::Mod, x, three)).tensor),
            (Doubles{0, 1, 2, 0, 1, 2, 0}));
  EXPECT_EQ(valuesOf(llvm::cantFail(apply(ArrayOp::FloorDiv, x, three)).tensor),
            (Doubles{-1, -1, -1, 0, 0, 0, 1}));
}

TEST(Array, Equality64IsExact) {
  Tensor a = make(dtypes::int64, {2}), b = make(dtypes::int64, {2});
  encodeInteger(dtypes::int64, (int64_t(1) << 60) + 1, a.data());
  encodeInteger(dtypes::int64, int64_t(1) << 60, b.data());
  EXPECT_EQ(valuesOf(llvm::cantFail(apply(ArrayOp::Eq, array(a), array(b))).tensor),
            (Doubles{0, 1}));
}

TEST(Array, ReducesOneAxisOrAll) {
  Array x = array(counted(dtypes::float32, {2, 3}));
  auto values = [&](ArrayReduction op, std::optional<int64_t> axis) {
    return valuesOf(llvm::cantFail(reduce(op, x, axis)).tensor);
  };
  EXPECT_EQ(values(ArrayReduction::Sum, std::nullopt), (Doubles{15}));
  EXPECT_EQ(values(ArrayReduction::Sum, 0), (Doubles{3, 5, 7}));
  EXPECT_EQ(values(ArrayReduction::Max, -1), (Doubles{2, 5}));
  EXPECT_EQ(values(ArrayReduction::Mean, 1), (Doubles{1, 4}));
  EXPECT_EQ(values(ArrayReduction::All, 1), (Doubles{0, 1}));
  EXPECT_EQ(errorOf(reduce(ArrayReduction::Sum, x, 2)), "there is no axis 2 in shape (2, 3)");
}

TEST(Array, MultipliesMatricesVectorsAndStacks) {
  Array a = array(counted(dtypes::float32, {2, 3})), b = array(counted(dtypes::float32, {3, 2}));
  EXPECT_EQ(valuesOf(llvm::cantFail(matmul(a, b)).tensor), (Doubles{10, 13, 28, 40}));
  Array v = array(counted(dtypes::float32, {3}));
  EXPECT_EQ(valuesOf(llvm::cantFail(matmul(a, v)).tensor), (Doubles{5, 14}));
  EXPECT_EQ(valuesOf(llvm::cantFail(matmul(v, v)).tensor), (Doubles{5}));
  Array turned = llvm::cantFail(matmul(array(a.tensor.transposed()), array(b.tensor.transposed())));
  EXPECT_EQ(valuesOf(turned.tensor), (Doubles{3, 9, 15, 4, 14, 24, 5, 19, 33}));
  Array stack = array(counted(dtypes::float32, {2, 2, 2}));
  EXPECT_EQ(valuesOf(llvm::cantFail(matmul(stack, stack)).tensor),
            (Doubles{2, 3, 6, 11, 46, 55, 66, 79}));
  EXPECT_EQ(errorOf(matmul(a, a)), "shapes (2, 3) and (2, 3) cannot be multiplied");
}

TEST(Array, CompareTellsWhereWhatAndHowMuch) {
  Tensor a = counted(dtypes::float32, {2, 3}), b = counted(dtypes::float32, {2, 3});
  encodeElement(dtypes::float32, 4.5, b.select(0, 1).select(0, 1).data());
  encodeElement(dtypes::float32, NAN, b.select(0, 1).select(0, 2).data());
  Difference difference = llvm::cantFail(compare(array(a), array(b), {}));
  EXPECT_EQ(difference.count, 2);
  EXPECT_EQ(difference.index, (Shape{1, 1}));
  EXPECT_EQ(difference.lhs, 4);
  EXPECT_EQ(difference.rhs, 4.5);
  EXPECT_EQ(llvm::cantFail(compare(array(a), array(b), {0, 0.6})).count, 1);
}

TEST(Array, EqualInfinitiesAgree) {
  Array infinite = Array::number(INFINITY, false);
  EXPECT_EQ(llvm::cantFail(compare(infinite, infinite, {1e-3, 1e-3})).count, 0);
  EXPECT_EQ(llvm::cantFail(compare(Array::number(1, false), infinite, {1e-3, 1e-3})).count, 1);
}

} // namespace
