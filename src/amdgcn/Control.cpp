//===- Control.cpp - Branches, waits, modes -----------------------------------===//
#include "amdgcn/Barriers.h"
#include "amdgcn/Handlers.h"
#include "amdgcn/Transfers.h"

#include "llvm/ADT/StringSwitch.h"

namespace gluonc::amdgcn {

using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

/// "vmcnt(0) lgkmcnt(1)"
static void waitcnt(Step &step) {
  StringRef text = step.operand(0).word;
  if (text == "0" || text == "0x0") {
    for (unsigned kind = 0; kind != counterKinds; ++kind)
      waitFor(step, static_cast<Counter>(kind), 0);
    return;
  }
  while (!text.empty()) {
    auto [part, rest] = text.split(' ');
    text = rest.ltrim(" &");
    auto [name, count] = part.split('(');
    unsigned limit = 0;
    if (count.consume_back(")"), count.getAsInteger(0, limit))
      continue;
    if (name == "vmcnt")
      waitFor(step, Counter::Load, limit);
    else if (name == "lgkmcnt")
      waitFor(step, Counter::Lds, limit);
  }
}

static unsigned lastNumber(Step &step) {
  return static_cast<unsigned>(step.operand(step.operands() - 1).value);
}

template <Counter counter> static void waitOne(Step &step) {
  waitFor(step, counter, lastNumber(step));
}

/// Of a pair: the LDS counter is in the low six bits, the other one begins at bit 8.
template <Counter counter> static void waitTwo(Step &step) {
  unsigned word = lastNumber(step);
  waitFor(step, Counter::Lds, word & 0x3f);
  waitFor(step, counter, word >> 8 & 0x3f);
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

static int64_t distance(const Step &step) { return static_cast<int16_t>(step.operand(0).value); }

static void branch(Step &step) { step.jump(distance(step)); }

static void branchIf(Step &step, bool condition) {
  if (condition)
    step.jump(distance(step));
}

static void branchScc0(Step &step) { branchIf(step, !step.wave.scalars[sccSlot]); }
static void branchScc1(Step &step) { branchIf(step, step.wave.scalars[sccSlot]); }
static uint64_t vcc(const Step &step) { return step.wave.mask(vccSlot); }
static void branchVccZ(Step &step) { branchIf(step, vcc(step) == 0); }
static void branchVccNz(Step &step) { branchIf(step, vcc(step) != 0); }
static void branchExecZ(Step &step) { branchIf(step, step.wave.exec() == 0); }
static void branchExecNz(Step &step) { branchIf(step, step.wave.exec() != 0); }

static void getPc(Step &step) {
  step.setScalarWide(step.operand(0), step.machine.base() + step.wave.pc);
}
static void addPc(Step &step) {
  step.wave.pc += static_cast<uint64_t>(static_cast<int64_t>(step.scalarWide(step.operand(0))));
}
static void setPc(Step &step) {
  step.wave.pc = step.scalarWide(step.operand(0)) - step.machine.base();
}
static void swapPc(Step &step) {
  uint64_t target = step.scalarWide(step.operand(1));
  getPc(step);
  step.wave.pc = target - step.machine.base();
}
static void callPc(Step &step) {
  getPc(step);
  step.jump(static_cast<int16_t>(step.operand(1).value));
}

static void endProgram(Step &step) {
  step.wave.state = WaveState::Ended;
  settle(step.workgroup);
  settleCluster(step.machine);
}

static void nothing(Step &) {}
static void sleep(Step &step) { step.yields = true; }
static void trap(Step &step) { step.fail(0, "the kernel has trapped"); }

//===----------------------------------------------------------------------===//
// Modes and other hardware registers
//===----------------------------------------------------------------------===//

struct HardwareField {
  std::string name;
  unsigned shift = 0, width = 32;
};

/// "hwreg(HW_REG_MODE, 23, 1)"
static HardwareField hardwareField(StringRef text) {
  HardwareField field;
  text.consume_front("hwreg(");
  text.consume_back(")");
  llvm::SmallVector<StringRef, 3> parts;
  text.split(parts, ',');
  // gfx12 has longer names.
  StringRef name = parts[0].trim();
  if (name.consume_front("HW_REG_"))
    name.consume_front("WAVE_");
  field.name = name.str();
  if (parts.size() == 3) {
    parts[1].trim().getAsInteger(0, field.shift);
    parts[2].trim().getAsInteger(0, field.width);
  }
  return field;
}

static uint32_t fieldMask(const HardwareField &field) {
  return field.width >= 32 ? ~0u : ((1u << field.width) - 1);
}

static void getHardware(Step &step) {
  HardwareField field = hardwareField(step.operand(1).word);
  uint32_t value = 0;
  if (field.name == "MODE")
    value = step.wave.mode;
  else if (field.name == "IB_STS2")
    // Zero where there are no clusters; and the workgroup's number in its own.
    value = (step.machine.launch.workgroupsPerCluster - 1) << 6 | step.workgroup.rank << 21;
  else if (field.name == "SHADER_CYCLES" || field.name == "SHADER_CYCLES_LO")
    value = static_cast<uint32_t>(step.machine.clock);
  step.setScalar(step.operand(0), value >> field.shift & fieldMask(field));
}

static void setHardware(Step &step) {
  HardwareField field = hardwareField(step.operand(0).word);
  if (field.name != "MODE")
    return;
  uint32_t mask = fieldMask(field) << field.shift;
  step.wave.mode = (step.wave.mode & ~mask) | ((step.scalar(1) << field.shift) & mask);
}

/// On gfx1250 a constant for MODE has the banks, too, whatever field is named: bits 12 to 19, the
/// destination's first (LLVM 22, AMDGPULowerVGPREncoding).
static void setModeAndBanks(Step &step) {
  setHardware(step);
  if (!step.machine.chip.is1250 || hardwareField(step.operand(0).word).name != "MODE")
    return;
  uint32_t banks = step.scalar(1) >> 12 & 0xff;
  step.wave.registerBanks = static_cast<uint8_t>(banks >> 2 | banks << 6);
}

static void setRounding(Step &step) {
  step.wave.mode = (step.wave.mode & ~0xfu) | (step.operand(0).value & 0xf);
}
static void setDenormals(Step &step) {
  step.wave.mode = (step.wave.mode & ~0xf0u) | (step.operand(0).value & 0xf) << 4;
}
static void setBanks(Step &step) {
  step.wave.registerBanks = static_cast<uint8_t>(step.operand(0).value);
}

static void readClock(Step &step) {
  step.setScalarWide(step.operand(0), step.machine.clock);
  // Who waits for a time to come does not wait for others.
  ++step.machine.progress;
}

static void message(Step &step) {
  if (step.operand(0).word.find("MSG_DEALLOC_VGPRS") == std::string::npos &&
      step.operand(0).word.find("MSG_INTERRUPT") == std::string::npos)
    step.fail(0, "the executor does not know this message");
}

/// Asks for a number; what comes back counts as a scalar load.
static void messageForResult(Step &step) {
  if (step.operand(1).word.find("MSG_RTN_GET_REALTIME") == std::string::npos)
    return step.fail(0, "the executor does not know this message");
  readClock(step);
  InFlight entry;
  entry.registers.push_back({Bank::Scalar, step.operand(0).reg, step.operand(0).count});
  entry.isOrdered = false;
  step.wave.counters.issue(step.machine.chip.hasSplitCounters() ? Counter::Scalar : Counter::Lds,
                           std::move(entry));
}

void addControl(HandlerTable &table) {
  table["s_branch"] = branch;
  table["s_cbranch_scc0"] = branchScc0;
  table["s_cbranch_scc1"] = branchScc1;
  table["s_cbranch_vccz"] = branchVccZ;
  table["s_cbranch_vccnz"] = branchVccNz;
  table["s_cbranch_execz"] = branchExecZ;
  table["s_cbranch_execnz"] = branchExecNz;
  table["s_getpc_b64"] = table["s_get_pc_i64"] = getPc;
  table["s_setpc_b64"] = table["s_set_pc_i64"] = setPc;
  table["s_swappc_b64"] = table["s_swap_pc_i64"] = swapPc;
  table["s_add_pc_i64"] = addPc;
  table["s_call_b64"] = table["s_call_i64"] = callPc;
  table["s_endpgm"] = endProgram;
  table["s_trap"] = trap;
  table["s_waitcnt"] = waitcnt;
  table["s_waitcnt_vmcnt"] = table["s_wait_loadcnt"] = waitOne<Counter::Load>;
  table["s_waitcnt_vscnt"] = table["s_wait_storecnt"] = waitOne<Counter::Store>;
  table["s_waitcnt_lgkmcnt"] = table["s_wait_dscnt"] = waitOne<Counter::Lds>;
  table["s_wait_kmcnt"] = waitOne<Counter::Scalar>;
  table["s_wait_asynccnt"] = waitOne<Counter::Async>;
  table["s_wait_tensorcnt"] = waitOne<Counter::Tensor>;
  table["s_wait_loadcnt_dscnt"] = waitTwo<Counter::Load>;
  table["s_wait_storecnt_dscnt"] = waitTwo<Counter::Store>;
  table["s_getreg_b32"] = getHardware;
  table["s_setreg_b32"] = setHardware;
  table["s_setreg_imm32_b32"] = setModeAndBanks;
  table["s_round_mode"] = setRounding;
  table["s_denorm_mode"] = setDenormals;
  table["s_set_vgpr_msb"] = setBanks;
  table["s_memtime"] = table["s_memrealtime"] = readClock;
  table["s_sendmsg"] = message;
  table["s_sendmsg_rtn_b64"] = messageForResult;
  table["s_sleep"] = table["s_sleep_var"] = sleep;
  for (StringRef name : {"s_nop",
                         "s_setprio",
                         "s_delay_alu",
                         "s_clause",
                         "s_code_end",
                         "s_setprio_inc_wg",
                         "s_inst_prefetch",
                         "s_set_inst_prefetch_distance",
                         "s_icache_inv",
                         "s_dcache_inv",
                         "s_dcache_wb",
                         "s_wait_idle",
                         "s_wait_event",
                         "s_wait_expcnt",
                         "s_waitcnt_expcnt",
                         "s_wait_samplecnt",
                         "s_wait_bvhcnt",
                         "s_wait_xcnt",
                         "s_waitcnt_depctr",
                         "s_wait_alu",
                         "s_ttracedata",
                         "s_ttracedata_imm",
                         "s_incperflevel",
                         "s_decperflevel",
                         "s_sethalt",
                         "s_prefetch_inst",
                         "s_prefetch_inst_pc_rel",
                         "s_prefetch_data",
                         "s_prefetch_data_pc_rel",
                         "s_buffer_prefetch_data",
                         "s_wakeup",
                         "s_wakeup_barrier",
                         "s_monitor_sleep",
                         "v_nop"})
    table[name] = nothing;
}

} // namespace gluonc::amdgcn
