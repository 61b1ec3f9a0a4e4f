// Attention of one token over a paged cache of bfloat16 by the kernel of decode.py.
//   decode decode.py [cpu|cuda [SEQUENCES POSITIONS]]
#include "../cpp/device.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace {

constexpr int heads = 2, group = 4, page = 64, d = 128, stages = 2;

/// Keys and values in pages that lie in any order; what no sequence has is not a number.
struct Cache {
  Cache(int sequences, int positions) {
    std::mt19937 engine(1);
    for (int i = 0; i != sequences; ++i)
      lengths.push_back(i == 1 ? 0 : int(engine() % unsigned(positions)) + 1);
    stride = (positions + page - 1) / page;
    std::vector<int> order(size_t(sequences) * stride);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), engine);
    table = order;
    keys = randomNormal(order.size() * heads * page * d, 2);
    values = randomNormal(keys.size(), 3);
    for (int i = 0; i != sequences; ++i)
      for (int position = lengths[i]; position != stride * page; ++position)
        for (int head = 0; head != heads; ++head)
          for (std::vector<bf16> *cache : {&keys, &values})
            std::fill_n(cache->begin() + long(offset(i, position, head)), d, poison);
  }
  size_t offset(int sequence, int position, int head) const {
    const size_t at = size_t(table[size_t(sequence) * stride + position / page]);
    return ((at * heads + head) * page + position % page) * d;
  }
  int stride;
  std::vector<int> lengths, table;
  std::vector<bf16> keys, values;
};

gluonc::Executable compile(Device &device, const char *path, int sequences) {
  const gluonc::Argument pages =
      gluonc::descriptor("bf16", {1, page, d}, "gl.NVMMASharedLayout(128, 16, rank=3)");
  const gluonc::Argument numbers = gluonc::pointer("i32").align(16), count = gluonc::scalar("i32");
  return device.compile(
      path, "decode",
      {gluonc::descriptor("bf16", {64, d}, "gl.NVMMASharedLayout(128, 16)"), pages, pages,
       gluonc::pointer("bf16").align(16), gluonc::pointer("fp32").align(16), numbers, numbers,
       count, numbers, count, count, gluonc::scalar("fp32"), gluonc::constant(group),
       gluonc::constant(int(std::bit_ceil(unsigned(sequences)))), gluonc::constant(stages)},
      {.numWarps = 4});
}

/// Elements of a sequence's result for one head of queries that double precision says are wrong.
size_t countWrong(const Cache &cache, int sequence, int head, const bf16 *q, const bf16 *o) {
  const int length = cache.lengths[sequence];
  std::vector<double> weights(length), expected(d, 0);
  double sum = 0;
  for (int position = 0; position != length; ++position) {
    const bf16 *key = &cache.keys[cache.offset(sequence, position, head / group)];
    double score = 0;
    for (int i = 0; i != d; ++i)
      score += double(toFloat(q[i])) * toFloat(key[i]);
    sum += weights[position] = std::exp(score / std::sqrt(d));
  }
  for (int position = 0; position != length; ++position)
    for (int i = 0; i != d; ++i)
      expected[i] += weights[position] / sum *
                     toFloat(cache.values[cache.offset(sequence, position, head / group) + i]);
  size_t wrong = 0;
  for (int i = 0; i != d; ++i)
    wrong += !(std::abs(toFloat(o[i]) - expected[i]) <= std::abs(expected[i]) / 64 + 1.0 / 128);
  return wrong;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3 && argc != 5) {
    std::fprintf(stderr, "usage: %s decode.py [cpu|cuda [SEQUENCES POSITIONS]]\n", argv[0]);
    return 2;
  }
  Device device(argc > 2 ? argv[2] : "");
  const int sequences = argc == 5 ? std::atoi(argv[3]) : 3,
            positions = argc == 5 ? std::atoi(argv[4]) : 300;
  if (sequences < 1 || positions < 1) {
    std::fprintf(stderr, "one sequence and one position at least\n");
    return 2;
  }
  gluonc::Executable exe = compile(device, argv[1], sequences);

  Cache cache(sequences, positions);
  const int pages = sequences * cache.stride, rows = sequences * heads * group;
  std::vector<bf16> q = randomNormal(size_t(rows) * d, 4), o(q.size(), poison);
  // What a program leaves unfinished, twice; and who came, which each launch leaves as it found it.
  std::vector<float> partial(size_t(4) * device.programs() * group * (d + 2));
  std::vector<int> arrived(size_t(2) * device.programs(), 0);
  bf16 *deviceO = device.upload("o", o);
  const gluonc_tensor describedQ = describe(device.upload("q", q), {rows, d});
  const gluonc_tensor keys = describe(device.upload("keys", cache.keys), {pages * heads, page, d});
  const gluonc_tensor values =
      describe(device.upload("values", cache.values), {pages * heads, page, d});
  Device::orExit(exe.launch({device.programs()}, nullptr, &describedQ, &keys, &values, deviceO,
                            device.upload("partial", partial), device.upload("arrived", arrived),
                            device.upload("table", cache.table), cache.stride,
                            device.upload("lengths", cache.lengths), sequences, heads,
                            1.4426950408889634 / std::sqrt(d)));
  device.download(o, deviceO);

  size_t wrong = 0;
  for (int row = 0; row != rows; ++row)
    wrong += countWrong(cache, row / (heads * group), row % (heads * group), &q[size_t(row) * d],
                        &o[size_t(row) * d]);
  return report(device, std::to_string(sequences) + " sequences", wrong, o.size());
}
