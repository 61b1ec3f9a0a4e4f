// Multiplies matrices of fp8 with scales of blocks, into bfloat16, by the kernel of scaled.py.
//   scaled scaled.py [cpu|cuda [M N K]]
#include "../cpp/device.hpp"

#include <algorithm>
#include <cmath>

namespace {

constexpr int consumers = 3, stages = 4, group = 8, width = 64, buffers = 2, registers = 160;
constexpr int block = 128;

/// e4m3: four bits of exponent, three of fraction.
using fp8 = uint8_t;
float fp8ToFloat(fp8 value) {
  const int exponent = value >> 3 & 15, fraction = value & 7;
  const float size = exponent == 0 ? std::ldexp(float(fraction), -9)
                                   : std::ldexp(float(8 + fraction), exponent - 10);
  return value & 0x80 ? -size : size;
}

/// Numbers from -2 to 2.
std::vector<fp8> randomFp8(size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<fp8> values(count);
  for (fp8 &value : values) {
    const unsigned bits = engine();
    value = fp8(bits % 0x41 | (bits >> 24 & 0x80));
  }
  return values;
}

std::vector<float> randomScales(size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> uniform(0.5F, 1.5F);
  std::vector<float> values(count);
  for (float &value : values)
    value = uniform(engine);
  return values;
}

gluonc::Executable compile(Device &device, const char *path) {
  const char *bytes = "gl.NVMMASharedLayout(128, 8)";
  const gluonc::Argument count = gluonc::scalar("i32");
  return device.compile(path, "scaled_matmul",
                        {gluonc::descriptor("fp8e4nv", {64, block}, bytes),
                         gluonc::descriptor("fp8e4nv", {block, block}, bytes),
                         gluonc::descriptor("bf16", {64, width}, "gl.NVMMASharedLayout(128, 16)"),
                         gluonc::descriptor("fp32", {1, 64}, "gl.NVMMASharedLayout(0, 32)"),
                         gluonc::pointer("fp32").align(16), count, count, count,
                         gluonc::constant(consumers), gluonc::constant(stages),
                         gluonc::constant(group), gluonc::constant(buffers),
                         gluonc::constant(registers)},
                        {.numWarps = 4});
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3 && argc != 6) {
    std::fprintf(stderr, "usage: %s scaled.py [cpu|cuda [M N K]]\n", argv[0]);
    return 2;
  }
  Device device(argc > 2 ? argv[2] : "");
  const bool given = argc == 6;
  const int m = given ? std::atoi(argv[3]) : 200, n = given ? std::atoi(argv[4]) : 136,
            k = given ? std::atoi(argv[5]) : 336;
  if (m < 4 || n < 8 || k < 16 || m % 4 != 0 || n % 8 != 0 || k % 16 != 0) {
    std::fprintf(stderr, "M, N and K whole units of 16 bytes: of scales, of C, of A and B\n");
    return 2;
  }
  gluonc::Executable exe = compile(device, argv[1]);

  const int steps = (k + block - 1) / block, columns = (n + block - 1) / block;
  std::vector<fp8> a = randomFp8(size_t(m) * k, 1), b = randomFp8(size_t(n) * k, 2);
  std::vector<float> scalesA = randomScales(size_t(steps) * m, 3),
                     scalesB = randomScales(size_t(columns) * steps, 4);
  std::vector<bf16> c(size_t(m) * n, poison);
  bf16 *deviceC = device.upload("c", c);
  const gluonc_tensor describedA = describe(device.upload("a", a), {m, k}, "fp8e4nv");
  const gluonc_tensor describedB = describe(device.upload("b", b), {n, k}, "fp8e4nv");
  const gluonc_tensor describedC = describe(deviceC, {m, n});
  const gluonc_tensor describedScales =
      describe(device.upload("scalesA", scalesA), {steps, m}, "fp32");
  const unsigned tiles = unsigned((m + 191) / 192 * columns);
  Device::orExit(exe.launch({std::min(device.programs(), tiles)}, nullptr, &describedA, &describedB,
                            &describedC, &describedScales, device.upload("scalesB", scalesB), m, n,
                            k));
  device.download(c, deviceC);

  // Some elements of each row against double precision.
  std::mt19937 engine(5);
  size_t wrong = 0, looked = 0;
  for (int row = 0; row != m; ++row)
    for (int sample = 0; sample != 16; ++sample, ++looked) {
      const size_t column = engine() % unsigned(n);
      double sum = 0;
      for (int i = 0; i != k; ++i)
        sum += double(fp8ToFloat(a[size_t(row) * k + i])) * fp8ToFloat(b[column * k + i]) *
               scalesA[size_t(i / block) * m + row] * scalesB[column / block * steps + i / block];
      // Tensor cores keep 13 bits and more of the sum of a block.
      const double bound = std::abs(sum) / 256 + 1e-2 * std::sqrt(k);
      wrong += !(std::abs(toFloat(c[size_t(row) * n + column]) - sum) <= bound);
    }
  return report(device,
                std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) +
                    " with scales",
                wrong, looked);
}
