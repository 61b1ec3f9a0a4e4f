//===- GpuModel.cpp - A model on one GPU ----------------------------------------===//
//
// Kernels come from a bundle that was built ahead of time and is opened sealed: nothing is compiled here.
// Steps of one token are recorded as CUDA graphs, one for each number of rows that is launched: the next of
// `rowCounts`. Rows behind the sequences are of none: they keep nothing and attend to nothing.
//
//===----------------------------------------------------------------------===//
#include "Forward.h"
#include "OpenModel.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace engine {

namespace {

constexpr int rowCounts[] = {1,  2,  3,  4,  5,  6,  7,  8,  12,  16,  24,  32,
                             40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256};
constexpr int mostSequences = 256;
constexpr int mostPrefillTokens = 8192;

/// The weights of neighbouring seeds and positions have nothing in common (splitmix64's last steps).
uint64_t mixed(uint64_t seed, uint64_t position) {
  uint64_t bits = seed + (position + 1) * 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
  return bits ^ bits >> 31;
}

/// A step's inputs in one piece of memory, the same on host and device: what each sequence has, its pages
/// last, and what each row has.
class StepInputs {
public:
  static Expected<StepInputs> create(Gpu &gpu, const Limits &limits) {
    StepInputs made;
    made.limits = limits;
    const size_t sequences = static_cast<size_t>(limits.sequences);
    made.tableAt = (sequences * bytesOfSequence + 15) / 16 * 16;
    made.rowsAt = made.tableAt + sequences * static_cast<size_t>(limits.pagesOfSequence) * 4;
    made.rowsAt = (made.rowsAt + 15) / 16 * 16;
    const size_t bytes = made.rowsAt + static_cast<size_t>(limits.rows) * 12;
    Expected<Memory> onHost = gpu.allocateOnHost(bytes), onDevice = gpu.allocate(bytes);
    if (!onHost || !onDevice)
      return std::unexpected((onHost ? onDevice : onHost).error());
    made.host = std::move(*onHost);
    made.device = std::move(*onDevice);
    return made;
  }

  /// Where kernels find a step of `rows` rows.
  Inputs addresses(int rows) const {
    const uint64_t base = device.address(), sequences = static_cast<uint64_t>(limits.sequences);
    const uint64_t row = base + rowsAt, count = static_cast<uint64_t>(rows);
    return {row,
            row + count * 4,
            row + count * 8,
            base + sequences * 8,
            base + sequences * 12,
            base + tableAt,
            base + sequences * 16,
            base + sequences * 20,
            base + sequences * 24,
            base};
  }
  /// Fills in what a sequence has, and its rows from `firstRow` on; `rows` is of the whole step.
  void put(int sequence, const Work &work, int firstRow, int rows) {
    const int count = static_cast<int>(work.tokens.size()), length = work.position + count;
    const size_t sequences = static_cast<size_t>(limits.sequences);
    write(0, 8, sequence, mixed(work.sampling.seed, static_cast<uint64_t>(length)));
    write(sequences * 8, 4, sequence, firstRow + count - 1);
    write(sequences * 12, 4, sequence, length);
    write(sequences * 16, 4, sequence, work.sampling.temperature);
    write(sequences * 20, 4, sequence, work.sampling.topP);
    write(sequences * 24, 4, sequence, work.sampling.topK);
    const int pages = (length + positionsOfPage - 1) / positionsOfPage;
    std::memcpy(host.at(tableAt + static_cast<size_t>(sequence) *
                                      static_cast<size_t>(limits.pagesOfSequence) * 4),
                work.pages.data(), static_cast<size_t>(pages) * 4);
    for (int i = 0; i != count; ++i) {
      const int position = work.position + i;
      putRow(firstRow + i, rows, work.tokens[static_cast<size_t>(i)], position,
             work.pages[static_cast<size_t>(position / positionsOfPage)] * positionsOfPage +
                 position % positionsOfPage);
    }
  }
  /// A row, and a sequence, of none.
  void putNothing(int row, int rows) {
    write(static_cast<size_t>(limits.sequences) * 12, 4, row, 0);
    write(static_cast<size_t>(limits.sequences) * 16, 4, row, 0.0F);
    putRow(row, rows, 0, 0, -1);
  }
  Expected<void> upload(Gpu &gpu, int sequences, int rows) {
    const size_t bytes =
        tableAt + static_cast<size_t>(sequences) * static_cast<size_t>(limits.pagesOfSequence) * 4;
    if (Expected<void> done = gpu.upload(device.address(), host.at(), bytes); !done)
      return done;
    return gpu.upload(device.address() + rowsAt, host.at(rowsAt), static_cast<size_t>(rows) * 12);
  }

private:
  /// Seed, last row, length, temperature, top-p, top-k.
  static constexpr size_t bytesOfSequence = 8 + 5 * 4;

