#include "sim/machine/SharedAccess.h"
#include "sim/machine/SharedPart.h"

#include "ir/Encoding.h"
#include "layout/named/Blocks.h"
#include "target/nvidia/TensorMemory.h"

namespace gluonc::sim {

/// Row-major index of a coordinate tuple of the layout, in dim order.
static uint64_t rowMajorIndex(const layout::LinearLayout &linear, uint64_t packed,
                              llvm::ArrayRef<uint32_t> shape) {
  uint64_t index = 0;
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    index = index * shape[dim] + linear.outComponent(packed, layout::Dim::axis(dim));
  return index;
}

namespace {

/// A table, and what CTAs have of its buffer.
struct PartTable : AddressTable {
  /// Bits of an element's number that tell CTAs apart, if the elements of each fill what it has.
  std::optional<uint32_t> split;
};

} // namespace

uint64_t Region::offsetWithin(uint32_t element) const {
  uint32_t ring = 0, ringStride = 1, start = 0, stride = 1;
  for (uint32_t dim = uint32_t(table->shape.size()); dim-- > 0;) {
    uint32_t coordinate = view.origin[dim] + element % table->shape[dim];
    element /= table->shape[dim];
    if (dim >= table->ringDims) {
      start += coordinate * stride;
      stride *= table->bufferShape[dim - table->ringDims + table->hiddenDims];
    } else {
      ring += coordinate * ringStride;
      ringStride *= table->shape[dim];
    }
  }
  return view.base + uint64_t(ring) * table->bufferBytes + table->offsets[start] + copyOffset;
}

static void fillOffsets(AddressTable &table, const layout::LinearLayout &linear,
                        const layout::Layout &encoding) {
  const auto *padded = layout::paddedPart(encoding);
  uint64_t perCta = uint64_t(linear.inSize(layout::Dim::Offset));
  uint64_t ctas = uint64_t(linear.inSize(layout::Dim::Block));
  uint64_t elements = 1;
  for (uint32_t size : table.bufferShape)
    elements *= size;
  table.offsets.assign(elements, 0);
  // Downwards, so that of several places of one element the lowest stays.
  for (uint64_t cta = ctas; cta-- > 0;)
    for (uint64_t offset = perCta; offset-- > 0;) {
      uint64_t packed = linear.applyPacked(linear.packIn(
          {{layout::Dim::Offset, uint32_t(offset)}, {layout::Dim::Block, uint32_t(cta)}}));
      uint64_t physical = padded ? uint64_t(padded->physicalOffset(int64_t(offset))) : offset;
      table.offsets[rowMajorIndex(linear, packed, table.bufferShape)] =
          uint32_t(physical * table.elementBytes + cta * kCtaSharedStride);
      table.bufferBytes =
          std::max(table.bufferBytes, uint32_t((physical + 1) * table.elementBytes));
    }
  if (padded) {
    llvm::SmallVector<int64_t, 4> shape(table.bufferShape.begin(), table.bufferShape.end());
    table.bufferBytes = uint32_t(layout::sharedElements(encoding, shape)) * table.elementBytes;
  }
}

/// Row by row; the next buffer of a ring lies in the columns behind this one.
static void fillTensorMemoryOffsets(AddressTable &table, const layout::LinearLayout &linear,
                                    uint32_t rowBytes) {
  uint64_t elements = 1;
  for (uint32_t size : table.bufferShape)
    elements *= size;
  table.offsets.assign(elements, 0);
  const uint32_t columns = uint32_t(linear.inSize(layout::Dim::Col));
  const bool hasBlocks = linear.hasIn(layout::Dim::Block);
  // Downwards, so that of several places of one element the lowest stays.
  for (uint32_t cta = hasBlocks ? uint32_t(linear.inSize(layout::Dim::Block)) : 1; cta-- > 0;)
    for (uint32_t row = uint32_t(linear.inSize(layout::Dim::Row)); row-- > 0;)
      for (uint32_t column = columns; column-- > 0;) {
        llvm::SmallVector<layout::Coord, 3> at = {{layout::Dim::Row, row},
                                                  {layout::Dim::Col, column}};
        if (hasBlocks)
          at.push_back({layout::Dim::Block, cta});
        table.offsets[rowMajorIndex(linear, linear.applyPacked(linear.packIn(at)),
                                    table.bufferShape)] =
            row * rowBytes + column * table.elementBytes + cta * kCtaSharedStride;
      }
  table.bufferBytes = (columns * table.elementBytes + 3) / 4 * 4;
}

/// The largest run (AddressTable) that the offsets have.
static uint32_t longestRun(const AddressTable &table) {
  uint32_t row = table.bufferShape.empty() ? 1 : table.bufferShape.back();
  // Most layouts keep 16 bytes together; the row is the limit.
  uint32_t run = row & (~row + 1);
  for (size_t i = 1; i < table.offsets.size() && run > 1; ++i)
    while (i % run && table.offsets[i] != table.offsets[i - 1] + table.elementBytes)
      run /= 2;
  return run;
}

/// Elements have bytes of their own, so they leave no gaps if they reach no further than they must.
static bool fillsBuffer(const AddressTable &table) {
  return table.isWhole && *std::max_element(table.offsets.begin(), table.offsets.end()) ==
                              (table.offsets.size() - 1) * table.elementBytes;
}

/// The bits that PartTable has.
static std::optional<uint32_t> splitOf(const AddressTable &table,
                                       const layout::LinearLayout &linear) {
  if (!table.isWhole || !linear.hasIn(layout::Dim::Block))
    return std::nullopt;
  llvm::SmallVector<int64_t, 4> shape(table.shape.begin(), table.shape.end());
  const uint32_t ctas = uint32_t(linear.inSize(layout::Dim::Block));
  std::optional<Share> share = shareOf(shape, linear, ctas);
  if (!share || !share->isBox())
    return std::nullopt;
  const uint32_t end = share->elements * table.elementBytes;
  for (uint32_t rank = 0; rank < ctas; ++rank) {
    const uint32_t cta = table.offsets[share->begins[rank]] / kCtaSharedStride;
    for (uint32_t element = 0; element < share->elements; ++element) {
      const uint32_t offset = table.offsets[share->toWhole(element, rank)];
      if (offset / kCtaSharedStride != cta || offset % kCtaSharedStride >= end)
        return std::nullopt;
    }
  }
  return share->split;
}

llvm::SmallVector<SharedPart, 4> partsOf(const Region &region) {
  const auto &table = static_cast<const PartTable &>(*region.table);
  const Share *share = region.share;
  const uint32_t split = table.split.value_or(0);
  if (!share && table.fillsBuffer)
    return {{region.view.base, uint32_t(table.offsets.size()) * table.elementBytes}};
  if (!table.split || (share && (!share->isBox() || (share->split & ~split))))
    return {};
  const uint32_t begin = share ? share->begins[region.rank] : 0;
  const uint32_t bytes =
      uint32_t(table.offsets.size() >> llvm::popcount(split)) * table.elementBytes;
  llvm::SmallVector<SharedPart, 4> parts;
  // The CTAs that hold the region differ in these bits.
  const uint32_t free = split & ~(share ? share->split : 0);
  for (uint32_t bits = free;; bits = (bits - 1) & free) {
    const uint32_t cta = table.offsets[begin | bits] / kCtaSharedStride;
    parts.push_back(
        {region.view.base + region.copyOffset + uint64_t(cta) * kCtaSharedStride, bytes});
    if (!bits)
      return parts;
  }
}

uint32_t tensorMemoryRowBytes(mlir::Operation *operation) {
  auto columns = operation->getParentOfType<mlir::ModuleOp>()->getAttrOfType<mlir::IntegerAttr>(
      ttg::tensorMemorySizeAttr);
  return 4 * uint32_t(columns ? columns.getInt() : 0);
}

const AddressTable *addressTable(Lowering &lowering, mlir::Operation *operation,
                                 mlir::Value value) {
  return addressTable(lowering, operation, mlir::cast<ttg::MemDescType>(value.getType()));
}

const AddressTable *addressTable(Lowering &lowering, mlir::Operation *operation,
                                 ttg::MemDescType type) {
  if (const OpData *known = lowering.sharedTables.lookup(type))
    return static_cast<const AddressTable *>(known);
  const layout::LinearLayout *linear = linearOrNull(type);
  std::optional<layout::Layout> encoding = layoutOf(type.getEncoding());
  std::optional<ElementKind> kind = elementKindOf(type.getElementType());
  if (!linear || !encoding || !kind || type.getRank() > Descriptor::kMaxRank) {
    std::string text;
    llvm::raw_string_ostream(text) << "type " << type;
    lowering.unsupported(operation, text);
    return nullptr;
  }
  PartTable *table = lowering.addData<PartTable>();
  table->elementBytes = byteSize(*kind);
  table->shape.assign(type.getShape().begin(), type.getShape().end());
  uint32_t rank = static_cast<uint32_t>(type.getRank());
  uint32_t bufferRank = static_cast<uint32_t>(linear->outDims().size());
  table->ringDims = rank > bufferRank ? rank - bufferRank : 0;
  table->hiddenDims = bufferRank > rank ? bufferRank - rank : 0;
  for (uint32_t dim = 0; dim < bufferRank; ++dim)
    table->bufferShape.push_back(uint32_t(linear->outSize(layout::Dim::axis(dim))));
  table->isWhole = table->shape == table->bufferShape;
  table->inTensorMemory = type.isTensorMemory();
  if (table->inTensorMemory)
    fillTensorMemoryOffsets(*table, *linear, tensorMemoryRowBytes(operation));
  else
    fillOffsets(*table, *linear, *encoding);
  if (mlir::isa_and_nonnull<ttng::TensorMemoryScalesEncodingAttr>(type.getEncoding())) {
    table->places = target::nvidia::tmem::rows / target::nvidia::tmem::rowsPerWarp;
    table->placeStride = target::nvidia::tmem::rowsPerWarp * tensorMemoryRowBytes(operation);
  }
  table->copyBits = layout::blockCopies(*linear);
  table->run = longestRun(*table);
  table->fillsBuffer = fillsBuffer(*table);
  table->split = splitOf(*table, *linear);
  lowering.sharedTables[type] = table;
  return table;
}

} // namespace gluonc::sim
