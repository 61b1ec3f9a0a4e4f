//===- Manifest.h - What a bundle is to have, as its author writes it ----------===//
//
// A file of TOML (docs/bundles.md). What is read here are words with their places; what they mean
// for a kernel shows when it is compiled.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "driver/CommandLine.h"
#include "driver/KernelOptions.h"

namespace gluonc::pack {

using driver::Word;

/// A parameter, or a helper of the values behind it.
struct Argument {
  Word name;
  /// As `gluonc compile` takes them; more than one are alternatives.
  std::vector<Word> values;
  /// The caller chooses between compile-time values.
  bool isList = false;
  /// Of the one alternative that a variant has of several.
  bool isChosen = false;
};

/// What a kernel has, and what a variant of it has in its place.
struct Settings {
  /// In the order of the file.
  std::vector<Argument> arguments;
  std::vector<Word> targets;
  /// Further conditions.
  std::vector<Word> conditions;
  driver::OptionNumbers numbers;
  std::optional<bool> programmaticDependent, cooperative, fpFusion, debug;
  /// Beside machine code of NVIDIA's chips, PTX for later ones.
  std::optional<bool> ptx;
};

/// `[kernel.tune]`: what `gluonc tune` tries, and on what.
struct Tuning {
  /// Candidates of compile-time values and helpers.
  std::vector<Argument> arguments;
  /// Of a setting, numbers: "num-warps" and what is tried.
  std::vector<std::pair<std::string, std::vector<Word>>> numbers;
  /// Names and extents that rules may depend on; where there are none, what differs.
  std::vector<Word> by;
  /// Of each launch, values as `gluonc run` takes them; `data` are those of all launches, behind
  /// them.
  std::vector<std::vector<Argument>> launches;
  std::vector<Argument> data;
  Word grid;
  /// A candidate that is slower by less is as good.
  std::optional<double> within;
  /// How far results of candidates may be apart.
  std::optional<double> rtol, atol;
};

struct KernelEntry {
  /// Of the function that launches it.
  Word name;
  /// Path of the source, from where the manifest is looked at, and the kernel in it.
  Word path, kernel;
  Settings settings;
  /// Of at least one.
  std::vector<Settings> variants;
  bool hasVariants = false;
  std::optional<Tuning> tuning;
  /// [[kernel]]
  diag::Span place;
};

struct Manifest {
  /// Of the header.
  std::string nameSpace;
  std::vector<KernelEntry> kernels;
};

/// Where variants say no targets, those of their kernel, of the manifest or `targets`, which takes
/// the place of the manifest's. Paths are beside the manifest. Nullopt after a report.
std::optional<Manifest> readManifest(const diag::SourceFile &file, llvm::ArrayRef<Word> targets,
                                     diag::Sink &sink);

/// What holds for a variant: its own settings before its kernel's.
Settings merge(const Settings &kernel, const Settings &variant);

} // namespace gluonc::pack
