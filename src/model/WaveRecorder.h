//===- WaveRecorder.h - Traces of launches on AMD's chips ---------------------------===//
//
// What waves of a few workgroups execute, in the terms of the replay: a compute unit is a
// multiprocessor, a SIMD a quarter of it, the vector cache and LDS are the first-level cache and
// shared memory. Machine code is given out in its order. `s_waitcnt` waits for groups: each access
// by the vector memory's counter is one of the queue of copies, each of LDS and of scalar memory
// one of the queue of boxes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "amdgcn/Lines.h"
#include "amdgcn/Observer.h"
#include "model/Recorder.h"
#include "model/Sharing.h"
#include "target/amd/Speeds.h"

namespace gluonc::model {

/// The replay's figures of an AMD chip; null where nothing is published of it.
const Speeds *waveSpeedsOf(const target::Target &target);

class WaveRecorder {
public:
  /// Keeps what the workgroups of the sample execute. `codeObject` has the lines; `ldsBanks` is for
  /// the widest accesses.
  WaveRecorder(const target::amd::Speeds &published, const Recorder::Launch &launch,
               std::vector<uint64_t> sample, llvm::StringRef codeObject, unsigned ldsBanks);

  /// For workgroups that run together, at least their beginnings; and for those of the sample.
  amdgcn::Observer &together() { return wave; }
  amdgcn::Observer &observer() { return recorder; }

  Trace take();

private:
  struct Together : amdgcn::Observer {
    explicit Together(WaveRecorder &owner) : owner(owner) {}
    void executed(const amdgcn::Observed &what) override;
    WaveRecorder &owner;
  };
  struct Sampled : amdgcn::Observer {
    explicit Sampled(WaveRecorder &owner) : owner(owner) {}
    void executed(const amdgcn::Observed &what) override { owner.record(what); }
    WaveRecorder &owner;
  };

  /// Of a border of a region (ptx/Scopes.h) its number; nothing for other instructions.
  std::optional<unsigned> borderAt(const amdgcn::Observed &what);
  /// The works that an instruction is, by its address: their first number in the trace's code.
  Slice worksOf(const amdgcn::Observed &what);
  void record(const amdgcn::Observed &what);
  Detail describe(const amdgcn::Observed &what, const Work &work, CtaTrace &cta);

  const target::amd::Speeds &published;
  Recorder::Launch launch;
  unsigned ldsBanks;
  std::vector<amdgcn::LineRow> lines;
  std::map<uint64_t, Slice> works;
  /// What instructions at these addresses move to m0.
  std::map<uint64_t, unsigned> marks;
  std::map<uint64_t, ClusterTrace> clusters;
  Trace trace;
  Sharing sharing;
  uint64_t loads = 0;
  /// That the trace takes.
  size_t bytes = 0;
  Together wave;
  Sampled recorder;
};

} // namespace gluonc::model
