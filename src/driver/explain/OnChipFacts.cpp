//===- OnChipFacts.cpp - Who takes memory on the chip, and for how long -----------===//
//
// Lifetimes and places are those that the passes which allocate have found: an owner is
// taken from its operation to its last use, which the passes number in program order. Lines
// are those of the kernel's own function: what happens in an inlined function happens at its call.
//
//===----------------------------------------------------------------------===//
#include "driver/explain/Facts.h"
#include "ir/SourceLocation.h"
#include "ir/interfaces/Interfaces.h"
#include "ir/ttng/TensorMemoryRules.h"
#include "transform/analysis/Lifetimes.h"

using namespace mlir;

namespace gluonc::driver {

using explain::OnChipFact;
using explain::OnChipPeak;

namespace {

/// The line of the kernel's own function at which `op` is; 0 where none is known.
uint32_t lineOf(Operation *op, const diag::SourceManager &sources) {
  std::vector<diag::Span> calls = callChainOf(op->getLoc(), sources);
  diag::Span span = calls.empty() ? spanOf(op->getLoc(), sources) : calls.back();
  return span ? span.file->position(span.begin).line : 0;
}

/// The last line of what `op` has inside. Constants have the line of their first use.
uint32_t lastLineIn(Operation *op, const diag::SourceManager &sources) {
  uint32_t last = lineOf(op, sources);
  op->walk([&](Operation *inner) {
    if (!inner->hasTrait<OpTrait::ConstantLike>())
      last = std::max(last, lineOf(inner, sources));
  });
  return last;
}

std::string shapeText(ttg::MemDescType type) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::interleave(type.getShape(), out, "x");
  out << ' ' << type.getElementType();
  return text;
}

/// Bytes of a column of all rows of tensor memory.
constexpr uint64_t columnBytes = 128 * 4;

class OnChip {
public:
  OnChip(tt::FuncOp kernel, const diag::SourceManager &sources) : sources(sources) {
    llvm::SmallVector<Operation *> found;
    kernel.walk([&](Operation *op) {
      auto buffer = dyn_cast<ttg::LocalAllocOp>(op);
      if (isa<ttng::TMEMAllocOp>(op) || (buffer && buffer.getType().isShared()) ||
          scratchBytesOf(op))
        found.push_back(op);
    });
    if (found.empty())
      return;
    Lifetimes lifetimes(kernel, found);
    for (const MemoryOwner &owner : lifetimes.owners())
      owners.push_back({owner, describe(owner, lifetimes)});
  }

  void addTo(explain::Facts &facts) {
    facts.sharedPeak = markPeak(/*isTensorMemory=*/false);
    facts.tensorPeak = markPeak(/*isTensorMemory=*/true);
    for (Owner &owner : owners)
      facts.onChip.push_back(std::move(owner.fact));
    llvm::sort(facts.onChip, [](const OnChipFact &a, const OnChipFact &b) {
      auto rank = [](const OnChipFact &fact) {
        return std::tuple(fact.isTensorMemory, fact.offset, fact.firstLine, fact.lastLine,
                          fact.name, fact.what, fact.bytes);
      };
      return rank(a) < rank(b);
    });
  }

private:
  struct Owner {
    MemoryOwner life;
    OnChipFact fact;
  };

