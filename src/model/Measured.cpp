#include "model/Measured.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <deque>

namespace gluonc::model {

using ptx::Record;
using ptx::RecordHeader;
using What = ptx::TimedPlace::What;

namespace {

/// What one warp recorded.
class WarpRecords {
public:
  WarpRecords(const ptx::TimestampedKernel &kernel, llvm::ArrayRef<uint8_t> memory) {
    std::memcpy(&header, memory.data(), sizeof header);
    std::vector<Record> all((memory.size() - sizeof header) / sizeof(Record));
    std::memcpy(all.data(), memory.data() + sizeof header, all.size() * sizeof(Record));
    size_t at = 0;
    while (at + kernel.longestStretch() <= all.size()) {
      const uint32_t stretch = all[at].stretch();
      if (!stretch || stretch >= kernel.stretches.size())
        break;
      bool isFirst = true;
      for (uint32_t place : kernel.stretches[stretch]) {
        const Record &record = all[at++];
        records.push_back(
            {place, record.endCycles, isFirst ? record.firstLength() : record.length()});
        isFirst = false;
      }
    }
    full = at + kernel.longestStretch() > all.size();
  }

  bool hasBegun() const { return header.beginNanoseconds != 0; }
  bool hasEnded() const { return header.endNanoseconds > header.beginNanoseconds; }
  bool isFull() const { return full; }
  /// Cycles of the clock in a nanosecond; only of a warp that has ended.
  double rate() const {
    return double(header.endCycles - header.beginCycles) /
           double(header.endNanoseconds - header.beginNanoseconds);
  }

  struct Wait {
    uint32_t place = 0, endCycles = 0, length = 0;
  };
  RecordHeader header;
  std::vector<Wait> records;

private:
  bool full = false;
};

class Reader {
public:
  Reader(const ptx::TimestampedKernel &kernel, llvm::ArrayRef<uint8_t> memory,
         llvm::ArrayRef<Partition> partitions)
      : kernel(kernel), partitions(partitions) {
    constexpr size_t size = ptx::TimestampedKernel::bytesOfWarp;
    for (size_t at = 0; at + size <= memory.size(); at += size)
      warps.emplace_back(kernel, memory.slice(at, size));
  }

  MeasuredLaunch read() {
    origin = ~uint64_t(0);
    std::vector<double> rates;
    for (const WarpRecords &warp : warps) {
      if (warp.hasBegun())
        origin = std::min(origin, warp.header.beginNanoseconds);
      if (warp.hasBegun() && warp.hasEnded())
        rates.push_back(warp.rate());
      made.full += warp.isFull();
    }
    if (rates.empty())
      return std::move(made);
    // The global timer ticks in tens of nanoseconds, so that single rates are off by a little.
    llvm::sort(rates);
    rate = rates[rates.size() / 2];
    for (auto [number, warp] : llvm::enumerate(warps))
      if (warp.hasBegun() && isShown(number % kernel.warps))
        readWarp(uint32_t(number / kernel.warps), uint32_t(number % kernel.warps), warp);
    return std::move(made);
  }

private:
  /// One of four warps that multiply together, the first.
  bool isShown(size_t warp) const {
    for (const Partition &partition : partitions)
      if (partition.firstWarp <= warp && warp <= partition.lastWarp)
        return (warp - partition.firstWarp) % 4 == 0;
    return warp % 4 == 0;
  }

  void readWarp(uint32_t cta, uint32_t warp, const WarpRecords &records) {
    const RecordHeader &header = records.header;
    auto timeOf = [&](uint32_t cycles) {
      return (double(header.beginNanoseconds - origin) +
              double(cycles - header.beginCycles) / rate) /
             1e3;
    };
    if (warp == 0 && records.hasEnded())
      made.spans.push_back({MeasuredSpan::Kind::Cta, cta, 0, 0, timeOf(header.beginCycles),
                            timeOf(header.endCycles)});
    /// Groups of products that run, the oldest one first: their places and beginnings.
    std::deque<std::pair<uint32_t, double>> running;
    /// Regions that it is in: their names and beginnings.
    std::vector<std::pair<llvm::StringRef, double>> scopes;
    for (const WarpRecords::Wait &record : records.records) {
      const ptx::TimedPlace &place = kernel.places[record.place];
      double end = timeOf(record.endCycles), begin = end - record.length / rate / 1e3;
      if (place.what == What::Group) {
        running.emplace_back(record.place, end);
        continue;
      }
      if (place.what == What::Enter) {
        scopes.emplace_back(place.instruction, end);
        continue;
      }
      if (place.what == What::Exit) {
        auto begun = llvm::find_if(llvm::reverse(scopes), [&](const auto &scope) {
          return scope.first == place.instruction;
        });
        if (begun == scopes.rend())
          continue;
        made.spans.push_back(
            {MeasuredSpan::Kind::Region, cta, warp, record.place, begun->second, end});
        scopes.erase(std::prev(begun.base()));
        continue;
      }
      made.spans.push_back({MeasuredSpan::Kind::Wait, cta, warp, record.place, begin, end});
      if (place.what == What::GroupWait)
        for (; running.size() > place.pending; running.pop_front())
          made.spans.push_back({MeasuredSpan::Kind::Product, cta, warp, running.front().first,
                                running.front().second, end});
    }
  }

  const ptx::TimestampedKernel &kernel;
  llvm::ArrayRef<Partition> partitions;
  std::vector<WarpRecords> warps;
  uint64_t origin = 0;
  double rate = 1;
  MeasuredLaunch made;
};

} // namespace

MeasuredLaunch readRecords(const ptx::TimestampedKernel &kernel, llvm::ArrayRef<uint8_t> memory,
                           llvm::ArrayRef<Partition> partitions) {
  return Reader(kernel, memory, partitions).read();
}

} // namespace gluonc::model
