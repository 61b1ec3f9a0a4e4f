#include "Forward.h"

#include "Likelihood.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace engine {

namespace {

using View = gluonc::rt::Tensor;

constexpr int columnsOfBlock = 1024;  // gather, swiglu
constexpr int headsOfProgram = 8;     // rotary
constexpr int partsOfRow = 32;        // best_of_part
constexpr int columnsOfHalf = 4096;   // whole
constexpr int columnsOfWiden = 2048;  // widen
constexpr int columnsOfLikely = 4096; // likely_of_part

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

} // namespace

/// Every allocation but the cache.
struct Forward::Size {
  Memory Forward::*memory;
  size_t bytes;
};

std::vector<Forward::Size> Forward::sizes(const ModelConfig &config, const Limits &limits,
                                          const Share &share, unsigned programs) {
  const size_t rows = static_cast<size_t>(limits.rows),
               sequences = static_cast<size_t>(limits.sequences);
  const size_t hidden = static_cast<size_t>(config.hidden) * 2;
  const size_t heads = static_cast<size_t>(config.heads * config.headDim) * 2;
  const size_t inner = static_cast<size_t>(config.intermediate) * 2;
  const size_t logit = static_cast<size_t>(config.vocabulary) * 4;
  const size_t group = static_cast<size_t>(config.heads / config.keyHeads);
  std::vector<Size> made = {
      {&Forward::residual, rows * hidden},
      {&Forward::normed, rows * hidden},
      {&Forward::queryKeyValue, rows * static_cast<size_t>(widthOfHeads(config)) * 2},
      {&Forward::queries, rows * heads},
      {&Forward::attended, rows * heads},
      {&Forward::collected, 2 * static_cast<size_t>(config.keyHeads * config.headDim) *
                                static_cast<size_t>(limits.pagesOfSequence) * positionsOfPage * 2},
      {&Forward::gateUp, rows * 2 * inner},
      {&Forward::activated, rows * inner},
      {&Forward::attentionDelta, rows * hidden},
      {&Forward::delta, rows * hidden},
      {&Forward::last, sequences * hidden},
      {&Forward::logits, sequences * logit},
      {&Forward::least, sequences * 4},
      {&Forward::partValues, sequences * partsOfRow * 4},
      {&Forward::partTokens, sequences * partsOfRow * 4},
      {&Forward::tokens, sequences * 4},
      {&Forward::likelyRecords,
       sequences * blocks(config.vocabulary / share.count, columnsOfLikely) * sizeof(LikelyRecord)},
      {&Forward::productPartial, size_t(128) * programs * narrowRows * 4},
      {&Forward::productArrived, programs * size_t(8)},
      {&Forward::attentionPartial,
       size_t(4) * programs * group * static_cast<size_t>(config.headDim + 2) * 4},
      {&Forward::attentionArrived, programs * size_t(8)},
  };
  if (limits.hasFp8)
    made.push_back(
        {&Forward::widened, std::max({hidden * 2 * inner, hidden * heads,
                                      hidden * static_cast<size_t>(widthOfHeads(config)) * 2}) /
                                2});
  if (share.count == 2) {
    const size_t meetings = sequences * blocks(config.vocabulary / 2, columnsOfHalf) * 4;
    made.insert(made.end(), {{&Forward::ownLogits, sequences * logit / 2},
                             {&Forward::rowMeetings, rows * 4},
                             {&Forward::rowCounts, rows * 4},
                             {&Forward::logitMeetings, meetings},
                             {&Forward::logitCounts, meetings},
                             {&Forward::attentionWords, narrowRows / 2 * 4 * hidden},
                             {&Forward::words, narrowRows / 2 * 4 * hidden},
                             {&Forward::visits, 4}});
  }
  return made;
}

size_t Forward::bytesOfPage(const ModelConfig &config) {
  return size_t(2) * static_cast<size_t>(config.layers) *
         static_cast<size_t>(config.keyHeads * config.headDim) * positionsOfPage * 2;
}

size_t Forward::bytesOfRest(const ModelConfig &config, const Limits &limits, const Share &share,
                            unsigned programs) {
  size_t bytes = 0;
  for (const Size &size : sizes(config, limits, share, programs))
    bytes += size.bytes;
  return bytes;
}

