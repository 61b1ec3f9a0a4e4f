// Multiplies the rows of each expert by the expert's matrix, in bfloat16, by the kernel of
// grouped.py.
//   grouped grouped.py [cpu|cuda [EXPERTS ROWS N K]]       ROWS: at most, of one expert
#include "../cpp/device.hpp"

#include <cmath>

namespace {

constexpr int tileRows = 128, tileColumns = 256, depth = 64, stages = 4;
constexpr int group = 16, width = 64, buffers = 2, registers = 240;

gluonc::Executable compile(Device &device, const char *path, int experts, int n) {
  const char *layout = "gl.NVMMASharedLayout(128, 16)";
  const gluonc::Argument count = gluonc::scalar("i32");
  // The promise that lets rows be stored 16 bytes at a time.
  const gluonc::Argument columns = n % 16 == 0 ? gluonc::scalar("i32").align(16) : count;
  return device.compile(path, "grouped_matmul",
                        {gluonc::descriptor("bf16", {tileRows, depth}, layout),
                         gluonc::descriptor("bf16", {tileColumns, depth}, layout),
                         gluonc::descriptor("bf16", {tileRows / 2, width}, layout),
                         gluonc::pointer("bf16").align(16), gluonc::pointer("i32").align(16), count,
                         columns, count, gluonc::constant(stages), gluonc::constant(group),
                         gluonc::constant(buffers), gluonc::constant(registers),
                         gluonc::constant(int(std::bit_ceil(unsigned(experts))))},
                        {.numWarps = 4});
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3 && argc != 7) {
    std::fprintf(stderr, "usage: %s grouped.py [cpu|cuda [EXPERTS ROWS N K]]\n", argv[0]);
    return 2;
  }
  Device device(argc > 2 ? argv[2] : "");
  const bool given = argc == 7;
  const int experts = given ? std::atoi(argv[3]) : 4, rows = given ? std::atoi(argv[4]) : 200,
            n = given ? std::atoi(argv[5]) : 264, k = given ? std::atoi(argv[6]) : 144;
  if (experts < 1 || rows < 1 || n < 8 || k < 8 || n % 8 != 0 || k % 8 != 0) {
    std::fprintf(stderr, "one expert and row at least; N and K whole units of 16 bytes\n");
    return 2;
  }
  gluonc::Executable exe = compile(device, argv[1], experts, n);

  std::mt19937 engine(4);
  std::vector<int> ends;
  for (int expert = 0, end = 0; expert != experts; ++expert)
    ends.push_back(end += int(engine() % unsigned(rows + 1)));
  const int m = ends.back() + 1;
  std::vector<bf16> a = randomNormal(size_t(m) * k, 1), c(size_t(m) * n, poison);
  std::vector<bf16> b = randomNormal(size_t(experts) * n * k, 2);
  bf16 *deviceC = device.upload("c", c);
  const gluonc_tensor describedA = describe(device.upload("a", a), {m, k});
  const gluonc_tensor describedB = describe(device.upload("b", b), {int64_t(experts) * n, k});
  const gluonc_tensor describedC = describe(deviceC, {m, n});
  Device::orExit(exe.launch({device.programs()}, nullptr, &describedA, &describedB, &describedC,
                            deviceC, device.upload("ends", ends), experts, n, k));
  device.download(c, deviceC);

  // Some elements of each row against double precision; the last row is no expert's.
  size_t wrong = 0, looked = 0;
  for (int row = 0, expert = 0; row != m; ++row) {
    while (expert != experts && row >= ends[expert])
      ++expert;
    for (int sample = 0; sample != 16; ++sample, ++looked) {
      const size_t column = engine() % unsigned(n);
      const bf16 found = c[size_t(row) * n + column];
      if (expert == experts) {
        wrong += found != poison;
        continue;
      }
      double sum = 0;
      for (int i = 0; i != k; ++i)
        sum += double(toFloat(a[size_t(row) * k + i])) *
               toFloat(b[(size_t(expert) * n + column) * k + i]);
      wrong += !(std::abs(toFloat(found) - sum) <= std::abs(sum) / 256 + 1e-4 * std::sqrt(k));
    }
  }
  return report(device, std::to_string(experts) + " experts, " + std::to_string(m) + " rows", wrong,
                looked);
}
