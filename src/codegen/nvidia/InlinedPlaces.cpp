#include "codegen/nvidia/InlinedPlaces.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace llvm;

namespace gluonc::codegen::nvidia {
namespace {

/// Between the parts of a file's name, and how LLVM prints it.
constexpr char separator = '\1';
constexpr StringLiteral printedSeparator = "\\001";

std::string pathOf(const DILocation &place) {
  SmallString<128> path(place.getDirectory());
  sys::path::append(path, place.getFilename());
  return std::string(path);
}

class InlinedPlaces : public MachineFunctionPass {
public:
  static char ID;
  InlinedPlaces() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return "Inlined places"; }

  bool runOnMachineFunction(MachineFunction &function) override {
    std::map<const DILocation *, const DILocation *> known;
    bool changed = false;
    for (MachineBasicBlock &block : function)
      for (MachineInstr &instruction : block) {
        const DILocation *place = instruction.getDebugLoc().get();
        if (!place || !place->getInlinedAt())
          continue;
        const DILocation *&named = known[place];
        if (!named)
          named = withNamedFile(*place);
        instruction.setDebugLoc(DebugLoc(named));
        changed = true;
      }
    return changed;
  }

private:
  /// A file "k.py", then of each call the function, line, column and path.
  static const DILocation *withNamedFile(const DILocation &place) {
    std::string name = place.getFilename().str();
    const DILocation *inner = &place, *call = place.getInlinedAt();
    for (; call; inner = call, call = call->getInlinedAt())
      for (const std::string &part :
           {inner->getScope()->getSubprogram()->getName().str(), std::to_string(call->getLine()),
            std::to_string(call->getColumn()), pathOf(*call)})
        name += separator + part;
    LLVMContext &context = place.getContext();
    DISubprogram *outermost = inner->getScope()->getSubprogram();
    auto *file = DIFile::get(context, name, place.getDirectory());
    return DILocation::get(context, place.getLine(), place.getColumn(),
                           DILexicalBlockFile::get(context, outermost, file, 0));
  }
};

char InlinedPlaces::ID = 0;

struct Call {
  StringRef function, line, column, path;

  auto key() const { return std::tuple(function, line, column, path); }
  friend bool operator<(const Call &a, const Call &b) { return a.key() < b.key(); }
};

/// Writes the text anew, with files by their paths.
class Rewriter {
public:
  explicit Rewriter(StringRef ptx) : ptx(ptx), out(text) {}

  std::string rewrite() {
    for (StringRef line : split(ptx, '\n'))
      readFile(line);
    StringRef rest = ptx;
    while (!rest.empty()) {
      StringRef line = rest.split('\n').first;
      const bool hasEnd = line.size() < rest.size();
      rest = rest.drop_front(line.size() + hasEnd);
      if (!printPlace(line) && !isFile(line))
        out << line << (hasEnd ? "\n" : "");
    }
    for (const auto &[file, number] : numbers)
      out << "\t.file\t" << number << " \"" << file.first << "\"\n";
    printNames();
    return std::move(text);
  }

private:
  struct File {
    StringRef path;
    SmallVector<Call, 2> calls;
  };

  static bool isFile(StringRef line) { return line.ltrim().starts_with(".file"); }

  /// `.file 2 "/x/k.py\001helper\00112\0015\001/x/k.py"`
  void readFile(StringRef line) {
    line = line.trim();
    unsigned number = 0;
    if (!line.consume_front(".file") || (line = line.ltrim()).consumeInteger(10, number))
      return;
    SmallVector<StringRef> parts;
    line.split('"').second.rsplit('"').first.split(parts, printedSeparator);
    File &file = files[number];
    file.path = parts.front();
    for (size_t i = 1; i + 4 <= parts.size(); i += 4)
      file.calls.push_back({parts[i], parts[i + 1], parts[i + 2], parts[i + 3]});
  }

  /// ptxas 12.9 takes neighbours of the same file and line for the same place, whatever calls they
  /// were inlined by. So a file has a number for each way to it.
  unsigned numberOf(StringRef path, ArrayRef<Call> calls) {
    auto [place, isNew] = numbers.try_emplace({path, std::vector<Call>(calls.begin(), calls.end())},
                                              unsigned(numbers.size() + 1));
    return place->second;
  }

  /// A place of a file that was inlined by these calls, the innermost first.
  void printPlace(StringRef path, StringRef place, ArrayRef<Call> calls) {
    out << "\t.loc\t" << numberOf(path, calls) << ' ' << place;
    if (!calls.empty()) {
      const Call &call = calls.front();
      auto [name, isNew] = names.try_emplace(call.function, unsigned(names.size()));
      out << ", function_name $L__function" << name->second << ", inlined_at "
          << numberOf(call.path, calls.drop_front()) << ' ' << call.line << ' ' << call.column;
    }
    out << '\n';
  }

  /// `.loc 2 12 5`: calls first, the outermost one first, since ptxas has to know their places.
  bool printPlace(StringRef line) {
    StringRef rest = line.trim();
    unsigned number = 0;
    if (!rest.consume_front(".loc") || (rest = rest.ltrim()).consumeInteger(10, number))
      return false;
    auto known = files.find(number);
    if (known == files.end())
      return false;
    const auto &[path, calls] = known->second;
    for (size_t i = calls.size(); i-- != 0;)
      printPlace(calls[i].path, (calls[i].line + " " + calls[i].column).str(),
                 ArrayRef(calls).drop_front(i + 1));
    printPlace(path, rest.trim(), calls);
    return true;
  }

  void printNames() {
    if (names.empty())
      return;
    out << "\t.section\t.debug_str\n\t{\n";
    for (const auto &[name, number] : names) {
      out << "$L__function" << number << ":\n\t.b8 ";
      for (char c : name)
        out << unsigned(static_cast<unsigned char>(c)) << ", ";
      out << "0\n";
    }
    out << "\t}\n";
  }

  StringRef ptx;
  std::string text;
  raw_string_ostream out;
  std::map<unsigned, File> files;
  std::map<std::pair<StringRef, std::vector<Call>>, unsigned> numbers;
  std::map<StringRef, unsigned> names;
};

} // namespace

MachineFunctionPass *createInlinedPlaces() { return new InlinedPlaces; }

std::string withInlinedPlaces(std::string ptx) {
  return StringRef(ptx).contains(printedSeparator) ? Rewriter(ptx).rewrite() : ptx;
}

} // namespace gluonc::codegen::nvidia
