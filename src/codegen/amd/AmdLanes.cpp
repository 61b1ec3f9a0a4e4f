//===- AmdLanes.cpp - Elements of other lanes ----------------------------------===//
//
// Within a row of 16 lanes moves are a modifier of ordinary instructions (DPP); between
// the two rows of 32 lanes RDNA permutes directly; whatever is left goes through the
// crossbar of LDS, without its memory: by a pattern within 32 lanes (ds_swizzle), or by
// lane numbers (ds_bpermute).
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/AmdIsa.h"
#include "target/Features.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;

namespace gluonc::codegen::amd {
namespace {

constexpr unsigned rowLanes = 16, swizzledLanes = 32;

// Controls of DPP (LLVM, AMDGPUModifierSyntax, "dpp_ctrl").
constexpr unsigned reverseQuad = 0x1b, swapPairs = 0x4e, swapNeighbours = 0xb1;
constexpr unsigned rotateBy8 = 0x128, mirrorRow = 0x140, mirrorHalfRow = 0x141, xorInRow = 0x160;

Value *moveInRow(Builder &builder, Value *value, unsigned control) {
  Value *all = builder.getInt32(0xf);
  return builder.CreateIntrinsic(builder.getInt32Ty(), Intrinsic::amdgcn_update_dpp,
                                 {PoisonValue::get(builder.getInt32Ty()), value,
                                  builder.getInt32(control), all, all,
                                  /*bound_ctrl=*/builder.getTrue()});
}

/// XOR with less than 16 where no control names it: a mirror reverses 8 or 16 lanes, which is
/// XOR with 7 or 15.
Value *xorByMirrors(Builder &builder, Value *value, unsigned distance) {
  if (distance >= 12) {
    value = moveInRow(builder, value, mirrorRow);
    distance ^= 15;
  } else if (distance >= 8) {
    value = moveInRow(builder, value, rotateBy8);
    distance ^= 8;
  } else if (distance >= 4) {
    value = moveInRow(builder, value, mirrorHalfRow);
    distance ^= 7;
  }
  static constexpr unsigned quads[] = {0, swapNeighbours, swapPairs, reverseQuad};
  return distance ? moveInRow(builder, value, quads[distance]) : value;
}

/// From the other row of 32 lanes: each lane names the lane there by four bits.
Value *xorBetweenRows(Builder &builder, Value *value, unsigned distance) {
  uint64_t lanes = 0;
  for (uint64_t lane = 0; lane < rowLanes; ++lane)
    lanes |= (lane ^ (distance % rowLanes)) << 4 * lane;
  return builder.CreateIntrinsic(Intrinsic::amdgcn_permlanex16, {builder.getInt32Ty()},
                                 {PoisonValue::get(builder.getInt32Ty()), value,
                                  builder.getInt32(uint32_t(lanes)), builder.getInt32(lanes >> 32),
                                  /*fetch inactive=*/builder.getTrue(),
                                  /*bound_ctrl=*/builder.getFalse()});
}

Value *xorBySwizzle(Builder &builder, Value *value, unsigned distance) {
  // Bits 14 to 10 of the pattern are XORed, bits 4 to 0 are kept.
  Value *pattern = builder.getInt32(distance << 10 | (swizzledLanes - 1));
  return builder.CreateIntrinsic(builder.getInt32Ty(), Intrinsic::amdgcn_ds_swizzle,
                                 {value, pattern});
}

/// The address of a lane is four times its number.
Value *fromLane(Builder &builder, Value *value, Value *lane) {
  return builder.CreateIntrinsic(builder.getInt32Ty(), Intrinsic::amdgcn_ds_bpermute,
                                 {builder.CreateShl(lane, 2), value});
}

/// The number of this lane: how many there are below it.
Value *laneId(Builder &builder, unsigned lanes) {
  Value *all = builder.getInt32(-1), *zero = builder.getInt32(0);
  Value *count =
      builder.CreateIntrinsic(builder.getInt32Ty(), Intrinsic::amdgcn_mbcnt_lo, {all, zero});
  if (lanes == 64)
    count = builder.CreateIntrinsic(builder.getInt32Ty(), Intrinsic::amdgcn_mbcnt_hi, {all, count});
  return count;
}

} // namespace

Value *AmdIsa::shuffle(Builder &builder, Value *value, Value *lane) const {
  if (isa<ConstantInt>(lane))
    return builder.CreateIntrinsic(Intrinsic::amdgcn_readlane, {builder.getInt32Ty()},
                                   {value, lane});
  return fromLane(builder, value, lane);
}

Value *AmdIsa::shuffleXor(Builder &builder, Value *value, unsigned distance) const {
  bool hasRowXor = target::has(target, target::Feature::DppRowXor);
  if (distance < 4)
    return xorByMirrors(builder, value, distance);
  if (distance < rowLanes)
    return hasRowXor ? moveInRow(builder, value, xorInRow + distance)
                     : xorByMirrors(builder, value, distance);
  if (distance < swizzledLanes)
    return hasRowXor ? xorBetweenRows(builder, value, distance)
                     : xorBySwizzle(builder, value, distance);
  Value *lane = builder.CreateXor(laneId(builder, target.warpSize()), builder.getInt32(distance));
  return fromLane(builder, value, lane);
}

} // namespace gluonc::codegen::amd
