//===- Forward.h - The launches of one step -------------------------------------===//
//
// One pass of rows through the model: a row is a token of a sequence. Either all rows are parts of
// prompts, one behind the other, whose attention reads what the pass itself computes and, behind a
// prompt's first part, what the cache has; or every row is the newest token of a sequence, whose
// attention reads the cache. Everything goes to the
// device's stream; inputs are read from device memory when the kernels run, so a pass can be
// recorded as a graph.
//
// Two GPUs with half of the weights each run the same passes side by side, and each pass of one
// waits for the other's. Products with few rows write what they give into the other GPU's memory,
// too, as words that carry the visit's number; kernels behind wait for the words. Of those with
// many rows the other GPU reads what they left, after both have met in counters of each other's
// memory.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Model.h"
#include "Weights.h"
#include "kernels.h"

namespace engine {

constexpr int positionsOfPage = 64;
/// Rows of the narrow products, and of logits at a time.
constexpr int narrowRows = 64;
/// Rows that are multiplied with matrices of fp8 as they are, `narrowRows` at a time; for more a
/// matrix is widened first.
constexpr int mostRowsByFp8 = 256;

struct Limits {
  int rows = 0;      // of a pass
  int sequences = 0; // of a pass
  int pages = 0;     // of the cache
  int pagesOfSequence = 0;
  bool hasFp8 = false; // matrices of weights
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
  uint64_t likely = 0; // i32: how many likely tokens; -1: no probability
};

/// Rows of a prompt, behind `position` ones that the cache has already.
struct PromptPart {
  int length = 0, position = 0;
};

struct Pass {
  int rows = 0;
  int sequences = 0;
  /// Empty: each row is the newest token of a sequence.
  std::span<const PromptPart> prompts;
  /// Whether some sequence has top-k or top-p.
  bool isFiltered = false;
  /// Whether some sequence wants probabilities.
  bool hasLikely = false;
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
  /// Records of what the share's logits say of probabilities (Likelihood.h), after passes that have
  /// them; likelyParts() for each sequence of the pass.
  uint64_t likely() const { return likelyRecords.address(); }
  int likelyParts() const;

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
  /// y = x w^T, for n rows and k columns of w. `words` and `meeting`: where the other share wants a
  /// copy, and which one; 0: nowhere.
  void multiply(const Memory &x, const Matrix &w, const Memory &y, int rows, int n, int k,
                uint64_t words = 0, int meeting = 0);
  void multiplyFewByFp8(const Memory &x, const Matrix &w, const Memory &y, int rows, int n, int k,
                        uint64_t words, int meeting);
  void activate(const Matrix &w, int rows);
  void attendToPrompts(int number, const Pass &pass, const Inputs &inputs);
  void attendToPrompt(const PromptPart &part, size_t row);
  void attendToCache(int number, const Pass &pass, const Inputs &inputs);
  void chooseTokens(const Pass &pass, const Inputs &inputs);
  void findLikely(const Pass &pass, const Inputs &inputs);
  /// What a layer adds to the residual: behind attention, and behind the rest.
  enum class Sum { Attention, Rest };
  struct Added {
    int layer = -1; // none
    Sum sum = Sum::Rest;
    int meeting() const { return 2 * layer + (sum == Sum::Rest ? 1 : 0); }
  };
  const Memory &deltaOf(Sum sum) const { return sum == Sum::Attention ? attentionDelta : delta; }
  const Memory &wordsOf(Sum sum) const { return sum == Sum::Attention ? attentionWords : words; }
  /// What the layer adds is x w^T.
  void multiplyToAdd(const Memory &x, const Matrix &w, Added to, int rows, int k);

  /// Rows of `hidden` numbers; `begins`: what comes is a new pass.
  void gather(const Memory &to, const Memory &from, uint64_t rows, int count, bool begins);
  /// Adds what was added and, of two shares, the other's.
  void normalize(Added added, const Memory &weight, int rows);
  /// The share's logits, of two; of all with `isWhole`.
  void computeLogits(const Memory &rows, int sequences, bool isWhole);
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
  Memory collected; // keys and values of a sequence
  Memory widened;   // a matrix of fp8 in bfloat16
  // What is added behind attention, and behind the rest of a layer: while one is written, the other
  // GPU may still read the other.
  Memory attentionDelta, delta;
  Memory last, logits, ownLogits, least, partValues, partTokens, tokens; // sequences
  Memory likelyRecords;
  // Where two GPUs meet: counters that the other one writes, and how often this one was there.
  Memory rowMeetings, rowCounts, logitMeetings, logitCounts;
  // What the other one's products with few rows write, and the number of the last pass's first
  // visit.
  Memory attentionWords, words, visits;
  // What programs leave unfinished, and who came.
  Memory productPartial, productArrived, attentionPartial, attentionArrived;
};

} // namespace engine
