//===- Timeline.h - Spans of a replay as a timeline -----------------------------===//
//
// For Perfetto and chrome://tracing (Chrome's trace event format), and as an HTML page that
// needs nothing else. A process is a CTA, a thread one of its warps and a kind of span.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Prediction.h"

#include "llvm/Support/JSON.h"

namespace gluonc::model {

/// `kernel` is its name. Times are microseconds from the first CTA on.
llvm::json::Object timelineOf(const Predicted &predicted, const Trace &trace,
                              llvm::StringRef kernel);

/// A page that shows such a timeline.
std::string timelinePage(const llvm::json::Object &timeline);

} // namespace gluonc::model
