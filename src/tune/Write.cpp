#include "tune/Write.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace gluonc::tune {

std::string conditionText(const Bound &bound, llvm::ArrayRef<std::string> variables) {
  return variables[bound.variable] + (bound.isLower ? " >= " : " < ") + std::to_string(bound.value);
}

namespace {

/// A text of TOML.
std::string quoted(llvm::StringRef text) {
  std::string made = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      made += '\\';
    made += c;
  }
  return made + "\"";
}

/// A value as a manifest has it: numbers and flags as they are, everything else as a text.
std::string valueText(const driver::Word &word) {
  int64_t number;
  if (!llvm::StringRef(word.text).getAsInteger(10, number))
    return word.text;
  if (word.text == "True")
    return "true";
  if (word.text == "False")
    return "false";
  return quoted(word.text);
}

std::string listOf(llvm::ArrayRef<std::string> texts) {
  std::string list;
  for (const std::string &text : texts)
    list += (list.empty() ? "" : ", ") + quoted(text);
  return "[" + list + "]";
}

void writeSettings(const pack::Settings &settings, llvm::raw_ostream &out) {
  const driver::OptionNumbers &numbers = settings.numbers;
  for (auto [key, number] :
       {std::pair("num-warps", numbers.warps), std::pair("num-ctas", numbers.ctas),
        std::pair("num-stages", numbers.stages), std::pair("maxnreg", numbers.registers)})
    if (number)
      out << key << " = " << *number << '\n';
  for (const pack::Argument &argument : settings.arguments)
    out << "arguments." << argument.name.text << " = " << valueText(argument.values.front())
        << '\n';
}

bool holds(const Rule &rule, const Sample &sample) {
  return llvm::all_of(rule.bounds, [&](const Bound &bound) {
    int64_t value = sample.at[bound.variable];
    return bound.isLower ? value >= bound.value : value < bound.value;
  });
}

/// What was measured where a rule decides: "n = 1000: 2.1 us, the first candidate 3.0".
void writeTimes(const Tuned &tuned, size_t number, llvm::raw_ostream &out) {
  const Rule &rule = tuned.rules[number];
  for (const Sample &sample : tuned.launches) {
    bool isEarlier = llvm::any_of(llvm::ArrayRef(tuned.rules).take_front(number),
                                  [&](const Rule &each) { return holds(each, sample); });
    if (isEarlier || !holds(rule, sample))
      continue;
    out << "# ";
    for (auto [variable, value] : llvm::zip(tuned.variables, sample.at))
      out << variable << " = " << value << ", ";
    out << llvm::format("%.2f us", sample.times[rule.candidate]);
    if (rule.candidate && std::isfinite(sample.times.front()))
      out << llvm::format("; the first candidate %.2f", sample.times.front());
    out << '\n';
  }
}

std::string variantsOf(const Tuned &tuned, const target::Target &target, llvm::StringRef device) {
  std::string text;
  llvm::raw_string_ostream out(text);
  std::vector<std::string> others;
  for (const driver::Word &word : tuned.entry->settings.targets)
    if (word.text != target.name())
      others.push_back(word.text);
  bool isOneOfSeveral = !others.empty();
  out << "\n# Found by gluonc tune on " << device << ".\n";
  for (auto [number, rule] : llvm::enumerate(tuned.rules)) {
    writeTimes(tuned, number, out);
    out << "[[kernel.variant]]\n";
    if (isOneOfSeveral)
      out << "targets = " << listOf({target.name()}) << '\n';
    if (!rule.bounds.empty()) {
      std::vector<std::string> conditions;
      for (const Bound &bound : rule.bounds)
        conditions.push_back(conditionText(bound, tuned.variables));
      out << "when = " << listOf(conditions) << '\n';
    }
    writeSettings(tuned.candidates[rule.candidate].settings, out);
    out << '\n';
  }
  if (!isOneOfSeveral)
    return text;
  out << "# Not measured.\n[[kernel.variant]]\ntargets = " << listOf(others) << '\n';
  writeSettings(tuned.candidates.front().settings, out);
  out << '\n';
  return text;
}

/// Where the tables of a kernel end: behind its last line that has something, before the next
/// kernel's.
size_t endOf(llvm::StringRef text, size_t next) {
  llvm::StringRef before = text.take_front(next);
  // Comments and empty lines above the next kernel are the next one's.
  while (!before.empty()) {
    llvm::StringRef rest = before.drop_back(before.ends_with("\n"));
    size_t start = rest.rfind('\n') + 1;
    llvm::StringRef line = rest.substr(start).trim();
    if (!line.empty() && !line.starts_with("#"))
      break;
    before = before.take_front(start);
  }
  return before.size();
}

} // namespace

std::string writeManifest(llvm::StringRef text, llvm::ArrayRef<pack::KernelEntry> kernels,
                          llvm::ArrayRef<Tuned> tuned, const target::Target &target,
                          llvm::StringRef device) {
  // The last kernel first, so that places stay.
  std::string made = text.str();
  if (!made.empty() && made.back() != '\n')
    made += '\n';
  for (const Tuned &each : llvm::reverse(tuned)) {
    const pack::KernelEntry *next = each.entry + 1;
    size_t limit = next == kernels.end() ? made.size() : made.rfind('\n', next->place.begin) + 1;
    size_t end = endOf(made, limit);
    std::string variants = variantsOf(each, target, device);
    // One empty line between tables.
    llvm::StringRef rest = llvm::StringRef(made).substr(end);
    if (rest.starts_with("\n") || rest.empty())
      variants.pop_back();
    made.insert(end, variants);
  }
  return made;
}

} // namespace gluonc::tune
