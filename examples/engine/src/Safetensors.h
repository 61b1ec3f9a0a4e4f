//===- Safetensors.h - Tensors of a file, in place ------------------------------===//
//
// The format: eight bytes, little-endian, say how long the header is; the header is a JSON object
// from names to dtype, shape and range of bytes; then come the bytes of the tensors, without gaps.
// https://huggingface.co/docs/safetensors
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Expected.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace engine {

enum class DType {
  F64,
  F32,
  F16,
  BF16,
  F8E4M3,
  F8E5M2,
  I64,
  I32,
  I16,
  I8,
  U64,
  U32,
  U16,
  U8,
  Bool
};

size_t sizeOf(DType dtype);
std::string_view nameOf(DType dtype);

/// Row-major, little-endian. `bytes` are of the mapped file; their start need not be aligned.
struct Tensor {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;
};

/// The tensors that a whole file of that format has, in the order of their bytes. Refuses
/// everything that the format does: ranges that overlap, leave gaps or end elsewhere than the file,
/// sizes that do not fit to the shape, unknown types.
Expected<std::vector<Tensor>> parseSafetensors(std::span<const std::byte> file);

/// A mapped file. Tensors are valid as long as it lives.
class SafetensorsFile {
public:
  static Expected<SafetensorsFile> open(const std::filesystem::path &path);
  const std::vector<Tensor> &tensors() const { return list; }

private:
  struct Mapping;
  std::shared_ptr<const Mapping> mapping;
  std::vector<Tensor> list;
};

} // namespace engine
