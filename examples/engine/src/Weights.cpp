#include "Weights.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

namespace engine {

namespace {

/// To the nearest, ties to even; NaN stays one.
uint16_t toBf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float fromF16(uint16_t bits) {
  _Float16 value;
  std::memcpy(&value, &bits, sizeof value);
  return static_cast<float>(value);
}

template <class T, class Fn>
std::vector<uint16_t> convert(std::span<const std::byte> bytes, Fn toFloat) {
  std::vector<uint16_t> made(bytes.size() / sizeof(T));
  for (size_t i = 0; i != made.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    made[i] = toBf16(toFloat(value));
  }
  return made;
}

/// Rows and columns of a tensor that a GPU gets. Without columns: of one dim.
struct Part {
  std::string name;
  int64_t rows = 0, columns = 0; // of the tensor
  Share ofRows = {}, ofColumns = {};

  int64_t countRows() const { return rows / ofRows.count; }
  int64_t countColumns() const { return columns / ofColumns.count; }
  size_t count() const { return static_cast<size_t>(countRows() * (columns ? countColumns() : 1)); }
};

/// Bytes of the part, in `copied` where they do not lie together.
std::span<const std::byte> bytesOf(const Part &part, const Tensor &tensor,
                                   std::vector<std::byte> &copied) {
  const size_t row = (part.columns ? static_cast<size_t>(part.columns) : 1) * sizeOf(tensor.dtype);
  const size_t rows = static_cast<size_t>(part.countRows());
  const std::span<const std::byte> of =
      tensor.bytes.subspan(static_cast<size_t>(part.ofRows.number) * rows * row, rows * row);
  if (part.ofColumns.count == 1)
    return of;
  const size_t width = row / static_cast<size_t>(part.ofColumns.count);
  copied.resize(rows * width);
  for (size_t i = 0; i != rows; ++i)
    std::memcpy(copied.data() + i * width,
                of.data() + i * row + static_cast<size_t>(part.ofColumns.number) * width, width);
  return copied;
}

/// Copies tensors of a folder to the device; remembers the first thing that went wrong.
class Loader {
public:
  Loader(Gpu &gpu, const Folder &folder) : gpu(gpu), folder(folder) {}

  /// Parts one behind the other.
  Memory loadAll(std::initializer_list<Part> parts) {
    size_t count = 0;
    for (const Part &part : parts)
      count += part.count();
    Memory memory = allocate(count * sizeof(uint16_t));
    uint64_t to = memory.address();
    for (const Part &part : parts) {
      put(to, part);
      to += part.count() * sizeof(uint16_t);
    }
    return memory;
  }
  Memory load(const Part &part) { return loadAll({part}); }
  Memory loadFloats(const std::vector<float> &values) {
    Memory memory = allocate(values.size() * sizeof(float));
    copy(memory.address(), values.data(), values.size() * sizeof(float));
    return memory;
  }
  const std::optional<Error> &failure() const { return failed; }

private:
  Memory allocate(size_t bytes) {
    if (failed)
      return {};
    Expected<Memory> memory = gpu.allocate(bytes);
    if (memory)
      return std::move(*memory);
    failed = memory.error();
    return {};
  }
  void copy(uint64_t to, const void *from, size_t bytes) {
    if (failed)
      return;
    Expected<void> done = gpu.upload(to, from, bytes);
    // What it is copied from may go.
    if (done)
      done = gpu.synchronize();
    if (!done)
      failed = done.error();
  }
  void put(uint64_t to, const Part &part) {
    if (failed)
      return;
    const Expected<const Tensor *> found = part.columns
                                               ? folder.tensor(part.name, {part.rows, part.columns})
                                               : folder.tensor(part.name, {part.rows});
    if (!found) {
      failed = found.error();
      return;
    }
    std::vector<std::byte> copied;
    const std::span<const std::byte> bytes = bytesOf(part, **found, copied);
    switch ((*found)->dtype) {
    case DType::BF16:
      return copy(to, bytes.data(), bytes.size());
    case DType::F16: {
      const std::vector<uint16_t> made = convert<uint16_t>(bytes, fromF16);
      return copy(to, made.data(), made.size() * sizeof(uint16_t));
    }
    case DType::F32: {
      const std::vector<uint16_t> made = convert<float>(bytes, [](float value) { return value; });
      return copy(to, made.data(), made.size() * sizeof(uint16_t));
    }
    default:
      failed = Error{part.name + " is of " + std::string(nameOf((*found)->dtype)) +
                     "; weights are bf16, f16 or f32"};
    }
  }

