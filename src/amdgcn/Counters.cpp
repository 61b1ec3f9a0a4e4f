#include "amdgcn/Counters.h"

namespace gluonc::amdgcn {

void Counters::issue(Counter counter, InFlight entry) {
  for (const RegisterRun &run : entry.registers)
    for (unsigned i = 0; i != run.count; ++i) {
      unsigned at = place(run.bank, run.reg + i);
      registersInFlight += pending[at]++ == 0;
      waitedBy[at] |= uint8_t(1 << static_cast<unsigned>(counter));
    }
  queues[static_cast<unsigned>(counter)].push_back(std::move(entry));
}

void Counters::release(const InFlight &entry, Counter) {
  for (const RegisterRun &run : entry.registers)
    for (unsigned i = 0; i != run.count; ++i) {
      unsigned at = place(run.bank, run.reg + i);
      if (--pending[at] == 0) {
        --registersInFlight;
        waitedBy[at] = 0;
      }
    }
}

std::vector<InFlight> Counters::wait(Counter counter, unsigned limit) {
  std::deque<InFlight> &entries = queues[static_cast<unsigned>(counter)];
  std::vector<InFlight> done;
  if (entries.size() <= limit)
    return done;
  // Of those that end in any order none is sure to have ended, unless all have.
  size_t ended = entries.size() - limit;
  size_t unordered = 0;
  for (const InFlight &entry : entries)
    unordered += !entry.isOrdered;
  if (limit == 0)
    unordered = 0;
  size_t sure = ended > unordered ? ended - unordered : 0;
  for (auto entry = entries.begin(); entry != entries.end() && sure;) {
    if (!entry->isOrdered && limit != 0) {
      ++entry;
      continue;
    }
    release(*entry, counter);
    done.push_back(std::move(*entry));
    entry = entries.erase(entry);
    --sure;
  }
  return done;
}

bool Counters::isPending(const Operand &operand) const {
  if (!operand.isRegister())
    return false;
  for (unsigned i = 0; i != operand.count; ++i)
    if (pending[place(operand.bank, operand.reg + i)])
      return true;
  return false;
}

bool Counters::isPendingOnlyIn(const Operand &operand, Counter counter) const {
  if (!operand.isRegister())
    return false;
  for (unsigned i = 0; i != operand.count; ++i) {
    unsigned at = place(operand.bank, operand.reg + i);
    if (pending[at] && waitedBy[at] != 1 << static_cast<unsigned>(counter))
      return false;
  }
  return true;
}

Counter Counters::counterOf(const Operand &operand) const {
  for (unsigned i = 0; i != operand.count; ++i)
    for (unsigned kind = 0; kind != counterKinds; ++kind)
      if (waitedBy[place(operand.bank, operand.reg + i)] >> kind & 1)
        return static_cast<Counter>(kind);
  return Counter::Load;
}

llvm::StringRef nameOf(Counter counter, unsigned generation) {
  bool isSplit = generation >= 12;
  switch (counter) {
  case Counter::Load:
    return isSplit ? "loadcnt" : "vmcnt";
  case Counter::Store:
    return isSplit ? "storecnt" : "vscnt";
  case Counter::Lds:
    return isSplit ? "dscnt" : "lgkmcnt";
  case Counter::Scalar:
    return isSplit ? "kmcnt" : "lgkmcnt";
  case Counter::Async:
    return "asynccnt";
  case Counter::Tensor:
    return "tensorcnt";
  }
  return "";
}

} // namespace gluonc::amdgcn
