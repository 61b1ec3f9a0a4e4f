#include "Weights.h"

#include <algorithm>
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

/// What the numbers of a tensor in fp8 are multiplied with: one number, or one for each row, or for
/// each block of 128 x 128.
struct Scales {
  std::vector<float> values;
  int64_t rows = 1, columns = 1, ofRows = 1;

  float at(int64_t row, int64_t block) const {
    const int64_t line = rows == 1 ? 0 : rows == ofRows ? row : row / 128;
    return values[static_cast<size_t>(line * columns + (columns == 1 ? 0 : block))];
  }
};

Expected<std::vector<float>> floatsOf(const Tensor &tensor) {
  std::vector<float> made(tensor.bytes.size() / sizeOf(tensor.dtype));
  for (size_t i = 0; i != made.size(); ++i) {
    uint32_t bits = 0;
    std::memcpy(&bits, tensor.bytes.data() + i * sizeOf(tensor.dtype),
                std::min<size_t>(sizeOf(tensor.dtype), 4));
    if (tensor.dtype == DType::F32)
      made[i] = std::bit_cast<float>(bits);
    else if (tensor.dtype == DType::BF16)
      made[i] = std::bit_cast<float>(bits << 16);
    else if (tensor.dtype == DType::F16)
      made[i] = fromF16(static_cast<uint16_t>(bits));
    else
      return fail(tensor.name + " is of " + std::string(nameOf(tensor.dtype)) +
                  "; scales are f32, bf16 or f16");
  }
  return made;
}

/// Hugging Face's names: "…weight_scale_inv", which is no inverse, or "…weight_scale".
Expected<Scales> readScales(const Folder &folder, const Part &part) {
  const Tensor *tensor = folder.find(part.name + "_scale_inv");
  if (!tensor)
    tensor = folder.find(part.name + "_scale");
  if (!tensor)
    return fail(part.name + " is in fp8, and there is no " + part.name + "_scale");
  Expected<std::vector<float>> values = floatsOf(*tensor);
  if (!values)
    return std::unexpected(values.error());
  Scales scales = {std::move(*values), 1, 1, part.rows};
  const std::vector<int64_t> &shape = tensor->shape;
  if (scales.values.size() == 1)
    return scales;
  const std::vector<int64_t> ofBlocks = {(part.rows + 127) / 128, (part.columns + 127) / 128};
  if (shape != ofBlocks && shape != std::vector{part.rows, int64_t(1)} &&
      shape != std::vector{part.rows})
    return fail(tensor->name +
                " has neither one number nor one for each row or block of 128 x 128");
  scales.rows = shape[0];
  scales.columns = shape == ofBlocks ? shape[1] : 1;
  return scales;
}

