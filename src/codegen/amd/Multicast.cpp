#include "codegen/amd/Multicast.h"

#include "target/Limits.h"

#include "llvm/ADT/bit.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;

namespace gluonc::codegen::amd {

/// Of powers of two the largest is 4.
static constexpr unsigned mostSharers = 5;

Value *multicastMask(Builder &builder, uint32_t sharing) {
  if (!sharing || (1u << popcount(sharing)) > mostSharers)
    return nullptr;
  uint32_t pattern = 0;
  for (uint32_t number = 0; number <= sharing; ++number)
    if (!(number & ~sharing))
      pattern |= 1u << number;
  constexpr uint32_t allBits = target::maxCtasPerCluster - 1;
  if (!(allBits & ~sharing))
    return builder.getInt32(pattern);
  Value *rank =
      builder.CreateIntrinsic(builder.getInt32Ty(), Intrinsic::amdgcn_cluster_workgroup_id_x, {});
  Value *first = builder.CreateAnd(rank, builder.getInt32(allBits & ~sharing));
  return builder.CreateShl(builder.getInt32(pattern), first);
}

} // namespace gluonc::codegen::amd
