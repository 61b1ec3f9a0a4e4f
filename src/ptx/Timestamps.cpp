#include "ptx/Timestamps.h"

#include "ptx/Scopes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

namespace gluonc::ptx {

namespace {

using What = TimedPlace::What;

/// What to record of an instruction; nothing of most.
std::optional<TimedPlace> timedPlaceOf(const Instruction &instruction, bool hasPartitions,
                                       llvm::ArrayRef<std::string> scopes) {
  TimedPlace place;
  llvm::StringRef name = instruction.name;
  place.source = instruction.source;
  if (std::optional<ScopeBorder> border = scopeBorderOf(instruction)) {
    if (border->number >= scopes.size())
      return std::nullopt;
    place.what = border->ends ? What::Exit : What::Enter;
    place.instruction = scopes[border->number];
    return place;
  }
  if (name == "wgmma" && instruction.has("commit_group")) {
    place.what = What::Group;
  } else if (name == "wgmma" && instruction.has("wait_group")) {
    place.what = What::GroupWait;
    place.pending = instruction.operands.empty() ? 0 : unsigned(instruction.operands[0].value);
  } else {
    bool waits = (name == "mbarrier" && instruction.has("try_wait")) ||
                 (name == "cp" && (instruction.has("wait_group") || instruction.has("wait_all"))) ||
                 ((name == "bar" || name == "barrier") &&
                  (instruction.has("sync") || instruction.has("wait")) &&
                  (!hasPartitions || instruction.operands.size() < 2)) ||
                 (name == "griddepcontrol" && instruction.has("wait"));
    if (!waits)
      return std::nullopt;
  }
  place.instruction = llvm::join_items(".", name, llvm::join(instruction.modifiers, "."));
  return place;
}

class Writer {
public:
  Writer(const Function &kernel, unsigned warps, llvm::StringRef text)
      : kernel(kernel), warps(warps), hasPartitions(text.contains("\n// warps ")),
        scopes(scopeNames(text)) {
    text.split(lines, '\n');
    parameter = llvm::formatv("{0}_param_{1}", kernel.name, kernel.parameters.size() - 1);
  }

  TimestampedKernel write() {
    made.warps = warps;
    made.places.emplace_back();
    made.stretches.emplace_back();
    for (const Instruction &instruction : kernel.code) {
      if (instruction.name == "ret" || instruction.name == "exit")
        before[instruction.line] += place() + header(16);
      else if (std::optional<TimedPlace> timed = timedPlaceOf(instruction, hasPartitions, scopes))
        add(instruction.line, std::move(*timed));
    }
    writeStretch();
    const unsigned begin = firstLine();
    before[begin] = declarations() + place() + header(0) + first() + before[begin];
    for (auto [index, line] : llvm::enumerate(lines)) {
      made.ptx += before[unsigned(index) + 1];
      // Borders of regions are read off the clock, which tells as much.
      made.ptx += line.ltrim().starts_with("pmevent.mask ") ? "" : line;
      made.ptx += index + 1 == lines.size() ? "" : "\n";
      made.ptx += behind[unsigned(index) + 1];
    }
    return std::move(made);
  }

private:
  llvm::StringRef line(unsigned number) const { return lines[number - 1].trim(); }

  /// Behind the brace that opens the kernel.
  unsigned firstLine() const {
    unsigned number = 1;
    while (!line(number).contains((".entry " + kernel.name + "(")))
      ++number;
    while (line(number) != "{")
      ++number;
    return number + 1;
  }

  std::string declarations() const {
    return llvm::formatv(
        "\t.reg .b32 \t%stamp_low, %stamp_high, %stamp_last, %stamp_begin, %stamp_end<{0}>;\n"
        "\t.reg .b64 \t%stamp_address, %stamp_wide;\n"
        "\t.reg .pred \t%stamp_records;\n",
        made.longestStretch());
  }

