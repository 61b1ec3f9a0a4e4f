#include "ptx/Timestamps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

namespace gluonc::ptx {

namespace {

using What = TimedPlace::What;

/// What to record of an instruction; nothing of most.
std::optional<TimedPlace> timedPlaceOf(const Instruction &instruction, bool hasPartitions) {
  TimedPlace place;
  llvm::StringRef name = instruction.name;
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
  place.source = instruction.source;
  place.instruction = llvm::join_items(".", name, llvm::join(instruction.modifiers, "."));
  return place;
}

class Writer {
public:
  Writer(const Function &kernel, unsigned warps, llvm::StringRef text)
      : kernel(kernel), warps(warps), hasPartitions(text.contains("\n// warps ")) {
    text.split(lines, '\n');
    parameter = llvm::formatv("{0}_param_{1}", kernel.name, kernel.parameters.size() - 1);
  }

  TimestampedKernel write() {
    made.warps = warps;
    made.places.emplace_back();
    before[firstLine()] = declarations() + place() + header(0) + first();
    for (const Instruction &instruction : kernel.code) {
      if (instruction.name == "ret" || instruction.name == "exit")
        before[instruction.line] += place() + header(16);
      else if (std::optional<TimedPlace> timed = timedPlaceOf(instruction, hasPartitions))
        time(instruction.line, std::move(*timed));
    }
    for (auto [index, line] : llvm::enumerate(lines)) {
      made.ptx += before[unsigned(index) + 1];
      made.ptx += line;
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

  static std::string declarations() {
    return "\t.reg .b32 \t%stamp_low, %stamp_high, %stamp_last, %stamp_begin, %stamp_end;\n"
           "\t.reg .b64 \t%stamp_address, %stamp_wide;\n"
           "\t.reg .pred \t%stamp_records;\n";
  }

  /// Where this warp records, and whether this lane does it.
  std::string place() const {
    std::string text = "\tmov.u32 \t%stamp_last, %ctaid.z;\n";
    for (char dim : {'y', 'x'})
      text += llvm::formatv("\tmov.u32 \t%stamp_end, %nctaid.{0};\n"
                            "\tmov.u32 \t%stamp_begin, %ctaid.{0};\n"
                            "\tmad.lo.u32 \t%stamp_last, %stamp_last, %stamp_end, %stamp_begin;\n",
                            dim);
    return text + llvm::formatv(
                      "\tmov.u32 \t%stamp_begin, %tid.x;\n"
                      "\tand.b32 \t%stamp_end, %stamp_begin, 31;\n"
                      "\tsetp.lt.u32 \t%stamp_records, %stamp_last, {0};\n"
                      "\tsetp.eq.and.u32 \t%stamp_records, %stamp_end, 0, %stamp_records;\n"
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

  /// Behind `place`: the addresses of the next record and of the last one that there is room for,
  /// which differ in their lower halves alone. Those of lanes that do not record are the wrong way
  /// round.
  static std::string first() {
    std::string text =
        llvm::formatv("\tadd.s64 \t%stamp_address, %stamp_address, {0};\n", sizeof(RecordHeader));
    text += "\tmov.b64 \t{%stamp_low, %stamp_high}, %stamp_address;\n";
    return text +
           llvm::formatv("\tadd.u32 \t%stamp_last, %stamp_low, {0};\n"
                         "\tselp.b32 \t%stamp_last, %stamp_last, 0, %stamp_records;\n"
                         "\tselp.b32 \t%stamp_low, %stamp_low, 8, %stamp_records;\n",
                         TimestampedKernel::bytesOfWarp - sizeof(RecordHeader) - sizeof(Record))
               .str();
  }

  /// What stands in inline assembly is timed from outside: there it may be a loop.
  void time(unsigned number, TimedPlace timed) {
    unsigned first = number, last = number;
    while (first > 1 && line(first) != "// begin inline asm" && line(first) != "// end inline asm")
      --first;
    if (line(first) == "// begin inline asm")
      while (line(last) != "// end inline asm")
        ++last;
    else
      first = number;
    // The first one of a piece of assembly stands for all.
    if (behind.count(last))
      return;
    size_t place = llvm::find(made.places, timed) - made.places.begin();
    if (place >> Record::placeBits)
      return;
    if (timed.what != What::Group)
      before[first] += "\tmov.u32 \t%stamp_begin, %clock;\n";
    behind[last] = record(place, timed.what);
    if (place == made.places.size())
      made.places.push_back(std::move(timed));
  }

  static std::string record(size_t place, What what) {
    std::string text = "\tmov.u32 \t%stamp_end, %clock;\n";
    if (what == What::Group)
      text += llvm::formatv("\tmov.u32 \t%stamp_begin, {0};\n", place);
    else
      text += llvm::formatv("\tmad.lo.u32 \t%stamp_begin, %stamp_begin, {0}, {1};\n",
                            1u << Record::placeBits, place);
    return text + "\tsetp.le.u32 \t%stamp_records, %stamp_low, %stamp_last;\n"
                  "\tmov.b64 \t%stamp_address, {%stamp_low, %stamp_high};\n"
                  "\t@%stamp_records st.global.v2.b32 \t[%stamp_address], "
                  "{%stamp_end, %stamp_begin};\n"
                  "\t@%stamp_records add.u32 \t%stamp_low, %stamp_low, 8;\n";
  }

  const Function &kernel;
  unsigned warps;
  bool hasPartitions;
  std::string parameter;
  llvm::SmallVector<llvm::StringRef, 0> lines;
  /// What comes before and behind lines, by their numbers.
  std::map<unsigned, std::string> before, behind;
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
