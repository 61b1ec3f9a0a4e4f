//===- SharedFacts.cpp - Buffers whose layout causes bank conflicts ---------------===//
//
// A buffer's layout is compared with others by the wavefronts of all accesses of threads
// to it. Where an asynchronous unit accesses it too, only the layouts that such units
// take come into question.
//
//===----------------------------------------------------------------------===//
#include "driver/explain/Facts.h"

#include "ir/Encoding.h"
#include "ir/interfaces/Interfaces.h"
#include "layout/named/Inference.h"
#include "layout/plan/MatrixAccess.h"
#include "target/Features.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using gluonc::layout::Layout;
using gluonc::layout::LinearLayout;

namespace gluonc::driver {

using explain::SharedFact;

namespace {

/// Registers that move to or from a view of a buffer.
struct Access {
  Operation *op;
  RankedTensorType registers;
  ttg::MemDescType view;
  /// What the view transposes, the latest one first.
  llvm::SmallVector<layout::Ints, 1> transposes;
};

struct Buffer {
  ttg::MemDescType type;
  std::vector<Access> accesses;
  bool isAsync = false;
  /// Viewed in ways that are not followed.
  bool isOpaque = false;
};

/// The allocation that a view is of; null where it is not found.
ttg::LocalAllocOp rootOf(Value view, llvm::SmallVector<layout::Ints, 1> &transposes,
                         bool &isOpaque) {
  while (Operation *op = view.getDefiningOp()) {
    if (auto alloc = dyn_cast<ttg::LocalAllocOp>(op))
      return alloc;
    if (auto trans = dyn_cast<ttg::MemDescTransOp>(op))
      transposes.push_back(layout::Ints(trans.getOrder().begin(), trans.getOrder().end()));
    else if (!isa<ttg::MemDescIndexOp>(op))
      isOpaque = true;
    if (!op->getNumOperands())
      return nullptr;
    view = op->getOperand(0);
  }
  return nullptr;
}

/// Registers and buffer of an access by threads; null types for others.
std::pair<RankedTensorType, Value> partsOf(Operation *op) {
  if (auto load = dyn_cast<ttg::LocalLoadOp>(op))
    return {cast<RankedTensorType>(load.getType()), load.getSrc()};
  if (auto store = dyn_cast<ttg::LocalStoreOp>(op))
    return {cast<RankedTensorType>(store.getSrc().getType()), store.getDst()};
  if (auto alloc = dyn_cast<ttg::LocalAllocOp>(op); alloc && alloc.getSrc())
    return {cast<RankedTensorType>(alloc.getSrc().getType()), alloc.getResult()};
  if (auto copy = dyn_cast<ttg::AsyncCopyGlobalToLocalOp>(op))
    return {cast<RankedTensorType>(copy.getSrc().getType()), copy.getResult()};
  if (auto store = dyn_cast<ttng::AsyncSharedStoreOp>(op))
    return {cast<RankedTensorType>(store.getSrc().getType()), store.getDst()};
  return {};
}

/// The buffer of an access at indices, whose conflicts depend on them.
Value indexedBufferOf(Operation *op) {
  if (auto gather = dyn_cast<ttg::LocalGatherOp>(op))
    return gather.getSrc();
  if (auto scatter = dyn_cast<ttg::LocalScatterOp>(op))
    return scatter.getDst();
  return {};
}

class Buffers {
public:
  Buffers(tt::FuncOp function, const target::Target &target) : target(target) {
    function.walk([&](Operation *op) { add(op); });
  }

  std::vector<SharedFact> facts(const diag::SourceManager &sources) {
    std::vector<SharedFact> facts;
    for (auto &[alloc, buffer] : buffers) {
      std::string suggestion = suggestionFor(buffer);
      for (const Access &access : buffer.accesses) {
        SharedFact &fact = facts.emplace_back();
        place(fact, access.op, sources);
        fact.layout = toLayout(buffer.type.getEncoding()).toString();
        fact.suggestion = suggestion;
      }
    }
    for (const Access &access : elsewhere) {
      SharedFact &fact = facts.emplace_back();
      place(fact, access.op, sources);
      fact.layout = toLayout(access.view.getEncoding()).toString();
    }
    return facts;
  }

private:
  void add(Operation *op) {
    if (auto [registers, view] = partsOf(op); view) {
      Access access = {op, registers, cast<ttg::MemDescType>(view.getType()), {}};
      bool isOpaque = false;
      if (ttg::LocalAllocOp root = rootOf(view, access.transposes, isOpaque)) {
        Buffer &buffer = bufferOf(root);
        buffer.isOpaque |= isOpaque;
        buffer.accesses.push_back(std::move(access));
      } else {
        elsewhere.push_back(std::move(access));
      }
      return;
    }
    if (Value view = indexedBufferOf(op)) {
      llvm::SmallVector<layout::Ints, 1> transposes;
      bool isOpaque = true;
      if (ttg::LocalAllocOp root = rootOf(view, transposes, isOpaque)) {
        Buffer &buffer = bufferOf(root);
        buffer.isOpaque = true;
        buffer.accesses.push_back({op, {}, {}, {}});
      }
      return;
    }
    auto onChip = dyn_cast<OnChipMemoryOpInterface>(op);
    if (!onChip)
      return;
    llvm::SmallVector<MemoryAccess> accesses;
    onChip.getAccesses(accesses);
    for (const MemoryAccess &access : accesses) {
      llvm::SmallVector<layout::Ints, 1> transposes;
      bool isOpaque = false;
      ttg::LocalAllocOp root =
          access.buffer ? rootOf(access.buffer, transposes, isOpaque) : nullptr;
      if (root)
        bufferOf(root).isAsync |= access.proxy == Proxy::Async;
    }
  }

