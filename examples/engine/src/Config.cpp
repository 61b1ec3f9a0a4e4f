#include "Config.h"

#include "Json.h"

#include <algorithm>
#include <cmath>

namespace engine {

namespace {

constexpr int64_t mostOfAny = 1 << 24;

std::optional<Architecture> readArchitecture(Fields &fields) {
  const Json *names = fields.find("architectures");
  if (names && names->is_array() && names->size() == 1 && (*names)[0].is_string()) {
    const std::string name = (*names)[0].get<std::string>();
    if (name == "LlamaForCausalLM")
      return Architecture::Llama;
    if (name == "Qwen2ForCausalLM")
      return Architecture::Qwen2;
    if (name == "Qwen3ForCausalLM")
      return Architecture::Qwen3;
  }
  fields.refuse("architectures",
                "must be one of LlamaForCausalLM, Qwen2ForCausalLM, Qwen3ForCausalLM, not " +
                    (names ? dump(*names) : std::string("missing")));
  return std::nullopt;
}

/// A group of llm-compressor's "compressed-tensors": which format the weights have.
bool isFp8Group(const Json &group) {
  const Json *weights =
      group.is_object() && group.contains("weights") ? &group["weights"] : nullptr;
  if (!weights || !weights->is_object())
    return false;
  Fields fields(*weights);
  const std::string strategy = fields.string("strategy", "tensor");
  const bool isFp8 = fields.string("type", "") == "float" &&
                     fields.integer("num_bits", 1, 64, 0) == 8 &&
                     (strategy == "tensor" || strategy == "channel" || strategy == "block");
  const Json *block = fields.find("block_structure");
  return isFp8 && (!block || *block == Json::array({128, 128})) && !fields.failed();
}

/// Weights in fp8 with scales of tensors, rows or blocks are fine; what activations are rounded to
/// is not looked at, since they keep their 16 bits.
void refuseUnsupportedQuantization(Fields &fields) {
  const Json *found = fields.find("quantization_config");
  if (!found)
    return;
  bool isFp8 = false;
  if (found->is_object()) {
    Fields inner(*found);
    const std::string method = inner.string("quant_method", "");
    const Json *groups = inner.find("config_groups"), *block = inner.find("weight_block_size");
    if (method == "fp8" || method == "fbgemm_fp8")
      isFp8 =
          inner.string("fmt", "e4m3") == "e4m3" && (!block || *block == Json::array({128, 128}));
    else if (method == "compressed-tensors")
      isFp8 = groups && groups->is_object() && std::ranges::all_of(*groups, isFp8Group);
    isFp8 &= !inner.failed();
  }
  if (!isFp8)
    fields.refuse("quantization_config",
                  "is not supported: the weights must be bf16, fp16, fp32, or "
                  "fp8 (e4m3) with scales of tensors, rows or 128 x 128 blocks");
}

/// What would change the result and is not implemented.
void refuseUnsupported(Fields &fields) {
  refuseUnsupportedQuantization(fields);
  if (fields.string("hidden_act", "silu") != "silu")
    fields.refuse("hidden_act", "must be \"silu\"");
  if (fields.boolean("mlp_bias", false))
    fields.refuse("mlp_bias", "is not supported");
  if (fields.boolean("use_sliding_window", false))
    fields.refuse("use_sliding_window", "is not supported");
  if (fields.number("partial_rotary_factor", 0, 1, 1) != 1)
    fields.refuse("partial_rotary_factor", "must be 1");
  if (const Json *types = fields.find("layer_types"))
    if (!types->is_array() ||
        !std::ranges::all_of(*types, [](const Json &type) { return type == "full_attention"; }))
      fields.refuse("layer_types", "must all be \"full_attention\"");
}

void readSizes(Fields &fields, ModelConfig &config) {
  auto size = [&](const char *key, std::optional<int64_t> fallback = std::nullopt) {
    return int(fields.integer(key, 1, mostOfAny, fallback));
  };
  config.hidden = size("hidden_size");
  config.intermediate = size("intermediate_size");
  config.layers = size("num_hidden_layers");
  config.heads = size("num_attention_heads");
  config.keyHeads = size("num_key_value_heads", config.heads);
  if (!fields.find("head_dim") && config.hidden % config.heads)
    fields.refuse("hidden_size",
                  "must be a multiple of num_attention_heads where there is no head_dim");
  config.headDim = size("head_dim", std::max(1, config.hidden / config.heads));
  config.vocabulary = size("vocab_size");
  config.maxPositions = size("max_position_embeddings");
  if (config.heads % config.keyHeads)
    fields.refuse("num_key_value_heads", "must divide num_attention_heads");
  if (config.headDim % 2)
    fields.refuse("head_dim", "must be even");
  config.normEpsilon = fields.number("rms_norm_eps", 0, 1, 1e-6);
}

/// `rope_theta` and `rope_scaling`, or, in files of transformers 5, `rope_parameters` with both.
void readRope(Fields &fields, ModelConfig &config) {
  const char *key = fields.find("rope_parameters") ? "rope_parameters" : "rope_scaling";
  config.ropeTheta = fields.number("rope_theta", 1, 1e12, 10000);
  const Json *scaling = fields.find(key);
  if (!scaling)
    return;
  if (!scaling->is_object())
    return fields.refuse(key, "must be an object");
  Fields inner(*scaling);
  config.ropeTheta = inner.number("rope_theta", 1, 1e12, config.ropeTheta);
  const std::string type = inner.string("rope_type", inner.string("type", "default"));
  if (type == "llama3") {
    RopeScaling &made = config.ropeScaling.emplace();
    made.factor = inner.number("factor", 1, 1e6);
    made.lowFrequency = inner.number("low_freq_factor", 1e-6, 1e6);
    made.highFrequency = inner.number("high_freq_factor", 1e-6, 1e6);
    made.originalPositions = int(inner.integer("original_max_position_embeddings", 1, mostOfAny));
    if (made.highFrequency <= made.lowFrequency)
      inner.refuse("high_freq_factor", "must be more than low_freq_factor");
  } else if (type != "default") {
    inner.refuse("rope_type", "must be \"default\" or \"llama3\", not \"" + type + "\"");
  }
  if (inner.failed())
    fields.refuse(key, inner.message());
}

void readEndTokens(Fields &fields, ModelConfig &config) {
  const Json *found = fields.find("eos_token_id");
  if (!found)
    return;
  const Json tokens = found->is_array() ? *found : Json::array({*found});
  for (const Json &token : tokens) {
    if (!token.is_number_integer() || token.get<int64_t>() < 0 ||
        token.get<int64_t>() >= config.vocabulary)
      return fields.refuse("eos_token_id", "must be a token or a list of tokens");
    if (std::ranges::find(config.endTokens, token.get<int32_t>()) == config.endTokens.end())
      config.endTokens.push_back(token.get<int32_t>());
  }
}

} // namespace

Expected<ModelConfig> readConfig(const std::filesystem::path &folder) {
  const std::filesystem::path path = folder / "config.json";
  Expected<Json> json = readJsonObject(path);
  if (!json)
    return std::unexpected(json.error());
  ModelConfig config;
  Fields fields(*json);
  if (std::optional<Architecture> architecture = readArchitecture(fields))
    config.architecture = *architecture;
  refuseUnsupported(fields);
  readSizes(fields, config);
  readRope(fields, config);
  const bool attentionBias = fields.boolean("attention_bias", false);
  const bool isQwen2 = config.architecture == Architecture::Qwen2;
  config.queryKeyValueBias = isQwen2 || attentionBias;
  config.outputBias = !isQwen2 && attentionBias;
  config.queryKeyNorm = config.architecture == Architecture::Qwen3;
  config.tiedEmbeddings = fields.boolean("tie_word_embeddings", false);
  readEndTokens(fields, config);
  if (fields.failed())
    return fail(path.string() + ": " + fields.message());

  const std::filesystem::path generation = folder / "generation_config.json";
  if (!std::filesystem::exists(generation))
    return config;
  Expected<Json> more = readJsonObject(generation);
  if (!more)
    return std::unexpected(more.error());
  Fields moreFields(*more);
  readEndTokens(moreFields, config);
  if (moreFields.failed())
    return fail(generation.string() + ": " + moreFields.message());
  return config;
}

} // namespace engine
