#include "Session.h"
#include "bundle/Choice.h"
#include "bundle/Edit.h"
#include "pack/Header.h"
#include "support/File.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

namespace gluonc::tool {

using bundle::Bundle;
using diag::Kind;
namespace format = bundle::format;

namespace {

/// What a bundle may have here, where all of it is read.
constexpr uint64_t mostBytes = uint64_t(1) << 34;

/// A bundle and its bytes.
struct OpenBundle {
  std::string bytes;
  std::optional<Bundle> bundle;
};

/// Reports at `place`. Gives the exit status.
int refuse(Session &session, const Word &place, llvm::Error error) {
  session.sink
      .report(Kind::UnreadableFile, place.span, place.text, llvm::toString(std::move(error)))
      .end();
  return session.status();
}

/// Null after a report.
std::unique_ptr<OpenBundle> open(Session &session, const Word &path) {
  llvm::Expected<std::string> bytes = readFile(path.text, mostBytes);
  if (!bytes) {
    refuse(session, path, bytes.takeError());
    return nullptr;
  }
  auto opened = std::make_unique<OpenBundle>();
  opened->bytes = std::move(*bytes);
  llvm::Expected<Bundle> bundle = Bundle::open(opened->bytes);
  if (!bundle) {
    refuse(session, path, bundle.takeError());
    return nullptr;
  }
  opened->bundle = *bundle;
  return opened;
}

std::vector<std::string> conditionsOf(const Bundle &bundle, const format::Kernel &kernel,
                                      const format::Variant &variant) {
  std::vector<std::string> texts;
  for (const format::Condition &condition : bundle.conditions(variant))
    texts.push_back(describe(condition, bundle.parameters(kernel), bundle));
  return texts;
}

std::string signatureOf(const Bundle &bundle, const format::Kernel &kernel) {
  std::string text = bundle.text(kernel.name).str() + "(";
  llvm::interleave(
      bundle.parameters(kernel),
      [&](const format::Parameter &parameter) {
        text += (bundle.text(parameter.name) + ": " + bundle.text(parameter.type)).str();
      },
      [&] { text += ", "; });
  return text + ")";
}

void printVariant(const Bundle &bundle, const format::Kernel &kernel, size_t place,
                  const format::Variant &variant) {
  const format::Piece &piece = bundle.piece(variant);
  llvm::raw_ostream &out = llvm::outs();
  out << "  " << place << ": " << bundle.text(variant.target) << ", " << variant.threads
      << " threads";
  if (variant.ctas > 1)
    out << ", " << variant.ctas << " CTAs";
  if (variant.sharedBytes)
    out << ", " << variant.sharedBytes << " bytes shared";
  if (variant.scratchBytes)
    out << ", " << variant.scratchBytes << " bytes scratch";
  out << ", " << piece.bytes << " bytes of " << bundle::nameOf(piece.kind) << '\n';
  for (const std::string &condition : conditionsOf(bundle, kernel, variant))
    out << "     if " << condition << '\n';
  for (const format::Constant &constant : bundle.constants(variant))
    out << "     " << bundle.text(constant.name) << " = " << bundle.text(constant.value) << '\n';
}

int inspect(Session &session, const Bundle &bundle) {
  for (const format::Kernel &kernel : bundle.kernels()) {
    llvm::outs() << signatureOf(bundle, kernel) << '\n';
    for (auto [place, variant] : llvm::enumerate(bundle.variants(kernel)))
      printVariant(bundle, kernel, place, variant);
  }
  return session.status();
}

void writeVariant(const Bundle &bundle, const format::Kernel &kernel,
                  const format::Variant &variant, llvm::json::OStream &json) {
  const format::Piece &piece = bundle.piece(variant);
  json.attribute("target", bundle.text(variant.target));
  json.attribute("threads", variant.threads);
  json.attribute("ctas", variant.ctas);
  json.attribute("shared_bytes", variant.sharedBytes);
  json.attribute("scratch_bytes", variant.scratchBytes);
  json.attribute("cooperative", (variant.flags & format::cooperative) != 0);
  json.attribute("programmatic_dependent", (variant.flags & format::programmaticDependent) != 0);
  json.attribute("code", bundle::nameOf(piece.kind));
  json.attribute("code_bytes", static_cast<int64_t>(piece.bytes));
  json.attribute("code_sha256", llvm::toHex(piece.digest, /*LowerCase=*/true));
  json.attributeArray("conditions", [&] {
    for (const std::string &condition : conditionsOf(bundle, kernel, variant))
      json.value(condition);
  });
  json.attributeObject("constants", [&] {
    for (const format::Constant &constant : bundle.constants(variant))
      json.attribute(bundle.text(constant.name), bundle.text(constant.value));
  });
}

int inspectJson(Session &session, const Bundle &bundle) {
  llvm::json::OStream json(llvm::outs());
  json.object([&] {
    json.attribute("digest", bundle.digest());
    json.attributeArray("kernels", [&] {
      for (const format::Kernel &kernel : bundle.kernels())
        json.object([&] {
          json.attribute("name", bundle.text(kernel.name));
          json.attributeArray("parameters", [&] {
            for (const format::Parameter &parameter : bundle.parameters(kernel))
              json.object([&] {
                json.attribute("name", bundle.text(parameter.name));
                json.attribute("type", bundle.text(parameter.type));
              });
          });
          json.attributeArray("variants", [&] {
            for (const format::Variant &variant : bundle.variants(kernel))
              json.object([&] { writeVariant(bundle, kernel, variant, json); });
          });
        });
    });
  });
  llvm::outs() << '\n';
  return session.status();
}

int list(Session &session, const OpenBundle &opened) {
  const Bundle &bundle = *opened.bundle;
  for (const format::Kernel &kernel : bundle.kernels()) {
    std::vector<llvm::StringRef> targets;
    for (const format::Variant &variant : bundle.variants(kernel))
      if (!llvm::is_contained(targets, bundle.text(variant.target)))
        targets.push_back(bundle.text(variant.target));
    llvm::outs() << signatureOf(bundle, kernel) << ": " << bundle.variants(kernel).size()
                 << (bundle.variants(kernel).size() == 1 ? " variant, " : " variants, ")
                 << llvm::join(targets, " ") << '\n';
  }
  llvm::outs() << "digest " << bundle.digest() << ", " << opened.bytes.size() << " bytes, "
               << bundle.pieces().size() << " pieces of machine code\n";
  return session.status();
}

int verify(Session &session, const Bundle &bundle, const Word &path) {
  for (const format::Piece &piece : bundle.pieces())
    if (llvm::Expected<llvm::StringRef> code = bundle.code(piece); !code)
      refuse(session, path, code.takeError());
  if (session.status() == 0)
    llvm::outs() << path.text << ": whole\n";
  return session.status();
}

std::optional<bundle::Contents> readAll(Session &session, const Word &path) {
  std::unique_ptr<OpenBundle> opened = open(session, path);
  if (!opened)
    return std::nullopt;
  llvm::Expected<bundle::Contents> contents = read(*opened->bundle);
  if (contents)
    return std::move(*contents);
  refuse(session, path, contents.takeError());
  return std::nullopt;
}

std::vector<std::string> textsOf(llvm::ArrayRef<Word> words) {
  std::vector<std::string> texts;
  for (const Word &word : words)
    texts.push_back(word.text);
  return texts;
}

/// merge FILE… -o FILE, strip FILE -o FILE.
int edit(Session &session, llvm::StringRef action, llvm::ArrayRef<Word> paths) {
  const CommandLine &line = session.line;
  const Word *output = line.find("-o");
  if (!output)
    return session.usage(action + " needs -o FILE.gluonpack");
  std::optional<bundle::Contents> contents = readAll(session, paths.front());
  if (!contents)
    return session.status();
  if (action == "strip")
    if (llvm::Error error =
            strip(*contents, textsOf(line.all("--target")), textsOf(line.all("--kernel"))))
      return refuse(session, paths.front(), std::move(error));
  bool areParts = line.has("--parts");
  for (const Word &path : paths.drop_front()) {
    std::optional<bundle::Contents> other = readAll(session, path);
    if (!other)
      return session.status();
    if (llvm::Error error =
            areParts ? append(*contents, std::move(*other)) : merge(*contents, std::move(*other)))
      return refuse(session, path, std::move(error));
  }
  llvm::Expected<std::string> bytes = bundle::write(std::move(*contents));
  if (!bytes)
    return refuse(session, *output, bytes.takeError());
  if (!session.writeFile(*output, *bytes))
    return session.status();
  if (const Word *header = line.find("--header")) {
    bundle::Bundle made = llvm::cantFail(bundle::Bundle::open(*bytes));
    session.writeFile(*header, pack::writeHeader(made, line.find("--namespace")->text));
  }
  return session.status();
}

/// A path as ninja quotes it for a shell.
std::string unquoted(llvm::StringRef word) {
  if (!word.consume_front("'") || !word.consume_back("'"))
    return word.str();
  std::string text = word.str();
  for (size_t at; (at = text.find("'\\''")) != std::string::npos;)
    text.replace(at, 4, "'");
  return text;
}

/// Paths that are lines of the file of --parts, behind those of the command line. False after a
/// report.
bool addParts(Session &session, std::vector<Word> &paths) {
  const Word *list = session.line.find("--parts");
  if (!list)
    return true;
  std::optional<std::string> text = session.readFile(*list);
  if (!text)
    return false;
  for (llvm::StringRef line : llvm::split(*text, '\n'))
    if (!line.trim().empty())
      paths.push_back({unquoted(line.trim()), list->span});
  return true;
}

/// What is wrong with the words behind `bundle`; empty where nothing is.
std::string usageProblem(const CommandLine &line, bool json) {
  llvm::ArrayRef<Word> words = line.positional();
  if (words.size() < (line.has("--parts") ? 1 : 2))
    return "bundle takes one of list, inspect, verify, strip, merge, and a bundle";
  llvm::StringRef action = words.front().text;
  if (!llvm::is_contained({"list", "inspect", "verify", "strip", "merge"}, action))
    return "bundle takes list, inspect, verify, strip or merge, not `" + action.str() + "`";
  if (json && action != "inspect")
    return "--format json is for inspect";
  if ((line.has("--target") || line.has("--kernel")) && action != "strip")
    return "--target and --kernel are for strip";
  if ((line.has("--parts") || line.has("--header")) && action != "merge")
    return "--parts and --header are for merge";
  if (line.has("--header") != line.has("--namespace"))
    return "--header goes with --namespace";
  if (action == "strip" && !line.has("--target") && !line.has("--kernel"))
    return "strip takes --target TARGET or --kernel NAME";
  return action != "merge" && words.size() != 2 ? action.str() + " takes one bundle" : "";
}

} // namespace

int bundleCommand(Session &session) {
  std::optional<bool> json = session.wantsJson();
  if (!json)
    return 2;
  if (std::string problem = usageProblem(session.line, *json); !problem.empty())
    return session.usage(problem);
  llvm::ArrayRef<Word> words = session.line.positional();
  llvm::StringRef action = words.front().text;
  if (action == "strip" || action == "merge") {
    std::vector<Word> paths = words.drop_front().vec();
    if (!addParts(session, paths))
      return session.status();
    if (paths.empty())
      return session.usage(action + " takes a bundle");
    return edit(session, action, paths);
  }
  std::unique_ptr<OpenBundle> opened = open(session, words[1]);
  if (!opened)
    return session.status();
  if (action == "list")
    return list(session, *opened);
  if (action == "verify")
    return verify(session, *opened->bundle, words[1]);
  return *json ? inspectJson(session, *opened->bundle) : inspect(session, *opened->bundle);
}

} // namespace gluonc::tool
