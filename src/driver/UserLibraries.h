//===- UserLibraries.h - Functions of users' libraries on the simulator ------===//
#pragma once

#include "bitcode/Bitcode.h"
#include "codegen/Codegen.h"
#include "diag/Diagnostic.h"
#include "target/Target.h"

namespace gluonc::driver {

/// The libraries that `options` has, as the simulator calls them. Nullopt without any, and after a
/// report.
std::optional<bitcode::Libraries> librariesOf(const codegen::Options &options,
                                              const target::Target &target, diag::Sink &sink);

} // namespace gluonc::driver