  Gpu &gpu;
  const Folder &folder;
  std::optional<Error> failed;
};

/// Angles of one position step for each pair, as `rope_scaling` of type llama3 changes them.
std::vector<double> frequencies(const ModelConfig &config) {
  std::vector<double> made(config.headDim / 2);
  for (size_t i = 0; i != made.size(); ++i) {
    double frequency = std::pow(config.ropeTheta, -2.0 * double(i) / config.headDim);
    if (const std::optional<RopeScaling> &scaling = config.ropeScaling) {
      const double wavelength = 2 * std::numbers::pi / frequency;
      const double longest = scaling->originalPositions / scaling->lowFrequency;
      const double shortest = scaling->originalPositions / scaling->highFrequency;
      if (wavelength > longest) {
        frequency /= scaling->factor;
      } else if (wavelength > shortest) {
        const double share = (scaling->originalPositions / wavelength - scaling->lowFrequency) /
                             (scaling->highFrequency - scaling->lowFrequency);
        frequency = (1 - share) * frequency / scaling->factor + share * frequency;
      }
    }
    made[i] = frequency;
  }
  return made;
}

std::vector<float> angleTable(const ModelConfig &config, int positions) {
  const std::vector<double> of = frequencies(config);
  std::vector<float> table;
  table.reserve(static_cast<size_t>(positions) * config.headDim);
  for (int position = 0; position != positions; ++position) {
    for (double frequency : of)
      table.push_back(static_cast<float>(std::cos(position * frequency)));
    for (double frequency : of)
      table.push_back(static_cast<float>(std::sin(position * frequency)));
  }
  return table;
}

LayerWeights loadLayer(Loader &loader, const ModelConfig &config, int number, const Share &share) {
  const std::string at = "model.layers." + std::to_string(number) + ".";
  const int64_t hidden = config.hidden, inner = config.intermediate, d = config.headDim;
  const int64_t queries = config.heads * d, keys = config.keyHeads * d;
  LayerWeights layer;
  layer.inputNorm = loader.load({at + "input_layernorm.weight", hidden});
  layer.queryKeyValue = loader.loadAll({{at + "self_attn.q_proj.weight", queries, hidden, share},
                                        {at + "self_attn.k_proj.weight", keys, hidden, share},
                                        {at + "self_attn.v_proj.weight", keys, hidden, share}});
  if (config.queryKeyValueBias)
    layer.queryKeyValueBias = loader.loadAll({{at + "self_attn.q_proj.bias", queries, 0, share},
                                              {at + "self_attn.k_proj.bias", keys, 0, share},
                                              {at + "self_attn.v_proj.bias", keys, 0, share}});
  if (config.queryKeyNorm) {
    layer.queryNorm = loader.load({at + "self_attn.q_norm.weight", d});
    layer.keyNorm = loader.load({at + "self_attn.k_norm.weight", d});
  }
  layer.output = loader.load({at + "self_attn.o_proj.weight", hidden, queries, {}, share});
  layer.postAttentionNorm = loader.load({at + "post_attention_layernorm.weight", hidden});
  layer.gateUp = loader.loadAll({{at + "mlp.gate_proj.weight", inner, hidden, share},
                                 {at + "mlp.up_proj.weight", inner, hidden, share}});
  layer.down = loader.load({at + "mlp.down_proj.weight", hidden, inner, {}, share});
  return layer;
}

} // namespace

Expected<Weights> Weights::load(Gpu &gpu, const Folder &folder, int positions, const Share &share) {
  const ModelConfig &config = folder.config();
  Loader loader(gpu, folder);
  Weights weights;
  weights.embedding = loader.load({"model.embed_tokens.weight", config.vocabulary, config.hidden});
  if (config.tiedEmbeddings)
    weights.headOffset = static_cast<size_t>(config.vocabulary / share.count) *
                         static_cast<size_t>(share.number) * static_cast<size_t>(config.hidden) * 2;
  else
    weights.head = loader.load({"lm_head.weight", config.vocabulary, config.hidden, share});
  weights.norm = loader.load({"model.norm.weight", config.hidden});
  for (int i = 0; i != config.layers; ++i)
    weights.layers.push_back(loadLayer(loader, config, i, share));
  weights.angles = loader.loadFloats(angleTable(config, positions));
  if (loader.failure())
    return std::unexpected(*loader.failure());
  return weights;
}

} // namespace engine
