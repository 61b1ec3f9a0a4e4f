//===- Timeline.h - Spans of a replay as a timeline -----------------------------===//
//
// For Perfetto and chrome://tracing (Chrome's trace event format), and as an HTML page that
// needs nothing else. A process is a CTA, a thread one of its warps and a kind of span.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Measured.h"
#include "model/Prediction.h"

#include "llvm/Support/JSON.h"

namespace gluonc::model {

class Timeline {
public:
  /// A launch, behind those before it. `kernel` is its name.
  void add(const Predicted &predicted, const Trace &trace, llvm::StringRef kernel);
  /// One on a GPU, `chip`, which took so long, and without timestamps, if that was measured.
  void add(const MeasuredLaunch &launch, const ptx::TimestampedKernel &timed,
           llvm::ArrayRef<Partition> partitions, llvm::StringRef kernel, llvm::StringRef chip,
           double microseconds, std::optional<double> withoutStamps);

  /// Nothing was added.
  bool isEmpty() const { return events.empty(); }
  llvm::json::Object json() const;
  /// A page that shows it.
  std::string page() const;
  /// The one or the other, as the name of its file ends.
  std::string file(llvm::StringRef path) const;

private:
  /// What a row shows, in microseconds since its launch began.
  struct Shown {
    Span::Kind kind = Span::Kind::Cta;
    uint32_t cta = 0, warp = 0;
    double begin = 0, end = 0;
    /// "attention.py:195"; empty where nobody says.
    std::string place;
    /// Of a region: its name.
    llvm::StringRef instruction;
  };
  void show(llvm::ArrayRef<Shown> spans, llvm::ArrayRef<Partition> partitions,
            llvm::StringRef kernel);

  llvm::json::Array events;
  /// Of all launches: their names, the last one's limit, and where the next one begins.
  std::string kernels, chip, limit, what;
  double microseconds = 0;
  uint32_t ctas = 0;
};

} // namespace gluonc::model
