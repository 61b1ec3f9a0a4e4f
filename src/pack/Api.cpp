//===- Api.cpp - The C API: bundles made in this process -----------------------===//
#include "driver/api/Guard.h"
#include "pack/Pack.h"
#include "rt/State.h"

using namespace gluonc;
using namespace gluonc::api;

/// Null after a report.
static std::unique_ptr<gluonc_rt_bundle> build(EngineState &engine, const char *path,
                                               const char *target, diag::SourceManager &sources,
                                               diag::Sink &sink) {
  std::optional<std::string> text = api::readFile(path, sink);
  if (!text)
    return nullptr;
  std::vector<driver::Word> targets;
  if (target)
    targets.push_back({target, {}});
  std::optional<pack::Manifest> manifest =
      pack::readManifest(*sources.add(path, std::move(*text)), targets, sink);
  if (!manifest)
    return nullptr;
  pack::Builder builder;
  builder.cache = engine.cache;
  builder.code.assembler = engine.ptxas;
  builder.searchPath = engine.importFolders;
  builder.allowsPtx = true;
  std::optional<pack::Packed> packed = pack::pack(*manifest, builder, sources, sink);
  if (!packed)
    return nullptr;
  // The index of as many variants as there may be is far below 4 GiB, and was just written.
  return llvm::cantFail(rt::openCopy(llvm::cantFail(bundle::write(std::move(packed->contents)))));
}

gluonc_status gluonc_engine_build_bundle(gluonc_engine *engine, const char *manifest,
                                         const char *target, gluonc_rt_bundle **bundle,
                                         gluonc_error **error) {
  return guarded(error, {{"engine", engine}, {"manifest", manifest}, {"bundle", bundle}}, [&] {
    EngineState &state = *engine->state;
    if (state.isSealed)
      return fail(GLUONC_UNAVAILABLE, "the engine is sealed: no bundle is made", error);
    std::unique_ptr<gluonc_rt_bundle> made;
    gluonc_status status = stoppable(state, error, [&] {
      diag::SourceManager sources;
      diag::Collector collector;
      made = build(state, manifest, target, sources, collector);
      if (!made)
        return fail(collector, error);
      passOn(state.launchSettings(), collector);
      return GLUONC_OK;
    });
    if (status == GLUONC_OK)
      *bundle = made.release();
    return status;
  });
}
