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

std::string placeOf(const ptx::SourcePlace &place, llvm::ArrayRef<std::string> files) {
  if (place.file >= files.size() || !place.line)
    return "";
  return llvm::formatv("{0}:{1}", llvm::sys::path::filename(files[place.file]), place.line);
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
std::string partitionOf(llvm::ArrayRef<Partition> partitions, uint32_t warp) {
  std::vector<std::string> names;
  for (const Partition &partition : partitions)
    if (partition.firstWarp <= warp && warp <= partition.lastWarp &&
        !llvm::is_contained(names, partition.name))
      names.push_back(partition.name);
  return llvm::join(names, ", ");
}

} // namespace

void Timeline::show(llvm::ArrayRef<Shown> spans, llvm::ArrayRef<Partition> partitions,
                    llvm::StringRef kernel) {
  std::set<std::pair<uint32_t, std::optional<unsigned>>> named;
  uint32_t first = ctas;
  for (const Shown &span : spans) {
    const uint32_t cta = first + span.cta;
    const unsigned row = span.warp * rowsOfWarp + unsigned(span.kind);
    const bool isCta = span.kind == Span::Kind::Cta;
    const std::string name = nameOf(span.kind).str();
    const std::string partition = isCta ? "" : partitionOf(partitions, span.warp);
    ctas = std::max(ctas, cta + 1);
    if (named.insert({cta, std::nullopt}).second)
      events.push_back(nameEvent("process_name", cta, std::nullopt,
                                 llvm::formatv("{0}, CTA {1}", kernel, span.cta)));
    if (named.insert({cta, row}).second)
      events.push_back(
          nameEvent("thread_name", cta, row,
                    isCta ? "CTA"
                          : llvm::formatv("warp {0}{1}: {2}", span.warp,
                                          partition.empty() ? "" : " (" + partition + ")", name)
                                .str()));
    Object arguments;
    if (!span.place.empty())
      arguments = Object{{"line", span.place}, {"instruction", span.instruction.str()}};
    if (!partition.empty())
      arguments["partition"] = partition;
    events.push_back(Object{{"ph", "X"},
                            {"name", span.place.empty() ? name : name + " " + span.place},
                            {"cat", name},
                            {"pid", cta},
                            {"tid", row},
                            {"ts", microseconds + span.begin},
                            {"dur", span.end - span.begin},
                            {"args", std::move(arguments)}});
  }
  kernels += (kernels.empty() ? "" : ", ") + kernel.str();
}

void Timeline::add(const Predicted &predicted, const Trace &trace, llvm::StringRef kernel) {
  const Prediction &prediction = predicted.prediction;
  std::vector<Shown> spans;
  for (const Span &span : predicted.spans)
    spans.push_back(
        {span.kind, span.cta, span.warp, span.begin / prediction.megahertz,
         span.end / prediction.megahertz,
         span.kind == Span::Kind::Cta ? "" : placeOf(trace.places[span.instruction], trace.files),
         trace.names[span.instruction]});
  show(spans, trace.partitions, kernel);
  chip = prediction.chip->name;
  limit = prediction.limit().str();
  what = "a prediction by gluonc's performance model, no measurement";
  microseconds += prediction.microseconds;
}

void Timeline::add(const MeasuredLaunch &launch, const ptx::TimestampedKernel &timed,
                   llvm::ArrayRef<Partition> partitions, llvm::StringRef kernel,
                   llvm::StringRef device, double taken, std::optional<double> withoutStamps) {
  std::vector<Shown> spans;
  for (const MeasuredSpan &span : launch.spans) {
    const ptx::TimedPlace &place = timed.places[span.place];
    spans.push_back({span.kind, span.cta, span.warp, span.begin, span.end,
                     placeOf(place.source, timed.files), place.instruction});
  }
  show(spans, partitions, kernel);
  chip = device.str();
  limit.clear();
  what = "measured by timestamps in the kernel";
  if (withoutStamps)
    what += llvm::formatv("; {0:f2} us without them", *withoutStamps);
  if (launch.full)
    what += llvm::formatv("; {0} warps had more to record than there is room for", launch.full);
  if (timed.leftOut)
    what += llvm::formatv("; {0} places have none: the kernel has too many", timed.leftOut);
  microseconds += taken;
}

Object Timeline::json() const {
  return Object{{"traceEvents", Array(events)},
                {"displayTimeUnit", "ns"},
                {"otherData", Object{{"kernel", kernels},
                                     {"chip", chip},
                                     {"microseconds", microseconds},
                                     {"limit", limit},
                                     {"what", what}}}};
}

std::string Timeline::file(llvm::StringRef path) const {
  if (path.ends_with(".html"))
    return page();
  return llvm::formatv("{0}\n", llvm::json::Value(json()));
}

} // namespace gluonc::model
