#include "Folder.h"

#include "Json.h"

#include <algorithm>
#include <set>

namespace engine {

namespace {

constexpr const char *indexName = "model.safetensors.index.json";

/// Which file each tensor is in.
using WeightMap = std::map<std::string, std::string>;

Expected<WeightMap> readIndex(const std::filesystem::path &path) {
  Expected<Json> json = readJsonObject(path);
  if (!json)
    return std::unexpected(json.error());
  auto found = json->find("weight_map");
  if (found == json->end() || !found->is_object())
    return fail(path.string() + ": weight_map must be an object");
  WeightMap map;
  for (const auto &[name, file] : found->items()) {
    const std::string text = file.is_string() ? file.get<std::string>() : "";
    if (text.empty() || text == "." || text == ".." ||
        text.find_first_of(std::string_view("/\\\0", 3)) != std::string::npos)
      return fail(path.string() + ": tensor \"" + name +
                  "\" must be in a file of the folder, not in " + dump(file));
    map[name] = text;
  }
  return map;
}

Expected<std::set<std::string>> listFiles(const std::filesystem::path &folder,
                                          const WeightMap &map) {
  std::set<std::string> names;
  for (const auto &[tensor, file] : map)
    names.insert(file);
  if (!map.empty())
    return names;
  std::error_code code;
  for (const auto &entry : std::filesystem::directory_iterator(folder, code))
    if (entry.path().extension() == ".safetensors")
      names.insert(entry.path().filename().string());
  if (names.empty())
    return fail(folder.string() + ": has no *.safetensors");
  return names;
}

std::string formatShape(std::span<const int64_t> shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text.empty() ? "a scalar" : text;
}

} // namespace

Expected<Folder> Folder::open(const std::filesystem::path &path) {
  Folder folder;
  folder.where = path;
  Expected<ModelConfig> config = readConfig(path);
  if (!config)
    return std::unexpected(config.error());
  folder.shape = std::move(*config);

  WeightMap map;
  if (std::filesystem::exists(path / indexName)) {
    Expected<WeightMap> read = readIndex(path / indexName);
    if (!read)
      return std::unexpected(read.error());
    map = std::move(*read);
  }
  Expected<std::set<std::string>> names = listFiles(path, map);
  if (!names)
    return std::unexpected(names.error());
  for (const std::string &name : *names) {
    Expected<SafetensorsFile> file = SafetensorsFile::open(path / name);
    if (!file)
      return std::unexpected(file.error());
    for (const Tensor &tensor : file->tensors())
      if (!folder.table.emplace(tensor.name, tensor).second)
        return fail((path / name).string() + ": another file has the tensor \"" + tensor.name +
                    "\", too");
      else if (auto entry = map.find(tensor.name);
               !map.empty() && (entry == map.end() || entry->second != name))
        return fail((path / indexName).string() + ": does not say that \"" + tensor.name +
                    "\" is in " + name);
    folder.files.push_back(std::move(*file));
  }
  for (const auto &[tensor, file] : map)
    if (!folder.table.contains(tensor))
      return fail((path / file).string() + ": does not have the tensor \"" + tensor +
                  "\", which the index names");
  return folder;
}

const Tensor *Folder::find(std::string_view name) const {
  auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

Expected<const Tensor *> Folder::tensor(std::string_view name,
                                        std::span<const int64_t> shape) const {
  const Tensor *found = find(name);
  if (!found)
    return fail(where.string() + ": the tensor \"" + std::string(name) + "\" is missing");
  if (!std::ranges::equal(found->shape, shape))
    return fail(where.string() + ": the tensor \"" + std::string(name) + "\" is " +
                formatShape(found->shape) + ", not " + formatShape(shape));
  return found;
}

} // namespace engine
