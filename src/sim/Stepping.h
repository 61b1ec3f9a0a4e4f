//===- Stepping.h - A launch one instruction at a time -----------------------===//
//
//   auto launch = SteppedLaunch::begin(executable, launch, sink);
//   while (launch->next() || launch->leaveFault())
//     launch->step();
//
// For debuggers. Programs run one after the other, in the order of the grid, on the
// thread that steps; between steps all of a program's state is there to be read. The
// same launch takes the same steps each time.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/Simulator.h"
#include "sim/machine/Cta.h"

namespace gluonc::sim {

class SteppedLaunch {
public:
  /// `executable` and the launch's memory outlive it. Null after a report.
  static std::unique_ptr<SteppedLaunch> begin(const Executable &executable, const Launch &launch,
                                              diag::Sink &sink);
  ~SteppedLaunch();

  /// What the next step() executes, of the program in hand or the one after it. Null at a fault,
  /// whose program stays in hand, and at the end.
  const Instruction *next();
  void step() { cta->step(); }

  bool isAtFault() const { return cta->failed; }
  /// Goes on behind a program that met a fault. False where there is none.
  bool leaveFault();
  /// The fault that the program in hand ended with; null if there is none.
  const Fault *fault() const { return cta->failed ? cta->faults.firstError() : nullptr; }

  /// What the program in hand has met so far.
  void reportProgram(diag::Sink &sink) const;
  /// What run() reports of the whole launch. Once, at its end.
  void report(diag::Sink &sink);

  const Program &program() const { return cta->program; }
  Cta &machine() { return *cta; }

private:
  SteppedLaunch(const Program &program, const Launch &launch);
  bool beginProgram();

  Launch launch;
  uint64_t programs, begun = 0;
  std::unique_ptr<ProgramPool> pool;
  std::unique_ptr<Races> races;
  std::unique_ptr<Cta> cta;
  /// Of programs that are behind.
  FaultLog faults;
};

} // namespace gluonc::sim
