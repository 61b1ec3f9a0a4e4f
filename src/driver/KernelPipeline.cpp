//===- KernelPipeline.cpp ---------------------------------------------------------===//
//
// Steps are the operations that touch memory on the chip, in the order of the code; those of one
// line that say the same (of an unrolled loop, or of several rows of a tensor) are one. Loops copy
// ahead by as many iterations as there are copies into the same buffer before them.
//
//===----------------------------------------------------------------------===//
#include "driver/KernelPipeline.h"

#include "driver/Phases.h"
#include "driver/Run.h"
#include "ir/Encoding.h"
#include "ir/SourceLocation.h"
#include "ir/interfaces/Interfaces.h"
#include "transform/analysis/SharedUse.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <map>

using namespace mlir;

namespace gluonc::driver {

namespace {

using picture::KernelPipeline;
using Step = KernelPipeline::Step;

bool isProduct(Operation *op) {
  return isa<ttng::WarpGroupDotOp, ttng::TCGen5MMAOp, ttng::TCGen5MMAScaledOp, tt::DotOp>(op);
}

class Reader {
public:
  Reader(tt::FuncOp kernel, const diag::SourceManager &sources)
      : kernel(kernel), sources(sources), aliases(kernel) {}

  KernelPipeline read() {
    made.kernel = kernel.getName().str();
    readPartitions();
    readMemories();
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { readStep(op); });
    sortByPartition();
    fold();
    nameMemories();
    kernel.walk([&](scf::ForOp loop) { readLoop(loop); });
    llvm::sort(made.loops, [](const auto &a, const auto &b) { return a.line < b.line; });
    const bool isBeside =
        made.partitions.size() > 1 || llvm::any_of(made.steps, [](const Step &step) {
          return step.kind == Step::Kind::Wait || step.kind == Step::Kind::Copy;
        });
    if (!isBeside)
      made.steps.clear();
    dropUnused();
    return std::move(made);
  }

private:
  // -- Partitions ----------------------------------------------------------------

  void readPartitions() {
    made.partitions.push_back({made.kernel, 0, unsigned(ttg::numWarpsOf(kernel))});
    kernel.walk([&](ttg::WarpSpecializeOp op) {
      if (llvm::StringRef name = nameOf(op.getDefaultRegion().back().getTerminator()->getLoc());
          !name.empty() && made.partitions.size() == 1)
        made.partitions.front().name = name.str();
      auto starts = op.getWarpGroupStartIds();
      for (auto [index, region] : llvm::enumerate(op.getPartitions())) {
        partitionOf[&region] = unsigned(made.partitions.size());
        KernelPipeline::Partition partition;
        partition.name = nameOf(region.back().getTerminator()->getLoc()).str();
        if (partition.name.empty())
          partition.name = "partition " + std::to_string(index);
        partition.warps = unsigned(op.getPartitionNumWarps()[index]);
        partition.firstWarp = starts ? unsigned((*starts)[index]) : 0;
        made.partitions.push_back(std::move(partition));
      }
    });
    // Several of one function have numbers.
    std::map<std::string, unsigned> count, number;
    for (const KernelPipeline::Partition &partition : made.partitions)
      ++count[partition.name];
    for (KernelPipeline::Partition &partition : made.partitions)
      if (count[partition.name] > 1)
        partition.name += " " + std::to_string(number[partition.name]++);
  }

  unsigned partitionAround(Operation *op) const {
    for (Region *region = op->getParentRegion(); region; region = region->getParentRegion())
      if (auto found = partitionOf.find(region); found != partitionOf.end())
        return found->second;
    return 0;
  }

  // -- Memories ------------------------------------------------------------------

  uint32_t lineOf(Operation *op) const {
    diag::Span span = spanOf(op->getLoc(), sources);
    return span ? span.file->position(span.begin).line : 0;
  }

