//===- ReplayState.h - What a replay knows of warps and clusters ------------------===//
#pragma once

#include "model/Barriers.h"
#include "model/Replay.h"
#include "target/nvidia/Chips.h"

#include <deque>
#include <map>

namespace gluonc::model {

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
  /// When all of its stores have been handed on.
  double stored = 0;
  /// When what was moved between tensor memory and registers has been.
  double moved = 0;
  std::array<Groups, queueCount> groups;
  uint64_t clusterPhase = 0;
  /// Since when it waits, and for what.
  double since = 0;
  Spent waitsFor = Spent::Working;
  size_t waitedAt = 0;
  /// Lanes at the CTA's barrier that others are not at yet.
  unsigned met = 0;
  bool isParked = false;
  /// Regions that it is in, by number, and when they began.
  std::vector<std::pair<unsigned, double>> scopes;
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

} // namespace gluonc::model
