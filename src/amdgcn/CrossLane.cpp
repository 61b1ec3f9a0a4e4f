//===- CrossLane.cpp - Values of other lanes -----------------------------------===//
#include "amdgcn/Lanes.h"

namespace gluonc::amdgcn {

using U = uint32_t;

//===----------------------------------------------------------------------===//
// DPP
//===----------------------------------------------------------------------===//

/// The lane that `lane` gets its value from; none outside of a row or wave.
static std::optional<unsigned> dppSource(const Dpp &dpp, unsigned lane, unsigned lanes) {
  unsigned row = lane & ~15u, place = lane & 15, n = dpp.amount;
  auto within = [&](int at) -> std::optional<unsigned> {
    if (at < 0 || at > 15)
      return std::nullopt;
    return row + static_cast<unsigned>(at);
  };
  switch (dpp.kind) {
  case DppKind::None:
    return lane;
  case DppKind::QuadPerm:
    return (lane & ~3u) + (dpp.lanes[lane & 3] & 3);
  case DppKind::Eight:
    return (lane & ~7u) + (dpp.lanes[lane & 7] & 7);
  case DppKind::RowShl:
    return within(static_cast<int>(place + n));
  case DppKind::RowShr:
    return within(static_cast<int>(place) - static_cast<int>(n));
  case DppKind::RowRor:
    return row + ((place + 16 - n) & 15);
  case DppKind::WaveShl:
    return lane + 1 < lanes ? std::optional(lane + 1) : std::nullopt;
  case DppKind::WaveRol:
    return (lane + 1) % lanes;
  case DppKind::WaveShr:
    return lane ? std::optional(lane - 1) : std::nullopt;
  case DppKind::WaveRor:
    return (lane + lanes - 1) % lanes;
  case DppKind::Mirror:
    return row + 15 - place;
  case DppKind::HalfMirror:
    return (lane & ~7u) + 7 - (lane & 7);
  case DppKind::Bcast15:
    return row ? std::optional(row - 1) : std::nullopt;
  case DppKind::Bcast31:
    return lane >= 32 ? std::optional(31u) : std::nullopt;
  case DppKind::NewBcast:
  case DppKind::Share:
    return row + n;
  case DppKind::XMask:
    return row + (place ^ n);
  }
  return std::nullopt;
}

void readDpp(const Step &step, const Operand &operand, DppRow &row) {
  const Dpp &dpp = step.instruction.modifiers.dpp;
  unsigned lanes = step.wave.lanes;
  const U *low = step.wave.row(operand.reg),
          *high = step.wave.row(operand.reg + (operand.count > 1));
  row.written = 0;
  bool isEight = dpp.kind == DppKind::Eight;
  for (unsigned lane = 0; lane != lanes; ++lane) {
    row.low[lane] = row.high[lane] = 0;
    if (!isEight && (!(dpp.rowMask >> (lane / 16) & 1) || !(dpp.bankMask >> (lane / 4 % 4) & 1)))
      continue;
    std::optional<unsigned> from = dppSource(dpp, lane, lanes);
    bool isValid = from && (dpp.fetchInactive || step.active >> *from & 1);
    if (isValid) {
      row.low[lane] = low[*from];
      row.high[lane] = high[*from];
    }
    // Lanes without a source get zero where bound_ctrl says so; dpp8 always gives zero.
    if (isValid || dpp.boundCtrl || isEight)
      row.written |= uint64_t(1) << lane;
  }
}

//===----------------------------------------------------------------------===//
// Lanes and scalars
//===----------------------------------------------------------------------===//

static void readLane(Step &step) {
  unsigned lane = step.scalar(2) & (step.wave.lanes - 1);
  step.setScalar(step.operand(0), step.wave.row(step.operand(1).reg)[lane]);
}

static void readFirstLane(Step &step) {
  unsigned lane = step.active ? static_cast<unsigned>(std::countr_zero(step.active)) : 0;
  const Operand &source = step.operand(1);
  step.setScalar(step.operand(0), source.bank == Bank::Vector ? step.wave.row(source.reg)[lane]
                                                              : step.scalar(source));
}

static void writeLane(Step &step) {
  unsigned lane = step.scalar(2) & (step.wave.lanes - 1);
  step.wave.row(step.operand(0).reg)[lane] = step.scalar(1);
}

/// How many bits of a mask lie below a lane.
template <unsigned half> static void maskedCount(Step &step) {
  Source<U> mask(step, 1), add(step, 2);
  Result<U> result(step, step.operand(0));
  step.eachLane([&](unsigned lane) {
    uint64_t below = (uint64_t(1) << lane) - 1;
    result.set(lane, U(std::popcount(U(mask[lane]) & U(below >> 32 * half))) + U(add[lane]));
  });
}

//===----------------------------------------------------------------------===//
// Permutations
//===----------------------------------------------------------------------===//

/// gfx10 and later: a selector of four bits for each lane of a row, from two scalars.
template <bool otherRow> static void permuteRows(Step &step) {
  uint64_t selectors = step.scalar(2) | uint64_t(step.scalar(3)) << 32;
  const Modifiers &modifiers = step.instruction.modifiers;
  bool fetchInactive = modifiers.opSel > 0 && modifiers.opSel & 1;
  bool boundControl = modifiers.opSel > 0 && modifiers.opSel & 2;
  U values[64];
  std::memcpy(values, step.wave.row(step.operand(1).reg), step.wave.lanes * sizeof(U));
  U *row = step.wave.row(step.operand(0).reg);
  step.eachLane([&](unsigned lane) {
    unsigned from = (lane & ~15u) ^ (otherRow ? 16 : 0);
    from += selectors >> 4 * (lane & 15) & 0xf;
    bool isValid = fetchInactive || step.active >> from & 1;
    if (isValid)
      row[lane] = values[from];
    else if (boundControl)
      row[lane] = 0;
  });
}

/// Selectors from a vector register.
template <bool otherRow> static void permuteRowsByVector(Step &step) {
  const Modifiers &modifiers = step.instruction.modifiers;
  bool fetchInactive = modifiers.opSel > 0 && modifiers.opSel & 1;
  bool boundControl = modifiers.opSel > 0 && modifiers.opSel & 2;
  U values[64];
  std::memcpy(values, step.wave.row(step.operand(1).reg), step.wave.lanes * sizeof(U));
  Source<U> selector(step, 2);
  U *row = step.wave.row(step.operand(0).reg);
  step.eachLane([&](unsigned lane) {
    unsigned from = ((lane & ~15u) ^ (otherRow ? 16 : 0)) + (U(selector[lane]) & 15);
    if (fetchInactive || step.active >> from & 1)
      row[lane] = values[from];
    else if (boundControl)
      row[lane] = 0;
  });
}

/// Odd groups of lanes of the first register change places with even groups of the second.
template <unsigned group> static void swapRows(Step &step) {
  U *first = step.wave.row(step.operand(0).reg), *second = step.wave.row(step.operand(1).reg);
  for (unsigned lane = 0; lane != step.wave.lanes; ++lane)
    if (lane & group && step.active >> lane & step.active >> (lane ^ group) & 1)
      std::swap(first[lane], second[lane ^ group]);
}

/// v_permlane64: halves of a wave of 64 change places; smaller waves keep theirs.
static void permuteHalves(Step &step) {
  U values[64];
  std::memcpy(values, step.wave.row(step.operand(1).reg), step.wave.lanes * sizeof(U));
  U *row = step.wave.row(step.operand(0).reg);
  unsigned other = step.wave.lanes == 64 ? 32 : 0;
  step.eachLane([&](unsigned lane) { row[lane] = values[lane ^ other]; });
}

static void swapRegisters(Step &step) {
  U *first = step.wave.row(step.operand(0).reg), *second = step.wave.row(step.operand(1).reg);
  step.eachLane([&](unsigned lane) { std::swap(first[lane], second[lane]); });
}

template <bool relativeSource, bool relativeTarget> static void moveRelative(Step &step) {
  unsigned offset = step.wave.scalars[m0Slot];
  unsigned from = step.operand(1).reg + (relativeSource ? offset : 0);
  unsigned to = step.operand(0).reg + (relativeTarget ? offset : 0);
  if (std::max(from, to) >= step.wave.vectors.size() / step.wave.lanes)
    return step.fail(0, "M0 names a register that there is not");
  if (!relativeSource && step.operand(1).bank != Bank::Vector) {
    Source<U> value(step, 1);
    U *row = step.wave.row(to);
    return step.eachLane([&](unsigned lane) { row[lane] = value[lane]; });
  }
  const U *source = step.wave.row(from);
  U *row = step.wave.row(to);
  step.eachLane([&](unsigned lane) { row[lane] = source[lane]; });
}

/// Pseudo-random bits from those of a register (a shift register with taps).
static void randomBits(Step &step) {
  Source<U> value(step, 1);
  Result<U> result(step, step.operand(0));
  step.eachLane([&](unsigned lane) {
    U bits = value[lane];
    result.set(lane, bits << 1 ^ (bits >> 31 ? 197u : 0u));
  });
}

void addCrossLane(HandlerTable &table) {
  table["v_readlane_b32"] = readLane;
  table["v_readfirstlane_b32"] = readFirstLane;
  table["v_writelane_b32"] = writeLane;
  table["v_mbcnt_lo_u32_b32"] = maskedCount<0>;
  table["v_mbcnt_hi_u32_b32"] = maskedCount<1>;
  table["v_permlane16_b32"] = permuteRows<false>;
  table["v_permlanex16_b32"] = permuteRows<true>;
  table["v_permlane16_var_b32"] = permuteRowsByVector<false>;
  table["v_permlanex16_var_b32"] = permuteRowsByVector<true>;
  table["v_permlane16_swap_b32"] = swapRows<16>;
  table["v_permlane32_swap_b32"] = swapRows<32>;
  table["v_permlane64_b32"] = permuteHalves;
  table["v_swap_b32"] = swapRegisters;
  table["v_movrels_b32"] = moveRelative<true, false>;
  table["v_movreld_b32"] = moveRelative<false, true>;
  table["v_movrelsd_b32"] = moveRelative<true, true>;
  table["v_prng_b32"] = randomBits;
}

} // namespace gluonc::amdgcn
