//===- GpuModel.cpp - A model on one GPU, or on two -----------------------------===//
//
// Kernels come from a bundle that was built ahead of time and is opened sealed: nothing is compiled
// here. Steps of one token are recorded as CUDA graphs, one for each number of rows that is
// launched: the next of `rowCounts`. Rows behind the sequences are of none: they keep nothing and
// attend to nothing.
//
// Two GPUs have half of the heads and of the inner columns each, and do every step together. Each
// has a thread: kernels of one wait for the other's.
//
//===----------------------------------------------------------------------===//
#include "Forward.h"
#include "Likelihood.h"
#include "OpenModel.h"
#include "StepInputs.h"
#include "Worker.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>

namespace engine {

namespace {

constexpr int rowCounts[] = {1,  2,  3,  4,  5,  6,  7,   8,   12,  16,  24,  32,
                             40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256};

/// What one GPU has of the model.
struct Part {
  std::unique_ptr<Gpu> gpu;
  Share share;
  ModelConfig config; // of the share
  Weights weights;
  std::optional<Forward> forward;
  std::optional<StepInputs> inputs;
  /// By index in rowCounts; without and with top-k or top-p, without and with probabilities.
  Graph graphs[std::size(rowCounts)][2][2];
  /// On the host: LikelyRecords of the last step that had them.
  Memory likely;

  Expected<void> create(const kernels::Bundle &bundle, const Limits &limits);
  Expected<void> prefill(std::span<const Work> works);
  Expected<void> decode(std::span<const Work> works);
  Expected<void> downloadLikely(size_t sequences);
  std::span<const LikelyRecord> likelyOf(size_t sequence) const;

private:
  Expected<Graph *> graphOf(const Pass &pass);
};

class GpuModel final : public Model {
public:
  static Expected<std::unique_ptr<Model>> open(const ModelOptions &options, const Folder &folder);

  int pageSize() const override { return positionsOfPage; }
  int pageCount() const override { return limits.pages; }
  int maxPositions() const override { return limits.pagesOfSequence * positionsOfPage; }
  int maxSequences() const override { return limits.sequences; }
  int maxPrefillTokens() const override { return limits.rows; }
  int vocabulary() const override { return config.vocabulary; }
  Expected<std::vector<Next>> prefill(std::span<const Work> works) override {
    return step(works, true);
  }
  Expected<std::vector<Next>> decode(std::span<const Work> works) override {
    return step(works, false);
  }

private:
  GpuModel(kernels::Bundle bundle, const ModelConfig &config)
      : bundle(std::move(bundle)), config(config) {}

  Expected<void> addPart(const ModelOptions &options, const Folder &folder, Share share);
  Expected<void> decide(const ModelOptions &options);
  Expected<void> check(std::span<const Work> works, bool isPrompt) const;
  Expected<std::vector<Next>> step(std::span<const Work> works, bool isPrompt);
  void addLikely(std::span<const Work> works, std::vector<Next> &made) const;
  /// By every part, each in its thread; the first one's failure.
  Expected<void> byAll(const std::function<Expected<void>(Part &)> &work);

