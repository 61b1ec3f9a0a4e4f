//===- Metrics.h - What /metrics tells ------------------------------------------===//
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace engine {

/// How often values were at most each of some bounds, in seconds.
class Histogram {
public:
  void add(double seconds);
  void render(const char *name, const char *help, std::string &text) const;

private:
  static constexpr std::array<double, 16> bounds = {
      0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300};
  std::array<std::atomic<uint64_t>, bounds.size() + 1> counts = {};
  std::atomic<double> sum = 0;
};

/// How a sequence ended.
enum class Outcome { Stop, Length, Cancelled, Deadline, Error, Count };

/// Can be used by several threads.
struct Metrics {
  std::atomic<int64_t> running = 0, waiting = 0, pages = 0, pagesFree = 0, connections = 0;
  std::atomic<uint64_t> promptTokens = 0, generatedTokens = 0, preemptions = 0, prefills = 0,
                        decodes = 0;
  std::array<std::atomic<uint64_t>, size_t(Outcome::Count)> outcomes = {};
  Histogram firstToken, wholeSequence, prefillStep, decodeStep;

  void countResponse(int status);
  /// In the text format of Prometheus.
  std::string render() const;

private:
  mutable std::mutex mutex;
  std::map<int, uint64_t> responses;
};

} // namespace engine
