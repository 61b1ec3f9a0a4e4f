#include "model/Timeline.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <map>
#include <set>

namespace gluonc::model {

using llvm::json::Array;
using llvm::json::Object;

namespace {

/// A row of a CTA: its warps one after another, each with a row for every kind of span. Regions,
/// which nest and overlap, have as many as they need.
constexpr unsigned rowsOfWarp = 16;

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
  // Where the latest region of a row ends: those of a warp come in the order of their ends.
  std::map<std::pair<uint32_t, unsigned>, double> ends;
  uint32_t first = ctas;
  for (const Shown &span : spans) {
    const uint32_t cta = first + span.cta;
    const bool isCta = span.kind == Span::Kind::Cta, isRegion = span.kind == Span::Kind::Region;
    unsigned row = span.warp * rowsOfWarp + unsigned(span.kind);
    if (isRegion) {
      while (row % rowsOfWarp != rowsOfWarp - 1 && span.begin < ends[{cta, row}])
        ++row;
      ends[{cta, row}] = span.end;
    }
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
      arguments["line"] = span.place;
    if (!span.place.empty() && !isRegion)
      arguments["instruction"] = span.instruction.str();
    if (!partition.empty())
      arguments["partition"] = partition;
    events.push_back(Object{{"ph", "X"},
                            {"name", isRegion             ? span.instruction.str()
                                     : span.place.empty() ? name
                                                          : name + " " + span.place},
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
  for (const Span &span : predicted.spans) {
    llvm::StringRef name = trace.names[span.instruction];
    if (span.kind == Span::Kind::Region)
      name = trace.scopes[trace.code[span.instruction].left / 2];
    spans.push_back(
        {span.kind, span.cta, span.warp, span.begin / prediction.megahertz,
         span.end / prediction.megahertz,
         span.kind == Span::Kind::Cta ? "" : placeOf(trace.places[span.instruction], trace.files),
         name});
  }
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
