#include "debug/Thread.h"

namespace gluonc::debug {

std::optional<size_t> Thread::arrivesAt(const sim::Instruction &instruction,
                                        const Trace &trace) const {
  if (trace.empty() || sim::variablesAt(instruction))
    return std::nullopt;
  size_t level = 0;
  while (level < std::min(trace.size(), last.size()) && trace[level] == last[level])
    ++level;
  return level < trace.size() ? std::optional(level) : std::nullopt;
}

void Thread::execute(const sim::Instruction &instruction, const Trace &trace) {
  if (const sim::VariableData *bound = sim::variablesAt(instruction)) {
    for (const sim::Variable &variable : bound->variables) {
      Trace callers = callersOf(variable);
      auto frame = llvm::find_if(frames, [&](const auto &each) { return each.first == callers; });
      if (frame == frames.end())
        frame = frames.insert(frame, {callers, Frame()});
      frame->second[variable.name] = &variable;
    }
    return;
  }
  lastPlace = instruction.place;
  if (!trace.empty())
    last = trace;
}

std::vector<const sim::Variable *> Thread::variables(llvm::ArrayRef<Line> callers) const {
  std::vector<const sim::Variable *> found;
  for (const auto &[frame, names] : frames)
    if (llvm::ArrayRef(frame) == callers)
      for (const auto &[name, variable] : names)
        found.push_back(variable);
  return found;
}

const sim::Variable *Thread::find(llvm::StringRef name, llvm::ArrayRef<Line> callers) const {
  for (const auto &[frame, names] : frames)
    if (llvm::ArrayRef(frame) == callers)
      if (auto at = names.find(name.str()); at != names.end())
        return at->second;
  return nullptr;
}

} // namespace gluonc::debug
