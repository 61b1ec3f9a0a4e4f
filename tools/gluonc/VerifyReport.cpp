#include "VerifyReport.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>

namespace gluonc::tool {

/// "k.py:8:9", or nothing.
static std::string placeText(const diag::Span &span) {
  if (!span.file)
    return "";
  diag::LineColumn at = span.file->position(span.begin);
  return (llvm::Twine(span.file->path()) + ":" + llvm::Twine(at.line) + ":" +
          llvm::Twine(at.column))
      .str();
}

static std::string number(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.4g", value);
  return text;
}

static std::string allowedText(const driver::AllowedDifference &allowed) {
  std::string text = number(allowed.ulp) + " ulp";
  if (allowed.close.relative || allowed.close.absolute)
    text += ", or " + number(allowed.close.absolute) + " + " + number(allowed.close.relative) +
            " of the value";
  return text;
}

static void printTensor(const ComparedTensor &each, llvm::StringRef reference,
                        llvm::raw_ostream &out) {
  const driver::TensorDifference &difference = each.difference;
  out << each.tensor << ", " << each.execution << ": ";
  if (!difference.largestUlp) {
    out << "equal\n";
    return;
  }
  out << "largest difference " << number(difference.largestUlp) << " ulp, "
      << number(difference.largestAbsolute) << "; allowed " << allowedText(each.allowed) << '\n';
  if (!difference.differing)
    return;
  out << "  " << difference.differing << " of " << difference.elements << " elements differ, first "
      << host::shapeText(difference.index) << ": " << difference.found << " (" << each.execution
      << "), " << difference.expected << " (" << reference << ")\n";
}

static void printInexact(const VerifyReport &report, llvm::raw_ostream &out) {
  if (report.inexact.empty())
    return;
  out << "not the same to the last bit in machine code (docs/accuracy.md):\n";
  for (const driver::InexactOperation &each : report.inexact) {
    std::string place = placeText(each.place);
    out << "  " << (place.empty() ? "" : place + ": ") << each.what;
    if (each.ulp)
      out << ", " << number(*each.ulp) << " ulp";
    out << '\n';
  }
}

/// The schedule that failed, as a timeline: who does what, in the order in which it is done.
static void printSchedule(const VerifyReport &report, llvm::raw_ostream &out) {
  if (report.schedules)
    out << report.schedules << (report.schedules == 1 ? " schedule" : " schedules")
        << " of the simulator" << (report.areAllSchedules ? ", all there are" : "");
  if (report.cutSchedules)
    out << "; " << report.cutSchedules << " more were left half-way";
  if (report.schedules)
    out << '\n';
  if (report.schedule.empty())
    return;
  size_t width = 0;
  for (const sim::Schedule::Step &step : report.steps)
    width = std::max(width, step.who.size());
  out << "schedule " << report.schedule << ":\n";
  for (const sim::Schedule::Step &step : report.steps)
    out << "  " << llvm::left_justify(step.who, static_cast<unsigned>(width)) << "  "
        << step.operation << "  " << step.where << '\n';
}

void printText(const VerifyReport &report, llvm::raw_ostream &out) {
  out << report.kernel << " as for " << report.target << ": " << llvm::join(report.executions, ", ")
      << '\n';
  for (const auto &[execution, why] : report.absent)
    out << "not run: " << execution << ": " << why << '\n';
  printInexact(report, out);
  for (const ComparedTensor &each : report.tensors)
    printTensor(each, report.executions.front(), out);
  for (const std::string &execution : report.faulted)
    out << execution << ": stopped at a fault\n";
  printSchedule(report, out);
  if (!report.failed()) {
    out << (report.executions.size() < 2 ? "nothing to compare with" : "all agree") << ", "
        << report.rounds << (report.rounds == 1 ? " round\n" : " rounds\n");
    return;
  }
  out << "round " << report.rounds << " fails; the same again:\n  " << report.repeat << '\n';
}

/// JSON has no infinity.
static llvm::json::Value numberJson(double value) {
  return std::isfinite(value) ? llvm::json::Value(value) : llvm::json::Value("inf");
}

static llvm::json::Object tensorJson(const ComparedTensor &each) {
  const driver::TensorDifference &difference = each.difference;
  llvm::json::Object object{
      {"tensor", each.tensor},
      {"execution", each.execution},
      {"elements", difference.elements},
      {"differing", difference.differing},
      {"largest_ulp", numberJson(difference.largestUlp)},
      {"largest_absolute", numberJson(difference.largestAbsolute)},
      {"allowed", llvm::json::Object{{"ulp", each.allowed.ulp},
                                     {"relative", each.allowed.close.relative},
                                     {"absolute", each.allowed.close.absolute}}}};
  if (difference.differing)
    object["first"] = llvm::json::Object{{"index", llvm::json::Array(difference.index)},
                                         {"expected", difference.expected},
                                         {"found", difference.found}};
  return object;
}

llvm::json::Value toJson(const VerifyReport &report) {
  llvm::json::Array absent, inexact, tensors;
  for (const auto &[execution, why] : report.absent)
    absent.push_back(llvm::json::Object{{"execution", execution}, {"why", why}});
  for (const driver::InexactOperation &each : report.inexact)
    inexact.push_back(llvm::json::Object{
        {"operation", each.what},
        {"place", placeText(each.place)},
        {"ulp", each.ulp ? llvm::json::Value(*each.ulp) : llvm::json::Value(nullptr)}});
  for (const ComparedTensor &each : report.tensors)
    tensors.push_back(tensorJson(each));
  llvm::json::Object object{{"kernel", report.kernel},
                            {"target", report.target},
                            {"executions", llvm::json::Array(report.executions)},
                            {"not_run", std::move(absent)},
                            {"inexact", std::move(inexact)},
                            {"rounds", report.rounds},
                            {"agree", !report.failed()},
                            {"tensors", std::move(tensors)},
                            {"faulted", llvm::json::Array(report.faulted)}};
  if (report.schedules)
    object["schedules"] = llvm::json::Object{{"tried", report.schedules},
                                             {"left", report.cutSchedules},
                                             {"all", report.areAllSchedules}};
  if (!report.failed())
    return object;
  llvm::json::Array steps;
  for (const sim::Schedule::Step &step : report.steps)
    steps.push_back(llvm::json::Object{
        {"who", step.who}, {"operation", step.operation}, {"place", step.where}});
  if (!report.schedule.empty()) {
    object["schedule"] = report.schedule;
    object["steps"] = std::move(steps);
  }
  llvm::json::Object arguments;
  for (const driver::ArgumentText &argument : report.arguments)
    arguments[argument.name] = argument.value;
  object["arguments"] = std::move(arguments);
  object["repeat"] = report.repeat;
  return object;
}

} // namespace gluonc::tool
