#include "StepInputs.h"

#include <algorithm>

namespace engine {

/// The weights of neighbouring seeds and positions have nothing in common (splitmix64's last
/// steps).
static uint64_t mixed(uint64_t seed, uint64_t position) {
  uint64_t bits = seed + (position + 1) * 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
  return bits ^ bits >> 31;
}

/// Of the token behind `length` tokens.
static uint64_t seedOf(const Sampling &sampling, int length) {
  return mixed(sampling.seed, static_cast<uint64_t>(length));
}

Expected<StepInputs> StepInputs::create(Gpu &gpu, const Limits &limits) {
  StepInputs made;
  made.limits = limits;
  const size_t sequences = static_cast<size_t>(limits.sequences);
  made.tableAt = (sequences * bytesOfSequence + 15) / 16 * 16;
  made.rowsAt = made.tableAt + sequences * static_cast<size_t>(limits.pagesOfSequence) * 4;
  made.rowsAt = (made.rowsAt + 15) / 16 * 16;
  const size_t bytes = made.rowsAt + static_cast<size_t>(limits.rows) * 12;
  Expected<Memory> onHost = gpu.allocateOnHost(bytes), onDevice = gpu.allocate(bytes);
  if (!onHost || !onDevice)
    return std::unexpected((onHost ? onDevice : onHost).error());
  made.host = std::move(*onHost);
  made.device = std::move(*onDevice);
  return made;
}

Inputs StepInputs::addresses(int rows) const {
  const uint64_t base = device.address(), sequences = static_cast<uint64_t>(limits.sequences);
  const uint64_t row = base + rowsAt, count = static_cast<uint64_t>(rows);
  return {row,
          row + count * 4,
          row + count * 8,
          base + sequences * 8,
          base + sequences * 12,
          base + tableAt,
          base + sequences * 16,
          base + sequences * 20,
          base + sequences * 24,
          base,
          base + sequences * 28};
}

void StepInputs::put(int sequence, const Work &work, int firstRow, int rows) {
  const int count = static_cast<int>(work.tokens.size()), length = work.position + count;
  const size_t sequences = static_cast<size_t>(limits.sequences);
  write(0, 8, sequence, seedOf(work.sampling, length));
  write(sequences * 8, 4, sequence, firstRow + count - 1);
  write(sequences * 12, 4, sequence, length);
  write(sequences * 16, 4, sequence, work.sampling.temperature);
  write(sequences * 20, 4, sequence, work.sampling.topP);
  write(sequences * 24, 4, sequence, work.sampling.topK);
  write(sequences * 28, 4, sequence, std::min(work.sampling.likely, mostLikely));
  const int pages = (length + positionsOfPage - 1) / positionsOfPage;
  std::memcpy(host.at(tableAt + static_cast<size_t>(sequence) *
                                    static_cast<size_t>(limits.pagesOfSequence) * 4),
              work.pages.data(), static_cast<size_t>(pages) * 4);
  for (int i = 0; i != count; ++i) {
    const int position = work.position + i;
    putRow(firstRow + i, rows, work.tokens[static_cast<size_t>(i)], position,
           work.pages[static_cast<size_t>(position / positionsOfPage)] * positionsOfPage +
               position % positionsOfPage);
  }
}

void StepInputs::putNothing(int row, int rows) {
  write(static_cast<size_t>(limits.sequences) * 12, 4, row, 0);
  write(static_cast<size_t>(limits.sequences) * 16, 4, row, 0.0F);
  write(static_cast<size_t>(limits.sequences) * 28, 4, row, -1);
  putRow(row, rows, 0, 0, -1);
}

Expected<void> StepInputs::upload(Gpu &gpu, int sequences, int rows) {
  const size_t bytes =
      tableAt + static_cast<size_t>(sequences) * static_cast<size_t>(limits.pagesOfSequence) * 4;
  if (Expected<void> done = gpu.upload(device.address(), host.at(), bytes); !done)
    return done;
  return gpu.upload(device.address() + rowsAt, host.at(rowsAt), static_cast<size_t>(rows) * 12);
}

void StepInputs::putRow(int row, int rows, int token, int position, int slot) {
  const size_t count = static_cast<size_t>(rows);
  write(rowsAt, 4, row, token);
  write(rowsAt + count * 4, 4, row, position);
  write(rowsAt + count * 8, 4, row, slot);
}

} // namespace engine
