#include "Forward.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace engine {

namespace {

using View = gluonc::rt::Tensor;

constexpr int columnsOfBlock = 1024; // embed, swiglu, pick
constexpr int headsOfProgram = 8;    // rotary
constexpr int partsOfRow = 32;       // best_of_part

unsigned blocks(int64_t count, int64_t each) {
  return static_cast<unsigned>((count + each - 1) / each);
}
unsigned unsignedOf(int count) { return static_cast<unsigned>(count); }
void *at(uint64_t address) { return reinterpret_cast<void *>(address); }
View matrix(uint64_t address, int64_t rows, int64_t columns) {
  return View(at(address), {rows, columns}, {columns, 1});
}

int widthOfHeads(const ModelConfig &config) {
  return (config.heads + 2 * config.keyHeads) * config.headDim;
}

/// Every allocation but the cache: a member and its bytes.
struct Sizes {
  size_t residual, normed, queryKeyValue, queries, attended, delta, gateUp, activated;
  size_t last, logits, least, partValues, partTokens, tokens;
  size_t productPartial, productArrived, attentionPartial, attentionArrived;

  Sizes(const ModelConfig &config, const Limits &limits, unsigned programs) {
    const size_t rows = static_cast<size_t>(limits.rows),
                 sequences = static_cast<size_t>(limits.sequences);
    const size_t hidden = rows * static_cast<size_t>(config.hidden) * 2;
    const size_t heads = rows * static_cast<size_t>(config.heads * config.headDim) * 2;
    residual = normed = delta = hidden;
    queries = attended = heads;
    queryKeyValue = rows * static_cast<size_t>(widthOfHeads(config)) * 2;
    activated = rows * static_cast<size_t>(config.intermediate) * 2;
    gateUp = 2 * activated;
    last = sequences * static_cast<size_t>(config.hidden) * 2;
    logits = sequences * static_cast<size_t>(config.vocabulary) * 4;
    least = tokens = sequences * 4;
    partValues = partTokens = sequences * partsOfRow * 4;
    productPartial = size_t(2) * programs * 128 * narrowRows * 4;
    productArrived = attentionArrived = programs * size_t(4);
    attentionPartial = size_t(2) * programs *
                       static_cast<size_t>(config.heads / config.keyHeads * (config.headDim + 2)) *
                       4;
  }
};

} // namespace

size_t Forward::bytesOfPage(const ModelConfig &config) {
  return size_t(2) * static_cast<size_t>(config.layers) *
         static_cast<size_t>(config.keyHeads * config.headDim) * positionsOfPage * 2;
}

size_t Forward::bytesOfRest(const ModelConfig &config, const Limits &limits, unsigned programs) {
  const Sizes of(config, limits, programs);
  return of.residual + of.normed + of.queryKeyValue + of.queries + of.attended + of.delta +
         of.gateUp + of.activated + of.last + of.logits + of.least + of.partValues +
         of.partTokens + of.tokens + of.productPartial + of.productArrived + of.attentionPartial +
         of.attentionArrived;
}

Expected<Forward> Forward::create(Gpu &gpu, const kernels::Bundle &bundle,
                                  const ModelConfig &config, const Weights &weights,
                                  const Limits &limits) {
  Forward made(gpu, bundle, config, weights, limits);
  const Sizes of(config, limits, gpu.multiprocessors());
  const std::pair<Memory *, size_t> all[] = {
      {&made.cache, bytesOfPage(config) * static_cast<size_t>(limits.pages)},
      {&made.residual, of.residual},
      {&made.normed, of.normed},
      {&made.queryKeyValue, of.queryKeyValue},
      {&made.queries, of.queries},
      {&made.attended, of.attended},
      {&made.delta, of.delta},
      {&made.gateUp, of.gateUp},
      {&made.activated, of.activated},
      {&made.last, of.last},
      {&made.logits, of.logits},
      {&made.least, of.least},
      {&made.partValues, of.partValues},
      {&made.partTokens, of.partTokens},
      {&made.tokens, of.tokens},
      {&made.productPartial, of.productPartial},
      {&made.productArrived, of.productArrived},
      {&made.attentionPartial, of.attentionPartial},
      {&made.attentionArrived, of.attentionArrived},
  };
  for (const auto &[memory, bytes] : all) {
    Expected<Memory> allocated = gpu.allocate(bytes);
    if (!allocated)
      return std::unexpected(allocated.error());
    *memory = std::move(*allocated);
  }
  return made;
}

