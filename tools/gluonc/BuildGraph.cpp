#include "BuildGraph.h"
#include "Session.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

namespace gluonc::tool {

namespace {

/// A path where ninja takes one.
std::string path(llvm::StringRef text) {
  std::string escaped;
  for (char c : text) {
    if (c == '$' || c == ' ' || c == ':')
      escaped += '$';
    escaped += c;
  }
  return escaped;
}

/// A word of a command, which a shell reads behind ninja.
std::string word(llvm::StringRef text) {
  std::string escaped;
  for (char c : quotedForShell(text)) {
    if (c == '$')
      escaped += '$';
    escaped += c;
  }
  return escaped;
}

class Graph {
public:
  Graph(Session &session, const pack::Manifest &manifest, const pack::Plan &plan)
      : line(session.line), manifest(manifest), plan(plan) {
    source = line.positional().front().text;
    output = line.find("-o")->text;
    base = llvm::sys::path::parent_path(output);
    llvm::sys::path::append(base, llvm::sys::path::stem(source));
    inputs = path(source);
    for (const std::string &file : plan.sources)
      inputs += " " + path(file);
  }

  std::string write() {
    text = "# Made by gluonc build --graph ninja. Runs in the folder that it was made in.\n"
           "ninja_required_version = 1.7\ngluonc = gluonc\n\n";
    addRules();
    std::string parts;
    for (const pack::Plan::Variant &variant : plan.variants)
      parts += " " + path(addPart(variant));
    text += "build " + path(bundle());
    if (const Word *header = line.find("--header"))
      text += " | " + path(header->text);
    text += ": join" + parts + "\n";
    text += "build " + path(output) + ": graph " + inputs + "\n";
    text += "default " + path(bundle()) + "\n";
    return text;
  }

private:
  std::string bundle() const { return (base + ".gluonpack").str(); }

  /// Options that decide what is compiled.
  std::string options() const {
    std::string options;
    for (const char *name : {"--target", "-I"})
      for (const Word &value : line.all(name))
        options += std::string(" ") + name + " " + word(value.text);
    for (const char *name : {"--ptx", "--no-cache"})
      if (line.has(name))
        options += std::string(" ") + name;
    return options;
  }

  void addRules() {
    text += "rule variant\n  command = $gluonc build " + word(source) + options() +
            " -j 1 --variant $variant -o $out --depfile $out.d\n"
            "  depfile = $out.d\n  deps = gcc\n  description = $variant for $target\n\n";
    text += "rule join\n  command = $gluonc bundle merge --parts $out.parts -o $out";
    std::string header;
    if (const Word *given = line.find("--header"))
      header = " --header " + word(given->text) + " --namespace " + word(manifest.nameSpace);
    text += header + "\n  rspfile = $out.parts\n  rspfile_content = $in_newline\n"
                     "  description = $out\n\n";
    text += "rule graph\n  command = $gluonc build " + word(source) + options() +
            (line.has("--header") ? " --header " + word(line.find("--header")->text) : "") +
            " --graph ninja -o $out\n  generator = 1\n  description = $out\n\n";
  }

  std::string addPart(const pack::Plan::Variant &variant) {
    std::string part;
    llvm::raw_string_ostream(part) << base << ".parts/" << variant.part.kernel << "-"
                                   << llvm::format("%04zu", variant.part.number) << ".gluonpack";
    text += "build " + path(part) + ": variant " + inputs + "\n  variant = " + variant.part.kernel +
            ":" + std::to_string(variant.part.number) + "\n  target = " + variant.target + "\n";
    return part;
  }

  const CommandLine &line;
  const pack::Manifest &manifest;
  const pack::Plan &plan;
  std::string source, output, inputs, text;
  llvm::SmallString<128> base;
};

} // namespace

int writeGraph(Session &session, const pack::Manifest &manifest, const pack::Builder &builder) {
  const CommandLine &line = session.line;
  if (line.find("--graph")->text != "ninja")
    return session.usage("--graph takes ninja");
  for (const char *name : {"--variant", "--depfile"})
    if (line.has(name))
      return session.usage(llvm::Twine(name) + " goes without --graph");
  std::optional<pack::Plan> plan = pack::plan(manifest, builder, session.sources, session.sink);
  if (plan)
    session.writeFile(*line.find("-o"), Graph(session, manifest, *plan).write());
  return session.status();
}

} // namespace gluonc::tool
