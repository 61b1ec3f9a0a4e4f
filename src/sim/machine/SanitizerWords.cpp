#include "sim/machine/SanitizerWords.h"

namespace gluonc::sim {

using diag::Kind;

/// An access that meets another one, which is in flight or unordered: `writes` tells the kind of
/// the other.
static std::string pendingWords(const Fault &fault, llvm::ArrayRef<Place> places, bool writes) {
  llvm::StringRef other;
  if (!fault.notes.empty())
    other = places[fault.notes[0].first].operation;
  auto pending = [](llvm::StringRef type) {
    return ("Accessing buffer with pending access. Pending access type: " + type).str();
  };
  if (other == "ttg.async_copy_global_to_local")
    return pending("async_copy_global_to_shared");
  if (other == "ttng.warp_group_dot")
    return pending("warpgroup_mma operand read");
  if (!writes && other.starts_with("ttng.async_tma"))
    return pending("async_copy_shared_to_global");
  return std::string("Buffer being accessed has outstanding ") + (writes ? "writes" : "reads");
}

std::string concurrencyWords(const Fault &fault, llvm::ArrayRef<Place> places) {
  switch (fault.kind) {
  case Kind::UnfinishedCopyRead:
  case Kind::SharedWriteDuringCopy:
  case Kind::DotNotWaitedFor:
    return pendingWords(fault, places, /*writes=*/true);
  case Kind::SharedWriteDuringRead:
    return pendingWords(fault, places, /*writes=*/false);
  case Kind::UnorderedSharedAccess:
    return pendingWords(fault, places, fault.arguments[4] == "writes");
  case Kind::BarrierInUse:
  case Kind::SharedMemoryOutlived:
    return "Buffer being accessed has outstanding reads";
  case Kind::MissingProxyFence:
    return "Async shared-memory access is missing fence_async_shared";
  case Kind::Deadlock:
    return "Deadlock detected";
  case Kind::BarrierNotInitialized:
    return "Barrier used before initialization or after invalidation";
  case Kind::BarrierInitializedTwice:
    return "Barrier re-initialized without prior invalidation";
  case Kind::BarrierOverrun:
    return "Barrier arrive underflow";
  case Kind::BarrierBytesAccessed:
    return "Shared memory reused before barrier invalidation";
  default:
    return "";
  }
}

} // namespace gluonc::sim
