#include "model/Timeline.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <set>

namespace gluonc::model {

using llvm::json::Array;
using llvm::json::Object;

namespace {

/// A row of a CTA: its warps one after another, each with a row for every kind of span.
constexpr unsigned rowsOfWarp = 8;

unsigned rowOf(const Span &span) { return span.warp * rowsOfWarp + unsigned(span.kind); }

std::string placeOf(const Trace &trace, const Span &span) {
  const ptx::SourcePlace &place = trace.places[span.instruction];
  if (span.kind == Span::Kind::Cta || place.file >= trace.files.size() || !place.line)
    return "";
  return llvm::formatv("{0}:{1}", llvm::sys::path::filename(trace.files[place.file]), place.line);
}

Object nameEvent(llvm::StringRef what, uint32_t cta, std::optional<unsigned> row,
                 std::string name) {
  Object event{{"ph", "M"}, {"name", what}, {"pid", cta}, {"args", Object{{"name", std::move(name)}}}};
  if (row)
    event["tid"] = *row;
  return event;
}

std::string rowName(const Span &span) {
  if (span.kind == Span::Kind::Cta)
    return "CTA";
  return llvm::formatv("warp {0}: {1}", span.warp, nameOf(span.kind));
}

} // namespace

Object timelineOf(const Predicted &predicted, const Trace &trace, llvm::StringRef kernel) {
  const Prediction &prediction = predicted.prediction;
  Array events;
  std::set<std::pair<uint32_t, std::optional<unsigned>>> named;
  for (const Span &span : predicted.spans) {
    if (named.insert({span.cta, std::nullopt}).second)
      events.push_back(nameEvent("process_name", span.cta, std::nullopt,
                                 llvm::formatv("CTA {0}", span.cta)));
    if (named.insert({span.cta, rowOf(span)}).second)
      events.push_back(nameEvent("thread_name", span.cta, rowOf(span), rowName(span)));
    std::string place = placeOf(trace, span);
    Object arguments;
    if (!place.empty())
      arguments = Object{{"line", place}, {"instruction", trace.names[span.instruction]}};
    std::string name = nameOf(span.kind).str();
    events.push_back(Object{{"ph", "X"},
                            {"name", place.empty() ? name : name + " " + place},
                            {"cat", nameOf(span.kind)},
                            {"pid", span.cta},
                            {"tid", rowOf(span)},
                            {"ts", span.begin / prediction.megahertz},
                            {"dur", (span.end - span.begin) / prediction.megahertz},
                            {"args", std::move(arguments)}});
  }
  return Object{{"traceEvents", std::move(events)},
                {"displayTimeUnit", "ns"},
                {"otherData",
                 Object{{"kernel", kernel},
                        {"chip", prediction.chip->name},
                        {"microseconds", prediction.microseconds},
                        {"limit", prediction.limit()},
                        {"what", "a prediction by gluonc's performance model, no measurement"}}}};
}

} // namespace gluonc::model
