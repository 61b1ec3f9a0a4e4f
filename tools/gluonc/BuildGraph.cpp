#include "BuildGraph.h"
#include "Session.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
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

/// Options that decide what is compiled, and their values.
std::vector<std::string> optionsOf(const CommandLine &line) {
  std::vector<std::string> options;
  for (const char *name : {"--target", "-I"})
    for (const Word &value : line.all(name))
      options.insert(options.end(), {name, value.text});
  for (const char *name : {"--ptx", "--no-cache"})
    if (line.has(name))
      options.push_back(name);
  return options;
}

std::string nameOf(const pack::Plan::Variant &variant) {
  return variant.part.kernel + ":" + std::to_string(variant.part.number);
}

class NinjaFile {
public:
  NinjaFile(Session &session, const pack::Manifest &manifest, const pack::Plan &plan)
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

  std::string options() const {
    std::string options;
    for (const std::string &option : optionsOf(line))
      options += " " + word(option);
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
    text += "build " + path(part) + ": variant " + inputs + "\n  variant = " + nameOf(variant) +
            "\n  target = " + variant.target + "\n";
    return part;
  }

  const CommandLine &line;
  const pack::Manifest &manifest;
  const pack::Plan &plan;
  std::string source, output, inputs, text;
  llvm::SmallString<128> base;
};

/// For programs that distribute the variants themselves: what is read, the words of the command
/// that compiles a variant, to which `--variant` and `-o` are added, and the variants.
std::string writeJson(const CommandLine &line, const pack::Manifest &manifest,
                      const pack::Plan &plan) {
  const std::string source = line.positional().front().text;
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, 1);
  json.object([&] {
    json.attributeArray("inputs", [&] {
      json.value(source);
      for (const std::string &file : plan.sources)
        json.value(file);
    });
    json.attributeArray("command", [&] {
      for (llvm::StringRef each : {"build", source.c_str(), "-j", "1"})
        json.value(each);
      for (const std::string &option : optionsOf(line))
        json.value(option);
    });
    json.attributeArray("variants", [&] {
      for (const pack::Plan::Variant &variant : plan.variants)
        json.object([&] {
          json.attribute("variant", nameOf(variant));
          json.attribute("target", variant.target);
        });
    });
    json.attribute("namespace", manifest.nameSpace);
  });
  return text + "\n";
}

} // namespace

int writeGraph(Session &session, const pack::Manifest &manifest, const pack::Builder &builder) {
  const CommandLine &line = session.line;
  const std::string &form = line.find("--graph")->text;
  if (form != "ninja" && form != "json")
    return session.usage("--graph takes ninja or json");
  for (const char *name : {"--variant", "--depfile"})
    if (line.has(name))
      return session.usage(llvm::Twine(name) + " goes without --graph");
  std::optional<pack::Plan> plan = pack::plan(manifest, builder, session.sources, session.sink);
  if (plan)
    session.writeFile(*line.find("-o"), form == "json"
                                            ? writeJson(line, manifest, *plan)
                                            : NinjaFile(session, manifest, *plan).write());
  return session.status();
}

} // namespace gluonc::tool
