//===- Timing.h - Named timing scopes --------------------------------------===//
//
// A compilation carries one `Timings`; each phase opens a scope. Nothing is
// global, and a null pointer makes a scope free.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace gluonc {

class Timings {
public:
  struct Entry {
    std::string name;
    double milliseconds;
  };
  void add(std::string name, double milliseconds) {
    list.push_back({std::move(name), milliseconds});
  }
  /// Scopes in the order in which they closed.
  const std::vector<Entry> &entries() const { return list; }

private:
  std::vector<Entry> list;
};

class TimingScope {
public:
  TimingScope(Timings *timings, const char *name)
      : timings(timings), name(name), start(std::chrono::steady_clock::now()) {}
  TimingScope(const TimingScope &) = delete;
  ~TimingScope() {
    if (timings)
      timings->add(
          name, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                    .count());
  }

private:
  Timings *timings;
  const char *name;
  std::chrono::steady_clock::time_point start;
};

} // namespace gluonc