  template <class T> void write(size_t offset, size_t each, int index, T value) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    std::memcpy(host.at(offset + each * static_cast<size_t>(index)), &value, sizeof value);
  }
  void putRow(int row, int rows, int token, int position, int slot) {
    const size_t count = static_cast<size_t>(rows);
    write(rowsAt, 4, row, token);
    write(rowsAt + count * 4, 4, row, position);
    write(rowsAt + count * 8, 4, row, slot);
  }

  Limits limits;
  size_t tableAt = 0, rowsAt = 0;
  Memory host, device;
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
  Expected<std::vector<int32_t>> prefill(std::span<const Work> works) override;
  Expected<std::vector<int32_t>> decode(std::span<const Work> works) override;

private:
  GpuModel(std::unique_ptr<Gpu> gpu, kernels::Bundle bundle, const ModelConfig &config)
      : gpu(std::move(gpu)), bundle(std::move(bundle)), config(config) {}

  Expected<void> decide(const ModelOptions &options);
  Expected<void> check(std::span<const Work> works, bool isPrompt) const;
  Expected<Graph *> graphOf(const Pass &pass);
  Expected<std::vector<int32_t>> results(size_t count);

  std::unique_ptr<Gpu> gpu;
  kernels::Bundle bundle;
  ModelConfig config;
  Limits limits;
  Weights weights;
  std::optional<Forward> forward;
  std::optional<StepInputs> inputs;
  Memory chosen;
  /// By index in rowCounts; without and with top-k or top-p.
  Graph graphs[std::size(rowCounts)][2];
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

Expected<std::unique_ptr<Model>> GpuModel::open(const ModelOptions &options, const Folder &folder) {
  if (Expected<void> fine = refuseUnsupported(folder.config()); !fine)
    return std::unexpected(fine.error());
  Expected<std::unique_ptr<Gpu>> gpu = Gpu::open(options.device);
  if (!gpu)
    return std::unexpected(gpu.error());
  auto bundle = kernels::Bundle::open(options.bundle.empty() ? KERNELS_BUNDLE : options.bundle,
                                      {kernels::Bundle::digest, BUNDLE_IS_SEALED});
  if (!bundle)
    return fail(bundle.error().text);
  std::unique_ptr<GpuModel> model(
      new GpuModel(std::move(*gpu), std::move(*bundle), folder.config()));
  const int positions = std::min(folder.config().maxPositions, 131072);
  Expected<Weights> weights = Weights::load(*model->gpu, folder, positions);
  if (!weights)
    return std::unexpected(weights.error());
  model->weights = std::move(*weights);
  model->limits.pagesOfSequence = (positions + positionsOfPage - 1) / positionsOfPage;
  if (Expected<void> done = model->decide(options); !done)
    return std::unexpected(done.error());
  return model;
}

/// How much of what there is room for, and that memory.
Expected<void> GpuModel::decide(const ModelOptions &options) {
  limits.sequences =
      *std::ranges::lower_bound(rowCounts, std::clamp(options.maxSequences, 1, mostSequences));
  limits.rows = std::max(limits.sequences,
                         std::min(mostPrefillTokens, limits.pagesOfSequence * positionsOfPage));
  Expected<size_t> free = gpu->freeBytes();
  if (!free)
    return std::unexpected(free.error());
  const size_t rest = Forward::bytesOfRest(config, limits, gpu->multiprocessors());
  const auto usable = static_cast<size_t>(double(*free) * std::clamp(options.memory, 0.0, 1.0));
  const size_t most = static_cast<size_t>(limits.sequences) *
                      static_cast<size_t>(limits.pagesOfSequence);
  const size_t room = usable < rest ? 0 : (usable - rest) / Forward::bytesOfPage(config);
  if (room == 0)
    return fail("the device has no room for a cache: " + std::to_string(*free >> 20) +
                " MiB are free beside the weights");
  limits.pages = static_cast<int>(std::min(room, most));
  limits.pagesOfSequence = std::min(limits.pagesOfSequence, limits.pages);
  Expected<Forward> made = Forward::create(*gpu, bundle, config, weights, limits);
  if (!made)
    return std::unexpected(made.error());
  forward.emplace(std::move(*made));
  Expected<StepInputs> madeInputs = StepInputs::create(*gpu, limits);
  if (!madeInputs)
    return std::unexpected(madeInputs.error());
  inputs.emplace(std::move(*madeInputs));
  Expected<Memory> onHost = gpu->allocateOnHost(static_cast<size_t>(limits.sequences) * 4);
  if (!onHost)
    return std::unexpected(onHost.error());
  chosen = std::move(*onHost);
  return gpu->synchronize();
}

/// What would read or write outside of the cache or the tables is refused.
Expected<void> GpuModel::check(std::span<const Work> works, bool isPrompt) const {
  size_t rows = 0;
  for (const Work &work : works) {
    const size_t length = static_cast<size_t>(work.position) + work.tokens.size();
    rows += work.tokens.size();
    if (work.tokens.empty() || work.position < 0 || length > static_cast<size_t>(maxPositions()) ||
        work.pages.size() * positionsOfPage < length || (isPrompt && work.position != 0) ||
        (!isPrompt && work.tokens.size() != 1))
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

Expected<std::vector<int32_t>> GpuModel::results(size_t count) {
  Expected<void> done = gpu->download(chosen.at(), forward->chosen(), count * 4);
  if (done)
    done = gpu->synchronize();
  if (!done)
    return lost(done.error());
  std::vector<int32_t> made(count);
  std::memcpy(made.data(), chosen.at(), count * 4);
  return made;
}

Expected<std::vector<int32_t>> GpuModel::prefill(std::span<const Work> works) {
  if (works.empty())
    return std::vector<int32_t>();
  Expected<void> done = gpu->makeCurrent();
  if (done)
    done = check(works, true);
  if (!done)
    return std::unexpected(done.error());
  std::vector<int> lengths;
  for (const Work &work : works)
    lengths.push_back(static_cast<int>(work.tokens.size()));
  int rows = 0;
  for (int length : lengths)
    rows += length;
  int row = 0;
  for (size_t i = 0; i != works.size(); row += lengths[i++])
    inputs->put(static_cast<int>(i), works[i], row, rows);
  const int sequences = static_cast<int>(works.size());
  done = inputs->upload(*gpu, sequences, rows);
  if (done)
    done = forward->run({rows, sequences, lengths, isFiltered(works)}, inputs->addresses(rows));
  if (!done)
    return lost(done.error());
  return results(works.size());
}

Expected<std::vector<int32_t>> GpuModel::decode(std::span<const Work> works) {
  if (works.empty())
    return std::vector<int32_t>();
  Expected<void> done = gpu->makeCurrent();
  if (done)
    done = check(works, false);
  if (!done)
    return std::unexpected(done.error());
  const int count = static_cast<int>(works.size());
  const int rows = *std::ranges::lower_bound(rowCounts, count);
  for (int i = 0; i != count; ++i)
    inputs->put(i, works[static_cast<size_t>(i)], i, rows);
  for (int i = count; i != rows; ++i)
    inputs->putNothing(i, rows);
  done = inputs->upload(*gpu, rows, rows);
  if (!done)
    return lost(done.error());
  Expected<Graph *> graph = graphOf({rows, rows, {}, isFiltered(works)});
  if (!graph)
    return lost(graph.error());
  if (done = gpu->launch(**graph); !done)
    return lost(done.error());
  return results(works.size());
}

/// Recorded where it is asked for first, after a run that loads what it launches.
Expected<Graph *> GpuModel::graphOf(const Pass &pass) {
  const auto place = std::ranges::lower_bound(rowCounts, pass.rows) - std::begin(rowCounts);
  Graph &graph = graphs[place][pass.isFiltered ? 1 : 0];
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
