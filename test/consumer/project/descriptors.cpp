// Tensors that a kernel reads by descriptors: a launch refuses what the hardware could not do with
// them, and says what the number is and what it may be.
//   descriptors FILE.py
#include <gluonc/gluonc.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr int64_t rows = 64, columns = 128;
constexpr const char *layout = "gl.NVMMASharedLayout(128, 16, 2)";

int check(bool holds, const std::string &what) {
  if (!holds)
    std::fprintf(stderr, "not so: %s\n", what.c_str());
  return holds ? 0 : 1;
}

gluonc_tensor describe(const void *base) {
  gluonc_tensor tensor = {};
  tensor.base = base;
  tensor.rank = 2;
  tensor.shape[0] = rows, tensor.shape[1] = columns;
  tensor.strides[0] = columns, tensor.strides[1] = 1;
  tensor.dtype = "fp16";
  return tensor;
}

struct Mistake {
  const char *words;
  std::function<void(gluonc_tensor &)> make;
};

const Mistake mistakes[] = {
    {"elements of type bf16, not fp16", [](gluonc_tensor &t) { t.dtype = "bf16"; }},
    {"elements of type half a float, not fp16", [](gluonc_tensor &t) { t.dtype = "half a float"; }},
    {"has rank 3, not 2", [](gluonc_tensor &t) { t.rank = 3; }},
    {"not a multiple of 16 bytes",
     [](gluonc_tensor &t) { t.base = static_cast<const char *>(t.base) + 2; }},
    {"stride 130 of dim 0 is 260 bytes", [](gluonc_tensor &t) { t.strides[0] = 130; }},
    {"stride -8 of dim 0 is -16 bytes", [](gluonc_tensor &t) { t.strides[0] = -8; }},
    {"the last stride is 2 elements", [](gluonc_tensor &t) { t.strides[1] = 2; }},
    {"extent 0 of dim 1", [](gluonc_tensor &t) { t.shape[1] = 0; }},
    {"extent 4294967297 of dim 0", [](gluonc_tensor &t) { t.shape[0] = (int64_t(1) << 32) + 1; }},
};

int launches(const gluonc::Engine &engine, const gluonc::Executable &exe) {
  struct alignas(128) Line {
    uint16_t elements[columns];
  };
  std::vector<Line> source(rows), target(rows);
  for (int64_t row = 0; row != rows; ++row)
    for (int64_t column = 0; column != columns; ++column)
      source[row].elements[column] = static_cast<uint16_t>(row * columns + column);
  int wrong = 0;
  for (auto *data : {&source, &target})
    wrong += check(bool(engine.addMemory(data == &source ? "source" : "target", data->data(),
                                         data->size() * sizeof(Line))),
                   "memory can be added");
  gluonc_tensor from = describe(source.data()), to = describe(target.data());
  auto launch = [&](const gluonc_tensor *described) {
    return exe.launch({1, 1, 1}, nullptr, described, &to, 16, 64);
  };
  wrong += check(bool(launch(&from)), "a launch succeeds");
  wrong += check(target[3].elements[5] == source[16 + 3].elements[64 + 5], "it moves a block");
  from.dtype = nullptr;
  wrong += check(bool(launch(&from)), "the type may be left out");
  for (const Mistake &mistake : mistakes) {
    gluonc_tensor made = describe(source.data());
    mistake.make(made);
    auto result = launch(&made);
    wrong += check(!result && result.error().status == gluonc::Status::UsageError &&
                       result.error().text.find(mistake.words) != std::string::npos &&
                       result.error().text.find("launch argument 0") != std::string::npos,
                   std::string(mistake.words) + ": " + (result ? "" : result.error().text));
  }
  auto none = launch(nullptr);
  wrong +=
      check(!none && none.error().text.find("is null") != std::string::npos, "null is refused");
  return wrong;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  gluonc::Engine engine;
  gluonc::Expected<gluonc::Module> module = engine.load(argv[1]);
  if (!module)
    return check(false, module.error().text);
  gluonc::Expected<gluonc::Kernel> kernel = module->kernel("move_block");
  if (!kernel)
    return check(false, kernel.error().text);
  auto block = gluonc::descriptor("fp16", {32, 64}, layout);
  gluonc::Expected<gluonc::Specialization> specialization =
      kernel->specialize({block, block, gluonc::scalar("i32"), gluonc::scalar("i32")}, {});
  if (!specialization)
    return check(false, specialization.error().text);
  gluonc::Expected<gluonc::Executable> exe =
      engine.compile(*specialization, gluonc::Target::simulator());
  int wrong = exe ? launches(engine, *exe) : check(false, exe.error().text);
  return wrong == 0 ? 0 : 1;
}
