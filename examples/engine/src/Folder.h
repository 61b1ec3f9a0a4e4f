//===- Folder.h - A folder with a model, as Hugging Face lays it out ------------===//
#pragma once

#include "Config.h"
#include "Safetensors.h"

#include <map>

namespace engine {

/// config.json and the tensors of all *.safetensors, or of those that model.safetensors.index.json
/// names. The tokenizer is Tokenizer's. Copies share the mapped files.
class Folder {
public:
  static Expected<Folder> open(const std::filesystem::path &path);

  const std::filesystem::path &path() const { return where; }
  const ModelConfig &config() const { return shape; }
  const std::map<std::string, Tensor, std::less<>> &tensors() const { return table; }
  /// Null where there is none of that name.
  const Tensor *find(std::string_view name) const;
  /// The tensor of that name, which must have that shape.
  Expected<const Tensor *> tensor(std::string_view name, std::span<const int64_t> shape) const;
  Expected<const Tensor *> tensor(std::string_view name,
                                  std::initializer_list<int64_t> shape) const {
    return tensor(name, std::span(shape.begin(), shape.size()));
  }

private:
  std::filesystem::path where;
  ModelConfig shape;
  std::vector<SafetensorsFile> files;
  std::map<std::string, Tensor, std::less<>> table;
};

} // namespace engine
