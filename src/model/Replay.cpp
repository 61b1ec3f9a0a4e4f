#include "model/Replay.h"

#include "model/Barriers.h"
#include "target/nvidia/Chips.h"

#include <deque>
#include <limits>
#include <map>
#include <queue>

namespace gluonc::model {

llvm::StringRef nameOf(Spent spent) {
  constexpr llvm::StringLiteral names[spentCount] = {"working", "operands", "copies", "products",
                                                     "barriers"};
  return names[unsigned(spent)];
}

llvm::StringRef nameOf(Span::Kind kind) {
  constexpr llvm::StringLiteral names[] = {"CTA", "product", "load", "store", "copy", "wait"};
  return names[unsigned(kind)];
}

namespace {

/// Asynchronous work of a warp in groups that it waits for.
struct Groups {
  struct Times {
    double read = 0, done = 0;
  };
  /// What is in no group yet; later of everything before.
  Times open;
  std::deque<Times> committed;

  void add(double read, double done) {
    open.read = std::max(open.read, read);
    open.done = std::max(open.done, done);
  }
  void commit() { committed.push_back(open); }
  /// When at most `left` groups are under way.
  double timeOf(unsigned left, bool untilRead) const {
    if (committed.size() <= left)
      return 0;
    const Times &group = committed[committed.size() - left - 1];
    return untilRead ? group.read : group.done;
  }
};

struct Cluster {
  const ClusterTrace *trace = nullptr;
  /// How many CTAs began before.
  uint32_t number = 0;
  unsigned warpsLeft = 0;
  bool isRecorded = false;
  double begin = 0;
  std::map<uint64_t, Mbarrier> mbarriers;
  std::map<std::pair<unsigned, uint64_t>, Meeting> meetings;
  Meeting whole;
  int64_t threads = 0;
  double end = 0;
};

struct Warp {
  Cluster *cluster = nullptr;
  unsigned rank = 0, number = 0;
  const CtaTrace *cta = nullptr;
  const std::vector<Op> *ops = nullptr;
  size_t next = 0;
  /// When registers can be read.
  std::vector<double> ready;
  /// When the latest instructions began, the window's, and the latest of all.
  std::array<double, window> begun = {};
  double latest = 0;
  std::array<Groups, queueCount> groups;
  uint64_t clusterPhase = 0;
  /// Since when it waits, and for what.
  double since = 0;
  Spent waitsFor = Spent::Working;
  size_t waitedAt = 0;
  /// Lanes at the CTA's barrier that others are not at yet.
  unsigned met = 0;
  bool isParked = false;
};

constexpr unsigned lanes = target::nvidia::warpSize;

struct Event {
  double time;
  uint64_t order;
  /// A warp goes on, or a signal arrives.
  uint32_t warp;
  Cluster *cluster = nullptr;
  ptx::Signal signal = {};

  bool operator>(const Event &other) const {
    return std::pair(time, order) > std::pair(other.time, other.order);
  }
};

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
    double end = std::max(now, warp.latest);
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

