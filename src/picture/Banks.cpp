//===- Banks.cpp - Bank conflicts of an access -------------------------------===//
#include "picture/Cells.h"
#include "picture/Draw.h"

#include "layout/plan/BankPhases.h"
#include "layout/plan/Conversion.h"

#include <map>

namespace gluonc::picture {

using layout::Dim;
using layout::LinearLayout;
using layout::SharedPhase;

static std::optional<layout::SharedAccessMap> accessOf(const Laid &registers,
                                                       const layout::Layout &shared) {
  const auto *padded = layout::paddedPart(shared);
  return layout::mapToShared(registers.layout.toLinear(registers.shape),
                             shared.toLinear(registers.shape), registers.elementBits, 128,
                             padded ? padded->maxVector() : 0);
}

layout::Problem checkBanks(const Laid &registers, const layout::Layout &shared) {
  if (!registers.layout.isDistributed() || !shared.isShared())
    return "banks are of a layout of registers and one of shared memory";
  if (registers.elementBits < 8)
    return "banks of elements of less than 8 bits cannot be drawn";
  if (!accessOf(registers, shared))
    return "the shared memory does not hold every element";
  return std::nullopt;
}

namespace {

/// The different words that a bank is asked for, each with the lanes that ask.
using Wanted = std::map<int64_t, std::string>;

std::string wantedText(unsigned bank, const Wanted &wanted) {
  std::string text = "bank " + std::to_string(bank) + ": ";
  if (wanted.empty())
    return text + "nothing";
  text += std::to_string(wanted.size()) + (wanted.size() == 1 ? " word" : " words");
  constexpr size_t listed = 8;
  for (size_t count = 0; const auto &[word, lanes] : wanted) {
    if (count++ == listed)
      return text + "; …";
    text += "; word " + std::to_string(word) + " for lanes " + lanes;
  }
  return text;
}

std::vector<Cell> phaseCells(const SharedPhase &phase) {
  std::vector<Wanted> banks(static_cast<size_t>(layout::sharedBanks));
  for (auto [i, word] : llvm::enumerate(phase.words)) {
    std::string &lanes = banks[static_cast<size_t>(word % layout::sharedBanks)][word];
    lanes += (lanes.empty() ? "" : " ") +
             std::to_string(phase.firstLane + static_cast<int64_t>(i) / phase.wordsPerLane);
  }
  std::vector<Cell> cells;
  for (auto [bank, wanted] : llvm::enumerate(banks)) {
    Cell cell;
    cell.text = wanted.empty() ? "" : std::to_string(wanted.size());
    cell.title = wantedText(static_cast<unsigned>(bank), wanted);
    cell.owner = "bank " + std::to_string(bank);
    cell.group = heatOf(static_cast<int64_t>(wanted.size()), layout::sharedBanks);
    cells.push_back(std::move(cell));
  }
  return cells;
}

} // namespace

Picture drawBanks(const Laid &registers, const layout::Layout &shared) {
  const auto *padded = layout::paddedPart(shared);
  const layout::SharedAccessMap access = *accessOf(registers, shared);
  auto physical = [&](int64_t logical) {
    return padded ? padded->physicalOffset(logical) : logical;
  };
  const std::vector<SharedPhase> phases =
      layout::phasesOf(access.map, access.vectors, registers.elementBits, physical);
  Panel panel;
  panel.title = "words that phases of warp 0 want from each bank";
  panel.rowAxis = "accesses and the lanes of a phase, = wavefronts";
  panel.columnAxis = "banks";
  panel.colours = Colours::Heat;
  for (int64_t bank = 0; bank != layout::sharedBanks; ++bank)
    panel.columnHeads.push_back(std::to_string(bank));
  int64_t sum = 0;
  for (const SharedPhase &phase : phases) {
    const int64_t taken = layout::wavefronts(phase.words);
    sum += taken;
    panel.rowHeads.push_back(
        "access " + std::to_string(phase.access) + ", lanes " + std::to_string(phase.firstLane) +
        ".." +
        std::to_string(phase.firstLane +
                       static_cast<int64_t>(phase.words.size()) / phase.wordsPerLane - 1) +
        " = " + std::to_string(taken));
    panel.rows.push_back(phaseCells(phase));
  }
  const int64_t bits = int64_t{registers.elementBits} << access.vectors.log2;
  Picture picture;
  picture.title = registers.layout.toString() + " in " + shared.toString();
  picture.description = "How many different words each bank of shared memory is asked for in each "
                        "phase of an access. A phase takes as many wavefronts as its busiest bank "
                        "has words: more than 1 are bank conflicts.";
  picture.notes.push_back(
      "Warp 0: " + std::to_string(access.vectors.vectors.size()) + " accesses of " +
      std::to_string(bits) + " bits a lane, " + std::to_string(phases.size()) + " phases, " +
      std::to_string(sum) + " wavefronts: " +
      std::to_string(sum - static_cast<int64_t>(phases.size())) + " because of bank conflicts.");
  picture.panels.push_back(std::move(panel));
  return picture;
}

} // namespace gluonc::picture
