#include "Safetensors.h"

#include "Json.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace engine {

namespace {

constexpr uint64_t longestHeader = 100'000'000;

struct TypeRow {
  DType dtype;
  std::string_view name;
  size_t bytes;
};

constexpr std::array<TypeRow, 15> types = {{{DType::F64, "F64", 8},
                                            {DType::F32, "F32", 4},
                                            {DType::F16, "F16", 2},
                                            {DType::BF16, "BF16", 2},
                                            {DType::F8E4M3, "F8_E4M3", 1},
                                            {DType::F8E5M2, "F8_E5M2", 1},
                                            {DType::I64, "I64", 8},
                                            {DType::I32, "I32", 4},
                                            {DType::I16, "I16", 2},
                                            {DType::I8, "I8", 1},
                                            {DType::U64, "U64", 8},
                                            {DType::U32, "U32", 4},
                                            {DType::U16, "U16", 2},
                                            {DType::U8, "U8", 1},
                                            {DType::Bool, "BOOL", 1}}};

std::optional<uint64_t> asSize(const Json &json) {
  if (!json.is_number_unsigned())
    return std::nullopt;
  return json.get<uint64_t>();
}

/// Bytes of a tensor, and its shape; nullopt where there are too many to count.
std::optional<uint64_t> readShape(const Json &json, DType dtype, std::vector<int64_t> &shape) {
  uint64_t bytes = sizeOf(dtype);
  for (const Json &entry : json) {
    const std::optional<uint64_t> size = asSize(entry);
    if (!size || *size > uint64_t(INT64_MAX) || __builtin_mul_overflow(bytes, *size, &bytes))
      return std::nullopt;
    shape.push_back(int64_t(*size));
  }
  return bytes;
}

Expected<Tensor> readEntry(const std::string &name, const Json &entry,
                           std::span<const std::byte> data) {
  auto wrong = [&](const std::string &why) { return fail("tensor \"" + name + "\" " + why); };
  if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") ||
      !entry.contains("shape") || !entry.contains("data_offsets"))
    return wrong("must have dtype, shape and data_offsets, and nothing else");
  Tensor tensor;
  tensor.name = name;
  const Json &dtype = entry["dtype"];
  auto row = std::ranges::find_if(types, [&](const TypeRow &type) { return dtype == type.name; });
  if (row == types.end())
    return wrong("has an unknown dtype: " + dump(dtype));
  tensor.dtype = row->dtype;
  if (!entry["shape"].is_array())
    return wrong("has a shape that is no list");
  const std::optional<uint64_t> bytes = readShape(entry["shape"], tensor.dtype, tensor.shape);
  if (!bytes)
    return wrong("has an impossible shape: " + dump(entry["shape"]));
  const Json &offsets = entry["data_offsets"];
  const bool isPair =
      offsets.is_array() && offsets.size() == 2 && asSize(offsets[0]) && asSize(offsets[1]);
  if (!isPair || *asSize(offsets[0]) > *asSize(offsets[1]) || *asSize(offsets[1]) > data.size())
    return wrong("has data_offsets outside of the file: " + dump(offsets));
  const uint64_t begin = *asSize(offsets[0]), end = *asSize(offsets[1]);
  if (end - begin != *bytes)
    return wrong("has " + std::to_string(end - begin) + " bytes, its shape and dtype ask for " +
                 std::to_string(*bytes));
  tensor.bytes = data.subspan(begin, end - begin);
  return tensor;
}

bool isMetadata(const Json &json) {
  return json.is_object() &&
         std::ranges::all_of(json, [](const Json &value) { return value.is_string(); });
}

/// Sorts tensors by their bytes, which must be all of `data`, each once.
Expected<void> checkCover(std::vector<Tensor> &tensors, std::span<const std::byte> data) {
  std::ranges::sort(tensors, [](const Tensor &a, const Tensor &b) {
    return std::pair(a.bytes.data(), a.bytes.size()) < std::pair(b.bytes.data(), b.bytes.size());
  });
  const std::byte *end = data.data();
  for (const Tensor &tensor : tensors) {
    if (tensor.bytes.data() != end)
      return fail("tensor \"" + tensor.name + "\" " +
                  (tensor.bytes.data() < end ? "overlaps with another" : "comes after a gap"));
    end += tensor.bytes.size();
  }
  if (end != data.data() + data.size())
    return fail("there are bytes after the last tensor");
  return {};
}

} // namespace

size_t sizeOf(DType dtype) { return types[size_t(dtype)].bytes; }
std::string_view nameOf(DType dtype) { return types[size_t(dtype)].name; }

Expected<std::vector<Tensor>> parseSafetensors(std::span<const std::byte> file) {
  if (file.size() < 8)
    return fail("is too short for a safetensors file");
  uint64_t length = 0;
  for (int i = 0; i != 8; ++i)
    length |= uint64_t(file[size_t(i)]) << (8 * i);
  if (length > longestHeader || length > file.size() - 8)
    return fail("has a header of " + std::to_string(length) +
                " bytes, which the file does not have");
  Expected<Json> header =
      parseJson({reinterpret_cast<const char *>(file.data()) + 8, size_t(length)});
  if (!header)
    return fail("has a malformed header: " + header.error().text);
  if (!header->is_object())
    return fail("has a header that is no JSON object");
  const std::span<const std::byte> data = file.subspan(8 + length);
  std::vector<Tensor> tensors;
  for (const auto &[name, entry] : header->items()) {
    if (name == "__metadata__") {
      if (!isMetadata(entry))
        return fail("has __metadata__ that is no object of strings");
      continue;
    }
    Expected<Tensor> tensor = readEntry(name, entry, data);
    if (!tensor)
      return std::unexpected(tensor.error());
    tensors.push_back(std::move(*tensor));
  }
  if (Expected<void> covered = checkCover(tensors, data); !covered)
    return std::unexpected(covered.error());
  return tensors;
}

struct SafetensorsFile::Mapping {
  explicit Mapping(std::span<const std::byte> bytes) : bytes(bytes) {}
  Mapping(const Mapping &) = delete;
  ~Mapping() { munmap(const_cast<std::byte *>(bytes.data()), bytes.size()); }
  std::span<const std::byte> bytes;
};

Expected<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path &path) {
  auto wrong = [&](const std::string &why) { return fail(path.string() + ": " + why); };
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return wrong("cannot be opened");
  struct stat status = {};
  if (fstat(descriptor, &status) || !S_ISREG(status.st_mode) || status.st_size < 8) {
    close(descriptor);
    return wrong("is not a safetensors file");
  }
  void *address = mmap(nullptr, size_t(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0);
  close(descriptor);
  if (address == MAP_FAILED)
    return wrong("cannot be mapped into memory");
  SafetensorsFile file;
  file.mapping = std::make_shared<const Mapping>(
      std::span(static_cast<const std::byte *>(address), size_t(status.st_size)));
  Expected<std::vector<Tensor>> tensors = parseSafetensors(file.mapping->bytes);
  if (!tensors)
    return wrong(tensors.error().text);
  file.list = std::move(*tensors);
  return file;
}

} // namespace engine
