// Kernels out of the text of their IR: what an executable prints compiles to the same kernel, an
// edit to another, and what is wrong with a text is an error with its place.
//   ir FILE.py
#include "CompileMemcpy.h"

#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr int count = 1000;

int check(bool holds, const std::string &what) {
  if (!holds)
    std::fprintf(stderr, "not so: %s\n", what.c_str());
  return holds ? 0 : 1;
}

/// Copies with the kernel that `text` holds.
int copies(const gluonc::Engine &engine, const std::string &text) {
  gluonc::Expected<gluonc::Specialization> specialization = engine.loadIrText("memcpy.ttgir", text);
  if (!specialization)
    return check(false, specialization.error().text);
  gluonc_specialization_info info;
  gluonc_specialization_get_info(specialization->raw(), &info);
  int wrong = check(std::string(info.name) == "memcpy" && info.num_warps == 4 && info.num_ctas == 1,
                    "the IR tells its name and options");
  gluonc::Expected<gluonc::Executable> exe =
      engine.compile(*specialization, gluonc::Target::simulator());
  if (!exe)
    return check(false, exe.error().text);
  wrong += check(exe->code("ttgir") == text, "what is compiled again prints the same");
  std::vector<float> source(count, 2.5f), target(count, -1);
  for (auto *data : {&source, &target})
    wrong += check(bool(engine.addMemory(data == &source ? "source" : "target", data->data(),
                                         count * sizeof(float))),
                   "memory can be added");
  auto launched = exe->launch(gridFor(count), nullptr, source.data(), target.data(), count);
  wrong += check(bool(launched), launched ? "" : launched.error().text);
  wrong += check(source == target, "it copies");
  auto machine = engine.compile(*specialization, gluonc::Target::cuda(80));
  wrong += check(machine && machine->code("ptx") &&
                     machine->code("ptx")->find(".target sm_80") != std::string_view::npos,
                 "it has machine code, for another chip as well");
  auto few = exe->launch(gridFor(count), nullptr, source.data());
  return wrong + check(!few && few.error().status == gluonc::Status::UsageError,
                       "a wrong number of arguments is refused");
}

int mistakes(const gluonc::Engine &engine, std::string text) {
  auto missing = engine.loadIr("/nonexistent/kernel.ttgir");
  int wrong = check(!missing && missing.error().status == gluonc::Status::InputError,
                    "a missing file is refused");
  text.replace(text.find("tt.return"), 9, "tt.retrun");
  auto bad = engine.loadIrText("memcpy.ttgir", text);
  return wrong + check(!bad && bad.error().text.find("memcpy.ttgir:") != std::string::npos &&
                           bad.error().text.find("tt.retrun") != std::string::npos &&
                           bad.error().text.find('^') != std::string::npos,
                       "an unknown operation is shown with its place");
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  gluonc::Engine engine;
  gluonc::Expected<gluonc::Executable> exe =
      compileMemcpy(engine, argv[1], gluonc::Target::simulator());
  if (!exe)
    return check(false, exe.error().text);
  std::string text(*exe->code("ttgir"));
  int wrong = copies(engine, text) + mistakes(engine, text);
  return wrong == 0 ? 0 : 1;
}