  Buffer &bufferOf(ttg::LocalAllocOp root) {
    Buffer &buffer = buffers[root];
    buffer.type = root.getType();
    return buffer;
  }

  /// The extents of one buffer of a ring.
  static llvm::ArrayRef<int64_t> shapeOf(const Buffer &buffer) {
    Layout layout = toLayout(buffer.type.getEncoding());
    return buffer.type.getShape().take_back(layout.rank().value_or(0));
  }

  /// Wavefronts of one warp in all accesses; nullopt where a layout does not suit one of them.
  std::optional<int64_t> wavefrontsOf(const Buffer &buffer, const Layout &layout) {
    unsigned bits = 8 * elementBytes(buffer.type.getElementType());
    int64_t sum = 0;
    for (const Access &access : buffer.accesses) {
      Layout viewed = layout;
      layout::Ints shape(shapeOf(buffer));
      for (const layout::Ints &order : llvm::reverse(access.transposes)) {
        // Of a ring the first dim stays.
        layout::Inferred inferred = layout::transposeLayout(viewed, shape, order);
        if (!inferred)
          return std::nullopt;
        viewed = *inferred.layout;
        layout::Ints before = shape;
        for (auto [i, from] : llvm::enumerate(order))
          shape[i] = before[from];
      }
      if (llvm::ArrayRef<int64_t>(shape) != access.registers.getShape())
        return std::nullopt;
      std::optional<layout::SharedAccessMap> map =
          layout::mapToShared(toLinear(access.registers), viewed.toLinear(shape), bits);
      if (!map)
        return std::nullopt;
      sum += wavefrontsOf(access, *map, bits);
    }
    return sum;
  }
  /// Of one warp, by ldmatrix or stmatrix where code generation takes them.
  int64_t wavefrontsOf(const Access &access, const layout::SharedAccessMap &map,
                       unsigned bits) const {
    bool loads = isa<ttg::LocalLoadOp>(access.op);
    bool hasMatrices =
        !isa<ttg::AsyncCopyGlobalToLocalOp, ttng::AsyncSharedStoreOp>(access.op) &&
        has(target, loads ? target::Feature::MatrixLoad : target::Feature::MatrixStore);
    std::optional<layout::MatrixAccess> matrices;
    if (hasMatrices)
      matrices = layout::planMatrixAccess(map.map, bits, /*transposable=*/bits == 16);
    if (matrices && (matrices->matrices() > 1 || matrices->transposed))
      return layout::countMatrixWavefronts(map.map, *matrices, bits);
    int64_t bytes = int64_t(bits / 8) << map.vectors.log2;
    int64_t phases = int64_t(map.vectors.vectors.size()) * (32 / layout::lanesPerPhase(bytes));
    return phases + layout::countBankConflicts(map.map, map.vectors, bits);
  }

  /// Layouts of shared memory for a buffer, the ones with wide accesses first.
  static std::vector<Layout> candidates(const Buffer &buffer) {
    std::vector<Layout> list;
    llvm::ArrayRef<int64_t> shape = shapeOf(buffer);
    int64_t bytes = elementBytes(buffer.type.getElementType());
    auto add = [&](const Layout &layout) {
      if (!layout.validate() && !checkShape(layout, shape))
        list.push_back(layout);
    };
    for (bool transposed : {false, true})
      for (int64_t width : {128, 64, 32})
        if (buffer.isAsync)
          add(layout::NVMMASharedLayout{
              width, 8 * bytes, int64_t(shape.size()), transposed, false, {}});
    if (buffer.isAsync)
      return list;
    llvm::SmallVector<layout::Ints, 2> orders = {{1, 0}, {0, 1}};
    for (int64_t vec = 16 / bytes; vec >= 1; vec /= 2)
      for (const layout::Ints &order : orders)
        for (int64_t perPhase : {1, 2, 4, 8})
          for (int64_t maxPhase : {2, 4, 8, 16, 32})
            add(layout::SwizzledSharedLayout{vec, perPhase, maxPhase, order, {}});
    return list;
  }

  std::string suggestionFor(const Buffer &buffer) {
    Layout current = toLayout(buffer.type.getEncoding());
    bool isKnown =
        current.as<layout::SwizzledSharedLayout>() || current.as<layout::NVMMASharedLayout>();
    if (buffer.isOpaque || buffer.accesses.empty() || !isKnown || current.rank() != 2u ||
        !current.cga().empty())
      return "";
    std::optional<int64_t> least = wavefrontsOf(buffer, current);
    std::string best;
    for (const Layout &candidate : candidates(buffer)) {
      std::optional<int64_t> count = least ? wavefrontsOf(buffer, candidate) : std::nullopt;
      if (!count || *count >= *least)
        continue;
      least = count;
      best = candidate.toString();
    }
    return best;
  }

  const target::Target &target;
  llvm::MapVector<Operation *, Buffer> buffers;
  /// Of buffers that a function is given, or a loop carries.
  std::vector<Access> elsewhere;
};

} // namespace

std::vector<SharedFact> sharedFacts(tt::FuncOp function, const target::Target &target,
                                    const diag::SourceManager &sources) {
  return Buffers(function, target).facts(sources);
}

} // namespace gluonc::driver
