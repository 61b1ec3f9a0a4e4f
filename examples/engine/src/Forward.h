//===- Forward.h - The launches of one step -------------------------------------===//
//
// One pass of rows through the model: a row is a token of a sequence. Either all rows are whole
// prompts, one behind the other, whose attention reads what the pass itself computes; or every row
// is the newest token of a sequence, whose attention reads the cache. Everything goes to the
// device's stream; inputs are read from device memory when the kernels run, so a pass can be
// recorded as a graph.
//
// Two GPUs with half of the weights each run the same passes side by side. Kernels of one read what
// the other's products left, after both have met in counters of each other's memory; so each pass
// of one waits for the other's.
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
  /// `config` is of the share.
  static Expected<Forward> create(Gpu &gpu, const kernels::Bundle &bundle,
                                  const ModelConfig &config, const Weights &weights,
                                  const Limits &limits, const Share &share);
  /// The one of the other share, whose memory this one's GPU reaches.
  void meet(const Forward &other) { peer = &other; }

  Expected<void> run(const Pass &pass, const Inputs &inputs);
  /// i32: the token after each sequence of the pass.
  uint64_t chosen() const { return tokens.address(); }

  /// Bytes that a page takes, of all layers.
  static size_t bytesOfPage(const ModelConfig &config);
  /// Bytes of everything else that create() allocates.
  static size_t bytesOfRest(const ModelConfig &config, const Limits &limits, const Share &share,
                            unsigned programs);

private:
  struct Size;
  static std::vector<Size> sizes(const ModelConfig &config, const Limits &limits,
                                 const Share &share, unsigned programs);

  Forward(Gpu &gpu, const kernels::Bundle &bundle, const ModelConfig &config,
          const Weights &weights, const Limits &limits, const Share &share)
      : gpu(gpu), bundle(bundle), config(config), weights(weights), limits(limits), share(share) {}

  void layer(int number, const Pass &pass, const Inputs &inputs);
  void multiply(const Memory &x, uint64_t w, const Memory &y, int rows, int n, int k);
  void activate(uint64_t w, int rows);
  void attendToPrompts(const Pass &pass);
  void attendToCache(int number, const Pass &pass, const Inputs &inputs);
  void chooseTokens(const Pass &pass, const Inputs &inputs);
  /// Rows of `hidden` numbers.
  void gather(const Memory &to, const Memory &from, uint64_t rows, int count);
  /// Adds `delta` and, of two shares, the other's.
  void normalize(Memory Forward::*delta, const Memory &weight, int rows);
  void computeLogits(const Memory &rows, int sequences);
  uint64_t cacheOf(int number, bool ofValues) const;
  /// Keeps the first failure.
  void does(const gluonc::rt::Expected<gluonc::rt::Done> &done);

  Gpu &gpu;
  const kernels::Bundle &bundle;
  const ModelConfig &config;
  const Weights &weights;
  Limits limits;
  Share share;
  const Forward *peer = nullptr;
  std::string failure;

  Memory cache;
  Memory residual, normed, queryKeyValue, queries, attended, gateUp, activated; // rows
  // What is added behind attention, and behind the rest of a layer: while one is written, the other
  // GPU may still read the other.
  Memory attentionDelta, delta;
  Memory last, logits, ownLogits, least, partValues, partTokens, tokens; // sequences
  // Where two GPUs meet: counters that the other one writes, and how often this one was there.
  Memory rowMeetings, rowVisits, logitMeetings, logitVisits;
  // What programs leave unfinished, and who came.
  Memory productPartial, productArrived, attentionPartial, attentionArrived;
};

} // namespace engine
