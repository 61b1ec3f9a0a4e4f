//===- Candidates.h - What is tried of a kernel, and on which launches ---------===//
#pragma once

#include "driver/Compiler.h"
#include "driver/Run.h"
#include "pack/Pack.h"

namespace gluonc::tune {

/// More are a mistake in a manifest.
constexpr size_t mostCandidates = 512;

/// One combination of what [kernel.tune] lists.
struct Candidate {
  /// Numbers, and the arguments that it has a value of.
  pack::Settings settings;
  /// "num-warps = 8, BLOCK = 1024"; "as it is" where there is one candidate.
  std::string text;
};

/// The first is what all others are compared with; the last list changes first. Nullopt after a
/// report.
std::optional<std::vector<Candidate>> candidatesOf(const pack::KernelEntry &entry,
                                                   diag::Sink &sink);

/// A candidate, compiled for a launch with its tensors.
struct Prepared {
  explicit Prepared(diag::SourceManager &sources) : program(sources) {}

  sema::Program program;
  std::shared_ptr<const sema::Function> kernel;
  std::optional<host::HostScope> scope;
  driver::KernelArguments arguments;
  driver::Grid grid = {1, 1, 1};
  std::optional<driver::CompiledKernel> compiled;
  /// Tensors that have no values before the launch, or are written by it, are results.
  std::vector<std::pair<std::string, host::Tensor>> tensors() const;
};

struct PreparedOrNot {
  std::unique_ptr<Prepared> prepared;
  diag::Collector said;
  /// What is wrong is the launch's or the source's, and not the candidate's.
  bool isEveryCandidates = false;
};

/// Binds launch number `launch` as `gluonc run` does and compiles. What the manifest assumes of an
/// argument is assumed, where it holds, and no more.
PreparedOrNot prepare(const pack::KernelEntry &entry, const Candidate &candidate, size_t launch,
                      const target::Target &target, const pack::Builder &builder,
                      diag::SourceManager &sources);

} // namespace gluonc::tune
