#include "explain/WaveLiveness.h"

#include "llvm/ADT/STLExtras.h"

namespace gluonc::explain {

using amdgcn::Bank;
using amdgcn::Instruction;
using amdgcn::Operand;
using llvm::StringRef;

namespace {

void add(VectorRegisters &to, const Operand &operand) {
  if (operand.bank != Bank::Vector)
    return;
  for (unsigned i = 0; i != operand.count && operand.reg + i < to.size(); ++i)
    to.set(operand.reg + i);
}

bool startsWith(StringRef name, std::initializer_list<const char *> prefixes) {
  return llvm::any_of(prefixes, [&](const char *prefix) { return name.starts_with(prefix); });
}

/// Whether the first operand is no result, or is one that is no vector register.
bool hasNoResult(const Instruction &instruction) {
  StringRef name = instruction.mnemonic;
  if (instruction.access.isStore && !instruction.access.isAtomic)
    return true;
  if (instruction.access.isAtomic)
    return !instruction.access.returns;
  // Copies to LDS take what would be their result from an address.
  return instruction.modifiers.has("lds") ||
         startsWith(name, {"v_cmp", "s_", "ds_write", "ds_store", "global_store", "buffer_store",
                           "flat_store", "scratch_store", "global_load_lds", "global_load_async",
                           "cluster_load_async", "tensor_", "v_nop"});
}

/// Whether the result keeps something of what was in its registers.
bool keepsPart(const Instruction &instruction) {
  StringRef name = instruction.mnemonic;
  const bool isPart = instruction.access.half != 0 || instruction.operands[0].half >= 0 ||
                      instruction.isSdwa ||
                      (instruction.isDpp && !instruction.modifiers.dpp.boundCtrl);
  return isPart || startsWith(name, {"v_fmac", "v_mac", "v_pk_fmac", "v_dot2c", "v_dot4c",
                                     "v_writelane", "v_swap", "v_permlane16_swap",
                                     "v_permlane32_swap", "v_smfmac", "v_swmmac", "v_mov_b16"});
}

} // namespace

VectorUses vectorUsesOf(const Instruction &instruction) {
  VectorUses uses;
  if (instruction.second) {
    // Both halves read before either writes.
    Instruction const &other = *instruction.second;
    uses = vectorUsesOf(other);
  }
  if (instruction.operands.empty())
    return uses;
  const bool writes = !hasNoResult(instruction);
  const size_t results =
      !writes                                                                                  ? 0
      : startsWith(instruction.mnemonic, {"v_swap", "v_permlane16_swap", "v_permlane32_swap"}) ? 2
                                                                                               : 1;
  for (auto [i, operand] : llvm::enumerate(instruction.operands))
    add(i < results ? uses.written : uses.read, operand);
  if (writes && keepsPart(instruction))
    for (size_t i = 0; i != results; ++i)
      add(uses.read, instruction.operands[i]);
  return uses;
}

void WaveLiveness::executed(uint64_t address, const Instruction &instruction,
                            std::optional<uint64_t> before) {
  // No code begins at the last address.
  if (!known.insert({before.value_or(~uint64_t(0) - 2), address}).second)
    return;
  auto [place, isNew] = nodes.try_emplace(address);
  if (isNew)
    place->second.uses = vectorUsesOf(instruction);
  if (before)
    nodes[*before].next.insert(address);
}

WaveLiveness::Result
WaveLiveness::find(llvm::function_ref<ptx::SourcePlace(uint64_t)> placeOf) const {
  std::map<uint64_t, VectorRegisters> live;
  for (bool changes = true; changes;) {
    changes = false;
    for (const auto &[address, node] : llvm::reverse(nodes)) {
      VectorRegisters now;
      for (uint64_t next : node.next)
        now |= live[next];
      now = (now & ~node.uses.written) | node.uses.read;
      VectorRegisters &former = live[address];
      changes |= former != now;
      former = now;
    }
  }
  Result result;
  uint64_t peak = 0;
  for (const auto &[address, registers] : live) {
    const auto count = static_cast<unsigned>(registers.count());
    result.counts[address] = count;
    if (count > result.most.registers && placeOf(address).line) {
      result.most.registers = count;
      result.most.place = placeOf(address);
      peak = address;
    }
  }
  if (!result.most.registers)
    return result;
  std::map<ptx::SourcePlace, unsigned> sums;
  VectorRegisters left = live[peak];
  auto node = nodes.find(peak);
  // A value that comes from below, by a loop, or that the kernel began with, has no place.
  while (left.any() && node != nodes.begin()) {
    --node;
    const VectorRegisters made = left & node->second.uses.written;
    if (made.any())
      sums[placeOf(node->first)] += static_cast<unsigned>(made.count());
    left &= ~made;
  }
  if (left.any())
    sums[{}] += static_cast<unsigned>(left.count());
  result.most.values.assign(sums.begin(), sums.end());
  llvm::sort(result.most.values, [](const auto &a, const auto &b) { return a.second > b.second; });
  return result;
}

} // namespace gluonc::explain
