#include "explain/Pipes.h"

#include "llvm/ADT/StringSwitch.h"

namespace gluonc::explain {

using llvm::StringRef;
using ptx::Instruction;

StringRef nameOf(Pipe pipe) {
  constexpr llvm::StringLiteral names[pipeCount] = {
      "tensor", "float", "integer", "special", "memory", "shuffle", "control", "move", "scalar"};
  return names[unsigned(pipe)];
}

/// Of the families that have instructions of several kinds.
static Pipe pipeOfFamily(const Instruction &instruction) {
  if (instruction.has("mma") || instruction.has("mma_async"))
    return Pipe::Tensor;
  bool moves = instruction.has("ld") || instruction.has("st") || instruction.has("cp");
  return moves ? Pipe::Memory : Pipe::Control;
}

Pipe pipeOf(const Instruction &instruction) {
  StringRef name = instruction.name;
  if (name == "tcgen05" || name == "wgmma")
    return pipeOfFamily(instruction);
  bool isFloat = llvm::any_of(instruction.types, [](ptx::Type type) { return type.isFloat(); });
  bool isParameter =
      llvm::any_of(instruction.modifiers, [](StringRef word) { return word.starts_with("param"); });
  bool waits = instruction.has("commit_group") || instruction.has("wait_group") ||
               instruction.has("wait_all") || instruction.has("mbarrier");
  return llvm::StringSwitch<Pipe>(name)
      .Case("mma", Pipe::Tensor)
      .Cases({"ld", "st"}, isParameter ? Pipe::Move : Pipe::Memory)
      .Case("cp", waits ? Pipe::Control : Pipe::Memory)
      .Cases({"atom", "red", "ldmatrix", "stmatrix", "prefetch", "multimem"}, Pipe::Memory)
      .Cases({"shfl", "vote", "match", "redux"}, Pipe::Shuffle)
      .Cases({"ex2", "lg2", "sin", "cos", "tanh", "sqrt", "rsqrt", "rcp"}, Pipe::Special)
      .Case("div", isFloat ? Pipe::Special : Pipe::Integer)
      .Cases({"mov", "cvta", "createpolicy", "mapa"}, Pipe::Move)
      .Cases({"bra", "brx", "ret", "exit", "call", "bar", "barrier", "membar"}, Pipe::Control)
      .Cases({"fence", "mbarrier", "nanosleep", "setmaxnreg", "elect", "griddepcontrol", "trap",
              "activemask", "clusterlaunchcontrol", "tensormap"},
             Pipe::Control)
      .Default(isFloat ? Pipe::Float : Pipe::Integer);
}

uint64_t productFlops(const Instruction &instruction) {
  if (pipeOf(instruction) != Pipe::Tensor)
    return 0;
  for (StringRef shape : instruction.modifiers) {
    uint64_t m = 0, n = 0, k = 0;
    if (!shape.consume_front("m") || shape.consumeInteger(10, m) || !shape.consume_front("n") ||
        shape.consumeInteger(10, n) || !shape.consume_front("k") || shape.getAsInteger(10, k))
      continue;
    // Four warps do a wgmma together.
    return 2 * m * n * k / (instruction.name == "wgmma" ? 4 : 1);
  }
  return 0;
}

} // namespace gluonc::explain