/// Copies tensors of a folder to the device; remembers the first thing that went wrong.
class Loader {
public:
  Loader(Gpu &gpu, const kernels::Bundle &bundle, const Folder &folder, bool toFp8)
      : gpu(gpu), bundle(bundle), folder(folder), toFp8(toFp8) {}

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
  /// Parts of a matrix, one behind the other: all in fp8 or none.
  Matrix loadMatrix(std::initializer_list<Part> parts) {
    const auto isFp8 = [this](const Part &part) {
      const Tensor *tensor = folder.find(part.name);
      return tensor && tensor->dtype == DType::F8E4M3;
    };
    if (std::ranges::none_of(parts, isFp8))
      return toFp8 ? rounded(loadAll(parts), parts) : Matrix{loadAll(parts), {}};
    size_t count = 0;
    for (const Part &part : parts) {
      if (!isFp8(part) && !failed)
        failed = Error{part.name + " is not in fp8, and others of its product are"};
      count += part.count();
    }
    const Memory asInFolder = allocate(count);
    uint64_t to = asInFolder.address();
    for (const Part &part : parts) {
      put(to, part, DType::F8E4M3);
      to += part.count();
    }
    Matrix matrix = {packed(asInFolder, count, parts.begin()->countColumns()), {}};
    if (!failed)
      loadScales(matrix, parts);
    return matrix;
  }
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
  /// Numbers in fp8 as skinny_fp8 wants them.
  Memory packed(const Memory &numbers, size_t count, int64_t columns) {
    Memory memory = allocate(count);
    if (failed)
      return memory;
    const auto width = static_cast<unsigned>(columns);
    check(bundle.pack({static_cast<unsigned>(count) / width, (width + 2047) / 2048}, gpu.stream(),
                      numbers.at(), memory.at(), static_cast<int32_t>(columns)));
    return memory;
  }
  /// bfloat16 becomes fp8.
  Matrix rounded(const Memory &wide, std::initializer_list<Part> parts) {
    size_t rows = 0;
    const int64_t columns = parts.begin()->countColumns();
    for (const Part &part : parts)
      rows += static_cast<size_t>(part.countRows());
    Matrix matrix = {allocate(rows * static_cast<size_t>(columns)), allocate(rows * sizeof(float))};
    if (failed)
      return matrix;
    check(bundle.quantize({static_cast<unsigned>(rows)}, gpu.stream(), wide.at(),
                          matrix.numbers.at(), matrix.scales.at(), static_cast<int32_t>(columns)));
    return matrix;
  }
  /// Of a launch. Afterwards what it reads may be given back.
  template <typename Launched> void check(const Launched &done) {
    const Expected<void> complete = gpu.synchronize();
    if (!done)
      failed = Error{done.error().text};
    else if (!complete)
      failed = complete.error();
  }
  void loadScales(Matrix &matrix, std::initializer_list<Part> parts) {
    std::vector<Scales> all;
    for (const Part &part : parts) {
      Expected<Scales> scales = readScales(folder, part);
      if (!scales) {
        failed = scales.error();
        return;
      }
      matrix.hasBlocks |= scales->columns > 1;
      all.push_back(std::move(*scales));
    }
    const int64_t columns = parts.begin()->countColumns();
    const int64_t blocks = matrix.hasBlocks ? (columns + 127) / 128 : 1;
    if (matrix.hasBlocks && parts.begin()->ofColumns.count > 1 && columns % 128 != 0) {
      failed = Error{parts.begin()->name + " cannot be divided between GPUs: a block would be cut"};
      return;
    }
    std::vector<float> made;
    for (int64_t block = 0; block != blocks; ++block)
      for (size_t i = 0; i != all.size(); ++i) {
        const Part &part = parts.begin()[i];
        for (int64_t row = 0; row != part.countRows(); ++row)
          made.push_back(all[i].at(part.ofRows.number * part.countRows() + row,
                                   part.ofColumns.number * blocks + block));
      }
    matrix.scales = loadFloats(made);
  }
  void put(uint64_t to, const Part &part, DType wanted = DType::BF16) {
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
    if ((*found)->dtype == wanted)
      return copy(to, bytes.data(), bytes.size());
    switch ((*found)->dtype) {
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
  const kernels::Bundle &bundle;
  const Folder &folder;
  const bool toFp8;
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
  layer.queryKeyValue = loader.loadMatrix({{at + "self_attn.q_proj.weight", queries, hidden, share},
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
  layer.output = loader.loadMatrix({{at + "self_attn.o_proj.weight", hidden, queries, {}, share}});
  layer.postAttentionNorm = loader.load({at + "post_attention_layernorm.weight", hidden});
  layer.gateUp = loader.loadMatrix({{at + "mlp.gate_proj.weight", inner, hidden, share},
                                    {at + "mlp.up_proj.weight", inner, hidden, share}});
  layer.down = loader.loadMatrix({{at + "mlp.down_proj.weight", hidden, inner, {}, share}});
  return layer;
}

} // namespace

bool Weights::hasFp8() const {
  return std::ranges::any_of(layers, [](const LayerWeights &layer) {
    return layer.queryKeyValue.isFp8() || layer.output.isFp8() || layer.gateUp.isFp8() ||
           layer.down.isFp8();
  });
}

Expected<Weights> Weights::load(Gpu &gpu, const kernels::Bundle &bundle, const Folder &folder,
                                int positions, const Share &share, bool toFp8) {
  const ModelConfig &config = folder.config();
  Loader loader(gpu, bundle, folder, toFp8);
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
