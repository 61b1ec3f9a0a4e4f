//===- Options.h - The command line of the engine -------------------------------===//
#pragma once

#include "OpenModel.h"

#include <optional>
#include <string_view>

namespace engine {

struct Options {
  std::string folder;
  ModelOptions model;
  std::string host = "127.0.0.1";
  int port = 8000;
  /// What clients call the model; empty: the folder's name.
  std::string name;
  int maxWaiting = 512;
  int maxConnections = 1024;
  /// Seconds that a request may take, and those that a stopping server gives to requests.
  int requestTime = 600, stopTime = 30;
  /// One completion to stdout instead of a server.
  std::optional<std::string> prompt;
  int maxTokens = 64;
  bool supervise = false;
  bool help = false;
};

extern const char *const usageText;

/// Arguments without the program's name.
Expected<Options> parseOptions(std::span<const char *const> arguments);

} // namespace engine
