#include "host/Random.h"
#include "host/NumberFormat.h"

#include <cmath>
#include <limits>
#include <thread>

namespace gluonc::host {

static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

static uint64_t hashAt(uint64_t mixedSeed, uint64_t index) {
  return mix(mixedSeed + 0x9E3779B97F4A7C15 * (index + 1));
}

/// Runs `f(first, last)` over parts of [0, count), on every core where that pays.
template <typename Fn> static void inParallel(int64_t count, Fn &&f) {
  constexpr int64_t worthAThread = 1 << 18;
  int64_t threads = std::min<int64_t>(std::thread::hardware_concurrency(), count / worthAThread);
  if (threads < 2)
    return f(int64_t(0), count);
  std::vector<std::thread> workers;
  // Even bounds: Box-Muller makes elements in pairs.
  int64_t part = (count / threads + 1) / 2 * 2;
  for (int64_t first = 0; first < count; first += part)
    workers.emplace_back([&f, first, last = std::min(first + part, count)] { f(first, last); });
  for (std::thread &worker : workers)
    worker.join();
}

void fillRandom(const Tensor &tensor, Distribution distribution, uint64_t seed) {
  const unsigned bytes = tensor.dtype().byteSize();
  const sema::DType dtype = tensor.dtype();
  uint8_t *data = tensor.data();
  const uint64_t mixed = mix(seed);
  inParallel(tensor.size(), [=](int64_t first, int64_t last) {
    if (distribution == Distribution::Uniform) {
      for (int64_t i = first; i != last; ++i)
        encodeElement(dtype,
                      static_cast<double>(hashAt(mixed, static_cast<uint64_t>(i)) >> 11) * 0x1p-53,
                      data + i * bytes);
      return;
    }
    for (int64_t i = first; i < last; i += 2) {
      uint64_t bits = hashAt(mixed, static_cast<uint64_t>(i) / 2);
      // (0, 1]: the logarithm must not see zero.
      double u = (static_cast<double>(bits >> 32) + 1) * 0x1p-32;
      double angle = static_cast<double>(bits & 0xFFFFFFFF) * (0x1p-32 * 2 * M_PI);
      double radius = std::sqrt(-2 * std::log(u));
      encodeElement(dtype, radius * std::cos(angle), data + i * bytes);
      if (i + 1 < last)
        encodeElement(dtype, radius * std::sin(angle), data + (i + 1) * bytes);
    }
  });
}

void fillRandomIntegers(const Tensor &tensor, int64_t low, int64_t high, uint64_t seed) {
  const unsigned bytes = tensor.dtype().byteSize();
  const sema::DType dtype = tensor.dtype();
  uint8_t *data = tensor.data();
  const uint64_t mixed = mix(seed);
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  inParallel(tensor.size(), [=](int64_t first, int64_t last) {
    for (int64_t i = first; i != last; ++i) {
      unsigned __int128 product =
          static_cast<unsigned __int128>(hashAt(mixed, static_cast<uint64_t>(i))) * range;
      int64_t value =
          static_cast<int64_t>(static_cast<uint64_t>(low) + static_cast<uint64_t>(product >> 64));
      if (dtype.isFloat())
        encodeElement(dtype, static_cast<double>(value), data + i * bytes);
      else
        encodeInteger(dtype, value, data + i * bytes);
    }
  });
}

void placeOddValues(const Tensor &tensor, uint64_t seed) {
  const sema::DType dtype = tensor.dtype();
  if (!dtype.isFloat())
    return;
  double largest = std::numeric_limits<float>::max(), normal = std::numeric_limits<float>::min();
  if (const numeric::FloatFormat *format = numeric::factsOf(dtype.scalarKind()).format) {
    largest = numeric::decode(*format, format->maxFinite);
    normal = std::ldexp(1, 1 - format->bias);
  } else if (dtype.byteSize() == sizeof(double)) {
    largest = std::numeric_limits<double>::max();
    normal = std::numeric_limits<double>::min();
  }
  const double odd[] = {INFINITY, NAN, 0, largest, normal, normal / 2};
  // Another stream than that of the elements.
  const uint64_t mixed = mix(~seed);
  uint64_t i = 0;
  tensor.forEach([&](uint8_t *at) {
    uint64_t bits = hashAt(mixed, i++);
    if (bits % 16)
      return;
    double value = odd[(bits >> 4) % std::size(odd)];
    encodeElement(dtype, bits >> 63 ? -value : value, at);
  });
}

} // namespace gluonc::host
