#include "driver/Stamped.h"

#include "driver/KernelCache.h"
#include "driver/predict/LaunchModel.h"

namespace gluonc::driver {

std::optional<StampedKernel> stamp(Compiler &compiler, const CompiledKernel &plain,
                                   KernelRequest &request, const diag::SourceManager &sources,
                                   diag::Sink &sink) {
  const std::string &ptx =
      plain.assembly.bytes.empty() ? plain.artifact.bytes : plain.assembly.bytes;
  ptx::ParseError error;
  std::optional<ptx::TimestampedKernel> timed =
      ptx::addTimestamps(ptx, plain.kernel.name, plain.kernel.numWarps, error);
  if (!timed) {
    sink.report(diag::Kind::DeviceError, {},
                "PTX line " + std::to_string(error.line) + ": " + error.message)
        .end();
    return std::nullopt;
  }
  request.code.given = GivenCode{Stage::Assembly, timed->ptx};
  if (!compiler.transform(request.ir, request.target, sources, sink))
    return std::nullopt;
  std::optional<CompiledKernel> kernel =
      compiler.generate(request.ir, request.target, request.last, request.code, sources, sink);
  if (!kernel)
    return std::nullopt;
  return StampedKernel{std::move(*timed), std::move(*kernel), partitionsOf(ptx)};
}

} // namespace gluonc::driver
