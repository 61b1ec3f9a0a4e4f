// Layer norm over rows of bfloat16 by the kernel of norm.py.
//   norm norm.py [cpu|cuda [ROWS COLUMNS]]       COLUMNS up to 32768
#include "../cpp/device.hpp"

#include <algorithm>
#include <cmath>

namespace {

/// What norm.py's config_for() chooses.
struct Config {
  explicit Config(int columns)
      : block(std::max(1024, int(std::bit_ceil(unsigned(columns))))),
        rows(std::max(1, 8192 / block)),
        stages(std::min(8, (204800 - 4 * block) / (2 * rows * block))),
        warps(std::clamp(rows * block / 2048, 4, 16)) {}
  int block, rows, stages, warps;
};

gluonc::Executable compile(Device &device, const char *path, const Config &config, int columns) {
  const gluonc::Argument pointer = gluonc::pointer("bf16").align(16);
  gluonc::Argument count = gluonc::scalar("i32");
  // The promise that lets rows be stored 16 bytes at a time.
  if (columns % 16 == 0)
    count = count.align(16);
  return device.compile(
      path, "layer_norm",
      {gluonc::descriptor("bf16", {config.rows, config.block}, "gl.NVMMASharedLayout(0, 16)"),
       pointer, pointer, pointer, gluonc::scalar("i32"), count, gluonc::scalar("fp32"),
       /*CUT=*/gluonc::constant(columns != config.block), /*KEEP=*/gluonc::constant(true),
       gluonc::constant(config.stages)},
      {.numWarps = unsigned(config.warps)});
}

/// Elements of a row that double precision says are wrong.
size_t countWrong(const bf16 *x, const bf16 *weight, const bf16 *bias, const bf16 *y, int n) {
  double mean = 0, variance = 0;
  for (int i = 0; i != n; ++i)
    mean += toFloat(x[i]) / double(n);
  for (int i = 0; i != n; ++i)
    variance += std::pow(toFloat(x[i]) - mean, 2) / n;
  size_t wrong = 0;
  for (int i = 0; i != n; ++i) {
    const double expected =
        (toFloat(x[i]) - mean) / std::sqrt(variance + 1e-5) * toFloat(weight[i]) + toFloat(bias[i]);
    wrong += !(std::abs(toFloat(y[i]) - expected) <= std::abs(expected) / 128 + 1e-5);
  }
  return wrong;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3 && argc != 5) {
    std::fprintf(stderr, "usage: %s norm.py [cpu|cuda [ROWS COLUMNS]]\n", argv[0]);
    return 2;
  }
  Device device(argc > 2 ? argv[2] : "");
  const int m = argc == 5 ? std::atoi(argv[3]) : 37, n = argc == 5 ? std::atoi(argv[4]) : 1000;
  if (n > 32768 || n % 8 != 0) {
    std::fprintf(stderr, "rows of up to 32768 columns, whole units of 16 bytes\n");
    return 2;
  }
  const Config config(n);
  gluonc::Executable exe = compile(device, argv[1], config, n);

  std::vector<bf16> x = randomNormal(size_t(m) * n, 1), y(x.size(), poison);
  std::vector<bf16> weight = randomNormal(n, 2), bias = randomNormal(n, 3);
  bf16 *deviceY = device.upload("y", y);
  const gluonc_tensor described = describe(device.upload("x", x), {m, n});
  const unsigned tiles = (m + config.rows - 1) / config.rows;
  Device::orExit(exe.launch({std::min(device.programs(), tiles)}, nullptr, &described, deviceY,
                            device.upload("weight", weight), device.upload("bias", bias), m, n,
                            1e-5));
  device.download(y, deviceY);

  size_t wrong = 0;
  for (int row = 0; row != m; ++row)
    wrong += countWrong(&x[size_t(row) * n], weight.data(), bias.data(), &y[size_t(row) * n], n);
  return report(device, std::to_string(m) + " rows of " + std::to_string(n), wrong, x.size());
}
