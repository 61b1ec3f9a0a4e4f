//===- Conversion.cpp - Who sends what to whom -------------------------------===//
#include "picture/Cells.h"
#include "picture/Draw.h"

#include "layout/plan/Conversion.h"

#include "llvm/ADT/StringExtras.h"

namespace gluonc::picture {

using layout::Dim;
using layout::LinearLayout;

layout::Problem checkConversion(const Laid &from, const layout::Layout &to) {
  if (!from.layout.isDistributed() || !to.isDistributed())
    return "a conversion is between two layouts of registers";
  const LinearLayout source = from.layout.toLinear(from.shape), result = to.toLinear(from.shape);
  for (Dim dim : {Dim::Lane, Dim::Warp, Dim::Block})
    if (source.inSize(dim) != result.inSize(dim))
      return "a conversion keeps lanes, warps and CTAs, but one layout has " +
             std::to_string(source.inSize(dim)) + " of " + dim.name() + ", the other " +
             std::to_string(result.inSize(dim));
  return std::nullopt;
}

namespace {

/// Counts of what goes from whom to whom.
class Traffic {
public:
  Traffic(std::string who, int64_t size)
      : who(std::move(who)),
        counts(static_cast<size_t>(size), std::vector<int64_t>(static_cast<size_t>(size))) {}

  void add(uint32_t from, uint32_t to) { ++counts[from][to]; }

  bool isCrossing() const {
    for (size_t from = 0; from != counts.size(); ++from)
      for (size_t to = 0; to != counts.size(); ++to)
        if (from != to && counts[from][to])
          return true;
    return false;
  }

  Panel panel(std::string title) const {
    Panel panel;
    panel.title = std::move(title);
    panel.rowAxis = "from " + who;
    panel.columnAxis = "to " + who;
    panel.colours = Colours::Heat;
    int64_t most = 0;
    for (const std::vector<int64_t> &row : counts)
      for (int64_t count : row)
        most = std::max(most, count);
    for (size_t from = 0; from != counts.size(); ++from) {
      panel.rowHeads.push_back(std::to_string(from));
      panel.columnHeads.push_back(std::to_string(from));
      panel.rows.emplace_back();
      for (size_t to = 0; to != counts.size(); ++to) {
        const std::string count = std::to_string(counts[from][to]);
        Cell cell;
        cell.text = counts[from][to] ? count : "";
        cell.title = who + " " + std::to_string(from) + " sends " + count + " elements to " + who +
                     " " + std::to_string(to) + (from == to ? " (keeps them)" : "");
        cell.owner = who + " " + std::to_string(from);
        cell.group = heatOf(counts[from][to], most);
        panel.rows.back().push_back(std::move(cell));
      }
    }
    return panel;
  }

private:
  std::string who;
  std::vector<std::vector<int64_t>> counts;
};

std::string plural(int64_t count, const std::string &what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string halfText(const layout::SharedHalf &half, const layout::SharedPlan &plan,
                     const std::string &what) {
  int64_t instructions = 0, conflicts = 0;
  for (const auto &repetition : half.instructions) {
    layout::RegisterVectors vectors;
    vectors.log2 = half.vectorLog2;
    for (const layout::SharedInstruction &instruction : repetition)
      vectors.vectors.push_back(instruction.registers);
    instructions += static_cast<int64_t>(repetition.size());
    conflicts += layout::countBankConflicts(half.map, vectors, std::max(8u, plan.elementBits));
  }
  const int64_t bits = int64_t{std::max(8u, plan.elementBits)} << half.vectorLog2;
  return plural(instructions, what) + " of " + std::to_string(bits) + " bits, " +
         plural(conflicts, "extra wavefront") + " in a warp";
}

std::string planText(const layout::ConversionPlan &plan) {
  if (const auto *shuffle = std::get_if<layout::ShufflePlan>(&plan))
    return "By shuffles within a warp: " +
           plural(static_cast<int64_t>(shuffle->rounds.size()), "round") + ".";
  if (const auto *shared = std::get_if<layout::SharedPlan>(&plan))
    return "Through shared memory: " + plural(shared->scratchBytes, "byte") + ", " +
           plural(shared->repetitions, "repetition") + "; a thread has " +
           halfText(shared->store, *shared, "store") + ", and " +
           halfText(shared->load, *shared, "load") + ".";
  if (std::holds_alternative<layout::RegisterPlan>(plan))
    return "Within each thread: registers are renamed.";
  return "Nothing moves: both layouts have each element in the same register.";
}

} // namespace

Picture drawConversion(const Laid &from, const layout::Layout &to) {
  const LinearLayout source = from.layout.toLinear(from.shape), result = to.toLinear(from.shape);
  const LinearLayout nearest = layout::nearestSources(source, result);
  Picture picture;
  picture.title = from.layout.toString() + " to " + to.toString();
  picture.description =
      "On the left each element with the thread and register that hold it before, "
      "on the right after the conversion, with where it comes from.";
  picture.panels.push_back(elementsPanel(from.layout, from.shape, from.elementBits, from.shape));
  picture.panels.back().title = "before";
  picture.panels.push_back(elementsPanel(to, from.shape, from.elementBits, from.shape));
  Panel &after = picture.panels.back();
  after.title = "after, with whence";
  after.column = 1;
  Traffic warps("warp", result.inSize(Dim::Warp)), lanes("lane", result.inSize(Dim::Lane));
  forEachOwner(result, [&](uint64_t place) {
    const Owner receiver(result, place);
    // Registers of several copies say the same: the image is packed like an input of `source`.
    llvm::SmallVector<layout::Coord, 4> coords;
    const uint64_t image = nearest.applyPacked(nearest.packIn({{Dim::Register, receiver.reg},
                                                               {Dim::Lane, receiver.lane},
                                                               {Dim::Warp, receiver.warp},
                                                               {Dim::Block, receiver.block}}));
    for (const layout::DimSize &out : nearest.outDims())
      coords.push_back({out.dim, nearest.outComponent(image, out.dim)});
    const Owner sender(source, source.packIn(coords));
    warps.add(sender.warp, receiver.warp);
    if (receiver.warp == 0 && receiver.block == 0)
      lanes.add(sender.lane, receiver.lane);
    Cell &cell = *cellAt(after, elementAt(result, place), from.shape);
    if (cell.text == receiver.text()) {
      cell.detail = "< " + sender.text();
      cell.title += "; from " + sender.words();
    }
  });
  unsigned row = 1;
  if (warps.isCrossing()) {
    picture.panels.push_back(warps.panel("elements from warp to warp"));
    picture.panels.back().row = row;
  }
  if (lanes.isCrossing()) {
    picture.panels.push_back(
        lanes.panel("elements that lanes of warp 0 get, by lanes that hold them"));
    picture.panels.back().row = row;
    picture.panels.back().column = warps.isCrossing() ? 1 : 0;
  }
  picture.notes.push_back(planText(layout::planConversion(source, result, from.elementBits)));
  return picture;
}

} // namespace gluonc::picture
