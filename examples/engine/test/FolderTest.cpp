#include "Folder.h"
#include "Json.h"

#include "gtest/gtest.h"

#include <cstring>
#include <fstream>
#include <random>

using namespace engine;
namespace fs = std::filesystem;

namespace {

Json entry(const char *dtype, Json shape, size_t begin, size_t end) {
  return {{"dtype", dtype}, {"shape", std::move(shape)}, {"data_offsets", {begin, end}}};
}

std::string safetensors(const std::string &header, size_t bytes) {
  std::string file(8, '\0');
  const uint64_t length = header.size();
  std::memcpy(file.data(), &length, 8);
  return file + header + std::string(bytes, '\1');
}

std::string refusal(const std::string &file) {
  Expected<std::vector<Tensor>> tensors = parseSafetensors(std::as_bytes(std::span(file)));
  return tensors ? "" : tensors.error().text;
}

TEST(Safetensors, GivesTensorsInTheOrderOfTheirBytes) {
  const Json header = {{"__metadata__", {{"format", "pt"}}},
                       {"b", entry("F32", {2, 3}, 0, 24)},
                       {"a", entry("BF16", Json::array({4}), 24, 32)},
                       {"empty", entry("F16", {0, 7}, 24, 24)}};
  const std::string file = safetensors(header.dump(), 32);
  std::vector<Tensor> tensors = *parseSafetensors(std::as_bytes(std::span(file)));
  ASSERT_EQ(tensors.size(), 3u);
  EXPECT_EQ(tensors[0].name, "b");
  EXPECT_EQ(tensors[0].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(tensors[1].name, "empty");
  EXPECT_EQ(tensors[2].dtype, DType::BF16);
  EXPECT_EQ(tensors[2].bytes.size(), 8u);
}

TEST(Safetensors, RefusesMalformedHeaders) {
  auto one = [](Json tensor, size_t bytes) {
    return refusal(safetensors(Json{{"t", std::move(tensor)}}.dump(), bytes));
  };
  EXPECT_EQ(one(entry("F32", {2}, 0, 8), 8), "");
  EXPECT_EQ(one(entry("F31", {2}, 0, 8), 8), "tensor \"t\" has an unknown dtype: \"F31\"");
  EXPECT_EQ(one(entry("F32", {2}, 0, 4), 4),
            "tensor \"t\" has 4 bytes, its shape and dtype ask for 8");
  EXPECT_EQ(one(entry("F32", {2}, 0, 8), 7),
            "tensor \"t\" has data_offsets outside of the file: [0,8]");
  EXPECT_EQ(one(entry("F32", {2}, 0, 8), 9), "there are bytes after the last tensor");
  EXPECT_EQ(one(entry("F32", {2}, 8, 16), 16), "tensor \"t\" comes after a gap");
  EXPECT_EQ(one(entry("F32", {2}, 8, 0), 8),
            "tensor \"t\" has data_offsets outside of the file: [8,0]");
  EXPECT_NE(one(entry("F32", {-2}, 0, 8), 8), "");
  EXPECT_NE(one(entry("F32", {1ull << 62, 16}, 0, 0), 0), "") << "the product is 0 modulo 2^64";
  EXPECT_NE(one(entry("F32", {2.0}, 0, 8), 8), "");
  EXPECT_NE(one(Json{{"dtype", "F32"}, {"shape", {2}}}, 8), "");
  EXPECT_NE(one(Json("x"), 0), "");
  const Json overlap = {{"a", entry("F32", {2}, 0, 8)}, {"b", entry("F32", {2}, 4, 12)}};
  EXPECT_EQ(refusal(safetensors(overlap.dump(), 12)), "tensor \"b\" overlaps with another");
  EXPECT_NE(refusal(safetensors("{\"a\":1,\"a\":2}", 0)).find("twice"), std::string::npos);
  EXPECT_NE(refusal(safetensors("[]", 0)), "");
  EXPECT_NE(refusal(safetensors("{", 0)), "");
  EXPECT_NE(refusal(safetensors(R"({"__metadata__":{"x":1}})", 0)), "");
  EXPECT_NE(refusal("1234567"), "");
  EXPECT_NE(refusal(std::string("\xff\xff\xff\xff\xff\xff\xff\xff", 8)), "");
}

TEST(Safetensors, NoChangedByteEndsTheProcess) {
  const Json header = {{"a", entry("F32", {2, 2}, 0, 16)},
                       {"b", entry("I8", Json::array({3}), 16, 19)}};
  const std::string good = safetensors(header.dump(), 19);
  std::mt19937 random(1);
  for (int i = 0; i != 20000; ++i) {
    std::string file = good;
    for (unsigned changes = 1 + random() % 3; changes; --changes)
      file[random() % file.size()] =
          char(random() % 4 ? "0123456789{}[],:\"-e."[random() % 20] : random());
    if (random() % 8 == 0)
      file.resize(random() % file.size());
    Expected<std::vector<Tensor>> tensors = parseSafetensors(std::as_bytes(std::span(file)));
    const std::byte *end = std::as_bytes(std::span(file)).data() + file.size();
    for (const Tensor &tensor : tensors.value_or(std::vector<Tensor>()))
      EXPECT_LE(tensor.bytes.data() + tensor.bytes.size(), end);
  }
}

/// A folder that goes away.
struct Scratch {
  Scratch() {
    std::string name = fs::temp_directory_path() / "engine-XXXXXX";
    path = mkdtemp(name.data());
  }
  ~Scratch() { fs::remove_all(path); }
  void write(const char *name, const std::string &text) const {
    std::ofstream(path / name) << text;
  }
  void write(const char *name, const Json &json) const { write(name, json.dump()); }
  fs::path path;
};

Json llama() {
  return {{"architectures", {"LlamaForCausalLM"}},
          {"hidden_size", 64},
          {"intermediate_size", 128},
          {"num_hidden_layers", 2},
          {"num_attention_heads", 4},
          {"num_key_value_heads", 2},
          {"vocab_size", 300},
          {"max_position_embeddings", 512},
          {"rms_norm_eps", 1e-5},
          {"eos_token_id", 5}};
}

std::string configError(const Json &json) {
  Scratch scratch;
  scratch.write("config.json", json);
  Expected<ModelConfig> config = readConfig(scratch.path);
  return config ? "" : config.error().text.substr(config.error().text.find(": ") + 2);
}

Json with(Json json, const Json &changes) {
  json.update(changes);
  return json;
}

TEST(Config, ReadsTheThreeArchitectures) {
  Scratch scratch;
  Json json = llama();
  json["rope_scaling"] = {{"rope_type", "llama3"},
                          {"factor", 8},
                          {"low_freq_factor", 1},
                          {"high_freq_factor", 4},
                          {"original_max_position_embeddings", 256}};
  scratch.write("config.json", json);
  scratch.write("generation_config.json", Json{{"eos_token_id", {5, 7}}});
  ModelConfig config = *readConfig(scratch.path);
  EXPECT_EQ(config.headDim, 16);
  EXPECT_EQ(config.endTokens, (std::vector<int32_t>{5, 7}));
  EXPECT_EQ(config.ropeScaling->factor, 8);
  EXPECT_FALSE(config.queryKeyValueBias || config.outputBias || config.queryKeyNorm ||
               config.tiedEmbeddings);

  scratch.write("config.json", with(llama(), {{"architectures", {"Qwen2ForCausalLM"}},
                                              {"tie_word_embeddings", true}}));
  config = *readConfig(scratch.path);
  EXPECT_TRUE(config.queryKeyValueBias && !config.outputBias && config.tiedEmbeddings &&
              !config.queryKeyNorm);

  scratch.write("config.json", with(llama(), {{"architectures", {"Qwen3ForCausalLM"}},
                                              {"head_dim", 32},
                                              {"rope_parameters",
                                               {{"rope_type", "default"}, {"rope_theta", 1e6}}}}));
  config = *readConfig(scratch.path);
  EXPECT_TRUE(config.queryKeyNorm && !config.queryKeyValueBias);
  EXPECT_EQ(config.headDim, 32);
  EXPECT_EQ(config.ropeTheta, 1e6);
}

TEST(Config, RefusesWhatTheEngineDoesNotHave) {
  EXPECT_EQ(configError(llama()), "");
  EXPECT_EQ(configError(with(llama(), {{"architectures", {"GPT2LMHeadModel"}}})),
            "architectures must be one of LlamaForCausalLM, Qwen2ForCausalLM, Qwen3ForCausalLM, "
            "not [\"GPT2LMHeadModel\"]");
  EXPECT_EQ(
      configError(with(llama(), {{"quantization_config", {{"bits", 4}}}})),
      "quantization_config is not supported: the weights must be bf16, fp16, fp32, or fp8 (e4m3) "
      "with scales of tensors, rows or 128 x 128 blocks");
  const Json fp8 = {{"quant_method", "fp8"}, {"weight_block_size", {128, 128}}};
  EXPECT_EQ(configError(with(llama(), {{"quantization_config", fp8}})), "");
  EXPECT_TRUE(
      configError(with(llama(), {{"quantization_config",
                                  {{"quant_method", "fp8"}, {"weight_block_size", {64, 128}}}}}))
          .starts_with("quantization_config"));
  auto compressed = [](const char *type, int bits) {
    const Json weights = {{"type", type}, {"num_bits", bits}, {"strategy", "channel"}};
    return Json{{"quant_method", "compressed-tensors"},
                {"config_groups", {{"group_0", {{"weights", weights}}}}}};
  };
  EXPECT_EQ(configError(with(llama(), {{"quantization_config", compressed("float", 8)}})), "");
  EXPECT_NE(configError(with(llama(), {{"quantization_config", compressed("int", 8)}})), "");
  EXPECT_NE(configError(with(llama(), {{"quantization_config", compressed("float", 4)}})), "");
  EXPECT_EQ(configError(with(llama(), {{"use_sliding_window", true}})),
            "use_sliding_window is not supported");
  EXPECT_EQ(configError(with(llama(), {{"rope_scaling", {{"type", "yarn"}}}})),
            "rope_scaling rope_type must be \"default\" or \"llama3\", not \"yarn\"");
  EXPECT_EQ(configError(with(llama(), {{"num_key_value_heads", 3}})),
            "num_key_value_heads must divide num_attention_heads");
  EXPECT_EQ(configError(with(llama(), {{"hidden_size", "64"}})),
            "hidden_size must be an integer from 1 to 16777216");
  EXPECT_EQ(configError(with(llama(), {{"hidden_size", nullptr}})), "hidden_size is missing");
  EXPECT_EQ(configError(with(llama(), {{"eos_token_id", 300}})),
            "eos_token_id must be a token or a list of tokens");
}

TEST(Folder, ReadsShardsAndHoldsThemToTheIndex) {
  Scratch scratch;
  scratch.write("config.json", llama());
  EXPECT_NE(Folder::open(scratch.path).error().text.find("has no *.safetensors"),
            std::string::npos);
  scratch.write("a.safetensors", safetensors(Json{{"x", entry("F32", {2}, 0, 8)}}.dump(), 8));
  scratch.write("b.safetensors", safetensors(Json{{"y", entry("BF16", {1, 3}, 0, 6)}}.dump(), 6));
  const char *index = "model.safetensors.index.json";
  for (bool hasIndex : {false, true}) {
    if (hasIndex)
      scratch.write(index, Json{{"weight_map", {{"x", "a.safetensors"}, {"y", "b.safetensors"}}}});
    Expected<Folder> folder = Folder::open(scratch.path);
    ASSERT_TRUE(folder) << folder.error().text;
    EXPECT_TRUE(folder->tensor("y", {1, 3}));
    EXPECT_NE(folder->tensor("y", {3, 1}).error().text.find("\"y\" is 1 x 3, not 3 x 1"),
              std::string::npos);
    EXPECT_NE(folder->tensor("z", {1}).error().text.find("\"z\" is missing"), std::string::npos);
  }
  auto indexError = [&](const Json &map) {
    scratch.write(index, Json{{"weight_map", map}});
    Expected<Folder> folder = Folder::open(scratch.path);
    return folder ? "" : folder.error().text;
  };
  EXPECT_NE(indexError({{"x", "b.safetensors"}}), "");
  EXPECT_NE(indexError({{"x", "a.safetensors"}, {"z", "a.safetensors"}})
                .find("does not have the tensor \"z\""),
            std::string::npos);
  EXPECT_NE(indexError({{"x", "../a.safetensors"}}).find("must be in a file of the folder"),
            std::string::npos);
  EXPECT_NE(indexError({{"x", 1}}), "");
  EXPECT_NE(indexError({{"x", "c.safetensors"}}).find("cannot be opened"), std::string::npos);
  fs::remove(scratch.path / index);
  scratch.write("b.safetensors", safetensors(Json{{"x", entry("F32", {2}, 0, 8)}}.dump(), 8));
  EXPECT_NE(Folder::open(scratch.path).error().text.find("another file has the tensor \"x\""),
            std::string::npos);
}

} // namespace
