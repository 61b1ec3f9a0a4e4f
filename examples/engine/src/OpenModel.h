//===- OpenModel.h - How a program gets its model -------------------------------===//
#pragma once

#include "Folder.h"
#include "Model.h"

#include <memory>

namespace engine {

struct ModelOptions {
  /// File with the kernels; empty: the one beside the executable.
  std::string bundle;
  /// The most sequences of one decode().
  int maxSequences = 256;
  /// The most tokens of one prefill(), at least maxSequences: longer prompts take several.
  int prefillTokens = 2048;
  /// Round matrices of layers to fp8; else they are as the folder has them.
  bool fp8Weights = false;
  /// Share of the device's memory that weights and cache may take.
  double memory = 0.9;
  int device = 0;
  /// GPUs that the model is on, from `device` on: 1 or 2.
  int devices = 1;
};

/// What main.cpp serves. Each executable has an implementation of its own: the GPU's, or a test
/// double.
Expected<std::unique_ptr<Model>> openModel(const ModelOptions &options, const Folder &folder);

} // namespace engine
