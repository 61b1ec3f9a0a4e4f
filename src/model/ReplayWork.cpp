#include "model/Replayer.h"

namespace gluonc::model {

double Replayer::perform(Warp &warp, const Op &op, const Work &work, double begin) {
  switch (work.rule) {
  case Rule::Math:
  case Rule::Product:
    return compute(warp, op, work, begin);
  case Rule::AsyncProduct:
    return multiply(warp, op, work, begin);
  case Rule::TensorProduct:
  case Rule::TensorCopy:
    multiplyInTensorMemory(warp, op, work, begin);
    return begin;
  case Rule::TensorCommit:
    signal(warp, op, std::max(begin, warp.groups[unsigned(Queue::Products)].open.done));
    return begin;
  case Rule::TensorMove: {
    begin = quarterOf(warp).tensorMemory.take({now, begin}, work.cycles);
    setResults(warp, work, begin + work.cycles + work.latency);
    warp.moved = begin + work.cycles + work.latency;
    return begin;
  }
  case Rule::TensorWait:
    return std::max(begin, warp.moved);
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

double Replayer::compute(Warp &warp, const Op &op, const Work &work, double begin) {
  Server &pipe = quarterOf(warp).pipes[unsigned(work.pipe)];
  begin = pipe.take({now, begin}, work.cycles);
  setResults(warp, work, begin + std::max(work.latency, work.cycles));
  if (work.rule == Rule::Product)
    note(Span::Kind::Product, warp, op, begin, begin + work.cycles);
  return begin;
}

double Replayer::multiply(Warp &warp, const Op &op, const Work &work, double begin) {
  Server &pipe = quarterOf(warp).pipes[unsigned(Pipe::Tensor)];
  constexpr unsigned warpsOfGroup = 4;
  if (warp.number % warpsOfGroup == 0)
    begin = processorOf(warp).feed({now, begin}, work.sharedCycles);
  double start = pipe.take({now, begin}, work.cycles), end = start + work.cycles;
  warp.groups[unsigned(Queue::Products)].add(end, end + work.latency);
  note(Span::Kind::Product, warp, op, start, end);
  return begin;
}

void Replayer::multiplyInTensorMemory(Warp &warp, const Op &op, const Work &work, double begin) {
  const Detail &detail = detailOf(warp, op);
  const bool isCopy = work.rule == Rule::TensorCopy;
  const double cycles = isCopy ? work.cycles : std::max(detail.tensorCycles, detail.operandCycles);
  double start = begin;
  // Both of a pair begin together; neighbours are pairs.
  for (unsigned i = 0; i != detail.pair; ++i) {
    Multiprocessor &processor = processors[(warp.rank ^ i) % processors.size()];
    processor.feed({now, begin}, isCopy ? work.cycles : detail.operandCycles);
    for (Multiprocessor::Quarter &part : processor.parts)
      start = std::max(start, part.pipes[unsigned(Pipe::Tensor)].take({now, begin}, cycles));
  }
  const double end = start + cycles;
  warp.groups[unsigned(Queue::Products)].add(end, end + (isCopy ? 0 : chip.wgmmaLatency));
  if (!isCopy)
    note(Span::Kind::Product, warp, op, start, end);
}

Request Replayer::requestOf(const Warp &warp, const Op &op, const Work &work) const {
  return {detailOf(warp, op), *warp.cta, ownerOf(warp), trace.sharers[op.instruction],
          work.bypassesFirstLevel};
}

double Replayer::access(Warp &warp, const Op &op, const Work &work, double begin) {
  Request request = requestOf(warp, op, work);
  Multiprocessor &processor = processorOf(warp);
  if (work.rule == Rule::AsyncCopy) {
    double done = processor.copy({now, begin}, request);
    warp.groups[unsigned(Queue::Copies)].add(done, done);
    note(Span::Kind::Copy, warp, op, begin, done);
    return begin;
  }
  double done = begin + work.latency;
  if (request.detail.sectors.size()) {
    done = work.isAtomic ? processor.update({now, begin}, request)
           : work.stores ? processor.store({now, begin}, request)
                         : processor.load({now, begin}, request);
    note(work.stores ? Span::Kind::Store : Span::Kind::Load, warp, op, begin, done);
  }
  if (work.stores)
    warp.stored = std::max(warp.stored, done);
  if (request.detail.wavefronts)
    done = std::max(done, processor.accessShared({now, begin}, request.detail, work.stores));
  if (work.joinsQueue) {
    warp.groups[unsigned(work.queue)].add(done, done);
    warp.groups[unsigned(work.queue)].commit();
  }
  setResults(warp, work, done);
  return begin;
}

void Replayer::copyBox(Warp &warp, const Op &op, const Work &work, double begin) {
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

void Replayer::signal(Warp &warp, const Op &op, double time) {
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

void Replayer::meetCluster(Warp &warp, const Op &op) {
  Meeting &whole = warp.cluster->whole;
  warp.clusterPhase = whole.phase;
  if (whole.arrive(op.lanes, warp.cluster->threads))
    release(whole.waiting, now + chip.barrierLatency);
}

} // namespace gluonc::model