Expected<Forward> Forward::create(Gpu &gpu, const kernels::Bundle &bundle,
                                  const ModelConfig &config, const Weights &weights,
                                  const Limits &limits, const Share &share) {
  Forward made(gpu, bundle, config, weights, limits, share);
  std::vector<Size> all = sizes(config, limits, share, gpu.multiprocessors());
  all.push_back({&Forward::cache, bytesOfPage(config) * static_cast<size_t>(limits.pages)});
  for (const Size &size : all) {
    Expected<Memory> allocated = gpu.allocate(size.bytes);
    if (!allocated)
      return std::unexpected(allocated.error());
    made.*size.memory = std::move(*allocated);
  }
  return made;
}

void Forward::does(const gluonc::rt::Expected<gluonc::rt::Done> &done) {
  if (!done && failure.empty())
    failure = done.error().text;
}

Expected<void> Forward::run(const Pass &pass, const Inputs &inputs) {
  failure.clear();
  gather(residual, weights.embedding, inputs.tokens, pass.rows, true);
  for (int i = 0; i != config.layers; ++i) {
    normalize({i - 1}, weights.layers[static_cast<size_t>(i)].inputNorm, pass.rows);
    layer(i, pass, inputs);
  }
  normalize({config.layers - 1}, weights.norm, pass.rows);
  chooseTokens(pass, inputs);
  if (failure.empty())
    return {};
  return fail(failure);
}

void Forward::gather(const Memory &to, const Memory &from, uint64_t rows, int count, bool begins) {
  does(bundle.gather({unsignedOf(count), blocks(config.hidden, columnsOfBlock)}, gpu.stream(),
                     to.at(), from.at(), at(rows), config.hidden,
                     peer && begins ? visits.at() : nullptr, 2 * config.layers));
}

void Forward::normalize(Added added, const Memory &weight, int rows) {
  const bool isAdding = added.layer >= 0, isMeeting = isAdding && peer;
  const bool hasWords = isMeeting && rows <= narrowRows;
  does(bundle.norm({unsignedOf(rows)}, gpu.stream(), residual.at(),
                   isAdding ? deltaOf(added.sum).at() : nullptr,
                   isMeeting && !hasWords ? peer->deltaOf(added.sum).at() : nullptr,
                   rowMeetings.at(), isMeeting ? peer->rowMeetings.at() : nullptr, rowCounts.at(),
                   hasWords ? wordsOf(added.sum).at() : nullptr, visits.at(), added.meeting(),
                   weight.at(), normed.at(), config.hidden, float(config.normEpsilon)));
}

/// From `normed` to `delta`.
void Forward::layer(int number, const Pass &pass, const Inputs &inputs) {
  const LayerWeights &of = weights.layers[static_cast<size_t>(number)];
  const int width = widthOfHeads(config), attendedWidth = config.heads * config.headDim;
  const bool isPrompt = !pass.prompts.empty();
  multiply(normed, of.queryKeyValue, queryKeyValue, pass.rows, width, config.hidden);
  does(bundle.rotary(
      {unsignedOf(pass.rows), blocks(config.heads + 2 * config.keyHeads, headsOfProgram)},
      gpu.stream(), queryKeyValue.at(), of.queryKeyValueBias.at(), of.queryNorm.at(),
      of.keyNorm.at(), isPrompt ? queryKeyValue.at() : queries.at(), at(cacheOf(number, false)),
      at(cacheOf(number, true)), weights.angles.at(), at(inputs.positions), at(inputs.slots),
      config.heads, config.keyHeads, isPrompt ? width : attendedWidth, float(config.normEpsilon),
      config.headDim / 2));
  if (isPrompt)
    attendToPrompts(number, pass, inputs);
  else
    attendToCache(number, pass, inputs);
  const Added fromAttention{number, Sum::Attention}, fromRest{number, Sum::Rest};
  multiplyToAdd(attended, of.output, fromAttention, pass.rows, attendedWidth);
  normalize(fromAttention, of.postAttentionNorm, pass.rows);
  activate(of.gateUp, pass.rows);
  multiplyToAdd(activated, of.down, fromRest, pass.rows, config.intermediate);
}

void Forward::multiplyToAdd(const Memory &x, const Matrix &w, Added to, int rows, int k) {
  multiply(x, w, deltaOf(to.sum), rows, config.hidden, k,
           peer ? peer->wordsOf(to.sum).address() : 0, to.meeting());
}

