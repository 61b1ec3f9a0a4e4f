//===- Contents.h - What a bundle holds, as values ----------------------------===//
//
// For those who make bundles, or others of them. Who launches reads the records where they
// lie (Bundle.h).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "bundle/Bundle.h"

#include <memory>
#include <string>
#include <vector>

namespace gluonc::bundle {

struct Parameter {
  std::string name, type;
  format::ParameterKind kind = format::ParameterKind::Opaque;
  uint8_t bits = 0, rank = 0;
  bool operator==(const Parameter &) const = default;
};

struct Constant {
  std::string name, value;
};

struct Code {
  format::CodeKind kind = format::CodeKind::Cubin;
  std::string bytes;
};

struct Variant {
  std::string target, symbol;
  std::vector<format::Condition> conditions;
  std::vector<format::Argument> arguments;
  std::vector<Constant> constants;
  uint32_t threads = 0, ctas = 1, sharedBytes = 0, scratchBytes = 0, flags = 0;
  Code code;
};

struct Kernel {
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<Variant> variants;
};

struct Contents {
  /// By name, which is unique.
  std::vector<Kernel> kernels;
};

/// The bytes of a bundle, the same for the same contents. Equal machine code is kept once. Kernels
/// may stand in any order. Fails where it would be too large.
llvm::Expected<std::string> write(Contents contents);

/// Fails where machine code is damaged.
llvm::Expected<Contents> read(const Bundle &bundle);

} // namespace gluonc::bundle