  /// Where this warp records, and whether this lane does it.
  std::string place() const {
    std::string text = "\tmov.u32 \t%stamp_last, %ctaid.z;\n";
    for (char dim : {'y', 'x'})
      text += llvm::formatv("\tmov.u32 \t%stamp_end0, %nctaid.{0};\n"
                            "\tmov.u32 \t%stamp_begin, %ctaid.{0};\n"
                            "\tmad.lo.u32 \t%stamp_last, %stamp_last, %stamp_end0, %stamp_begin;\n",
                            dim);
    return text + llvm::formatv(
                      "\tmov.u32 \t%stamp_begin, %tid.x;\n"
                      "\tand.b32 \t%stamp_end0, %stamp_begin, 31;\n"
                      "\tsetp.lt.u32 \t%stamp_records, %stamp_last, {0};\n"
                      "\tsetp.eq.and.u32 \t%stamp_records, %stamp_end0, 0, %stamp_records;\n"
                      "\tshr.u32 \t%stamp_begin, %stamp_begin, 5;\n"
                      "\tmad.lo.u32 \t%stamp_last, %stamp_last, {1}, %stamp_begin;\n"
                      "\tmul.wide.u32 \t%stamp_wide, %stamp_last, {2};\n"
                      "\tld.param.b64 \t%stamp_address, [{3}];\n"
                      "\tadd.s64 \t%stamp_address, %stamp_address, %stamp_wide;\n",
                      TimestampedKernel::mostCtas, warps, TimestampedKernel::bytesOfWarp, parameter)
                      .str();
  }

  /// Behind `place`: one half of the header.
  static std::string header(unsigned offset) {
    return llvm::formatv("\tmov.u64 \t%stamp_wide, %globaltimer;\n"
                         "\tmov.u32 \t%stamp_begin, %clock;\n"
                         "\t@%stamp_records st.global.b64 \t[%stamp_address+{0}], %stamp_wide;\n"
                         "\t@%stamp_records st.global.b32 \t[%stamp_address+{1}], %stamp_begin;\n",
                         offset, offset + 8);
  }

  /// Behind `place`: the addresses of the next record and of the last one behind which there is
  /// room for any stretch, which differ in their lower halves alone. Those of lanes that do not
  /// record are the wrong way round.
  std::string first() const {
    std::string text =
        llvm::formatv("\tadd.s64 \t%stamp_address, %stamp_address, {0};\n", sizeof(RecordHeader));
    text += "\tmov.b64 \t{%stamp_low, %stamp_high}, %stamp_address;\n";
    return text + llvm::formatv("\tadd.u32 \t%stamp_last, %stamp_low, {0};\n"
                                "\tselp.b32 \t%stamp_last, %stamp_last, 0, %stamp_records;\n"
                                "\tselp.b32 \t%stamp_low, %stamp_low, 8, %stamp_records;\n",
                                TimestampedKernel::bytesOfWarp - sizeof(RecordHeader) -
                                    made.longestStretch() * sizeof(Record))
                      .str();
  }

  /// Lines that are timed as one.
  struct Timed {
    unsigned first = 0, last = 0;
    uint32_t place = 0;
    bool isMoment = false;
    /// Where what is before it ends: no more than a few instructions lie between.
    bool beginsThere = false;
  };

  /// What stands in inline assembly is timed from outside: there it may be a loop.
  void add(unsigned number, TimedPlace place) {
    Timed timed = {number, number, 0, place.isMoment()};
    while (timed.first > 1 && !isBorder(timed.first))
      --timed.first;
    if (line(timed.first) == "// begin inline asm")
      while (line(timed.last) != "// end inline asm")
        ++timed.last;
    else
      timed.first = number;
    // The first one of a piece of assembly stands for all.
    if (!stretch.empty() && stretch.back().last >= timed.last)
      return;
    if (stretch.empty() || stretch.size() == longest || !isStraight(timed))
      writeStretch();
    timed.place = uint32_t(llvm::find(made.places, place) - made.places.begin());
    if (timed.place == made.places.size())
      made.places.push_back(std::move(place));
    stretch.push_back(timed);
  }

  bool isBorder(unsigned number) const {
    return line(number) == "// begin inline asm" || line(number) == "// end inline asm";
  }

  /// Whether whoever passes what was timed before comes to `timed` next; says whether it is near.
  bool isStraight(Timed &timed) const {
    bool isInside = false, isNear = true;
    unsigned count = 0;
    for (unsigned number = stretch.back().last + 1; number < timed.first; ++number) {
      llvm::StringRef text = line(number);
      if (isBorder(number))
        isInside = text == "// begin inline asm";
      if (text.empty() || text.starts_with("//") || text.starts_with("."))
        continue;
      if (text.starts_with("@"))
        text = text.drop_front(std::min(text.size(), text.find_first_of(" \t"))).ltrim();
      llvm::StringRef name = text.take_while([](char c) { return llvm::isAlnum(c); });
      ++count;
      isNear &= !llvm::is_contained({"wgmma", "bar", "barrier", "mbarrier", "cp", "fence"}, name);
      const bool isLabel = text.ends_with(":") && !text.starts_with("$L__tmp");
      if (!isInside && (isLabel || llvm::is_contained({"bra", "brx", "ret", "exit", "call"}, name)))
        return false;
    }
    timed.beginsThere = isNear && count <= near && !timed.isMoment;
    return true;
  }

