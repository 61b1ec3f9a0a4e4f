//===- ConversionParts.h - The pieces of conversion planning ---------------===//
//
// Internal to the room.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/plan/Conversion.h"

namespace gluonc::layout {

/// The layout with inputs register, lane, warp, block in this order; missing ones get size 1.
LinearLayout withOwnerDims(const LinearLayout &layout);

/// The plan by shuffles for `sources` (see nearestSources), which must keep warps and blocks;
/// nullopt if the lanes that read one lane need different registers of it in every order of rounds.
std::optional<ShufflePlan> planShuffles(const LinearLayout &sources, const LinearLayout &dst);

} // namespace gluonc::layout
