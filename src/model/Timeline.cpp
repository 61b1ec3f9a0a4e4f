#include "model/Timeline.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
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
  Object event{
      {"ph", "M"}, {"name", what}, {"pid", cta}, {"args", Object{{"name", std::move(name)}}}};
  if (row)
    event["tid"] = *row;
  return event;
}

/// Partitions that a warp runs, one after another: "load".
std::string partitionOf(const Trace &trace, uint32_t warp) {
  std::vector<std::string> names;
  for (const Partition &partition : trace.partitions)
    if (partition.firstWarp <= warp && warp <= partition.lastWarp &&
        !llvm::is_contained(names, partition.name))
      names.push_back(partition.name);
  return llvm::join(names, ", ");
}

std::string rowName(const Trace &trace, const Span &span) {
  if (span.kind == Span::Kind::Cta)
    return "CTA";
  std::string partition = partitionOf(trace, span.warp);
  if (!partition.empty())
    partition = " (" + partition + ")";
  return llvm::formatv("warp {0}{1}: {2}", span.warp, partition, nameOf(span.kind));
}

} // namespace

void Timeline::add(const Predicted &predicted, const Trace &trace, llvm::StringRef kernel) {
  const Prediction &prediction = predicted.prediction;
  std::set<std::pair<uint32_t, std::optional<unsigned>>> named;
  uint32_t first = ctas;
  for (const Span &span : predicted.spans) {
    uint32_t cta = first + span.cta;
    ctas = std::max(ctas, cta + 1);
    if (named.insert({cta, std::nullopt}).second)
      events.push_back(nameEvent("process_name", cta, std::nullopt,
                                 llvm::formatv("{0}, CTA {1}", kernel, span.cta)));
    if (named.insert({cta, rowOf(span)}).second)
      events.push_back(nameEvent("thread_name", cta, rowOf(span), rowName(trace, span)));
    std::string place = placeOf(trace, span), name = nameOf(span.kind).str();
    Object arguments;
    if (!place.empty())
      arguments = Object{{"line", place}, {"instruction", trace.names[span.instruction]}};
    if (std::string partition = partitionOf(trace, span.warp);
        !partition.empty() && span.kind != Span::Kind::Cta)
      arguments["partition"] = std::move(partition);
    events.push_back(Object{{"ph", "X"},
                            {"name", place.empty() ? name : name + " " + place},
                            {"cat", nameOf(span.kind)},
                            {"pid", cta},
                            {"tid", rowOf(span)},
                            {"ts", microseconds + span.begin / prediction.megahertz},
                            {"dur", (span.end - span.begin) / prediction.megahertz},
                            {"args", std::move(arguments)}});
  }
  kernels += (kernels.empty() ? "" : ", ") + kernel.str();
  chip = prediction.chip->name;
  limit = prediction.limit().str();
  microseconds += prediction.microseconds;
}

Object Timeline::json() const {
  return Object{{"traceEvents", Array(events)},
                {"displayTimeUnit", "ns"},
                {"otherData",
                 Object{{"kernel", kernels},
                        {"chip", chip},
                        {"microseconds", microseconds},
                        {"limit", limit},
                        {"what", "a prediction by gluonc's performance model, no measurement"}}}};
}

std::string Timeline::file(llvm::StringRef path) const {
  if (path.ends_with(".html"))
    return page();
  return llvm::formatv("{0}\n", llvm::json::Value(json()));
}

} // namespace gluonc::model