void Forward::multiply(const Memory &x, const Matrix &w, const Memory &y, int rows, int n, int k,
                       uint64_t words, int meeting) {
  const unsigned programs = gpu.multiprocessors();
  if (w.isFp8() && rows <= mostRowsByFp8)
    return multiplyFewByFp8(x, w, y, rows, n, k, rows <= narrowRows ? words : 0, meeting);
  uint64_t numbers = w.numbers.address();
  if (w.isFp8()) {
    does(bundle.widen({unsignedOf(n), blocks(k, columnsOfWiden)}, gpu.stream(), w.numbers.at(),
                      w.scales.at(), widened.at(), k, w.hasBlocks));
    numbers = widened.address();
  }
  if (rows <= narrowRows) {
    does(bundle.skinny({programs}, gpu.stream(), matrix(x.address(), rows, k),
                       matrix(numbers, n, k), y.at(), productPartial.at(), productArrived.at(),
                       at(words), visits.at(), meeting, n, k, rows));
    return;
  }
  does(bundle.matmul({std::min(programs, blocks(rows, 128) * blocks(n, 256))}, gpu.stream(),
                     matrix(x.address(), rows, k), matrix(numbers, n, k),
                     matrix(y.address(), rows, n), rows, n, k));
}

void Forward::multiplyFewByFp8(const Memory &x, const Matrix &w, const Memory &y, int rows, int n,
                               int k, uint64_t words, int meeting) {
  for (int first = 0; first < rows; first += narrowRows) {
    const int count = std::min(narrowRows, rows - first);
    const auto rowsOf = [&](const Memory &memory, int width) {
      return memory.address() + static_cast<size_t>(first) * static_cast<size_t>(width) * 2;
    };
    does(bundle.skinny_fp8({gpu.multiprocessors()}, gpu.stream(), matrix(rowsOf(x, k), count, k),
                           matrix(w.numbers.address(), n, k), w.scales.at(), at(rowsOf(y, n)),
                           productPartial.at(), productArrived.at(), at(words), visits.at(),
                           meeting, n, k, count, w.hasBlocks));
  }
}

/// From `normed` to `activated`.
void Forward::activate(const Matrix &w, int rows) {
  const int n = 2 * config.intermediate, k = config.hidden;
  if (rows <= narrowRows && !w.isFp8()) {
    does(bundle.gated({gpu.multiprocessors()}, gpu.stream(), matrix(normed.address(), rows, k),
                      matrix(w.numbers.address(), n, k), activated.at(), productPartial.at(),
                      productArrived.at(), 0, n, k, rows));
    return;
  }
  multiply(normed, w, gateUp, rows, n, k);
  does(bundle.swiglu({unsignedOf(rows), blocks(config.intermediate, columnsOfBlock)}, gpu.stream(),
                     gateUp.at(), activated.at(), config.intermediate));
}

void Forward::attendToPrompts(int number, const Pass &pass, const Inputs &inputs) {
  size_t row = 0;
  for (size_t i = 0; i != pass.prompts.size(); ++i) {
    const PromptPart &part = pass.prompts[i];
    const int keys = part.position + part.length;
    if (part.position != 0)
      does(bundle.collect({blocks(keys, positionsOfPage), unsignedOf(config.keyHeads)},
                          gpu.stream(), collected.at(), at(cacheOf(number, false)),
                          at(cacheOf(number, true)),
                          at(inputs.table + i * static_cast<size_t>(limits.pagesOfSequence) * 4),
                          keys, config.headDim / 2));
    attendToPrompt(part, row);
    row += static_cast<size_t>(part.length);
  }
}