  kernels::Bundle bundle;
  ModelConfig config;
  Limits limits;
  std::vector<std::unique_ptr<Part>> parts;
  Memory chosen;
  /// Of the parts behind the first; they end before what they work on.
  std::vector<std::unique_ptr<Worker>> workers;
};

std::unexpected<Error> lost(Error error) {
  error.deviceLost = true;
  return std::unexpected(std::move(error));
}

Expected<void> refuseUnsupported(const ModelConfig &config) {
  if (config.headDim != 64 && config.headDim != 128)
    return fail("heads of " + std::to_string(config.headDim) + "; the kernels are for 64 and 128");
  if (config.heads / config.keyHeads > 8)
    return fail(std::to_string(config.heads / config.keyHeads) +
                " heads of queries for one of keys; the kernels are for 1 to 8");
  if (config.hidden % 64 || config.intermediate % 64 || config.hidden > 8192)
    return fail("hidden and intermediate sizes are multiples of 64, hidden at most 8192");
  if (config.outputBias)
    return fail("the kernels have no bias behind attention's output");
  return {};
}

Expected<void> refuseUndivided(const ModelConfig &config, int devices) {
  if (devices != 1 && devices != 2)
    return fail("models are on one GPU or on two");
  if (config.keyHeads % devices || config.heads % devices || config.intermediate / devices % 64 ||
      config.intermediate % devices || config.vocabulary % devices)
    return fail("heads, inner columns or the vocabulary cannot be halved");
  return {};
}

/// The one that was asked for, else that beside the program, else that of the build.
std::string pathOfBundle(const ModelOptions &options) {
  if (!options.bundle.empty())
    return options.bundle;
  std::error_code error;
  const std::filesystem::path beside =
      std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "kernels.gluonpack";
  return std::filesystem::exists(beside, error) ? beside.string() : KERNELS_BUNDLE;
}

Expected<std::unique_ptr<Model>> GpuModel::open(const ModelOptions &options, const Folder &folder) {
  Expected<void> fine = refuseUnsupported(folder.config());
  if (fine)
    fine = refuseUndivided(folder.config(), options.devices);
  if (!fine)
    return std::unexpected(fine.error());
  auto bundle =
      kernels::Bundle::open(pathOfBundle(options), {kernels::Bundle::digest, BUNDLE_IS_SEALED, {}});
  if (!bundle)
    return fail(bundle.error().text);
  std::unique_ptr<GpuModel> model(new GpuModel(std::move(*bundle), folder.config()));
  for (int i = 0; i != options.devices; ++i)
    if (Expected<void> done = model->addPart(options, folder, {i, options.devices}); !done)
      return std::unexpected(done.error());
  if (Expected<void> done = model->decide(options); !done)
    return std::unexpected(done.error());
  return model;
}

int positionsOf(const ModelConfig &config) { return std::min(config.maxPositions, 131072); }

Expected<void> GpuModel::addPart(const ModelOptions &options, const Folder &folder, Share share) {
  auto part = std::make_unique<Part>();
  Expected<std::unique_ptr<Gpu>> gpu = Gpu::open(options.device + share.number);
  if (!gpu)
    return std::unexpected(gpu.error());
  part->gpu = std::move(*gpu);
  // A driver may wait for kernels before it loads another; those of two GPUs wait for each other.
  if (auto loaded = bundle.load(options.device + share.number); !loaded)
    return fail(loaded.error().text);
  part->share = share;
  part->config = share.of(config);
  Expected<Weights> weights =
      Weights::load(*part->gpu, bundle, folder, positionsOf(config), share, options.fp8Weights);
  if (!weights)
    return std::unexpected(weights.error());
  part->weights = std::move(*weights);
  limits.hasFp8 |= part->weights.hasFp8();
  if (share.number != 0)
    workers.push_back(std::make_unique<Worker>());
  parts.push_back(std::move(part));
  return {};
}

/// How much of what there is room for, and that memory.
Expected<void> GpuModel::decide(const ModelOptions &options) {
  limits.pagesOfSequence = (positionsOf(config) + positionsOfPage - 1) / positionsOfPage;
  limits.sequences = *std::ranges::lower_bound(
      rowCounts, std::clamp(options.maxSequences, 1, *std::rbegin(rowCounts)));
  limits.rows = std::max(limits.sequences,
                         std::min(options.prefillTokens, limits.pagesOfSequence * positionsOfPage));
  size_t room = static_cast<size_t>(limits.sequences) * static_cast<size_t>(limits.pagesOfSequence);
  for (const std::unique_ptr<Part> &part : parts) {
    Expected<void> done = part->gpu->makeCurrent();
    const Expected<size_t> free = part->gpu->freeBytes();
    if (!done || !free)
      return std::unexpected(done ? free.error() : done.error());
    const size_t rest =
        Forward::bytesOfRest(part->config, limits, part->share, part->gpu->multiprocessors());
    const auto usable = static_cast<size_t>(double(*free) * std::clamp(options.memory, 0.0, 1.0));
    room = std::min(room, usable < rest ? 0 : (usable - rest) / Forward::bytesOfPage(part->config));
    if (room == 0)
      return fail("the device has no room for a cache: " + std::to_string(*free >> 20) +
                  " MiB are free beside the weights");
  }
  limits.pages = static_cast<int>(room);
  limits.pagesOfSequence = std::min(limits.pagesOfSequence, limits.pages);
  Expected<void> done = byAll([&](Part &part) { return part.create(bundle, limits); });
  if (!done)
    return done;
  if (parts.size() == 2)
    for (size_t i = 0; i != 2; ++i) {
      if (done = parts[i]->gpu->reach(*parts[1 - i]->gpu); !done)
        return done;
      parts[i]->forward->meet(*parts[1 - i]->forward);
    }
  if (done = parts[0]->gpu->makeCurrent(); !done)
    return done;
  Expected<Memory> onHost =
      parts[0]->gpu->allocateOnHost(static_cast<size_t>(limits.sequences) * 4);
  if (!onHost)
    return std::unexpected(onHost.error());
  chosen = std::move(*onHost);
  return {};
}

Expected<void> Part::create(const kernels::Bundle &bundle, const Limits &limits) {
  Expected<Forward> made = Forward::create(*gpu, bundle, config, weights, limits, share);
  if (!made)
    return std::unexpected(made.error());
  forward.emplace(std::move(*made));
  Expected<StepInputs> madeInputs = StepInputs::create(*gpu, limits);
  if (!madeInputs)
    return std::unexpected(madeInputs.error());
  inputs.emplace(std::move(*madeInputs));
  Expected<Memory> onHost = gpu->allocateOnHost(
      size_t(limits.sequences) * size_t(forward->likelyParts()) * sizeof(LikelyRecord));
  if (!onHost)
    return std::unexpected(onHost.error());
  likely = std::move(*onHost);
  return gpu->synchronize();
}

Expected<void> GpuModel::byAll(const std::function<Expected<void>(Part &)> &work) {
  std::vector<Expected<void>> results(parts.size());
  auto workOn = [&](size_t i) {
    results[i] = parts[i]->gpu->makeCurrent();
    if (results[i])
      results[i] = work(*parts[i]);
  };
  for (size_t i = 1; i < parts.size(); ++i)
    workers[i - 1]->start([&workOn, i] { workOn(i); });
  workOn(0);
  for (const std::unique_ptr<Worker> &worker : workers)
    worker->finish();
  for (const Expected<void> &result : results)
    if (!result)
      return result;
  return {};
}

/// What would read or write outside of the cache or the tables is refused.
Expected<void> GpuModel::check(std::span<const Work> works, bool isPrompt) const {
  size_t rows = 0;
  for (const Work &work : works) {
    const size_t length = static_cast<size_t>(work.position) + work.tokens.size();
    rows += work.tokens.size();
    if (work.tokens.empty() || work.position < 0 || length > static_cast<size_t>(maxPositions()) ||
        work.pages.size() * positionsOfPage < length || (!isPrompt && work.tokens.size() != 1))
      return fail("a sequence of " + std::to_string(length) + " positions does not fit its pages");
    for (int32_t page : work.pages.first((length + positionsOfPage - 1) / positionsOfPage))
      if (page < 0 || page >= limits.pages)
        return fail("there is no page " + std::to_string(page));
    for (int32_t token : work.tokens)
      if (token < 0 || token >= config.vocabulary)
        return fail("there is no token " + std::to_string(token));
  }
  if (works.size() > static_cast<size_t>(limits.sequences) ||
      rows > static_cast<size_t>(limits.rows))
    return fail("more sequences or tokens than a step has room for");
  return {};
}

bool isFiltered(std::span<const Work> works) {
  return std::ranges::any_of(works, [](const Work &work) {
    return work.sampling.temperature > 0 && (work.sampling.topP < 1 || work.sampling.topK > 0);
  });
}

bool hasLikely(std::span<const Work> works) {
  return std::ranges::any_of(works, [](const Work &work) { return work.sampling.likely >= 0; });
}

Expected<std::vector<Next>> GpuModel::step(std::span<const Work> works, bool isPrompt) {
  if (works.empty())
    return std::vector<Next>();
  if (Expected<void> fine = check(works, isPrompt); !fine)
    return std::unexpected(fine.error());
  Expected<void> done =
      byAll([&](Part &part) { return isPrompt ? part.prefill(works) : part.decode(works); });
  Part &first = *parts[0];
  if (done)
    done = first.gpu->download(chosen.at(), first.forward->chosen(), works.size() * 4);
  const bool isLikely = hasLikely(works);
  if (done)
    done = byAll([&](Part &part) {
      const Expected<void> fetched =
          isLikely ? part.downloadLikely(works.size()) : Expected<void>();
      return fetched ? part.gpu->synchronize() : fetched;
    });
  if (!done)
    return lost(done.error());
  std::vector<Next> made(works.size());
  for (size_t i = 0; i != works.size(); ++i)
    std::memcpy(&made[i].token, chosen.at(i * 4), 4);
  if (isLikely)
    addLikely(works, made);
  return made;
}

void GpuModel::addLikely(std::span<const Work> works, std::vector<Next> &made) const {
  for (size_t i = 0; i != works.size(); ++i) {
    if (works[i].sampling.likely < 0)
      continue;
    std::vector<std::span<const LikelyRecord>> lists;
    for (const std::unique_ptr<Part> &part : parts)
      lists.push_back(part->likelyOf(i));
    setLikely(made[i], works[i].sampling.likely, lists);
  }
}

Expected<void> Part::downloadLikely(size_t sequences) {
  return gpu->download(likely.at(), forward->likely(),
                       sequences * size_t(forward->likelyParts()) * sizeof(LikelyRecord));
}

std::span<const LikelyRecord> Part::likelyOf(size_t sequence) const {
  const auto parts = size_t(forward->likelyParts());
  return {static_cast<const LikelyRecord *>(likely.at()) + sequence * parts, parts};
}

Expected<void> Part::prefill(std::span<const Work> works) {
  std::vector<PromptPart> prompts;
  int rows = 0;
  for (const Work &work : works) {
    prompts.push_back({static_cast<int>(work.tokens.size()), work.position});
    rows += prompts.back().length;
  }
  int row = 0;
  for (size_t i = 0; i != works.size(); row += prompts[i++].length)
    inputs->put(static_cast<int>(i), works[i], row, rows);
  const int sequences = static_cast<int>(works.size());
  if (Expected<void> done = inputs->upload(*gpu, sequences, rows); !done)
    return done;
  return forward->run({rows, sequences, prompts, isFiltered(works), hasLikely(works)},
                      inputs->addresses(rows));
}

Expected<void> Part::decode(std::span<const Work> works) {
  const int count = static_cast<int>(works.size());
  const int rows = *std::ranges::lower_bound(rowCounts, count);
  for (int i = 0; i != count; ++i)
    inputs->put(i, works[static_cast<size_t>(i)], i, rows);
  for (int i = count; i != rows; ++i)
    inputs->putNothing(i, rows);
  if (Expected<void> done = inputs->upload(*gpu, rows, rows); !done)
    return done;
  Expected<Graph *> graph = graphOf({rows, rows, {}, isFiltered(works), hasLikely(works)});
  if (!graph)
    return std::unexpected(graph.error());
  return gpu->launch(**graph);
}

/// Recorded where it is asked for first, after a run that loads what it launches.
Expected<Graph *> Part::graphOf(const Pass &pass) {
  const auto place = std::ranges::lower_bound(rowCounts, pass.rows) - std::begin(rowCounts);
  Graph &graph = graphs[place][pass.isFiltered ? 1 : 0][pass.hasLikely ? 1 : 0];
  if (graph)
    return &graph;
  const Inputs addresses = inputs->addresses(pass.rows);
  Expected<void> done = forward->run(pass, addresses);
  if (done)
    done = gpu->synchronize();
  if (done)
    done = gpu->beginRecording();
  if (!done)
    return std::unexpected(done.error());
  done = forward->run(pass, addresses);
  Expected<Graph> recorded = gpu->endRecording();
  if (!done || !recorded)
    return std::unexpected(done ? recorded.error() : done.error());
  graph = std::move(*recorded);
  return &graph;
}

} // namespace

Expected<std::unique_ptr<Model>> openModel(const ModelOptions &options, const Folder &folder) {
  return GpuModel::open(options, folder);
}

} // namespace engine
