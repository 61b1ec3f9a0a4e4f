#include "debug/Values.h"

#include "debug/Inspect.h"
#include "debug/TensorText.h"
#include "sim/machine/SharedPart.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

namespace gluonc::debug {

using namespace sim;
using sema::ScalarKind;

/// Void for what is no number.
static sema::DType dtypeOf(ElementKind kind) {
  switch (kind) {
  case ElementKind::I1:
    return ScalarKind::Int1;
  case ElementKind::I8:
    return ScalarKind::Int8;
  case ElementKind::I16:
    return ScalarKind::Int16;
  case ElementKind::I32:
    return ScalarKind::Int32;
  case ElementKind::I64:
  case ElementKind::Pointer:
    return ScalarKind::Int64;
  case ElementKind::F8E4M3FN:
    return ScalarKind::Float8E4NV;
  case ElementKind::F8E5M2:
    return ScalarKind::Float8E5;
  case ElementKind::F8E4M3FNUZ:
    return ScalarKind::Float8E4B8;
  case ElementKind::F8E5M2FNUZ:
    return ScalarKind::Float8E5B16;
  case ElementKind::F16:
    return ScalarKind::Float16;
  case ElementKind::BF16:
    return ScalarKind::BFloat16;
  case ElementKind::F32:
    return ScalarKind::Float32;
  case ElementKind::F64:
    return ScalarKind::Float64;
  case ElementKind::Descriptor:
  case ElementKind::TensorDescriptor:
  case ElementKind::LaunchAnswer:
    return ScalarKind::Void;
  }
  GL_UNREACHABLE("element kind");
}

Region VariableValue::region() const {
  Descriptor view;
  std::memcpy(&view, machine.frameOf(cta, variable.slot), sizeof view);
  Region region = {variable.table, view, variable.share};
  if (variable.share) {
    region.rank = cta;
    region.copyOffset = (cta & variable.table->copyBits) * kCtaSharedStride;
  }
  return region;
}

/// Where each element of a tile is in a CTA's share: calls `visit(element of the tile, of the
/// share)`.
template <class Visit>
static void forEachHeld(const Share *share, uint32_t cta, int64_t elements, Visit &&visit) {
  for (uint32_t i = 0; i < (share ? share->elements : uint32_t(elements)); ++i)
    visit(share ? share->toWhole(i, cta) : i, i);
}

void VariableValue::readElements(host::Tensor &to, std::vector<bool> &isThere) const {
  const unsigned bytes = to.dtype().byteSize();
  const Slot slot = variable.slot;
  const uint8_t *from = machine.frameOf(cta, slot);
  const uint8_t *taint = machine.tracking ? machine.taintOf(cta, slot) : nullptr;
  forEachHeld(variable.share, cta, to.size(), [&](uint32_t whole, uint32_t held) {
    const uint32_t stored = slot.elements == 1 ? 0 : held;
    std::memcpy(to.data() + whole * bytes, from + stored * bytes, bytes);
    isThere[whole] = !taint || !taint[stored];
  });
}

void VariableValue::readMemory(host::Tensor &to, std::vector<bool> &isThere) const {
  const unsigned bytes = to.dtype().byteSize();
  forEachSharedRun(region(), [&](uint32_t first, uint64_t offset, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i, offset += bytes) {
      const uint32_t element = variable.share ? variable.share->toWhole(first + i, cta) : first + i;
      if (!machine.shared.contains(offset, bytes))
        continue;
      std::memcpy(to.data() + element * bytes, machine.shared.data() + offset, bytes);
      isThere[element] = machine.shared.state(offset) == SharedMemory::Written;
    }
  });
}

llvm::Expected<host::Tensor> VariableValue::tensor() const {
  sema::DType dtype = dtypeOf(variable.viewed.value_or(variable.kind));
  if (dtype.isVoid())
    return llvm::createStringError("`" + variable.name + "` holds no numbers");
  llvm::Expected<host::Tensor> tensor = host::Tensor::create(dtype, variable.shape);
  if (!tensor)
    return tensor;
  host::Buffer &buffer = *tensor->storage();
  std::vector<bool> isThere(size_t(tensor->size()), false);
  buffer.poison();
  if (variable.viewed)
    readMemory(*tensor, isThere);
  else
    readElements(*tensor, isThere);
  if (!llvm::is_contained(isThere, false)) {
    buffer.settle();
    return tensor;
  }
  buffer.written.assign(buffer.size(), false);
  for (size_t byte = 0; byte < buffer.size(); ++byte)
    buffer.written[byte] =
        byte / dtype.byteSize() < isThere.size() && isThere[byte / dtype.byteSize()];
  return tensor;
}

sema::DType VariableValue::dtype() const {
  return dtypeOf(variable.viewed.value_or(variable.kind));
}

std::vector<uint64_t> VariableValue::placesOf(llvm::ArrayRef<int64_t> elements) const {
  std::map<int64_t, uint64_t> places;
  const unsigned bytes = dtype().byteSize();
  forEachSharedRun(region(), [&](uint32_t first, uint64_t offset, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i, offset += bytes)
      places[variable.share ? variable.share->toWhole(first + i, cta) : first + i] = offset;
  });
  std::vector<uint64_t> found;
  for (int64_t element : elements)
    if (auto place = places.find(element); place != places.end())
      found.push_back(place->second);
  return found;
}

