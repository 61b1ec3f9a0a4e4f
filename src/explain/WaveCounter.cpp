#include "explain/WaveCounter.h"

#include "explain/Memory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <bit>

namespace gluonc::explain {

using llvm::StringRef;

Pipe wavePipeOf(StringRef name) {
  if (name.starts_with("v_mfma") || name.starts_with("v_smfmac") || name.starts_with("v_wmma") ||
      name.starts_with("v_swmmac"))
    return Pipe::Tensor;
  for (StringRef prefix : {"ds_bpermute", "ds_permute", "ds_swizzle", "v_readlane", "v_writelane",
                           "v_readfirstlane", "v_permlane"})
    if (name.starts_with(prefix))
      return Pipe::Shuffle;
  for (StringRef prefix : {"ds_", "global_", "flat_", "buffer_", "scratch_", "cluster_", "tensor_",
                           "s_load", "s_buffer_load"})
    if (name.starts_with(prefix))
      return Pipe::Memory;
  for (StringRef prefix :
       {"s_branch", "s_cbranch",   "s_barrier", "s_wait",    "s_nop",           "s_endpgm",
        "s_sleep",  "s_delay_alu", "s_setprio", "s_sendmsg", "s_clause",        "s_code_end",
        "s_trap",   "s_set_",      "s_setreg",  "s_getreg",  "s_call",          "s_swappc",
        "s_setpc",  "s_getpc",     "s_dcache",  "s_icache",  "s_inst_prefetch", "s_prefetch",
        "s_sched",  "v_nop"})
    if (name.starts_with(prefix))
      return Pipe::Control;
  if (name.starts_with("s_"))
    return Pipe::Scalar;
  for (StringRef prefix : {"v_mov", "v_accvgpr", "v_cndmask", "v_dual_mov", "v_swap"})
    if (name.starts_with(prefix))
      return Pipe::Move;
  for (StringRef prefix :
       {"v_exp_", "v_log_", "v_rcp_", "v_rsq_", "v_sqrt_", "v_sin_", "v_cos_", "v_tanh_"})
    if (name.starts_with(prefix))
      return Pipe::Special;
  for (StringRef part : {"_f16", "_f32", "_f64", "_bf16"})
    if (name.contains(part))
      return Pipe::Float;
  return Pipe::Integer;
}

uint64_t waveFlopsOf(const amdgcn::Instruction &instruction) {
  const amdgcn::Product &product = instruction.product;
  if (wavePipeOf(instruction.mnemonic) != Pipe::Tensor)
    return 0;
  return 2 * uint64_t(product.m) * product.n * product.k * product.blocks;
}

WaveCounter::WaveCounter(StringRef codeObject, unsigned ldsBanks)
    : lines(amdgcn::readLines(codeObject)), frames(codeObject), ldsBanks(ldsBanks) {}

unsigned WaveCounter::numberOf(const std::string &file) {
  auto known = llvm::find(files, file);
  const auto number = static_cast<unsigned>(known - files.begin());
  if (known == files.end())
    files.push_back(file);
  return number;
}

unsigned WaveCounter::callOf(uint64_t address) {
  unsigned call = 0;
  std::vector<amdgcn::LineFrame> chain = frames.at(address);
  // The outermost place is the kernel's own; each one further in is of a function that is called
  // there.
  for (size_t i = chain.size(); i-- > 1;) {
    const amdgcn::LineFrame &at = chain[i];
    ptx::InlinedCall made{chain[i - 1].function, {numberOf(at.file), at.line, at.column}, call};
    auto known = llvm::find(calls, made);
    call = static_cast<unsigned>(known - calls.begin());
    if (known == calls.end())
      calls.push_back(made);
  }
  return call;
}

ptx::SourcePlace WaveCounter::placeOf(uint64_t address) {
  auto behind = llvm::upper_bound(lines, address, [](uint64_t place, const amdgcn::LineRow &row) {
    return place < row.address;
  });
  if (behind == lines.begin())
    return {};
  const amdgcn::LineRow &row = *std::prev(behind);
  if (!row.line)
    return {};
  return {numberOf(row.file), row.line, row.column};
}

InstructionCount WaveCounter::describe(const amdgcn::Observed &what) {
  const amdgcn::Instruction &instruction = what.instruction;
  InstructionCount count;
  count.text = instruction.mnemonic;
  count.source = placeOf(what.address);
  count.call = callOf(what.address);
  count.pipe = wavePipeOf(instruction.mnemonic);
  count.stores = instruction.access.isStore;
  count.loads = !count.stores || instruction.access.isAtomic;
  return count;
}

static llvm::SmallVector<ptx::Touch, 64> touchesOf(llvm::ArrayRef<amdgcn::Touch> list) {
  llvm::SmallVector<ptx::Touch, 64> touches;
  for (const amdgcn::Touch &touch : list)
    touches.push_back({touch.address, touch.bytes, touch.lane});
  return touches;
}

void WaveCounter::countGlobal(const amdgcn::Observed &what, InstructionCount &count) {
  llvm::SmallVector<ptx::Touch, 64> touches = touchesOf(what.touched.global);
  for (const ptx::Touch &touch : touches)
    for (uint64_t line = touch.address / cacheLineBytes,
                  last = (touch.address + touch.bytes - 1) / cacheLineBytes;
         line <= last; ++line)
      memoryLines.insert(line);
  GlobalCount one(countSectors(touches, cacheLineBytes), touches.front().bytes, cacheLineBytes);
  if (count.stores) {
    recent.store(what.workgroup, touches);
  } else {
    auto before = recent.load(what.workgroup, what.wave, what.address, touches);
    one.repeats = before.has_value();
    if (before && *before != what.address)
      one.earlier = entries[*before].source;
  }
  count.global += one;
}

void WaveCounter::executed(const amdgcn::Observed &what) {
  auto [place, isNew] = entries.try_emplace(what.address);
  InstructionCount &count = place->second;
  if (isNew)
    count = describe(what);
  ++count.warps;
  count.threads += std::popcount(what.active);
  count.flops += waveFlopsOf(what.instruction);
  if (!what.touched.global.empty())
    countGlobal(what, count);
  if (!what.touched.shared.empty()) {
    llvm::SmallVector<ptx::Touch, 64> touches = touchesOf(what.touched.shared);
    // What copies to LDS writes there.
    const bool reads = what.touched.global.empty() && !count.stores;
    WavefrontCount cycles = countLdsCycles(touches, ldsBanks, reads);
    count.shared += {1, cycles.wavefronts, cycles.ideal, touches.front().bytes};
  }
  const Wave wave = {what.workgroup, what.wave};
  std::optional<uint64_t> before;
  if (!current || current->first != wave) {
    auto [place, isFirst] = latest.try_emplace(wave, what.address);
    current = &*place;
    if (!isFirst)
      before = current->second;
  } else {
    before = current->second;
  }
  liveness.executed(what.address, what.instruction, before);
  current->second = what.address;
}

Counts WaveCounter::take() {
  Counts counts;
  WaveLiveness::Result live =
      liveness.find([&](uint64_t address) { return entries.at(address).source; });
  for (auto &[address, count] : entries) {
    count.liveRegisters = live.counts[address];
    counts.instructions.push_back(std::move(count));
  }
  counts.mostLive = std::move(live.most);
  counts.memoryLines = memoryLines.size();
  counts.files = std::move(files);
  counts.calls = std::move(calls);
  return counts;
}

} // namespace gluonc::explain
