#include "ptx/TensorMap.h"

namespace gluonc::ptx {

/// By the number that tensormap.replace gives an element type.
static TensorUnit unitOf(uint8_t number) {
  static constexpr Type types[] = {
      {TypeKind::Unsigned, 8}, {TypeKind::Unsigned, 16}, {TypeKind::Unsigned, 32},
      {TypeKind::Signed, 32},  {TypeKind::Unsigned, 64}, {TypeKind::Signed, 64},
      {TypeKind::Float, 16},   {TypeKind::Float, 32},    {TypeKind::Float, 32},
      {TypeKind::Float, 64},   {TypeKind::BFloat, 16},   {TypeKind::Float, 32},
      {TypeKind::Float, 32}};
  if (number < std::size(types))
    return {1, types[number].bytes(), types[number].bytes(), types[number]};
  // b4x16, b4x16_p64, b6x16_p32: the latter two fill 16 bytes.
  return {16, number == 15 ? 12u : 8u, number == 13 ? 8u : 16u, {}};
}

bool Box::read(Step &step, const Operand &address, unsigned lane) {
  const Instruction &instruction = step.instruction;
  uint64_t at = step.address(address, lane);
  const uint8_t *place = locate(step, Space::Generic, at, 64, lane);
  if (!place || !locate(step, Space::Generic, at + 64, 64, lane))
    return false;
  std::memcpy(&map, place, sizeof(map));
  auto wrong = [&](const llvm::Twine &why) {
    step.fail(lane, "tensor map: " + why);
    return false;
  };
  if (map.elementType > 15 || map.rank >= maxTensorRank || map.swizzle > 3)
    return wrong("these 128 bytes are none");
  unit = unitOf(map.elementType);
  bool takesFour = instruction.has("tile::gather4") || instruction.has("tile::scatter4");
  size_t wanted = takesFour ? 5 : map.rank + 1u;
  if (address.elements.size() != wanted)
    return wrong("it has " + llvm::Twine(map.rank + 1) + " dims");
  if (instruction.has("im2col") != bool(map.isIm2col))
    return wrong(map.isIm2col ? "it is for im2col" : "it is for tiles");
  if (map.box[0] % unit.elements)
    return wrong("a box of a part of 16 elements");
  for (auto [dim, element] : llvm::enumerate(address.elements)) {
    auto coordinate = static_cast<int32_t>(step.read(element, lane));
    if (!takesFour || dim == 0) {
      corner[dim] = coordinate;
      continue;
    }
    Line line = {corner[0], coordinate};
    lines.push_back(line);
  }
  if (corner[0] % static_cast<int64_t>(unit.elements))
    return wrong("a coordinate that is not a multiple of 16");
  if (takesFour && (map.rank != 1 || map.box[1] != 1))
    return wrong("gather4 and scatter4 take boxes of one row");
  if (map.isIm2col)
    addPixels();
  else if (!takesFour)
    addLines();
  return true;
}

void Box::addLines() {
  unsigned count = 1;
  for (unsigned dim = 1; dim <= map.rank; ++dim)
    count *= map.box[dim];
  for (unsigned at = 0; at != count; ++at) {
    Line line = corner;
    unsigned rest = at;
    for (unsigned dim = 1; dim <= map.rank; ++dim) {
      line[dim] += rest % map.box[dim];
      rest /= map.box[dim];
    }
    lines.push_back(line);
  }
}

/// From the corner on pixel by pixel (PTX ISA 5.5.3): each dim but the first and the last goes from
/// its lower bound to its upper one before the next one changes.
void Box::addPixels() {
  Line line = corner;
  for (unsigned pixel = 0; pixel != map.box[1]; ++pixel) {
    lines.push_back(line);
    for (unsigned dim = 1; dim <= map.rank; ++dim) {
      line[dim] += std::max(map.elementStrides[dim], 1u);
      if (dim == map.rank || line[dim] < int64_t(map.dims[dim]) + map.upper[dim - 1])
        break;
      line[dim] = map.lower[dim - 1];
    }
  }
}

void Box::addPixelOffsets(Step &step, const Operand &offsets, unsigned lane) {
  for (auto [i, element] : llvm::enumerate(partsOf(offsets))) {
    auto offset = static_cast<uint16_t>(step.read(element, lane));
    for (Line &line : lines)
      line[i + 1] += offset;
  }
}

void Box::tell(Step &step) const {
  if (!step.touched)
    return;
  step.touched->boxBytes += bytes();
  for (const Line &line : lines)
    if (unsigned inside = reach(line, 0, unitsOfLine()))
      step.touched->box.push_back({globalPlace(line, 0), inside * unit.globalBytes});
}

unsigned Box::reach(const Line &line, unsigned first, unsigned count) const {
  for (unsigned dim = 1; dim <= map.rank; ++dim)
    if (line[dim] < 0 || line[dim] >= map.dims[dim])
      return 0;
  unsigned inside = 0;
  for (unsigned i = 0; i != count; ++i) {
    int64_t index = line[0] + int64_t(first + i) * unit.elements;
    inside += index >= 0 && index < map.dims[0];
  }
  return inside;
}

uint64_t Box::globalPlace(const Line &line, unsigned at) const {
  uint64_t address =
      map.address + static_cast<uint64_t>(line[0] / unit.elements + at) * unit.globalBytes;
  for (unsigned dim = 1; dim <= map.rank; ++dim)
    address += static_cast<uint64_t>(line[dim]) * map.strides[dim - 1];
  return address;
}

} // namespace gluonc::ptx
