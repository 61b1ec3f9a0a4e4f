//===- Weights.h - A model's numbers on the device ------------------------------===//
//
// In bfloat16, and matrices of layers in fp8 (e4m3) where the folder has them so or it is asked
// for; row-major, as it lies in the folder; what is multiplied with the same rows lies together:
// queries, keys and values; gate and up. Several GPUs have a share each: of
// heads, of the rows of gate and up with the columns of down, and of the vocabulary that logits are
// of.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Folder.h"
#include "Gpu.h"
#include "kernels.h"

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

/// Rows x columns in bfloat16, or in fp8 with scales in fp32: of each row, or columns / 128 x rows.
struct Matrix {
  Memory numbers, scales;
  bool hasBlocks = false;

  bool isFp8() const { return scales.address() != 0; }
};

/// Sizes below are those of a share.
struct LayerWeights {
  Memory inputNorm;          // hidden
  Matrix queryKeyValue;      // (heads + 2 keyHeads) * headDim x hidden
  Memory queryKeyValueBias;  // its rows, or none
  Memory queryNorm, keyNorm; // headDim, or none
  Matrix output;             // hidden x heads * headDim
  Memory postAttentionNorm;  // hidden
  Matrix gateUp;             // 2 * intermediate x hidden
  Matrix down;               // hidden x intermediate
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

  bool hasFp8() const;

  /// Numbers of other floating-point types are rounded to bfloat16; with `toFp8` those of layers'
  /// matrices then to fp8, with a scale for each row.
  static Expected<Weights> load(Gpu &gpu, const kernels::Bundle &bundle, const Folder &folder,
                                int positions, const Share &share, bool toFp8);
};

} // namespace engine
