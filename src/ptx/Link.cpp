//===- Link.cpp - Functions behind the kernels that call them -------------------===//
#include "ptx/Handlers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

namespace gluonc::ptx {
namespace {

void moveBy(Operand &operand, size_t instructions, size_t registers) {
  if (operand.kind == OperandKind::Target)
    operand.value += instructions;
  for (int32_t *reg : {&operand.reg, &operand.second})
    if (*reg >= 0)
      *reg += static_cast<int32_t>(registers);
  for (Operand &element : operand.elements)
    moveBy(element, instructions, registers);
}

class Linker {
public:
  Linker(Module &module, Function &kernel, ParseError &error)
      : module(module), kernel(kernel), error(error) {}

  /// Resolves the calls of what lies from `begin` on; functions that are called for the first time
  /// follow. `callers` are the functions around.
  bool resolve(size_t begin, size_t end, llvm::SmallVector<llvm::StringRef> callers) {
    for (size_t at = begin; at != end; ++at) {
      llvm::StringRef name = kernel.code[at].calleeName;
      if (name.empty())
        continue;
      auto found = module.functions.find(name);
      if (found == module.functions.end())
        if (Handler system = systemFunctionNamed(name)) {
          kernel.code[at].execute = system;
          continue;
        }
      if (found == module.functions.end() || llvm::is_contained(callers, name)) {
        bool recursive = found != module.functions.end();
        error = {kernel.code[at].line,
                 ("'" + name + (recursive ? "' calls itself" : "' is not executed yet")).str()};
        return false;
      }
      const Function &callee = *found->second;
      bool isNew = places.try_emplace(name, kernel.code.size()).second;
      size_t place = places[name];
      if (isNew && !append(callee, callers))
        return false;
      kernel.code[at].callee = &callee;
      kernel.code[at].operands[0].value = place;
    }
    return true;
  }

private:
  bool append(const Function &callee, llvm::SmallVector<llvm::StringRef> callers) {
    size_t begin = kernel.code.size(), registers = kernel.registerBits.size();
    for (RegisterNames names : callee.registerNames) { // a copy
      names.first += static_cast<uint32_t>(registers);
      kernel.registerNames.push_back(names);
    }
    for (Instruction instruction : callee.code) { // a copy
      if (instruction.guard >= 0)
        instruction.guard += static_cast<int32_t>(registers);
      for (Operand &operand : instruction.operands)
        moveBy(operand, begin, registers);
      kernel.code.push_back(std::move(instruction));
    }
    kernel.registerBits.insert(kernel.registerBits.end(), callee.registerBits.begin(),
                               callee.registerBits.end());
    callers.push_back(callee.name);
    return resolve(begin, kernel.code.size(), std::move(callers));
  }

  Module &module;
  Function &kernel;
  ParseError &error;
  llvm::StringMap<size_t> places;
};

} // namespace

std::string Function::registerName(int32_t number) const {
  auto wanted = static_cast<uint32_t>(number);
  auto behind =
      llvm::upper_bound(registerNames, wanted,
                        [](uint32_t value, const RegisterNames &n) { return value < n.first; });
  if (behind == registerNames.begin())
    return "";
  const RegisterNames &names = behind[-1];
  return names.isRange ? (names.name + llvm::Twine(wanted - names.first)).str() : names.name.str();
}

bool link(Module &module, Function &kernel, ParseError &error) {
  return Linker(module, kernel, error).resolve(0, kernel.code.size(), {});
}

} // namespace gluonc::ptx