  void wake(uint32_t warp, double time) { events.push({time, order++, warp}); }
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
      double slot = slotOf(warp, work);
      if (slot > now)
        return wake(index, slot);
      warp.waitedAt = warp.next;
      return execute(index, warp, op, work);
    }
    endWarp(index);
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
    switch (work.rule) {
    case Rule::Wait:
    case Rule::Signal:
    case Rule::SignalAfterCopies:
    case Rule::ClusterArrive:
    case Rule::ClusterWait:
    case Rule::Branch:
    case Rule::AsyncProduct:
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

  // -- What is done ----------------------------------------------------------------

  /// When the instruction begins.
  double perform(Warp &warp, const Op &op, const Work &work, double begin) {
    switch (work.rule) {
    case Rule::Math:
    case Rule::Product:
      return compute(warp, op, work, begin);
    case Rule::AsyncProduct:
      return multiply(warp, op, work, begin);
    case Rule::Shuffle:
      setResults(warp, work, processorOf(warp).shuffle({now, begin}));
      return begin;
    case Rule::Access:
    case Rule::AsyncCopy:
      return access(warp, op, work, begin);
    case Rule::BoxLoad:
    case Rule::BoxStore:
      copyBox(warp, op, work, begin);
      return begin;
    case Rule::Commit:
      warp.groups[unsigned(work.queue)].commit();
      return begin;
    case Rule::SignalAfterCopies:
      begin = std::max(begin, warp.groups[unsigned(Queue::Copies)].open.done);
      signal(warp, op, begin);
      return now;
    case Rule::Signal:
      signal(warp, op, begin);
      return begin;
    case Rule::ClusterArrive:
      meetCluster(warp, op);
      return begin;
    case Rule::Branch:
      return begin + work.latency;
    default:
      return begin;
    }
  }

  double compute(Warp &warp, const Op &op, const Work &work, double begin) {
    Server &pipe = quarterOf(warp).pipes[unsigned(work.pipe)];
    begin = pipe.take({now, begin}, work.cycles);
    setResults(warp, work, begin + std::max(work.latency, work.cycles));
    if (work.rule == Rule::Product)
      note(Span::Kind::Product, warp, op, begin, begin + work.cycles);
    return begin;
  }

  double multiply(Warp &warp, const Op &op, const Work &work, double begin) {
    Server &pipe = quarterOf(warp).pipes[unsigned(Pipe::Tensor)];
    constexpr unsigned warpsOfGroup = 4;
    if (warp.number % warpsOfGroup == 0)
      begin = processorOf(warp).feed({now, begin}, work.sharedCycles);
    double start = pipe.take({now, begin}, work.cycles), end = start + work.cycles;
    warp.groups[unsigned(Queue::Products)].add(end, end + work.latency);
    note(Span::Kind::Product, warp, op, start, end);
    return begin;
  }

  static uint64_t ownerOf(const Warp &warp) { return warp.cluster->number; }
  static const Detail &detailOf(const Warp &warp, const Op &op) {
    static const Detail none;
    return op.detail < 0 ? none : warp.cta->details[static_cast<size_t>(op.detail)];
  }

  Request requestOf(const Warp &warp, const Op &op, const Work &work) const {
    return {detailOf(warp, op), *warp.cta, ownerOf(warp), trace.sharers[op.instruction],
            work.bypassesFirstLevel};
  }

  double access(Warp &warp, const Op &op, const Work &work, double begin) {
    Request request = requestOf(warp, op, work);
    Multiprocessor &processor = processorOf(warp);
    if (work.rule == Rule::AsyncCopy) {
      double done = processor.copy({now, begin}, request);
      warp.groups[unsigned(Queue::Copies)].add(done, done);
      note(Span::Kind::Copy, warp, op, begin, done);
      return begin;
    }
    double done = begin;
    if (request.detail.sectors.size()) {
      done = work.isAtomic ? processor.update({now, begin}, request)
             : work.stores ? processor.store({now, begin}, request)
                           : processor.load({now, begin}, request);
      note(work.stores ? Span::Kind::Store : Span::Kind::Load, warp, op, begin, done);
    }
    if (request.detail.wavefronts)
      done = std::max(done, processor.accessShared({now, begin}, request.detail, work.stores));
    setResults(warp, work, done);
    return begin;
  }

  void copyBox(Warp &warp, const Op &op, const Work &work, double begin) {
    Request request = requestOf(warp, op, work);
    if (work.rule == Rule::BoxStore) {
      auto [read, written] = processorOf(warp).storeBox({now, begin}, request);
      warp.groups[unsigned(Queue::Boxes)].add(read, written);
      note(Span::Kind::Copy, warp, op, begin, written);
      return;
    }
    double there = processorOf(warp).loadBox({now, begin}, request);
    for (const ptx::Signal &signal : signalsOf(warp, op))
      send(*warp.cluster, signal, there);
    note(Span::Kind::Copy, warp, op, begin, there);
  }

  void signal(Warp &warp, const Op &op, double time) {
    using Kind = ptx::Signal::Kind;
    for (const ptx::Signal &signal : signalsOf(warp, op)) {
      if (llvm::is_contained({Kind::Ask, Kind::Meet, Kind::Pass}, signal.kind))
        continue;
      if (time > now)
        send(*warp.cluster, signal, time);
      else
        apply(*warp.cluster, signal);
    }
  }

  void meetCluster(Warp &warp, const Op &op) {
    Meeting &whole = warp.cluster->whole;
    warp.clusterPhase = whole.phase;
    if (whole.arrive(op.lanes, warp.cluster->threads))
      release(whole.waiting, now + chip.barrierLatency);
  }

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

} // namespace

Replayed replay(const Trace &trace, const Speeds &chip, const Conditions &conditions,
                const Schedule &schedule) {
  return Replayer(trace, chip, conditions, schedule).run();
}

} // namespace gluonc::model
