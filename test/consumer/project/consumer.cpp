// Mistakes of a program that uses gluonc: each is a value that says what is wrong.
//   consumer FILE.py
#include "CompileMemcpy.h"

#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr int count = 1000;

/// Counts what was not as it should be.
int check(bool holds, const char *what) {
  if (!holds)
    std::fprintf(stderr, "not so: %s\n", what);
  return holds ? 0 : 1;
}

template <typename T> bool failsWith(const gluonc::Expected<T> &result, gluonc::Status status) {
  return !result && result.error().status == status;
}

/// Values that are not what the kernel was compiled for: two pointers and an i32.
int refusals(const gluonc::Executable &exe, float *from, float *to) {
  auto refused = [](const gluonc::Expected<gluonc::Done> &result, const char *words) {
    return check(failsWith(result, gluonc::Status::UsageError) &&
                     result.error().text.find(words) != std::string::npos,
                 words);
  };
  gluonc::Grid grid = gridFor(count);
  int wrong = refused(exe.launch(grid, nullptr, 5, to, count), "launch argument 0 is a number");
  wrong += refused(exe.launch(grid, nullptr, from, 2.5, count), "launch argument 1 is a number");
  wrong += refused(exe.launch(grid, nullptr, from, to, to), "launch argument 2 is a pointer");
  wrong += refused(exe.launch(grid, nullptr, from, to, 2.0), "launch argument 2 has a fraction");
  wrong += refused(exe.launch(grid, nullptr, from, to, int64_t(1) << 40),
                   "launch argument 2 is out of range, and the parameter is i32");
  wrong += refused(exe.launch(grid, nullptr, from, to, -(int64_t(1) << 31) - 1), "out of range");
  // As a CUdeviceptr says it.
  auto address = reinterpret_cast<unsigned long long>(to);
  return wrong + check(bool(exe.launch(grid, nullptr, from, address, long(count))),
                       "an address is a pointer, and a long that fits an i32");
}

/// Memory and output of one launch.
int ownSettings(const gluonc::Executable &exe) {
  std::vector<float> from(count, 3), to(count);
  gluonc::LaunchOptions options;
  options.ranges = {{{"from", from.data(), count * sizeof(float), 1},
                     {"to", to.data(), count * sizeof(float), 0}}};
  options.scheduleSeed = 7;
  auto launch = [&] {
    return exe.simulate(gridFor(count), options, from.data(), to.data(), count);
  };
  int wrong = check(bool(launch()) && from == to, "a launch has memory of its own");
  options.ranges->pop_back();
  return wrong + check(failsWith(launch(), gluonc::Status::Fault), "and no other");
}

/// What only the C header had.
int questions(const gluonc::Engine &engine, const gluonc::Executable &exe) {
  int wrong = check(engine.evaluate("1 + 2") && *engine.evaluate("1 + 2") == "3", "1 + 2 is 3");
  auto chip = gluonc::targetInfo(gluonc::Target::cuda(90));
  wrong += check(chip && chip->warp_size == 32, "a chip tells of itself");
  wrong += check(!gluonc::languageDoc("load").empty(), "load is documented");
  wrong += check(exe.parameterTypes().size() == 3 && exe.parameterTypes()[2] == "i32",
                 "a kernel tells its parameters");
  wrong += check(exe.info().num_warps == 4 && exe.key().size() == 64, "and its key");
  wrong += check(failsWith(exe.save(), gluonc::Status::UsageError),
                 "programs of the simulator are not saved");
  gluonc::Expected<std::string> value = engine.evaluate("1 +");
  return wrong + check(!value && value.error().status == gluonc::Status::InputError &&
                           engine.evaluate("1").error().status == gluonc::Status::Ok,
                       "an error is there exactly where no value is");
}

/// Machine code goes through a file.
int savedCode(const gluonc::Engine &engine, const char *path) {
  auto made = compileMemcpy(engine, path, gluonc::Target::cuda(80));
  if (!made)
    return check(false, made.error().text.c_str());
  std::string saved(*made->save());
  auto again = engine.loadExecutable(saved);
  return check(again && again->code("ptx") == made->code("ptx") &&
                   again->parameterTypes() == made->parameterTypes(),
               "saved machine code is the same") +
         check(failsWith(engine.loadExecutable("?"), gluonc::Status::UsageError),
               "other bytes are refused");
}

int launches(const gluonc::Engine &engine, const gluonc::Executable &exe) {
  std::vector<float> source(count), destination(count + 1, -1);
  for (int i = 0; i != count; ++i)
    source[i] = static_cast<float>(i) / 3;
  int wrong = 0;
  for (auto *data : {&source, &destination})
    wrong += check(bool(engine.addMemory(data == &source ? "source" : "destination", data->data(),
                                         count * sizeof(float))),
                   "memory can be added");
  wrong +=
      check(bool(exe.launch(gridFor(count), nullptr, source.data(), destination.data(), count)),
            "a launch succeeds");
  wrong += refusals(exe, source.data(), destination.data());
  source.push_back(-1);
  wrong += check(source == destination, "it copies, and nothing behind the end");
  auto fault = exe.launch(gridFor(count), nullptr, source.data(), destination.data(), count + 100);
  wrong += check(failsWith(fault, gluonc::Status::Fault) &&
                     fault.error().text.find("OutOfBoundsAccess") != std::string::npos,
                 "an access beyond the end is a fault");
  wrong += check(
      failsWith(exe.launch(gridFor(count), nullptr, source.data()), gluonc::Status::UsageError),
      "a wrong number of arguments is refused");
  return wrong;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  gluonc::Engine engine;
  int wrong = check(failsWith(engine.load("/nonexistent/kernel.py"), gluonc::Status::InputError),
                    "a missing file is refused");
  gluonc::Expected<gluonc::Executable> exe =
      compileMemcpy(engine, argv[1], gluonc::Target::simulator());
  if (!exe)
    return check(false, exe.error().text.c_str());
  wrong += launches(engine, *exe) + ownSettings(*exe) + questions(engine, *exe);
  wrong += savedCode(engine, argv[1]);
  return wrong == 0 ? 0 : 1;
}
