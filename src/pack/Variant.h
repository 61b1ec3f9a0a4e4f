//===- Variant.h - One variant of a kernel, compiled ---------------------------===//
#pragma once

#include "pack/Pack.h"
#include "runtime/LaunchShape.h"

namespace gluonc::pack {

/// What is asked for: one alternative of each argument, one target.
struct VariantRequest {
  const KernelEntry *entry = nullptr;
  Settings settings;
  target::Target target;
  /// PTX, where there is an assembler, too.
  bool asPtx = false;
};

/// A parameter of a kernel, tuples flattened, as one variant has it.
struct Leaf {
  std::string name;
  /// What a launch gives; nothing of a compile-time value.
  std::optional<bundle::Parameter> runtime;
  std::optional<bundle::format::Argument> argument;
  /// What is assumed of it; its parameter is the leaf itself.
  std::optional<bundle::format::Condition> condition;
  /// Of a compile-time value: as text, and the number that a launch would give for it.
  std::string value;
  std::optional<int64_t> number;
};

struct CompiledVariant {
  std::vector<Leaf> leaves;
  /// Without conditions, arguments and constants.
  bundle::Variant variant;
  /// What was read.
  std::vector<std::string> files;
};

/// How far a variant is made.
enum class Extent {
  /// What it takes and assumes; costs little.
  Parameters,
  /// The front end has run: what it says has been said, and all files have been read.
  Ir,
  Code,
};

/// Nullopt after a report.
std::optional<CompiledVariant> compileVariant(const VariantRequest &request, const Builder &builder,
                                              Extent extent, driver::Compiler &compiler,
                                              diag::SourceManager &sources, diag::Sink &sink);

/// Gives each of a kernel's variants (in their order) its conditions, arguments and constants, and
/// the kernel its parameters. False after a report.
bool join(const KernelEntry &entry, llvm::ArrayRef<const VariantRequest *> requests,
          std::vector<CompiledVariant> variants, bundle::Kernel &kernel, diag::Sink &sink);

} // namespace gluonc::pack