/// The first part of a prompt reads its own rows' keys and values, a later one what was collected.
void Forward::attendToPrompt(const PromptPart &part, size_t row) {
  const int d = config.headDim, width = widthOfHeads(config), outWidth = config.heads * d;
  const int keys = part.position + part.length;
  const float scale = float(std::numbers::log2e / std::sqrt(double(d)));
  auto ofRows = [&](int first, int count) {
    return View(
        queryKeyValue.at((row * static_cast<size_t>(width) + static_cast<size_t>(first * d)) * 2),
        {count, part.length, d}, {d, width, 1});
  };
  auto ofKeys = [&](int number) {
    if (part.position == 0)
      return ofRows(config.heads + number * config.keyHeads, config.keyHeads);
    const size_t before = static_cast<size_t>(number * config.keyHeads) * static_cast<size_t>(keys);
    return View(collected.at(before * static_cast<size_t>(d) * 2), {config.keyHeads, keys, d},
                {int64_t(keys) * d, d, 1});
  };
  const View out(attended.at(row * static_cast<size_t>(outWidth) * 2),
                 {config.heads, part.length, d}, {d, outWidth, 1});
  const unsigned tiles = unsignedOf(config.heads) * blocks(part.length, 128);
  does(bundle.attention({std::min(gpu.multiprocessors(), (tiles + 1) / 2)}, gpu.stream(),
                        ofRows(0, config.heads), ofKeys(0), ofKeys(1), out, scale, config.heads,
                        part.length, keys, config.heads / config.keyHeads, part.position));
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

void Forward::computeLogits(const Memory &rows, int sequences, bool isWhole) {
  const Memory &to = peer ? ownLogits : logits;
  const int width = config.vocabulary / share.count;
  for (int first = 0; first < sequences; first += narrowRows) {
    const int count = std::min(narrowRows, sequences - first);
    const size_t row = static_cast<size_t>(first);
    does(bundle.logits(
        {gpu.multiprocessors()}, gpu.stream(),
        matrix(rows.address() + row * static_cast<size_t>(config.hidden) * 2, count, config.hidden),
        matrix(weights.headAddress(), width, config.hidden),
        to.at(row * static_cast<size_t>(width) * 4), productPartial.at(), productArrived.at(), 0,
        width, config.hidden, count));
  }
  if (peer && isWhole)
    does(bundle.whole({unsignedOf(sequences), blocks(width, columnsOfHalf)}, gpu.stream(),
                      ownLogits.at(), peer->ownLogits.at(), logitMeetings.at(),
                      peer->logitMeetings.at(), logitCounts.at(), logits.at(), width,
                      share.number));
}

void Forward::chooseTokens(const Pass &pass, const Inputs &inputs) {
  const Memory *rows = &normed;
  if (!pass.prompts.empty()) {
    gather(last, normed, inputs.lastRows, pass.sequences, false);
    rows = &last;
  }
  // top-k and top-p are of all logits; the best of each half suffices else.
  const bool isWhole = !peer || pass.isFiltered;
  computeLogits(*rows, pass.sequences, isWhole);
  const unsigned sequences = unsignedOf(pass.sequences);
  if (pass.isFiltered)
    does(bundle.threshold({sequences}, gpu.stream(), logits.at(), at(inputs.temperatures),
                          at(inputs.topPs), at(inputs.topKs), least.at(), config.vocabulary));
  const int width = isWhole ? config.vocabulary : config.vocabulary / share.count;
  does(bundle.best_of_part(
      {sequences, partsOfRow}, gpu.stream(), isWhole ? logits.at() : ownLogits.at(),
      at(inputs.temperatures), pass.isFiltered ? least.at() : nullptr, at(inputs.seeds),
      partValues.at(), partTokens.at(), isWhole ? 0 : width * share.number, width));
  does(bundle.best_of_row({sequences}, gpu.stream(), partValues.at(), partTokens.at(),
                          isWhole ? nullptr : peer->partValues.at(),
                          isWhole ? nullptr : peer->partTokens.at(), logitMeetings.at(),
                          isWhole ? nullptr : peer->logitMeetings.at(), logitCounts.at(),
                          tokens.at(), partsOfRow));
  if (pass.hasLikely)
    findLikely(pass, inputs);
}

/// Of two shares each says this of its own logits.
void Forward::findLikely(const Pass &pass, const Inputs &inputs) {
  const int width = config.vocabulary / share.count;
  does(bundle.likely_of_part({unsignedOf(pass.sequences), unsignedOf(likelyParts())}, gpu.stream(),
                             peer ? ownLogits.at() : logits.at(), at(inputs.likely), tokens.at(),
                             likelyRecords.at(), likelyRecords.at(), width * share.number, width));
}

int Forward::likelyParts() const {
  return static_cast<int>(blocks(config.vocabulary / share.count, columnsOfLikely));
}

} // namespace engine