void Forward::does(const gluonc::rt::Expected<gluonc::rt::Done> &done) {
  if (!done && failure.empty())
    failure = done.error().text;
}

Expected<void> Forward::run(const Pass &pass, const Inputs &inputs) {
  failure.clear();
  does(bundle.embed({unsignedOf(pass.rows), blocks(config.hidden, columnsOfBlock)}, gpu.stream(),
                    residual.at(), weights.embedding.at(), at(inputs.tokens), config.hidden));
  const Memory *added = nullptr;
  for (int i = 0; i != config.layers; ++i) {
    normalize(added, weights.layers[static_cast<size_t>(i)].inputNorm, pass.rows);
    layer(i, pass, inputs);
    added = &delta;
  }
  normalize(added, weights.norm, pass.rows);
  chooseTokens(pass, inputs);
  if (failure.empty())
    return {};
  return fail(failure);
}

void Forward::normalize(const Memory *added, const Memory &weight, int rows) {
  does(bundle.norm({unsignedOf(rows)}, gpu.stream(), residual.at(), added ? added->at() : nullptr,
                   weight.at(), normed.at(), config.hidden, float(config.normEpsilon)));
}

/// From `normed` to `delta`.
void Forward::layer(int number, const Pass &pass, const Inputs &inputs) {
  const LayerWeights &of = weights.layers[static_cast<size_t>(number)];
  const int width = widthOfHeads(config), attendedWidth = config.heads * config.headDim;
  const bool isPrompt = !pass.prompts.empty();
  multiply(normed, of.queryKeyValue.address(), queryKeyValue, pass.rows, width, config.hidden);
  does(bundle.rotary({unsignedOf(pass.rows),
                      blocks(config.heads + 2 * config.keyHeads, headsOfProgram)},
                     gpu.stream(), queryKeyValue.at(), of.queryKeyValueBias.at(),
                     of.queryNorm.at(), of.keyNorm.at(),
                     isPrompt ? queryKeyValue.at() : queries.at(), at(cacheOf(number, false)),
                     at(cacheOf(number, true)), weights.angles.at(), at(inputs.positions),
                     at(inputs.slots), config.heads, config.keyHeads,
                     isPrompt ? width : attendedWidth, float(config.normEpsilon),
                     config.headDim / 2));
  if (isPrompt)
    attendToPrompts(pass);
  else
    attendToCache(number, pass, inputs);
  multiply(attended, of.output.address(), delta, pass.rows, config.hidden, attendedWidth);
  normalize(&delta, of.postAttentionNorm, pass.rows);
  multiply(normed, of.gateUp.address(), gateUp, pass.rows, 2 * config.intermediate, config.hidden);
  does(bundle.swiglu({unsignedOf(pass.rows), blocks(config.intermediate, columnsOfBlock)},
                     gpu.stream(), gateUp.at(), activated.at(), config.intermediate));
  multiply(activated, of.down.address(), delta, pass.rows, config.hidden, config.intermediate);
}

void Forward::multiply(const Memory &x, uint64_t w, const Memory &y, int rows, int n, int k) {
  const unsigned programs = gpu.multiprocessors();
  if (rows <= narrowRows) {
    does(bundle.skinny({programs}, gpu.stream(), matrix(x.address(), rows, k), matrix(w, n, k),
                       y.at(), productPartial.at(), productArrived.at(), n, k, rows));
    return;
  }
  does(bundle.matmul({std::min(programs, blocks(rows, 128) * blocks(n, 256))}, gpu.stream(),
                     matrix(x.address(), rows, k), matrix(w, n, k), matrix(y.address(), rows, n),
                     rows, n, k));
}