  void readMemories() {
    for (Operation *alloc : aliases.allocations()) {
      KernelPipeline::Memory memory;
      auto type = cast<ttg::MemDescType>(alloc->getResult(0).getType());
      memory.name = nameOf(alloc->getLoc()).str();
      llvm::raw_string_ostream out(memory.what);
      llvm::interleave(type.getShape(), out, "x");
      out << ' ' << type.getElementType();
      memory.line = lineOf(alloc);
      memory.slots = slotsOf(alloc);
      if (auto buffer = dyn_cast<ttg::LocalAllocOp>(alloc))
        memory.bytes = uint64_t(bufferBytesOf(buffer));
      else
        memory.bytes = uint64_t(ShapedType::getNumElements(type.getShape())) *
                       uint64_t(elementBytes(type.getElementType()));
      made.memories.push_back(std::move(memory));
    }
  }

  /// How many buffers an allocation is: its first dim, where views of it begin with an index.
  static unsigned slotsOf(Operation *alloc) {
    auto type = cast<ttg::MemDescType>(alloc->getResult(0).getType());
    SmallVector<Value> pending{alloc->getResult(0)};
    llvm::DenseSet<Value> seen;
    while (!pending.empty()) {
      Value value = pending.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      for (OpOperand &use : value.getUses()) {
        Operation *user = use.getOwner();
        if (isa<ttg::MemDescIndexOp>(user))
          return unsigned(type.getShape().front());
        if (auto holder = dyn_cast<ttg::WarpSpecializePartitionsOp>(user))
          for (Region &region : holder->getRegions())
            pending.push_back(region.getArgument(use.getOperandNumber()));
        if (auto loop = dyn_cast<LoopLikeOpInterface>(user))
          if (BlockArgument argument = loop.getTiedLoopRegionIterArg(&use))
            pending.push_back(argument);
      }
    }
    return 1;
  }

  std::vector<unsigned> memoriesOf(Value buffer) const {
    std::vector<unsigned> found;
    if (const llvm::BitVector *bits = aliases.of(buffer))
      for (unsigned bit : bits->set_bits())
        found.push_back(bit);
    return found;
  }

  void nameMemories() {
    std::map<std::string, unsigned> count;
    for (KernelPipeline::Memory &memory : made.memories) {
      if (memory.name.empty())
        memory.name = (memory.isBarrier ? "barrier of line " : "buffer of line ") +
                      std::to_string(memory.line);
      if (unsigned number = count[memory.name]++)
        memory.name += " (" + std::to_string(number + 1) + ")";
    }
  }

  // -- Steps -----------------------------------------------------------------------

  static void append(std::vector<unsigned> &to, const std::vector<unsigned> &numbers) {
    for (unsigned number : numbers)
      if (!llvm::is_contained(to, number))
        to.push_back(number);
  }

  static std::string awaitedText(Operation *op, Completion awaited) {
    const char *what = awaited == Completion::DotWait         ? "products"
                       : awaited == Completion::BulkStoreWait ? "copies out"
                                                              : "copies";
    int64_t left = 0;
    for (llvm::StringRef name : {"num", "pendings"})
      if (auto attribute = op->getAttrOfType<IntegerAttr>(name))
        left = attribute.getInt();
    return left ? std::string(what) + " but the last " + std::to_string(left) : what;
  }

