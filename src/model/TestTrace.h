//===- TestTrace.h - Traces that tests write -----------------------------------===//
#pragma once

#include "model/Prediction.h"

#include <gtest/gtest.h>

namespace gluonc::model {

/// Figures that are easy to add up.
inline constexpr Speeds testChip = {
    .capability = 0,
    .name = "test",
    .areMeasured = false,
    .multiprocessors = 10,
    .megahertz = 1000,
    .productMegahertz = 500,
    .launchMicroseconds = 1,
    .ctaCycles = 5,
    .pipes = {{{1, 4}, {2, 4}, {8, 20}, {2, 6}, {2, 16}, {0, 32}}},
    .tensorFlops = 1024,
    .warpProductShare = 0.5,
    .wgmmaLatency = 10,
    .sharedBytesPerCycle = 128,
    .sharedLatency = 30,
    .shuffleLatency = 20,
    .firstLevelLatency = 40,
    .firstLevelBytes = 128 * 1024,
    .secondLevelBytesPerCycle = 64,
    .distinctBytesPerCycle = 64,
    .commonBytesPerCycle = 64,
    .secondLevelLatency = 200,
    .atomicLatency = 300,
    .secondLevelBytes = 1e6,
    .memoryGigabytesPerSecond = 100,
    .memoryLatency = 500,
    .memoryGranule = 32,
    .loneGranule = 32,
    .boxLatency = 100,
    .barrierLatency = 20,
    .barrierCycles = 2,
    .mbarrierLatency = 20,
    .branchLatency = 8,
};

/// One cluster of one CTA, warp by warp.
class TestTrace {
public:
  explicit TestTrace(unsigned warps = 1) {
    trace.registers = 64;
    trace.clusters.resize(1);
    trace.clusters.front().ctas.resize(1);
    cta().warps.resize(warps);
  }
  Trace trace;

  CtaTrace &cta() { return trace.clusters.front().ctas.front(); }

  void add(unsigned warp, Work work, int32_t detail = -1) {
    cta().warps[warp].push_back({static_cast<uint32_t>(trace.code.size()), detail, 32});
    trace.code.push_back(std::move(work));
    trace.places.push_back({1, static_cast<unsigned>(trace.code.size()), 1});
    trace.names.push_back("test");
    trace.sharers.emplace_back();
  }
  void math(unsigned warp, Pipe pipe, int32_t to, llvm::SmallVector<int32_t, 8> from = {}) {
    auto [cycles, latency] = testChip.pipes[unsigned(pipe)];
    Work work;
    work.rule = Rule::Math;
    work.pipe = pipe;
    work.cycles = cycles;
    work.latency = latency;
    work.written = {to};
    work.read = std::move(from);
    add(warp, std::move(work));
  }
  /// 32 lanes of 4 bytes, side by side, each time another line unless `line` says which.
  void load(unsigned warp, int32_t to, llvm::SmallVector<int32_t, 8> from = {},
            std::optional<uint32_t> line = std::nullopt) {
    Work work;
    work.rule = Rule::Access;
    work.written = {to};
    work.read = std::move(from);
    add(warp, std::move(work), sectors(line.value_or(nextLine++)));
  }
  void shared(unsigned warp, int32_t to, unsigned wavefronts) {
    Work work;
    work.rule = Rule::Access;
    work.written = {to};
    Detail detail;
    detail.wavefronts = static_cast<uint16_t>(wavefronts);
    add(warp, std::move(work), keep(detail));
  }
  void asyncCopy(unsigned warp) {
    Work work;
    work.rule = Rule::AsyncCopy;
    work.bypassesFirstLevel = true;
    add(warp, std::move(work), sectors(nextLine++));
  }
  void queue(unsigned warp, Rule rule, Queue queue, unsigned left = 0) {
    Work work;
    work.rule = rule;
    work.queue = queue;
    work.left = left;
    add(warp, std::move(work));
  }
  void product(unsigned warp, double cycles) {
    Work work;
    work.rule = Rule::AsyncProduct;
    work.pipe = Pipe::Tensor;
    work.cycles = cycles;
    work.latency = testChip.wgmmaLatency;
    add(warp, std::move(work));
  }
  /// In tensor memory, and the arrival behind all of a warp's.
  void tensorProduct(unsigned warp, float cycles, float operandCycles = 0) {
    Work work;
    work.rule = Rule::TensorProduct;
    Detail detail;
    detail.tensorCycles = cycles;
    detail.operandCycles = operandCycles;
    add(warp, std::move(work), keep(detail));
  }
  void scope(unsigned warp, unsigned number, bool ends) {
    Work work;
    work.rule = Rule::Scope;
    work.left = 2 * number + ends;
    add(warp, std::move(work));
  }
  void tensorCommit(unsigned warp, uint64_t barrier) {
    Work work;
    work.rule = Rule::TensorCommit;
    Detail detail;
    detail.signals = keep({ptx::Signal::Kind::Arrive, barrier, 1});
    add(warp, std::move(work), keep(detail));
  }
  void signal(unsigned warp, ptx::Signal signal) {
    Work work;
    work.rule = Rule::Signal;
    Detail detail;
    detail.signals = keep(signal);
    add(warp, std::move(work), keep(detail));
  }
  void loadBox(unsigned warp, uint32_t bytes, uint64_t barrier) {
    Work work;
    work.rule = Rule::BoxLoad;
    Detail detail;
    detail.boxBytes = bytes;
    detail.signals = keep({ptx::Signal::Kind::Deliver, barrier, bytes});
    add(warp, std::move(work), keep(detail));
  }

  Replayed run(unsigned times = 1, unsigned resident = 1) const {
    Conditions conditions;
    conditions.memoryBytesPerCycle = 64;
    conditions.distinctBytesPerCycle = conditions.commonBytesPerCycle = 64;
    conditions.firstLevelBytes = testChip.firstLevelBytes;
    return replay(trace, testChip, conditions,
                  {std::vector<uint32_t>(times, 0), resident, /*recorded=*/1});
  }
  double cycles() const { return run().cycles; }

private:
  int32_t keep(const Detail &detail) {
    cta().details.push_back(detail);
    return static_cast<int32_t>(cta().details.size()) - 1;
  }
  Slice keep(const ptx::Signal &signal) {
    auto begin = static_cast<uint32_t>(cta().signals.size());
    cta().signals.push_back(signal);
    return {begin, begin + 1};
  }
  int32_t sectors(uint32_t line) {
    Detail detail;
    detail.lines = 1;
    auto begin = static_cast<uint32_t>(cta().sectors.size());
    for (uint32_t i = 0; i != 4; ++i)
      cta().sectors.push_back(4 * line + i);
    detail.sectors = {begin, begin + 4};
    return keep(detail);
  }
  uint32_t nextLine = 1000;
};

} // namespace gluonc::model