void Forward::attendToPrompts(const Pass &pass) {
  const int d = config.headDim, width = widthOfHeads(config), outWidth = config.heads * d;
  const float scale = float(std::numbers::log2e / std::sqrt(double(d)));
  int64_t row = 0;
  for (int length : pass.prompts) {
    auto heads = [&](int first, int count) {
      return View(queryKeyValue.at(static_cast<size_t>(row * width + first * d) * 2),
                    {count, length, d}, {d, width, 1});
    };
    const View out(attended.at(static_cast<size_t>(row * outWidth) * 2),
                     {config.heads, length, d}, {d, outWidth, 1});
    const unsigned tiles = unsignedOf(config.heads) * blocks(length, 128);
    does(bundle.attention({std::min(gpu.multiprocessors(), (tiles + 1) / 2)}, gpu.stream(),
                          heads(0, config.heads), heads(config.heads, config.keyHeads),
                          heads(config.heads + config.keyHeads, config.keyHeads), out, scale,
                          config.heads, length, length, config.heads / config.keyHeads));
    row += length;
  }
}

void Forward::attendToCache(int number, const Pass &pass, const Inputs &inputs) {
  const int d = config.headDim;
  auto pages = [&](bool ofValues) {
    return View(at(cacheOf(number, ofValues)),
                  {int64_t(limits.pages) * config.keyHeads, positionsOfPage, d},
                  {int64_t(positionsOfPage) * d, d, 1});
  };
  does(bundle.decode({gpu.multiprocessors()}, gpu.stream(),
                     matrix(queries.address(), int64_t(pass.rows) * config.heads, d), pages(false),
                     pages(true), attended.at(), attentionPartial.at(), attentionArrived.at(),
                     at(inputs.table), limits.pagesOfSequence, at(inputs.lengths), pass.rows,
                     config.keyHeads, float(std::numbers::log2e / std::sqrt(double(d))),
                     config.heads / config.keyHeads));
}

uint64_t Forward::cacheOf(int number, bool ofValues) const {
  return cache.address() + bytesOfPage(config) / (2 * static_cast<size_t>(config.layers)) *
                               static_cast<size_t>(limits.pages) *
                               static_cast<size_t>(2 * number + (ofValues ? 1 : 0));
}

void Forward::chooseTokens(const Pass &pass, const Inputs &inputs) {
  const Memory *rows = &normed;
  if (!pass.prompts.empty()) {
    does(bundle.pick({unsignedOf(pass.sequences), blocks(config.hidden, columnsOfBlock)},
                     gpu.stream(), normed.at(), at(inputs.lastRows), last.at(), config.hidden));
    rows = &last;
  }
  for (int first = 0; first < pass.sequences; first += narrowRows) {
    const int count = std::min(narrowRows, pass.sequences - first);
    const size_t row = static_cast<size_t>(first);
    does(bundle.logits({gpu.multiprocessors()}, gpu.stream(),
                       matrix(rows->address() + row * static_cast<size_t>(config.hidden) * 2,
                              count, config.hidden),
                       matrix(weights.headAddress(), config.vocabulary, config.hidden),
                       logits.at(row * static_cast<size_t>(config.vocabulary) * 4),
                       productPartial.at(), productArrived.at(), config.vocabulary, config.hidden,
                       count));
  }
  const unsigned sequences = unsignedOf(pass.sequences);
  if (pass.isFiltered)
    does(bundle.threshold({sequences}, gpu.stream(), logits.at(), at(inputs.temperatures),
                          at(inputs.topPs), at(inputs.topKs), least.at(), config.vocabulary));
  does(bundle.best_of_part({sequences, partsOfRow}, gpu.stream(), logits.at(),
                           at(inputs.temperatures), pass.isFiltered ? least.at() : nullptr,
                           at(inputs.seeds), partValues.at(), partTokens.at(), config.vocabulary));
  does(bundle.best_of_row({sequences}, gpu.stream(), partValues.at(), partTokens.at(), tokens.at(),
                          partsOfRow));
}

} // namespace engine
