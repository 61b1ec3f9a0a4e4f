//===- Replayer.h - The events of a replay ------------------------------------------===//
//
// Warps go on and signals arrive, in the order of their times. What an instruction does to
// units is in ReplayWork.cpp.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/ReplayState.h"

#include <limits>
#include <queue>

namespace gluonc::model {

class Replayer {
public:
  Replayer(const Trace &trace, const Speeds &chip, const Conditions &conditions,
           const Schedule &schedule)
      : trace(trace), chip(chip), conditions(conditions), schedule(schedule) {
    size_t size = trace.clusters.front().ctas.size();
    for (size_t i = 0; i != size; ++i)
      processors.emplace_back(chip, this->conditions);
  }

  Replayed run() {
    for (unsigned i = 0; i != schedule.resident; ++i)
      startCluster(0);
    while (!events.empty() || unpark()) {
      Event event = events.top();
      events.pop();
      now = event.time;
      if (event.cluster)
        apply(*event.cluster, event.signal);
      else
        run(event.warp);
    }
    return finish();
  }

private:
  /// At one time signals arrive first, then the oldest warp goes on.
  static constexpr uint64_t behindSignals = uint64_t(1) << 32;
  static constexpr uint32_t noWarp = std::numeric_limits<uint32_t>::max();

  // -- Clusters ------------------------------------------------------------------

  void startCluster(double time) {
    if (started == schedule.clusters.size())
      return;
    time = starter.take({time, time}, chip.ctaCycles);
    Cluster &cluster = *clusters.emplace_back(std::make_unique<Cluster>());
    cluster.trace = &trace.clusters[schedule.clusters[started]];
    cluster.number = static_cast<uint32_t>(started * cluster.trace->ctas.size());
    cluster.isRecorded = started++ < schedule.recorded;
    cluster.begin = time;
    for (auto [rank, cta] : llvm::enumerate(cluster.trace->ctas))
      for (auto [number, ops] : llvm::enumerate(cta.warps)) {
        cluster.threads += lanes;
        ++cluster.warpsLeft;
        auto index = static_cast<uint32_t>(warps.size());
        Warp &warp = *warps.emplace_back(std::make_unique<Warp>());
        warp.cluster = &cluster;
        warp.rank = static_cast<unsigned>(rank);
        warp.number = static_cast<unsigned>(number);
        warp.cta = &cta;
        warp.ops = &ops;
        warp.ready.assign(trace.registers, 0);
        warp.begun.fill(time);
        warp.since = warp.latest = time;
        wake(index, time);
      }
  }

  void endWarp(uint32_t index) {
    Warp &warp = *warps[index];
    Cluster &cluster = *warp.cluster;
    double end = std::max({now, warp.latest, warp.stored});
    for (const Groups &groups : warp.groups)
      end = std::max(end, groups.open.read);
    cluster.end = end = std::max(cluster.end, end);
    warps[index].reset();
    if (--cluster.warpsLeft)
      return;
    result.ends.push_back(end);
    if (cluster.isRecorded)
      for (uint32_t rank = 0; rank != cluster.trace->ctas.size(); ++rank)
        result.spans.push_back({Span::Kind::Cta, cluster.number + rank, 0, 0, cluster.begin, end});
    startCluster(end);
  }

  Replayed finish() {
    llvm::sort(result.ends);
    result.cycles = result.ends.back();
    for (unsigned i = 0; i != unitCount; ++i)
      for (const Multiprocessor &processor : processors)
        result.busy[i] = std::max(result.busy[i], processor.busy(Unit(i)));
    return std::move(result);
  }

  // -- Events --------------------------------------------------------------------

  void wake(uint32_t warp, double time) { events.push({time, behindSignals + warp, warp}); }
  void send(Cluster &cluster, const ptx::Signal &signal, double time) {
    events.push({time, order++, noWarp, &cluster, signal});
  }
  /// Until it is released, behind the instruction.
  void park(uint32_t index, Waiting &waiting) {
    waiting.push_back(index);
    warps[index]->waitsFor = Spent::Barriers;
    warps[index]->isParked = true;
    ++warps[index]->next;
  }
  void release(Waiting &waiting, double time) {
    for (uint32_t index : std::exchange(waiting, {}))
      if (warps[index] && warps[index]->isParked) {
        warps[index]->isParked = false;
        wake(index, time);
      }
  }
  /// Nothing comes any more that warps wait for, as when arrivals were of CTAs that are not in the
  /// trace: they go on. Whether there are any.
  bool unpark() {
    bool any = false;
    for (auto [index, warp] : llvm::enumerate(warps))
      if (warp && warp->isParked) {
        warp->isParked = false;
        ++result.lost;
        wake(static_cast<uint32_t>(index), now);
        any = true;
      }
    return any;
  }