  /// Ends the stretch: now it is known what its records are.
  void writeStretch() {
    std::vector<Timed> places = std::exchange(stretch, {});
    if (places.empty())
      return;
    std::vector<uint32_t> numbers;
    for (const Timed &timed : places)
      numbers.push_back(timed.place);
    const size_t number = llvm::find(made.stretches, numbers) - made.stretches.begin();
    if (number >> Record::stretchBits) {
      made.leftOut += unsigned(places.size());
      return;
    }
    if (number == made.stretches.size())
      made.stretches.push_back(numbers);
    for (auto [index, timed] : llvm::enumerate(places)) {
      if (!timed.isMoment && !timed.beginsThere)
        before[timed.first] += "\tmov.u32 \t%stamp_begin, %clock;\n";
      behind[timed.last] = index ? next(index, timed) : firstRecord(number, timed);
    }
    behind[places.back().last] += llvm::formatv(
        "\t@%stamp_records add.u32 \t%stamp_low, %stamp_low, {0};\n", places.size() * 8);
  }

  static std::string firstRecord(size_t number, const Timed &timed) {
    std::string text = "\tmov.u32 \t%stamp_end0, %clock;\n";
    if (timed.isMoment)
      text += llvm::formatv("\tmov.u32 \t%stamp_begin, {0};\n", number);
    else
      text += llvm::formatv("\tmad.lo.u32 \t%stamp_begin, %stamp_begin, {0}, {1};\n",
                            1u << Record::stretchBits, number);
    return text + "\tsetp.le.u32 \t%stamp_records, %stamp_low, %stamp_last;\n"
                  "\tmov.b64 \t%stamp_address, {%stamp_low, %stamp_high};\n"
                  "\t@%stamp_records st.global.v2.b32 \t[%stamp_address], "
                  "{%stamp_end0, %stamp_begin};\n";
  }

  /// The record number `index` of a stretch, not the first.
  static std::string next(size_t index, const Timed &timed) {
    std::string text = llvm::formatv("\tmov.u32 \t%stamp_end{0}, %clock;\n", index);
    if (timed.isMoment)
      return text + llvm::formatv(
                        "\t@%stamp_records st.global.b32 \t[%stamp_address+{0}], %stamp_end{1};\n",
                        8 * index, index)
                        .str();
    const std::string begin = timed.beginsThere ? llvm::formatv("%stamp_end{0}", index - 1).str()
                                                : std::string("%stamp_begin");
    return text + llvm::formatv("\t@%stamp_records st.global.v2.b32 \t[%stamp_address+{0}], "
                                "{{%stamp_end{1}, {2}};\n",
                                8 * index, index, begin)
                      .str();
  }

  /// Records of a stretch, and instructions between two places that count for the second one's
  /// wait.
  static constexpr size_t longest = 32;
  static constexpr unsigned near = 16;

  const Function &kernel;
  unsigned warps;
  bool hasPartitions;
  std::vector<std::string> scopes;
  std::string parameter;
  llvm::SmallVector<llvm::StringRef, 0> lines;
  /// What comes before and behind lines, by their numbers.
  std::map<unsigned, std::string> before, behind;
  /// Places behind each other in straight code, so far.
  std::vector<Timed> stretch;
  TimestampedKernel made;
};

} // namespace

std::optional<TimestampedKernel> addTimestamps(llvm::StringRef ptx, llvm::StringRef kernel,
                                               unsigned warps, ParseError &error) {
  std::unique_ptr<Module> module = parse(ptx, error);
  if (!module)
    return std::nullopt;
  const Function *function = module->kernel(kernel);
  if (!function || function->parameters.empty()) {
    error.message = "no kernel `" + kernel.str() + "` with parameters";
    return std::nullopt;
  }
  TimestampedKernel made = Writer(*function, warps, ptx).write();
  made.files = module->files;
  return made;
}

} // namespace gluonc::ptx