  OnChipFact describe(const MemoryOwner &owner, const Lifetimes &lifetimes) {
    OnChipFact fact;
    Operation *op = owner.op;
    place(fact, op, sources);
    // That of an exchange is of its result.
    if (isAllocation(op))
      fact.name = nameOf(op->getLoc()).str();
    auto number = [&](llvm::StringRef name) {
      auto attribute = op->getAttrOfType<IntegerAttr>(name);
      return attribute ? static_cast<uint64_t>(attribute.getInt()) : 0;
    };
    if (auto alloc = dyn_cast<ttng::TMEMAllocOp>(op)) {
      ttg::MemDescType type = alloc.getResult().getType();
      auto footprint = ttng::tensorMemoryFootprint(type);
      fact.isTensorMemory = true;
      fact.what = shapeText(type);
      fact.columns = footprint ? static_cast<uint64_t>(footprint->columns) : 0;
      fact.bytes = fact.columns * columnBytes / (footprint && footprint->leavesHalf ? 2 : 1);
      fact.offset = number(ttg::tensorMemoryColumnAttr);
    } else if (auto buffer = dyn_cast<ttg::LocalAllocOp>(op)) {
      fact.what = shapeText(buffer.getType());
      fact.bytes = static_cast<uint64_t>(bufferBytesOf(buffer));
      fact.offset = number(ttg::allocationOffsetAttr);
    } else {
      fact.what = "exchange of " + op->getName().getStringRef().str();
      fact.bytes = static_cast<uint64_t>(scratchBytesOf(op));
      fact.offset = number(ttg::allocationOffsetAttr);
    }
    Operation *first = lifetimes.at(owner.first), *last = lifetimes.at(owner.last);
    fact.firstLine = lineOf(first, sources);
    // A lifetime that ends with a loop or a partition ends behind all of it.
    bool endsRegion = last->hasTrait<OpTrait::IsTerminator>() && last->getParentOp() != op;
    fact.lastLine =
        std::max(fact.firstLine, endsRegion || last->getNumRegions()
                                     ? lastLineIn(endsRegion ? last->getParentOp() : last, sources)
                                     : lineOf(last, sources));
    return fact;
  }

  /// Owners of a memory that are taken when `at` begins. Of partitions that run beside it, those of
  /// which the most is taken at one time.
  std::vector<Owner *> aliveWith(const Owner &at) {
    std::vector<Owner *> alive;
    llvm::SmallVector<Region *> besides;
    for (Owner &owner : owners) {
      if (owner.fact.isTensorMemory != at.fact.isTensorMemory)
        continue;
      if (owner.life.first <= at.life.first && at.life.first <= owner.life.last)
        alive.push_back(&owner);
      else if (owner.life.isAliveWith(at.life) && owner.life.partition != at.life.partition &&
               !llvm::is_contained(besides, owner.life.partition))
        besides.push_back(owner.life.partition);
    }
    for (Region *partition : besides)
      llvm::append_range(alive, mostIn(partition, at.fact.isTensorMemory));
    return alive;
  }

  std::vector<Owner *> mostIn(Region *partition, bool isTensorMemory) {
    std::vector<Owner *> most;
    for (const Owner &at : owners) {
      if (at.life.partition != partition || at.fact.isTensorMemory != isTensorMemory)
        continue;
      std::vector<Owner *> alive;
      for (Owner &owner : owners)
        if (owner.life.partition == partition && owner.fact.isTensorMemory == isTensorMemory &&
            owner.life.first <= at.life.first && at.life.first <= owner.life.last)
          alive.push_back(&owner);
      if (bytesOf(alive) > bytesOf(most))
        most = std::move(alive);
    }
    return most;
  }

  static uint64_t bytesOf(llvm::ArrayRef<Owner *> list) {
    uint64_t bytes = 0;
    for (const Owner *owner : list)
      bytes += owner->fact.bytes;
    return bytes;
  }

  OnChipPeak markPeak(bool isTensorMemory) {
    OnChipPeak peak;
    std::vector<Owner *> holders;
    for (const Owner &at : owners) {
      if (at.fact.isTensorMemory != isTensorMemory)
        continue;
      std::vector<Owner *> alive = aliveWith(at);
      if (uint64_t bytes = bytesOf(alive); bytes > peak.bytes) {
        peak = {bytes, 0, at.fact.firstLine};
        holders = std::move(alive);
      }
    }
    for (Owner *owner : holders) {
      owner->fact.isAtPeak = true;
      peak.columns += owner->fact.columns;
    }
    return peak;
  }

  const diag::SourceManager &sources;
  std::vector<Owner> owners;
};

} // namespace

void addOnChipFacts(explain::Facts &facts, tt::FuncOp kernel, const diag::SourceManager &sources) {
  OnChip(kernel, sources).addTo(facts);
}

} // namespace gluonc::driver