  void readStep(Operation *op) {
    auto onChip = dyn_cast<OnChipMemoryOpInterface>(op);
    if (!onChip || isAllocation(op))
      return;
    Step step{Step::Kind::Read, partitionAround(op), lineOf(op)};
    bool copies = false, copiesOut = false, uses = false;
    std::optional<Completion> awaited = onChip.getAwaited();
    for (const MemoryAccess &access : accessesOf(op)) {
      const std::vector<unsigned> numbers = memoriesOf(access.buffer);
      if (access.isOfBarrier()) {
        for (unsigned number : numbers)
          made.memories[number].isBarrier = true;
        if (auto count = op->getAttrOfType<IntegerAttr>("count");
            count && access.kind == MemoryAccess::InitBarrier)
          for (unsigned number : numbers)
            made.memories[number].arrivals = unsigned(count.getInt());
        if (access.kind == MemoryAccess::UseBarrier) {
          uses = true;
          append(awaited ? step.waits : step.arrives, numbers);
        }
        continue;
      }
      const bool isAsync = access.completion != Completion::ProgramOrder;
      append(access.writes() ? step.writes : step.reads, numbers);
      copies |= isAsync && access.writes();
      copiesOut |= isAsync && !access.writes();
    }
    if (awaited) {
      step.kind = Step::Kind::Wait;
      if (step.waits.empty())
        step.awaited = awaitedText(op, *awaited);
      else if (auto wait = dyn_cast<ttng::WaitBarrierOp>(op))
        step.parities = paritiesOf(wait, 2 * made.memories[step.waits.front()].slots);
    } else if (isProduct(op)) {
      step.kind = Step::Kind::Product;
    } else if (copies) {
      step.kind = Step::Kind::Copy;
    } else if (copiesOut) {
      step.kind = Step::Kind::CopyOut;
    } else if (!step.writes.empty()) {
      step.kind = Step::Kind::Write;
    } else if (step.reads.empty()) {
      if (!uses)
        return;
      step.kind = Step::Kind::Arrive;
    }
    if (auto loop = op->getParentOfType<LoopLikeOpInterface>())
      step.loop = lineOf(loop);
    made.steps.push_back(std::move(step));
  }

  void sortByPartition() {
    std::vector<Step> sorted;
    for (unsigned partition = 0; partition != made.partitions.size(); ++partition)
      for (const Step &step : made.steps)
        if (step.partition == partition)
          sorted.push_back(step);
    made.steps = std::move(sorted);
  }

  /// Steps of unrolled loops that follow each other once.
  void fold() {
    constexpr size_t longest = 8;
    std::vector<Step> kept;
    for (Step &step : made.steps) {
      kept.push_back(std::move(step));
      for (size_t size = 1; size <= longest && 2 * size <= kept.size(); ++size) {
        const size_t second = kept.size() - size, first = second - size;
        bool isSame = true;
        for (size_t i = 0; i != size; ++i)
          isSame &= kept[second + i].times == 1 && kept[first + i].isLike(kept[second + i]) &&
                    kept[first + i].times == kept[first].times;
        if (!isSame)
          continue;
        for (size_t i = 0; i != size; ++i)
          ++kept[first + i].times;
        kept.resize(second);
        break;
      }
    }
    made.steps = std::move(kept);
  }

  /// Memories that no step is about: what partitions need themselves.
  void dropUnused() {
    std::vector<int> kept(made.memories.size(), -1);
    auto lists = [](Step &step) {
      return std::array{&step.reads, &step.writes, &step.arrives, &step.waits};
    };
    for (Step &step : made.steps)
      for (std::vector<unsigned> *list : lists(step))
        for (unsigned number : *list)
          kept[number] = 0;
    std::vector<KernelPipeline::Memory> memories;
    for (size_t i = 0; i != kept.size(); ++i)
      if (!kept[i]) {
        kept[i] = int(memories.size());
        memories.push_back(std::move(made.memories[i]));
      }
    made.memories = std::move(memories);
    for (Step &step : made.steps)
      for (std::vector<unsigned> *list : lists(step))
        for (unsigned &number : *list)
          number = unsigned(kept[number]);
  }

  // -- Loops -------------------------------------------------------------------------

