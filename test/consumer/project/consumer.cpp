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
  wrong += exe ? launches(engine, *exe) : check(false, exe.error().text.c_str());
  return wrong == 0 ? 0 : 1;
}
