//===- Weights.h - A model's numbers on the device ------------------------------===//
//
// Everything in bfloat16, row-major, as it lies in the folder; what is multiplied with the same
// rows lies together: queries, keys and values; gate and up. Several GPUs have a share each: of
// heads, of the rows of gate and up with the columns of down, and of the vocabulary that logits are
// of.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Folder.h"
#include "Gpu.h"

namespace engine {

/// Which of several equal shares of a model.
struct Share {
  int number = 0, count = 1;

  /// What one GPU has of the model: `vocabulary` stays whole.
  ModelConfig of(ModelConfig config) const {
    config.heads /= count;
    config.keyHeads /= count;
    config.intermediate /= count;
    return config;
  }
};

/// Sizes below are those of a share.
struct LayerWeights {
  Memory inputNorm;          // hidden
  Memory queryKeyValue;      // (heads + 2 keyHeads) * headDim x hidden
  Memory queryKeyValueBias;  // its rows, or none
  Memory queryNorm, keyNorm; // headDim, or none
  Memory output;             // hidden x heads * headDim
  Memory postAttentionNorm;  // hidden
  Memory gateUp;             // 2 * intermediate x hidden
  Memory down;               // hidden x intermediate
};

struct Weights {
  Memory embedding; // vocabulary x hidden
  Memory head;      // vocabulary / shares x hidden, or none: the embedding, from headOffset on
  Memory norm;      // hidden
  std::vector<LayerWeights> layers;
  /// For each position headDim / 2 cosines, then as many sines, in fp32.
  Memory angles;

  size_t headOffset = 0;

  uint64_t headAddress() const {
    return head.address() ? head.address() : embedding.address() + headOffset;
  }

  /// Numbers of other floating-point types are rounded to bfloat16.
  static Expected<Weights> load(Gpu &gpu, const Folder &folder, int positions, const Share &share);
};

} // namespace engine
