// What pictures say, held to the algebra: labels are read back and applied.
#include "picture/Draw.h"
#include "layout/RandomLayouts.h"
#include "layout/plan/BankPhases.h"
#include "layout/plan/Conversion.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <set>

namespace gluonc::picture {
namespace {

using layout::Dim;
using layout::Ints;
using layout::Layout;
using layout::LinearLayout;
using layout::RandomLayouts;

constexpr int rounds = 200;

Ints numbersOf(llvm::StringRef text) {
  Ints numbers;
  for (size_t at = 0; at < text.size();) {
    if (!llvm::isDigit(text[at])) {
      ++at;
      continue;
    }
    llvm::StringRef rest = text.drop_front(at);
    uint64_t number = 0;
    rest.consumeInteger(10, number);
    numbers.push_back(static_cast<int64_t>(number));
    at = text.size() - rest.size();
  }
  return numbers;
}

/// "T5:2", "B1 T5:2" as an index.
llvm::SmallVector<layout::Coord, 4> ownerOf(const LinearLayout &linear, llvm::StringRef text) {
  Ints numbers = numbersOf(text);
  if (numbers.size() == 2)
    numbers.insert(numbers.begin(), 0);
  const int64_t lanes = linear.inSize(Dim::Lane);
  return {{Dim::Register, static_cast<uint32_t>(numbers[2])},
          {Dim::Lane, static_cast<uint32_t>(numbers[1] % lanes)},
          {Dim::Warp, static_cast<uint32_t>(numbers[1] / lanes)},
          {Dim::Block, static_cast<uint32_t>(numbers[0])}};
}

Ints valuesOf(llvm::ArrayRef<layout::Coord> coords, size_t rank) {
  Ints values(rank, 0);
  for (const layout::Coord &coord : coords)
    values[coord.dim.axisIndex()] = coord.value;
  return values;
}

/// All cells with text; fails where an element is drawn twice or not at all.
std::vector<const Cell *> elementsOf(const Panel &panel, int64_t count) {
  std::vector<const Cell *> cells;
  std::set<std::string> elements;
  for (const std::vector<Cell> &row : panel.rows) {
    EXPECT_EQ(row.size(), panel.columnHeads.size());
    for (const Cell &cell : row)
      if (!cell.text.empty()) {
        cells.push_back(&cell);
        EXPECT_TRUE(elements.insert(cell.element).second) << cell.element;
      }
  }
  EXPECT_EQ(static_cast<int64_t>(elements.size()), count);
  return cells;
}

int64_t countOf(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

TEST(Elements, EachOnceWithItsLeastOwner) {
  RandomLayouts random(1);
  for (int round = 0; round != rounds; ++round) {
    const unsigned rank = 2 + random.below(2);
    const Ints shape = random.shape(rank, 6, 9);
    const Layout layout = random.matrix(rank);
    if (layout::checkShape(layout, shape))
      continue;
    const LinearLayout linear = layout.toLinear(shape);
    const Picture picture = drawElements({layout, shape, 32});
    int64_t places = 0;
    for (const Cell *cell : elementsOf(picture.panels[0], countOf(shape))) {
      EXPECT_EQ(valuesOf(linear.apply(ownerOf(linear, cell->text)), rank), numbersOf(cell->element))
          << layout.toString();
      places += 1 + cell->others;
    }
    EXPECT_EQ(places, int64_t{1} << linear.totalInLog2()) << layout.toString();
  }
}

TEST(Elements, OffsetsAndBanksOfSharedMemory) {
  RandomLayouts random(2);
  int drawn = 0;
  for (int round = 0; round != rounds; ++round) {
    const Ints shape = random.shape(2, 8, 10);
    const Layout layout = random.shared(shape);
    if (layout.validate() || layout::checkShape(layout, shape))
      continue;
    ++drawn;
    const LinearLayout linear = layout.toLinear(shape);
    const auto *padded = layout::paddedPart(layout);
    std::map<std::string, std::set<int64_t>> offsets;
    for (uint32_t block = 0; block != linear.inSize(Dim::Block); ++block)
      for (uint32_t logical = 0; logical != linear.inSize(Dim::Offset); ++logical) {
        Ints at = valuesOf(linear.apply({{Dim::Offset, logical}, {Dim::Block, block}}), 2);
        offsets[std::to_string(at[0]) + ", " + std::to_string(at[1])].insert(
            padded ? padded->physicalOffset(logical) : logical);
      }
    const Picture picture = drawElements({layout, shape, 16});
    for (const Cell *cell : elementsOf(picture.panels[0], countOf(shape))) {
      const int64_t offset = numbersOf(cell->text).back();
      EXPECT_TRUE(offsets[cell->element].count(offset)) << layout.toString() << cell->title;
      EXPECT_EQ(cell->group, offset * 2 / 4 % 32);
    }
  }
  EXPECT_GT(drawn, rounds / 4);
}

TEST(Elements, CornerShowsTheFirstOnly) {
  const Picture picture =
      drawElements({layout::BlockedLayout{{1}, {32}, {4}, {0}, {}}, {256}, 32}, {8});
  EXPECT_EQ(picture.panels[0].columnHeads.size(), 8u);
}

/// The elements of a run such as "3,8..11".
std::vector<Ints> elementsOfRun(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 4> parts;
  text.split(parts, ',');
  std::vector<Ints> elements(1);
  for (llvm::StringRef part : parts) {
    const Ints ends = numbersOf(part);
    std::vector<Ints> longer;
    for (const Ints &element : elements)
      for (int64_t value = ends.front(); value <= ends.back(); ++value) {
        longer.push_back(element);
        longer.back().push_back(value);
      }
    elements = longer;
  }
  return elements;
}

TEST(Memory, EveryOffsetLiesWhereItsBankIs) {
  RandomLayouts random(3);
  for (int round = 0; round != rounds; ++round) {
    const Ints shape = random.shape(2, 8, 10);
    const Layout layout = random.shared(shape);
    if (layout.validate() || layout::checkShape(layout, shape))
      continue;
    const LinearLayout linear = layout.toLinear(shape);
    const auto *padded = layout::paddedPart(layout);
    const Picture picture = drawMemory({layout, shape, 16});
    ASSERT_EQ(static_cast<int64_t>(picture.panels.size()), linear.inSize(Dim::Block));
    for (auto [block, panel] : llvm::enumerate(picture.panels)) {
      // By physical offset.
      std::map<int64_t, Ints> drawn;
      for (auto [line, row] : llvm::enumerate(panel.rows))
        for (auto [column, cell] : llvm::enumerate(row)) {
          if (cell.text.empty())
            continue;
          const std::vector<Ints> run = elementsOfRun(cell.text);
          int64_t offset = static_cast<int64_t>((line * row.size() + column) * run.size());
          for (const Ints &element : run)
            EXPECT_TRUE(drawn.emplace(offset++, element).second);
        }
      EXPECT_EQ(static_cast<int64_t>(drawn.size()), linear.inSize(Dim::Offset));
      for (uint32_t logical = 0; logical != linear.inSize(Dim::Offset); ++logical)
        EXPECT_EQ(drawn[padded ? padded->physicalOffset(logical) : logical],
                  valuesOf(linear.apply({{Dim::Offset, logical},
                                         {Dim::Block, static_cast<uint32_t>(block)}}),
                           2))
            << layout.toString();
    }
  }
}

TEST(Memory, TensorMemoryHasEachElementOnce) {
  const layout::TensorMemoryLayout sparse{{64, 32}, 2, {}};
  for (const Ints &shape : {Ints{64, 32}, Ints{64, 64}, Ints{128, 32}}) {
    ASSERT_FALSE(layout::checkShape(sparse, shape));
    std::set<std::string> elements;
    const Picture picture = drawMemory({sparse, shape, 16});
    for (const std::vector<Cell> &row : picture.panels[0].rows)
      for (const Cell &cell : row)
        if (!cell.text.empty())
          for (const Ints &element : elementsOfRun(cell.text))
            EXPECT_TRUE(
                elements.insert(std::to_string(element[0]) + "," + std::to_string(element[1]))
                    .second);
    EXPECT_EQ(static_cast<int64_t>(elements.size()), countOf(shape));
    for (const Cell *cell : elementsOf(drawElements({sparse, shape, 16}).panels[0], countOf(shape)))
      EXPECT_EQ(cell->others, 0u);
  }
}

TEST(Conversion, SendersHoldTheElement) {
  RandomLayouts random(4);
  int drawn = 0;
  for (int round = 0; round != rounds; ++round) {
    const Ints shape = random.shape(2, 8, 10);
    const Layout from = random.matrix(2), to = random.matrix(2);
    if (layout::checkShape(from, shape) || layout::checkShape(to, shape) ||
        checkConversion({from, shape, 32}, to))
      continue;
    ++drawn;
    const LinearLayout source = from.toLinear(shape);
    const Picture picture = drawConversion({from, shape, 32}, to);
    for (const Cell *cell : elementsOf(picture.panels[1], countOf(shape)))
      EXPECT_EQ(valuesOf(source.apply(ownerOf(source, cell->detail)), 2), numbersOf(cell->element))
          << from.toString() << to.toString();
    // Every register of every warp gets an element from some warp.
    if (picture.panels.size() > 2 && llvm::StringRef(picture.panels[2].title).contains("warp to")) {
      int64_t sum = 0;
      for (const std::vector<Cell> &row : picture.panels[2].rows)
        for (const Cell &cell : row)
          sum += cell.text.empty() ? 0 : numbersOf(cell.text)[0];
      EXPECT_EQ(sum, int64_t{1} << to.toLinear(shape).totalInLog2());
    }
  }
  EXPECT_GT(drawn, rounds / 4);
}

TEST(Banks, WordsAreThoseThatConflictsCount) {
  RandomLayouts random(5);
  int drawn = 0, conflicting = 0;
  for (int round = 0; round != rounds; ++round) {
    const Ints shape = random.shape(2, 8, 10);
    const Layout registers = random.matrix(2), shared = random.shared(shape);
    if (layout::checkShape(registers, shape) || shared.validate() ||
        layout::checkShape(shared, shape) || checkBanks({registers, shape, 16}, shared))
      continue;
    ++drawn;
    const auto *padded = layout::paddedPart(shared);
    auto physical = [&](int64_t logical) {
      return padded ? padded->physicalOffset(logical) : logical;
    };
    const auto access = layout::mapToShared(registers.toLinear(shape), shared.toLinear(shape), 16,
                                            128, padded ? padded->maxVector() : 0);
    const int64_t expected = layout::countBankConflicts(access->map, access->vectors, 16, physical);
    int64_t extra = 0;
    const Picture picture = drawBanks({registers, shape, 16}, shared);
    for (const std::vector<Cell> &row : picture.panels[0].rows) {
      int64_t most = 0;
      for (const Cell &cell : row)
        most = std::max(most, cell.text.empty() ? 0 : numbersOf(cell.text)[0]);
      extra += most - 1;
    }
    EXPECT_EQ(extra, expected) << registers.toString() << shared.toString();
    conflicting += extra > 0;
  }
  EXPECT_GT(drawn, rounds / 4);
  EXPECT_GT(conflicting, 10);
}

TEST(Product, FragmentsOfTensorCores) {
  const layout::NVMMADistributedLayout mma{{2, 0}, {1, 1}, {16, 8}, {}};
  const Product product{{mma, {16, 8}, 16}, 16, 0};
  ASSERT_FALSE(checkProduct(product));
  const Picture picture = drawProduct(product);
  ASSERT_EQ(picture.panels.size(), 3u);
  // PTX ISA, fragments of mma.m16n8k16: thread 5 holds b0 and b1 at rows 2 and 3 of column 1, a0
  // at row 1, column 2, and d0 there.
  EXPECT_EQ(picture.panels[0].rows[2][1].text, "T5:0");
  EXPECT_EQ(picture.panels[0].rows[3][1].text, "T5:1");
  EXPECT_EQ(picture.panels[1].rows[1][2].text, "T5:0");
  EXPECT_EQ(picture.panels[1].rows[9][10].text, "T5:6");
  EXPECT_EQ(picture.panels[2].rows[1][2].text, "T5:0");
}

TEST(Product, RefusesWhatHasNoOperands) {
  EXPECT_TRUE(checkProduct(
      {{layout::BlockedLayout{{1, 1}, {4, 8}, {4, 1}, {1, 0}, {}}, {16, 16}, 32}, 16}));
  const layout::NVMMADistributedLayout mma{{2, 0}, {1, 1}, {16, 8}, {}};
  EXPECT_TRUE(checkProduct({{mma, {16, 8}, 16}, 12}));
}

TEST(Pipeline, AnIterationKeepsItsBufferUntilItsLastStep) {
  const Picture picture = drawPipeline({{{"load", 0}, {"product", 2}}, 7});
  const Panel &panel = picture.panels[0];
  for (size_t slot = 0; slot != panel.columnHeads.size(); ++slot) {
    const Cell &load = panel.rows[0][slot], &product = panel.rows[1][slot];
    // What is written is not what is read at that time.
    EXPECT_TRUE(load.text.empty() || product.text.empty() || load.element != product.element);
    if (slot >= 2) {
      EXPECT_EQ(product.text, panel.rows[0][slot - 2].text);
      EXPECT_EQ(product.element, panel.rows[0][slot - 2].element);
    }
  }
}

TEST(Pipeline, PartitionsWaitForThoseThatArrive) {
  using Step = KernelPipeline::Step;
  KernelPipeline kernel;
  kernel.kernel = "k<&>";
  kernel.partitions = {{"use", 0, 4}, {"bring", 4, 1}};
  kernel.memories = {{"ring", "2x8 f16", 2, 32, 1},
                     {"full", "2x1 i64", 2, 16, 2, true, 1},
                     {"empty", "2x1 i64", 2, 16, 3, true}};
  kernel.steps = {{Step::Kind::Wait, 0, 10, 9, {}, {}, {}, {1}},
                  {Step::Kind::Read, 0, 11, 9, {0}},
                  {Step::Kind::Arrive, 0, 12, 9, {}, {}, {2}},
                  {Step::Kind::Wait, 1, 20, 19, {}, {}, {}, {2}},
                  {Step::Kind::Copy, 1, 21, 19, {}, {0}, {1}}};
  kernel.loops = {{19, 1, {{{"copy ring", 0}, {"read ring", 1}}, 3, 2}}};
  const Picture picture = drawKernelPipeline(kernel);
  ASSERT_EQ(picture.panels.size(), 5u);
  const Panel &steps = picture.panels[0], &waits = picture.panels[1], &barriers = picture.panels[2];
  ASSERT_EQ(steps.rows.size(), 3u);
  EXPECT_EQ(steps.columnHeads[1], "bring, warp 4");
  EXPECT_EQ(steps.rows[1][1].text, "copy ring -> full");
  EXPECT_TRUE(steps.rows[2][1].text.empty()) << "the other partition has a step more";
  EXPECT_EQ(waits.rows[0][1].text, "full");
  EXPECT_EQ(waits.rows[1][0].text, "empty");
  EXPECT_EQ(waits.rows[0][0].text, "-");
  EXPECT_EQ(barriers.rows[0][1].text, "1");
  EXPECT_EQ(barriers.rows[1][1].text, "?") << "nobody said how many arrivals";
  EXPECT_EQ(barriers.rows[0][2].text, "bring 21");
  EXPECT_EQ(picture.panels[3].rows[0][4].text, "use 11");
  EXPECT_NE(toSvg(picture).find("k&lt;&amp;&gt;"), std::string::npos);
}

} // namespace
} // namespace gluonc::picture
