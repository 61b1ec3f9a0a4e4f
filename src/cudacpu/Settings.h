//===- Settings.h - What the driver pretends to be -----------------------------===//
//
// A CUDA driver has no arguments: it is what programs find under its name. So this is the one
// place of the libraries that reads the environment, once, at cuInit (docs/environment.md).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "target/Target.h"

#include <string>

namespace gluonc::cudacpu {

struct Settings {
  target::Target target;
  int devices = 1;
  /// Threads of the host that execute a launch.
  unsigned threads = 1;
  /// A file to which reports of faults are appended, or "stderr"; "": nowhere.
  std::string reports;
  /// Why the environment makes no sense; "" if it does.
  std::string error;
};

Settings readSettings();

} // namespace gluonc::cudacpu