  void apply(Cluster &cluster, const ptx::Signal &signal) {
    Mbarrier &barrier = cluster.mbarriers[signal.barrier];
    if (barrier.apply(signal.kind, signal.count))
      release(barrier.waiting, now + chip.mbarrierLatency);
  }

  // -- Instructions --------------------------------------------------------------

  void run(uint32_t index) {
    Warp &warp = *warps[index];
    result.spent[unsigned(warp.waitsFor)] += now - warp.since;
    noteWait(warp);
    warp.since = now;
    warp.waitsFor = Spent::Working;
    while (warp.next != warp.ops->size()) {
      const Op &op = (*warp.ops)[warp.next];
      const Work &work = trace.code[op.instruction];
      if (work.rule == Rule::Free) {
        double ready = operandsOf(warp, work);
        setResults(warp, work, ready);
        ++warp.next;
        continue;
      }
      if (work.rule == Rule::Scope) {
        passBorder(warp, op, work.left);
        ++warp.next;
        continue;
      }
      double slot = slotOf(warp, work);
      if (slot > now)
        return wake(index, slot);
      warp.waitedAt = warp.next;
      return execute(index, warp, op, work);
    }
    endWarp(index);
  }

  /// A region begins or ends when the latest instruction before its border has begun.
  void passBorder(Warp &warp, const Op &op, unsigned border) {
    if (!warp.cluster->isRecorded)
      return;
    const double time = std::max(now, warp.latest);
    const unsigned number = border / 2;
    if (border % 2 == 0)
      return void(warp.scopes.emplace_back(number, time));
    auto begun = llvm::find_if(llvm::reverse(warp.scopes),
                               [&](const auto &scope) { return scope.first == number; });
    if (begun == warp.scopes.rend())
      return;
    result.spans.push_back({Span::Kind::Region, warp.cluster->number + warp.rank, warp.number,
                            op.instruction, begun->second, time});
    warp.scopes.erase(std::prev(begun.base()));
  }

  void noteWait(const Warp &warp) {
    constexpr double leastCycles = 16;
    if (warp.cluster->isRecorded && now - warp.since >= leastCycles &&
        warp.waitsFor != Spent::Working && warp.waitsFor != Spent::Operands)
      note(Span::Kind::Wait, warp, (*warp.ops)[warp.waitedAt], warp.since, now);
  }
  /// Joins what one line does without a gap.
  void note(Span::Kind kind, const Warp &warp, const Op &op, double begin, double end) {
    if (!warp.cluster->isRecorded)
      return;
    Span span{kind, warp.cluster->number + warp.rank, warp.number, op.instruction, begin, end};
    auto [at, isNew] = latestSpans.try_emplace({span.cta, span.warp, kind}, result.spans.size());
    if (!isNew) {
      Span &last = result.spans[at->second];
      if (begin <= last.end &&
          trace.places[last.instruction].line == trace.places[op.instruction].line) {
        last.end = std::max(last.end, end);
        return;
      }
      at->second = result.spans.size();
    }
    result.spans.push_back(span);
  }

  Multiprocessor &processorOf(const Warp &warp) { return processors[warp.rank]; }
  Multiprocessor::Quarter &quarterOf(const Warp &warp) {
    return processorOf(warp).parts[warp.number % Multiprocessor::quarters];
  }

  static double operandsOf(const Warp &warp, const Work &work) {
    double ready = 0;
    for (int32_t reg : work.read)
      ready = std::max(ready, warp.ready[static_cast<size_t>(reg)]);
    return ready;
  }
  static void setResults(Warp &warp, const Work &work, double time) {
    for (int32_t reg : work.written)
      warp.ready[static_cast<size_t>(reg)] = time;
  }

  /// Whether an instruction begins only when all before it have.
  static bool isFixed(const Work &work) {
    if (work.inOrder)
      return true;
    switch (work.rule) {
    case Rule::Wait:
    case Rule::Signal:
    case Rule::SignalAfterCopies:
    case Rule::ClusterArrive:
    case Rule::ClusterWait:
    case Rule::Branch:
    case Rule::AsyncProduct:
    case Rule::TensorProduct:
    case Rule::TensorCopy:
    case Rule::TensorCommit:
    case Rule::TensorWait:
    case Rule::BoxLoad:
    case Rule::BoxStore:
      return true;
    default:
      return false;
    }
  }

  /// When an instruction may be given out.
  double slotOf(Warp &warp, const Work &work) {
    double slot = std::max(now, quarterOf(warp).issue.free);
    double begun = isFixed(work) ? std::max(warp.latest, operandsOf(warp, work))
                                 : warp.begun[warp.next % window];
    if (begun > slot) {
      slot = begun;
      warp.waitsFor = Spent::Operands;
    }
    return slot;
  }

