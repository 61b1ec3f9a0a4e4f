//===- Config.h - The shape of a model, from config.json ------------------------===//
#pragma once

#include "Expected.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace engine {

enum class Architecture { Llama, Qwen2, Qwen3 };

/// "llama3": frequencies of wavelengths above originalPositions / lowFrequency are divided by
/// `factor`, those below originalPositions / highFrequency stay, and between them both are blended.
struct RopeScaling {
  double factor = 1, lowFrequency = 1, highFrequency = 4;
  int originalPositions = 8192;
};

/// Names in brackets are those of config.json.
struct ModelConfig {
  Architecture architecture = Architecture::Llama;
  int hidden = 0;       // [hidden_size]
  int intermediate = 0; // [intermediate_size]
  int layers = 0;       // [num_hidden_layers]
  int heads = 0;        // [num_attention_heads]
  int keyHeads = 0;     // [num_key_value_heads]; `heads` is a multiple
  int headDim = 0;      // [head_dim]; else hidden / heads
  int vocabulary =
      0; // [vocab_size]: rows of the embedding, which may be more than the tokenizer has tokens
  int maxPositions = 0; // [max_position_embeddings]
  double normEpsilon = 1e-6;
  double ropeTheta = 10000;
  std::optional<RopeScaling> ropeScaling;
  bool tiedEmbeddings = false; // lm_head.weight is model.embed_tokens.weight
  bool queryKeyValueBias = false;
  bool outputBias = false;
  bool queryKeyNorm = false; // RMS norm of each query and key head, before the rotation
  /// Tokens that end a sequence: those of config.json and of generation_config.json.
  std::vector<int32_t> endTokens;
};

/// Reads config.json and, where there is one, generation_config.json. A model that needs what the
/// engine does not have (another architecture, quantization but to fp8, sliding windows, other
/// scalings of positions) is refused.
Expected<ModelConfig> readConfig(const std::filesystem::path &folder);

} // namespace engine