  /// How often it goes round, where that is a constant.
  static std::optional<int64_t> timesOf(scf::ForOp loop) {
    APInt first, last, step;
    if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&first)) ||
        !matchPattern(loop.getUpperBound(), m_ConstantInt(&last)) ||
        !matchPattern(loop.getStep(), m_ConstantInt(&step)) || step.getSExtValue() < 1)
      return std::nullopt;
    return std::max<int64_t>(
        0, (last.getSExtValue() - first.getSExtValue() + step.getSExtValue() - 1) /
               step.getSExtValue());
  }

  /// Copies into a memory that `op` starts each time it runs; nullopt where that is not known.
  std::optional<int64_t> copiesIn(Operation *op, unsigned memory) const {
    int64_t inside = 0;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block) {
          std::optional<int64_t> more = copiesIn(&inner, memory);
          if (!more)
            return std::nullopt;
          inside += *more;
        }
    if (inside && isa<LoopLikeOpInterface>(op)) {
      auto loop = dyn_cast<scf::ForOp>(op);
      std::optional<int64_t> times = loop ? timesOf(loop) : std::nullopt;
      if (!times)
        return std::nullopt;
      inside *= *times;
    }
    for (const MemoryAccess &access : accessesOf(op))
      if (!access.isOfBarrier() && access.writes() && !isProduct(op) &&
          access.completion != Completion::ProgramOrder &&
          llvm::is_contained(memoriesOf(access.buffer), memory))
        return inside + 1;
    return inside;
  }

  /// Whether threads, or a product, take a memory in the loop.
  bool reads(scf::ForOp loop, unsigned memory, bool byProduct) const {
    bool found = false;
    loop.getBody()->walk([&](Operation *op) {
      for (const MemoryAccess &access : accessesOf(op))
        found |= access.kind == MemoryAccess::Read && isProduct(op) == byProduct &&
                 llvm::is_contained(memoriesOf(access.buffer), memory);
    });
    return found;
  }

  void readLoop(scf::ForOp loop) {
    std::map<int64_t, std::vector<unsigned>> byLead;
    for (unsigned memory = 0; memory != made.memories.size(); ++memory) {
      int64_t inLoop = 0, before = 0;
      bool isKnown = true;
      for (Operation &op : *loop.getBody()) {
        // Those of a loop inside are of that loop.
        std::optional<int64_t> more = isa<LoopLikeOpInterface>(op) ? 0 : copiesIn(&op, memory);
        isKnown &= more.has_value();
        inLoop += more.value_or(0);
      }
      for (Operation &op : *loop->getBlock()) {
        if (&op == loop)
          break;
        std::optional<int64_t> more = copiesIn(&op, memory);
        isKnown &= more.has_value();
        before += more.value_or(0);
      }
      const bool isRead = reads(loop, memory, true) || reads(loop, memory, false);
      if (isKnown && inLoop && before && before % inLoop == 0 && isRead)
        byLead[before / inLoop].push_back(memory);
    }
    for (auto &[lead, memories] : byLead) {
      constexpr int64_t mostStages = 16;
      if (lead > mostStages)
        continue;
      KernelPipeline::Loop found{lineOf(loop), partitionAround(loop), {}};
      std::vector<std::string> copied, read, multiplied;
      unsigned slots = made.memories[memories.front()].slots;
      for (unsigned memory : memories) {
        copied.push_back(made.memories[memory].name);
        slots = std::min(slots, made.memories[memory].slots);
        for (bool byProduct : {false, true})
          if (reads(loop, memory, byProduct))
            (byProduct ? multiplied : read).push_back(made.memories[memory].name);
      }
      found.pipeline.steps.push_back({"copy " + llvm::join(copied, ", "), 0});
      if (!read.empty())
        found.pipeline.steps.push_back({"read " + llvm::join(read, ", "), unsigned(lead)});
      if (!multiplied.empty())
        found.pipeline.steps.push_back({"product " + llvm::join(multiplied, ", "), unsigned(lead)});
      found.pipeline.buffers = slots;
      found.pipeline.iterations = unsigned(lead) + 4;
      made.loops.push_back(std::move(found));
    }
  }

  tt::FuncOp kernel;
  const diag::SourceManager &sources;
  BufferAliases aliases;
  KernelPipeline made;
  llvm::DenseMap<Region *, unsigned> partitionOf;
};

} // namespace

picture::KernelPipeline pipelineOf(ModuleOp module, const diag::SourceManager &sources) {
  auto kernel = module.lookupSymbol<tt::FuncOp>(kernelNameOf(module));
  return kernel ? Reader(kernel, sources).read() : picture::KernelPipeline();
}

} // namespace gluonc::driver
