// Multiplies matrices of bfloat16 by the kernel of matmul.py: C = A B^T.
//   matmul matmul.py [cpu|cuda [M N K]]
#include "../cpp/device.hpp"

#include <cmath>

namespace {

constexpr int tileRows = 256, tileColumns = 256, depth = 64, stages = 6;
constexpr int parts = 1, buffers = 2, group = 8, width = 64, staging = 2;

gluonc::Executable compile(Device &device, const char *path) {
  // Each CTA of a pair has half of the rows of a block.
  const char *layout = "gl.NVMMASharedLayout(128, 16, rank=2, cga_layout=[[1, 0]])";
  return device.compile(path, "matmul",
                        {gluonc::descriptor("bf16", {tileRows, depth}, layout),
                         gluonc::descriptor("bf16", {tileColumns, depth}, layout),
                         /*a_scale=*/gluonc::none(), /*b_scale=*/gluonc::none(),
                         gluonc::descriptor("bf16", {tileRows, width}, layout),
                         /*alpha=*/gluonc::scalar("fp32"), gluonc::scalar("i32"),
                         gluonc::scalar("i32"), gluonc::scalar("i32"), gluonc::constant(stages),
                         gluonc::constant(parts), gluonc::constant(buffers),
                         gluonc::constant(group), gluonc::constant(staging)},
                        {.numWarps = 4, .numCtas = 2});
}

/// Elements of `c` that double precision says are wrong, among `samples` drawn at random.
size_t countWrong(const std::vector<bf16> &a, const std::vector<bf16> &b,
                  const std::vector<bf16> &c, double alpha, int m, int n, int k, size_t samples) {
  std::mt19937 engine(3);
  size_t wrong = 0;
  for (size_t sample = 0; sample != samples; ++sample) {
    const size_t row = engine() % m, column = engine() % n;
    double sum = 0;
    for (int i = 0; i != k; ++i)
      sum += alpha * toFloat(a[row * k + i]) * toFloat(b[column * k + i]);
    const double bound = std::abs(sum) / 256 + 1e-4 * std::sqrt(k);
    wrong += !(std::abs(toFloat(c[row * n + column]) - sum) <= bound);
  }
  return wrong;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3 && argc != 6) {
    std::fprintf(stderr, "usage: %s matmul.py [cpu|cuda [M N K]]\n", argv[0]);
    return 2;
  }
  Device device(argc > 2 ? argv[2] : "", gluonc::Target::cuda(100, 'a'));
  const bool given = argc == 6;
  const int m = given ? std::atoi(argv[3]) : 300, n = given ? std::atoi(argv[4]) : 520,
            k = given ? std::atoi(argv[5]) : 336;
  const double alpha = 0.5;
  gluonc::Executable exe = compile(device, argv[1]);

  std::vector<bf16> a = randomNormal(size_t(m) * k, 1), b = randomNormal(size_t(n) * k, 2);
  std::vector<bf16> c(size_t(m) * n, poison);
  bf16 *deviceC = device.upload("c", c);
  const gluonc_tensor describedA = describe(device.upload("a", a), {m, k});
  const gluonc_tensor describedB = describe(device.upload("b", b), {n, k});
  const gluonc_tensor describedC = describe(deviceC, {m, n});
  // As many as there are tiles: those that run take over the work of those that have not begun.
  const unsigned tiles = ((m + tileRows - 1) / tileRows) * ((n + tileColumns - 1) / tileColumns);
  Device::orExit(
      exe.launch({tiles}, nullptr, &describedA, &describedB, &describedC, alpha, m, n, k));
  device.download(c, deviceC);
  const size_t samples = 10'000;
  return report(device, std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k),
                countWrong(a, b, c, alpha, m, n, k, samples), samples);
}
