//===- Forward.h - The launches of one step -------------------------------------===//
//
// One pass of rows through the model: a row is a token of a sequence. Either all rows are whole prompts,
// one behind the other, whose attention reads what the pass itself computes; or every row is the newest
// token of a sequence, whose attention reads the cache. Everything goes to the device's stream; inputs are
// read from device memory when the kernels run, so a pass can be recorded as a graph.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Weights.h"
#include "kernels.h"

namespace engine {

constexpr int positionsOfPage = 64;
/// Rows of the narrow products, and of logits at a time.
constexpr int narrowRows = 64;

struct Limits {
  int rows = 0;      // of a pass
  int sequences = 0; // of a pass
  int pages = 0;     // of the cache
  int pagesOfSequence = 0;
};

/// Addresses of a step's inputs on the device.
struct Inputs {
  // One for each row:
  uint64_t tokens = 0, positions = 0, slots = 0; // i32; slots: page * 64 + position in it, or -1
  // One for each sequence:
  uint64_t lastRows = 0; // i32, of prompts: where its last token is
  uint64_t lengths = 0;  // i32, of newest tokens: positions with this one; 0: no sequence
  uint64_t table = 0;    // i32, pagesOfSequence each
  uint64_t temperatures = 0, topPs = 0, topKs = 0, seeds = 0; // fp32, fp32, i32, i64
};

struct Pass {
  int rows = 0;
  int sequences = 0;
  /// Lengths of the prompts; empty: each row is the newest token of a sequence.
  std::span<const int> prompts;
  /// Whether some sequence has top-k or top-p.
  bool isFiltered = false;
};

class Forward {
public:
  static Expected<Forward> create(Gpu &gpu, const kernels::Bundle &bundle,
                                  const ModelConfig &config, const Weights &weights,
                                  const Limits &limits);

  Expected<void> run(const Pass &pass, const Inputs &inputs);
  /// i32: the token after each sequence of the pass.
  uint64_t chosen() const { return tokens.address(); }

  /// Bytes that a page takes, of all layers.
  static size_t bytesOfPage(const ModelConfig &config);
  /// Bytes of everything else that create() allocates.
  static size_t bytesOfRest(const ModelConfig &config, const Limits &limits, unsigned programs);

private:
  Forward(Gpu &gpu, const kernels::Bundle &bundle, const ModelConfig &config,
          const Weights &weights, const Limits &limits)
      : gpu(gpu), bundle(bundle), config(config), weights(weights), limits(limits) {}

  void layer(int number, const Pass &pass, const Inputs &inputs);
  void multiply(const Memory &x, uint64_t w, const Memory &y, int rows, int n, int k);
  void attendToPrompts(const Pass &pass);
  void attendToCache(int number, const Pass &pass, const Inputs &inputs);
  void chooseTokens(const Pass &pass, const Inputs &inputs);
  void normalize(const Memory *delta, const Memory &weight, int rows);
  uint64_t cacheOf(int number, bool ofValues) const;
  /// Keeps the first failure.
  void does(const gluonc::rt::Expected<gluonc::rt::Done> &done);

  Gpu &gpu;
  const kernels::Bundle &bundle;
  const ModelConfig &config;
  const Weights &weights;
  Limits limits;
  std::string failure;

  Memory cache;
  Memory residual, normed, queryKeyValue, queries, attended, delta, gateUp, activated; // rows
  Memory last, logits, least, partValues, partTokens, tokens;                          // sequences
  // What programs leave unfinished, and who came.
  Memory productPartial, productArrived, attentionPartial, attentionArrived;
};

} // namespace engine