  void execute(uint32_t index, Warp &warp, const Op &op, const Work &work) {
    if (!pass(index, warp, op, work))
      return;
    quarterOf(warp).issue.take({now, now}, 1);
    double begin = std::max(now, operandsOf(warp, work));
    if (op.lanes)
      begin = perform(warp, op, work, begin);
    warp.begun[warp.next % window] = begin;
    warp.latest = std::max(warp.latest, begin);
    if (work.rule == Rule::Signal && meets(index, warp, op))
      return;
    ++warp.next;
    wake(index, now + 1);
  }

  // -- Waits ---------------------------------------------------------------------

  bool waitUntil(uint32_t index, Warp &warp, Spent why, double time) {
    if (time <= now)
      return true;
    warp.waitsFor = why;
    wake(index, time);
    return false;
  }

  /// Whether nothing keeps the warp from the instruction.
  bool pass(uint32_t index, Warp &warp, const Op &op, const Work &work) {
    if (work.rule == Rule::Wait)
      return waitUntil(index, warp, work.queue == Queue::Products ? Spent::Products : Spent::Copies,
                       warp.groups[unsigned(work.queue)].timeOf(work.left, work.untilRead));
    if (work.rule == Rule::ClusterWait && warp.clusterPhase == warp.cluster->whole.phase) {
      park(index, warp.cluster->whole.waiting);
      return false;
    }
    if (work.rule != Rule::Signal)
      return true;
    for (const ptx::Signal &signal : signalsOf(warp, op))
      if (signal.kind == ptx::Signal::Kind::Ask) {
        Mbarrier &barrier = warp.cluster->mbarriers[signal.barrier];
        if (barrier.isOver(signal.count))
          continue;
        park(index, barrier.waiting);
        return false;
      }
    return true;
  }

  /// Comes to barriers of the CTA; whether the warp waits there.
  bool meets(uint32_t index, Warp &warp, const Op &op) {
    for (const ptx::Signal &signal : signalsOf(warp, op)) {
      bool waits = signal.kind == ptx::Signal::Kind::Meet;
      if (!waits && signal.kind != ptx::Signal::Kind::Pass)
        continue;
      Meeting &meeting = warp.cluster->meetings[{warp.rank, signal.barrier}];
      double goOn = processorOf(warp).meet({now, now});
      // Lanes that went apart come one after another: the warp waits when all have.
      warp.met = (warp.met + op.lanes) % lanes;
      waits &= !warp.met;
      if (waits)
        park(index, meeting.waiting);
      if (meeting.arrive(op.lanes, signal.count))
        release(meeting.waiting, goOn);
      return waits;
    }
    return false;
  }

  static llvm::ArrayRef<ptx::Signal> signalsOf(const Warp &warp, const Op &op) {
    if (op.detail < 0)
      return {};
    Slice slice = warp.cta->details[static_cast<size_t>(op.detail)].signals;
    return llvm::ArrayRef(warp.cta->signals).slice(slice.begin, slice.size());
  }

  // -- What is done: ReplayWork.cpp -------------------------------------------------

  /// When the instruction begins.
  double perform(Warp &warp, const Op &op, const Work &work, double begin);
  double compute(Warp &warp, const Op &op, const Work &work, double begin);
  double multiply(Warp &warp, const Op &op, const Work &work, double begin);
  void multiplyInTensorMemory(Warp &warp, const Op &op, const Work &work, double begin);
  static uint64_t ownerOf(const Warp &warp) { return warp.cluster->number; }
  static const Detail &detailOf(const Warp &warp, const Op &op) {
    static const Detail none;
    return op.detail < 0 ? none : warp.cta->details[static_cast<size_t>(op.detail)];
  }
  Request requestOf(const Warp &warp, const Op &op, const Work &work) const;
  double access(Warp &warp, const Op &op, const Work &work, double begin);
  void copyBox(Warp &warp, const Op &op, const Work &work, double begin);
  void signal(Warp &warp, const Op &op, double time);
  void meetCluster(Warp &warp, const Op &op);

  const Trace &trace;
  const Speeds &chip;
  Conditions conditions;
  const Schedule &schedule;
  std::vector<Multiprocessor> processors;
  /// Gives CTAs to the multiprocessor.
  Server starter;
  std::vector<std::unique_ptr<Cluster>> clusters;
  std::vector<std::unique_ptr<Warp>> warps;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  uint64_t order = 0;
  double now = 0;
  size_t started = 0;
  std::map<std::tuple<uint32_t, uint32_t, Span::Kind>, size_t> latestSpans;
  Replayed result;
};

} // namespace gluonc::model
