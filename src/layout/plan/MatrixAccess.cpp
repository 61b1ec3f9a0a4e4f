#include "layout/plan/MatrixAccess.h"

#include "layout/linear/Gf2.h"
#include "target/nvidia/Chips.h"
#include "target/nvidia/MatrixInstructions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <bit>

namespace gluonc::layout {
namespace {

/// ldmatrix and stmatrix.
constexpr unsigned rowBytes = 16, wordBits = target::nvidia::matrixWordBits;
constexpr unsigned laneBits = std::countr_zero(target::nvidia::warpSize);

/// What each input bit adds to the offset; nullopt for maps that no warp-wide access can serve.
struct Images {
  llvm::SmallVector<uint32_t, 8> registers, lanes, warps, blocks;

  static std::optional<Images> of(const LinearLayout &map) {
    Images images;
    if (map.inLog2(Dim::Lane) != laneBits || map.outLog2(Dim::Block))
      return std::nullopt;
    for (auto [dim, list] :
         {std::pair(Dim::Register, &images.registers), std::pair(Dim::Lane, &images.lanes),
          std::pair(Dim::Warp, &images.warps), std::pair(Dim::Block, &images.blocks)})
      for (unsigned bit = 0; bit < map.inLog2(dim); ++bit)
        list->push_back(map.basis(dim, bit, Dim::Offset));
    // Registers that hold copies: the caller's plain access knows what to do with them.
    Gf2Span span;
    for (uint32_t image : images.registers)
      if (!span.insert(image, 0))
        return std::nullopt;
    return images;
  }

  /// The register bit with this image, as a mask; 0 if there is none.
  uint32_t find(uint32_t image) const {
    const uint32_t *it = llvm::find(registers, image);
    return it == registers.end() ? 0 : 1u << (it - registers.begin());
  }
};

/// Finishes a plan whose word bits and row images (lane bits 0 to 2) are known.
std::optional<MatrixAccess> complete(MatrixAccess plan, const Images &images,
                                     unsigned rowElements) {
  uint32_t used = 0;
  for (uint32_t bit : plan.wordBits)
    used |= bit;
  // The lowest bits: tensor-core fragments number the words of an operand so, and one instruction
  // then fills the neighbouring registers that the product wants.
  for (auto [bit, image] : llvm::enumerate(images.registers))
    if (!(used >> bit & 1) && plan.matrixBits.size() < 2) {
      plan.matrixBits.push_back(1u << bit);
      plan.laneImages.push_back(image);
      used |= 1u << bit;
    }
  plan.laneImages.resize(laneBits, 0);
  uint32_t steps = 0;
  for (uint32_t image : plan.laneImages)
    steps |= image;
  for (uint32_t image : llvm::concat<const uint32_t>(images.warps, images.blocks))
    steps |= image;
  for (auto [bit, image] : llvm::enumerate(images.registers))
    if (!(used >> bit & 1))
      steps |= image;
  if (steps & (rowElements - 1))
    return std::nullopt;
  for (uint32_t reg = 0; reg < 1u << images.registers.size(); ++reg)
    if (!(reg & used))
      plan.bases.push_back(reg);
  return plan;
}

std::optional<MatrixAccess> planPlain(const Images &images, unsigned elementBits) {
  MatrixAccess plan;
  uint32_t perWord = wordBits / elementBits;
  for (uint32_t offset = 1; offset < perWord; offset *= 2) {
    uint32_t bit = images.find(offset);
    if (!bit)
      return std::nullopt;
    plan.wordBits.push_back(bit);
  }
  if (images.lanes[0] != perWord || images.lanes[1] != 2 * perWord)
    return std::nullopt;
  plan.laneImages.append({images.lanes[2], images.lanes[3], images.lanes[4]});
  return complete(std::move(plan), images, 8 * rowBytes / elementBits);
}

std::optional<MatrixAccess> planTransposed(const Images &images, unsigned elementBits) {
  if (elementBits != 16 || images.registers.empty() || images.lanes[2] != 1 ||
      images.lanes[3] != 2 || images.lanes[4] != 4)
    return std::nullopt;
  MatrixAccess plan;
  plan.transposed = true;
  plan.wordBits.push_back(1);
  plan.laneImages.append({images.registers[0], images.lanes[0], images.lanes[1]});
  return complete(std::move(plan), images, 8 * rowBytes / elementBits);
}

} // namespace

uint32_t MatrixAccess::registerOf(uint32_t base, unsigned matrix, unsigned element) const {
  for (auto [i, bit] : llvm::enumerate(matrixBits))
    base |= matrix >> i & 1 ? bit : 0;
  for (auto [i, bit] : llvm::enumerate(wordBits))
    base |= element >> i & 1 ? bit : 0;
  return base;
}

std::optional<MatrixAccess> planMatrixAccess(const LinearLayout &map, unsigned elementBits,
                                             bool transposable) {
  if (elementBits != 8 && elementBits != 16 && elementBits != 32)
    return std::nullopt;
  std::optional<Images> images = Images::of(map);
  if (!images)
    return std::nullopt;
  if (std::optional<MatrixAccess> plan = planPlain(*images, elementBits))
    return plan;
  return transposable ? planTransposed(*images, elementBits) : std::nullopt;
}

} // namespace gluonc::layout
