//===- Weights.h - A model's numbers on the device ------------------------------===//
//
// Everything in bfloat16, row-major, as it lies in the folder; what is multiplied with the same rows
// lies together: queries, keys and values; gate and up.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Folder.h"
#include "Gpu.h"

namespace engine {

struct LayerWeights {
  Memory inputNorm;           // hidden
  Memory queryKeyValue;       // (heads + 2 keyHeads) * headDim x hidden
  Memory queryKeyValueBias;   // its rows, or none
  Memory queryNorm, keyNorm;  // headDim, or none
  Memory output;              // hidden x heads * headDim
  Memory postAttentionNorm;   // hidden
  Memory gateUp;              // 2 * intermediate x hidden
  Memory down;                // hidden x intermediate
};

struct Weights {
  Memory embedding; // vocabulary x hidden
  Memory head;      // the same, or none: the embedding
  Memory norm;      // hidden
  std::vector<LayerWeights> layers;
  /// For each position headDim / 2 cosines, then as many sines, in fp32.
  Memory angles;

  uint64_t headAddress() const { return head.address() ? head.address() : embedding.address(); }

  /// Numbers of other floating-point types are rounded to bfloat16.
  static Expected<Weights> load(Gpu &gpu, const Folder &folder, int positions);
};

} // namespace engine