std::string VariableValue::bytes() const {
  if (!variable.viewed) {
    const uint64_t size = uint64_t(variable.slot.elements) * byteSize(variable.kind);
    return std::string(reinterpret_cast<char *>(machine.frameOf(cta, variable.slot)), size);
  }
  std::string bytes;
  forEachPart(region(), [&](uint64_t offset, uint32_t size) {
    if (machine.shared.contains(offset, size))
      bytes.append(reinterpret_cast<char *>(machine.shared.data()) + offset, size);
  });
  return bytes;
}

// -- Texts -----------------------------------------------------------------------------

std::string VariableValue::pointerText(uint64_t address) const {
  const Range *range = machine.memory.find(address);
  if (!range)
    return "0x" + llvm::utohexstr(address, /*LowerCase=*/true);
  const uint64_t offset = address - range->base();
  if (variable.pointeeBytes && offset % variable.pointeeBytes == 0)
    return "&" + range->name() + "[" + std::to_string(offset / variable.pointeeBytes) + "]";
  return range->name() + " + " + std::to_string(offset) + " bytes";
}

bool VariableValue::isBarrier() const {
  if (variable.viewed != ElementKind::I64 || variable.table->inTensorMemory)
    return false;
  bool found = false;
  forEachSharedRun(region(), [&](uint32_t, uint64_t offset, uint32_t) {
    found |=
        machine.shared.contains(offset, 8) && machine.shared.state(offset) == SharedMemory::Barrier;
  });
  return found;
}

std::string VariableValue::barriers() const {
  std::string text;
  forEachSharedRun(region(), [&](uint32_t first, uint64_t offset, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i, offset += 8) {
      text += text.empty() ? "" : "\n";
      text += "[" + std::to_string(first + i) + "] ";
      if (!machine.shared.contains(offset, 8))
        text += "not in shared memory";
      else if (machine.shared.state(offset) != SharedMemory::Barrier)
        text += "not initialized";
      else
        text += debug::textOf(machine.barrierAt(uint32_t(offset)));
    }
  });
  return text;
}

std::string VariableValue::text() const {
  if (isBarrier())
    return barriers();
  llvm::Expected<host::Tensor> read = tensor();
  if (!read)
    return llvm::consumeError(read.takeError()), "no numbers";
  const unsigned bytes = read->dtype().byteSize();
  return arrayText(variable.shape,
                   [&](int64_t element) { return textOf(*read, read->data() + element * bytes); });
}

std::string VariableValue::textOf(const host::Tensor &read, const uint8_t *element) const {
  if (variable.kind != ElementKind::Pointer)
    return debug::elementText(read, element);
  uint64_t address;
  std::memcpy(&address, element, sizeof address);
  return pointerText(address);
}

std::string VariableValue::describe() const {
  std::string value = text();
  const bool isShort = value.find('\n') == std::string::npos && value.size() < 60;
  return variable.name + ": " + variable.type + (isShort ? " = " : "\n") + value;
}

std::string VariableValue::summary() const {
  constexpr size_t kMost = 60;
  std::string value = text();
  for (char &c : value)
    c = c == '\n' ? ' ' : c;
  if (value.size() > kMost)
    value = value.substr(0, kMost - 3) + "...";
  return value;
}

// -- By thread -----------------------------------------------------------------------------

llvm::Expected<std::string> VariableValue::ofLanes(uint32_t warp, uint32_t firstLane,
                                                   uint32_t lanes) const {
  using layout::Dim;
  if (!variable.linear)
    return llvm::createStringError("`" + variable.name + "` is no tensor that threads hold");
  const layout::LinearLayout &linear = *variable.linear;
  if (warp >= linear.inSize(Dim::Warp))
    return llvm::createStringError("its layout has " + std::to_string(linear.inSize(Dim::Warp)) +
                                   " warps");
  llvm::Expected<host::Tensor> read = tensor();
  if (!read)
    return read.takeError();
  std::string text = variable.name + ": " + variable.type;
  for (uint32_t lane = firstLane; lane < firstLane + lanes; ++lane)
    for (uint32_t reg = 0; reg < linear.inSize(Dim::Register); ++reg) {
      llvm::SmallVector<int64_t, 4> index(variable.shape.size());
      for (layout::Coord coord : linear.apply(
               {{Dim::Register, reg}, {Dim::Lane, lane}, {Dim::Warp, warp}, {Dim::Block, cta}}))
        index[coord.dim.axisIndex()] = coord.value;
      int64_t element = 0;
      for (auto [size, coordinate] : llvm::zip_equal(variable.shape, index))
        element = element * size + coordinate;
      text += "\n  warp " + std::to_string(warp) + ", lane " + std::to_string(lane) +
              ", register " + std::to_string(reg) + ": (" + listText(index) +
              ") = " + textOf(*read, read->data() + element * read->dtype().byteSize());
    }
  return text;
}

llvm::Expected<std::string> VariableValue::ofThread(uint32_t thread) const {
  const uint32_t lanes =
      variable.linear ? uint32_t(variable.linear->inSize(layout::Dim::Lane)) : 32;
  return ofLanes(thread / lanes, thread % lanes, 1);
}

llvm::Expected<std::string> VariableValue::ofWarp(uint32_t warp) const {
  return ofLanes(warp, 0,
                 variable.linear ? uint32_t(variable.linear->inSize(layout::Dim::Lane)) : 32);
}

} // namespace gluonc::debug
