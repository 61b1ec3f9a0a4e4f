#include "driver/UserLibraries.h"

namespace gluonc::driver {

std::optional<bitcode::Libraries> librariesOf(const codegen::Options &options,
                                              const target::Target &target, diag::Sink &sink) {
  if (options.libraries.empty())
    return std::nullopt;
  std::vector<bitcode::File> files;
  for (const codegen::Library &library : options.libraries)
    files.push_back({library.path, library.contents});
  bitcode::Chip chip{target.isNvidia() ? target.computeCapability() : 0, options.flushesSubnormals};
  llvm::Expected<bitcode::Libraries> libraries = bitcode::Libraries::read(files, chip);
  if (libraries)
    return std::move(*libraries);
  sink.report(diag::Kind::InvalidOption, {}, llvm::toString(libraries.takeError())).end();
  return std::nullopt;
}

} // namespace gluonc::driver
