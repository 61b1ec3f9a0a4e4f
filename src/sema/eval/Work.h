//===- Work.h - What compile-time code costs ------------------------------------===//
//
// Steps alone bound neither time nor memory: `[0] * n`, `t = (t, t)` forty times over, `str` of
// what shares its parts. Payloads and the walks over values therefore count what they do in
// the same currency, and Interpreter::step ends an evaluation that has done too much. A walk
// that meets a limit stops where it is: its result is never used.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace gluonc::sema {

// Far above what kernels need (a persistent attention kernel takes some 30 000 steps), low
// enough that a runaway loop ends within a second or two.
inline constexpr uint64_t maxSteps = 3'000'000;
/// As much as making this many bytes of values.
inline constexpr uint64_t stepCost = 64;
/// What it costs to look at a value.
inline constexpr uint64_t visitCost = 4;
/// Values inside values inside values.
inline constexpr unsigned maxValueDepth = 1000;

/// Counts the work of this thread for its own lifetime, and then for the one around it.
class WorkScope {
public:
  WorkScope();
  ~WorkScope();
  WorkScope(const WorkScope &) = delete;
  WorkScope &operator=(const WorkScope &) = delete;

  bool isSpent() const { return spent > maxSteps * stepCost; }
  bool isTooDeep() const { return tooDeep; }

private:
  friend void spend(uint64_t);
  friend bool isWorkSpent();
  friend void refuseDepth();

  WorkScope *outer;
  uint64_t spent = 0;
  bool tooDeep = false;
};

/// Charges the innermost scope of this thread, if there is one, for making so many bytes.
void spend(uint64_t bytes);
/// The innermost scope is used up: loops over values may as well end.
bool isWorkSpent();
/// Some value of the innermost scope nests too deeply.
void refuseDepth();

/// One level of a recursive walk over values.
class Descent {
public:
  Descent();
  ~Descent();
  /// Further down there is nothing but the limits: the walk must turn back.
  bool mustEnd() const { return ends; }

private:
  bool ends;
};

} // namespace gluonc::sema
