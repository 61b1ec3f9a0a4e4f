// Causal attention of bfloat16, head size 128, by the kernel of attention.py.
//   attention attention.py [cpu|cuda [HEADS LENGTH]]
#include "../cpp/device.hpp"

#include <algorithm>
#include <cmath>

namespace {

constexpr int d = 128, keys = 128, stages = 4, registers = 184;
constexpr double slack = 8;

gluonc::Executable compile(Device &device, const char *path, int length) {
  const char *layout = "gl.NVMMASharedLayout(128, 16, rank=3)";
  const gluonc::Argument block = gluonc::descriptor("bf16", {1, keys, d}, layout);
  return device.compile(path, "attention",
                        {gluonc::descriptor("bf16", {1, 128, d}, layout), block, block,
                         gluonc::descriptor("bf16", {1, 128, 64}, layout), gluonc::scalar("fp32"),
                         gluonc::scalar("i32"), gluonc::scalar("i32"), gluonc::scalar("i32"),
                         /*CAUSAL=*/gluonc::constant(true),
                         /*CUT=*/gluonc::constant(length % keys != 0), gluonc::constant(stages),
                         /*LOAD_MAX=*/gluonc::constant(false), gluonc::constant(slack),
                         gluonc::constant(registers)},
                        {.numWarps = 4});
}

/// One row of the result in double precision.
std::vector<double> expectedRow(const bf16 *q, const bf16 *k, const bf16 *v, int row) {
  std::vector<double> weights(row + 1), result(d);
  double total = 0;
  for (int key = 0; key <= row; ++key) {
    double score = 0;
    for (int i = 0; i != d; ++i)
      score += double(toFloat(q[size_t(row) * d + i])) * toFloat(k[size_t(key) * d + i]);
    total += weights[key] = std::exp(score / std::sqrt(d));
  }
  for (int key = 0; key <= row; ++key)
    for (int i = 0; i != d; ++i)
      result[i] += weights[key] / total * toFloat(v[size_t(key) * d + i]);
  return result;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3 && argc != 5) {
    std::fprintf(stderr, "usage: %s attention.py [cpu|cuda [HEADS LENGTH]]\n", argv[0]);
    return 2;
  }
  Device device(argc > 2 ? argv[2] : "", gluonc::Target::cuda(100, 'a'));
  const int heads = argc == 5 ? std::atoi(argv[3]) : 3,
            length = argc == 5 ? std::atoi(argv[4]) : 300;
  gluonc::Executable exe = compile(device, argv[1], length);

  const size_t size = size_t(heads) * length * d;
  std::vector<bf16> q = randomNormal(size, 1), k = randomNormal(size, 2), v = randomNormal(size, 3);
  std::vector<bf16> o(size, poison);
  bf16 *deviceO = device.upload("o", o);
  const gluonc_tensor describedQ = describe(device.upload("q", q), {heads, length, d});
  const gluonc_tensor describedK = describe(device.upload("k", k), {heads, length, d});
  const gluonc_tensor describedV = describe(device.upload("v", v), {heads, length, d});
  const gluonc_tensor describedO = describe(deviceO, {heads, length, d});
  const unsigned tiles = heads * ((length + 255) / 256);
  const double log2e = 1.4426950408889634;
  Device::orExit(exe.launch({tiles}, nullptr, &describedQ, &describedK, &describedV, &describedO,
                            log2e / std::sqrt(d), heads, length, length));
  device.download(o, deviceO);

  size_t wrong = 0, looked = 0;
  for (int head = 0; head != heads; ++head)
    for (int row = 0; row < length; row += 37) {
      const size_t first = size_t(head) * length * d;
      std::vector<double> expected = expectedRow(&q[first], &k[first], &v[first], row);
      for (int i = 0; i != d; ++i, ++looked)
        wrong += !(std::abs(toFloat(o[first + size_t(row) * d + i]) - expected[i]) <=
                   std::abs(expected[i]) / 64 + 1. / 128);
    }
  return report(device, std::to_string(heads) + " heads of " + std::to_string(length), wrong,
                looked);
}
