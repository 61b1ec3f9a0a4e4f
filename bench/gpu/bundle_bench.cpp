//===- bundle_bench.cpp - What a launch from a bundle costs over the driver's -----===//
//
// One process, one kernel (an empty program with five parameters) in a bundle of 201 variants
// for three chips, launched by gluonc_rt_launch, which chooses among those for the device (the
// first of them, then the last), and by a bare loop over cuLaunchKernelEx. Rounds take turns;
// medians of nanoseconds a launch go to the standard output as one JSON object, with what opening
// the bundle takes, and a bundle FILE where one is given. On a driver that does nothing
// (LD_LIBRARY_PATH=build/release/fake_cuda) the differences are what choosing takes.
// Exit status 4: no GPU.
//
//===----------------------------------------------------------------------===//
#include "Nothing.h"
#include "bundle/Contents.h"
#include "gluonc/gluonc_rt.h"
#include "runtime/cuda/Launcher.h"
#include "target/Target.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace gluonc;
using namespace gluonc::cuda;
using Clock = std::chrono::steady_clock;

namespace {

constexpr unsigned launchesPerRound = 500, rounds = 200, choices = 67;

void need(gluonc_rt_status status, gluonc_rt_error *error) {
  if (status == GLUONC_RT_OK)
    return;
  llvm::errs() << gluonc_rt_error_text(error) << '\n';
  std::exit(4);
}

double nanosecondsSince(Clock::time_point start, unsigned count) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / count;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Pointers divisible by 16, a number, and one of 67 choices: as `gluonc build` orders conditions.
std::string makeBundle(const std::string &target) {
  using namespace bundle::format;
  bundle::Kernel kernel;
  kernel.name = "nothing";
  kernel.parameters = {
      {"a", "*fp32", ParameterKind::Pointer},  {"b", "*fp32", ParameterKind::Pointer},
      {"c", "i32", ParameterKind::Signed, 32}, {"d", "i32", ParameterKind::Signed, 32},
      {"e", "fp32", ParameterKind::Opaque},    {"BLOCK", "constexpr", ParameterKind::Choice}};
  auto condition = [](uint16_t parameter, Operator op, int64_t operand) {
    Condition made = {};
    made.parameter = parameter;
    made.op = op;
    made.operand = operand;
    return made;
  };
  for (const std::string &chip : {target, std::string("hip:gfx942"), std::string("hip:gfx1100")})
    for (unsigned choice = 0; choice != choices; ++choice) {
      bundle::Variant &variant = kernel.variants.emplace_back();
      variant.target = chip;
      variant.symbol = "nothing";
      variant.conditions = {condition(5, Operator::Equal, choice),
                            condition(0, Operator::Multiple, 16),
                            condition(1, Operator::Multiple, 16)};
      for (uint16_t i = 0; i != 5; ++i)
        variant.arguments.emplace_back().parameter = i;
      variant.threads = 128;
      variant.code = {CodeKind::Ptx, kernelText};
    }
  return llvm::cantFail(bundle::write({{kernel}}));
}

/// Median of opening and closing, in microseconds.
template <typename Open> double openTime(Open open) {
  std::vector<double> times;
  for (unsigned i = 0; i != 101; ++i) {
    gluonc_rt_bundle *bundle = nullptr;
    gluonc_rt_error *error = nullptr;
    auto start = Clock::now();
    need(open(&bundle, &error), error);
    times.push_back(nanosecondsSince(start, 1000));
    gluonc_rt_bundle_destroy(bundle);
  }
  return median(std::move(times));
}

} // namespace

int main(int count, char **arguments) {
  std::shared_ptr<const Driver> driver = need(Driver::open());
  std::shared_ptr<const Device> device = need(Device::open(driver, 0));
  llvm::cantFail(device->activate());
  std::optional<target::Target> chip = target::Target::cuda(device->computeCapability());
  std::string bytes = makeBundle(chip ? chip->name() : "cuda:90a");
  std::vector<uint64_t> words((bytes.size() + 7) / 8);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char *>(words.data()));

  gluonc_rt_bundle *bundle = nullptr;
  gluonc_rt_kernel *kernel = nullptr;
  gluonc_rt_error *error = nullptr;
  need(gluonc_rt_bundle_open_memory(words.data(), bytes.size(), nullptr, &bundle, &error), error);
  need(gluonc_rt_bundle_kernel(bundle, "nothing", nullptr, &kernel, &error), error);

  std::shared_ptr<const Module> module = need(Module::load(device, kernelText));
  Function function = need(module->function("nothing", 0));
  uint64_t slots[5] = {0, 0, 1, 2, 3}, scratch = 0;
  void *pointers[] = {&slots[0], &slots[1], &slots[2], &slots[3], &slots[4], &scratch, &scratch};
  LaunchConfig config;
  config.blockX = 128;

  int failures = 0;
  auto launch = [&](unsigned i, uint64_t choice) {
    uint64_t values[6] = {0, 0, i, 2, 3, choice};
    failures += gluonc_rt_launch(kernel, 1, 1, 1, nullptr, values, 6, nullptr) != GLUONC_RT_OK;
  };
  std::vector<double> bare, first, last;
  auto round = [&](std::vector<double> &series, auto &&enter) {
    auto start = Clock::now();
    for (unsigned i = 0; i != launchesPerRound; ++i)
      enter(i);
    series.push_back(nanosecondsSince(start, launchesPerRound));
    llvm::cantFail(device->synchronize());
  };
  // The first rounds warm the driver and do not count.
  for (unsigned i = 0; i != rounds + 10; ++i) {
    if (i == 10)
      for (std::vector<double> *series : {&bare, &first, &last})
        series->clear();
    round(bare, [&](unsigned i) {
      slots[2] = i;
      failures += driver->api().cuLaunchKernelEx(&config, function.handle, pointers, nullptr) != 0;
    });
    round(first, [&](unsigned i) { launch(i, 0); });
    round(last, [&](unsigned i) { launch(i, choices - 1); });
  }
  double opened = openTime([&](auto **made, auto **failed) {
    return gluonc_rt_bundle_open_memory(words.data(), bytes.size(), nullptr, made, failed);
  });
  std::printf("{\"device\": \"%s\", \"variants\": %u, \"for_the_device\": %u, \"bare_ns\": %.1f, "
              "\"first_ns\": %.1f, \"last_ns\": %.1f, \"failures\": %d, \"open_us\": %.1f",
              device->name().c_str(), 3 * choices, choices, median(bare), median(first),
              median(last), failures, opened);
  if (count > 1)
    std::printf(", \"open_file_us\": %.1f", openTime([&](auto **made, auto **failed) {
                  return gluonc_rt_bundle_open(arguments[1], nullptr, made, failed);
                }));
  std::printf("}\n");
  gluonc_rt_bundle_destroy(bundle);
  return failures != 0;
}
