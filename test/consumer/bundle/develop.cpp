// Kernels of a manifest, compiled in this process, through the header that release builds use.
//   develop MANIFEST
#include "driver.h"

#include <gluonc/gluonc.h>
#include <kernels.h>

#include <string>

int main(int, char **argv) {
  gluonc_engine *engine = nullptr;
  EXPECT(gluonc_engine_create(nullptr, &engine, nullptr) == GLUONC_OK);
  gluonc_rt_bundle *raw = nullptr;
  gluonc_error *error = nullptr;
  EXPECT(gluonc_engine_build_bundle(engine, "/none.toml", nullptr, &raw, &error) ==
         GLUONC_INPUT_ERROR);
  EXPECT(std::string(gluonc_error_text(error)).find("/none.toml") != std::string::npos);
  gluonc_error_destroy(error);
  if (gluonc_engine_build_bundle(engine, argv[1], nullptr, &raw, &error))
    return std::fprintf(stderr, "%s", gluonc_error_text(error)), 1;
  auto bundle = my::kernels::Bundle::take(raw);
  EXPECT(bundle);
  EXPECT(!use(0));
  uint64_t memory = allocate(128, 1);
  gluonc::rt::Pointer<float> x(memory), y(memory + 64 * sizeof(float));
  EXPECT(bundle->axpy({7}, nullptr, x, y, 2.0f, 48, 256));
  EXPECT(floatAt(memory, 64 + 47) == 3 && floatAt(memory, 64 + 48) == 1);
  auto refused = bundle->axpy({7}, nullptr, x, y, 2.0f, 48, 512);
  EXPECT(!refused && refused.error().status == gluonc::rt::Status::UsageError);
  gluonc_engine_seal(engine);
  EXPECT(gluonc_engine_build_bundle(engine, argv[1], nullptr, &raw, nullptr) == GLUONC_UNAVAILABLE);
  gluonc_engine_destroy(engine);
  return 0;
}
