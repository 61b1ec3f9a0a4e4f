#include "pack/Manifest.h"
#include "pack/Toml.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <set>

namespace gluonc::pack {

using diag::Kind;

namespace {

bool isIdentifier(llvm::StringRef text) {
  return !text.empty() && (llvm::isAlpha(text.front()) || text.front() == '_') &&
         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// Reads one manifest, and goes on behind mistakes.
class Reader {
public:
  Reader(const diag::SourceFile &file, llvm::ArrayRef<Word> targets, diag::Sink &sink)
      : file(file), targets(targets.vec()), sink(sink) {}

  std::optional<Manifest> read() {
    toml::parse_result parsed = toml::parse(file.text());
    if (!parsed) {
      sink.report(Kind::SyntaxError, spanOf(parsed.error().source()),
                  std::string(parsed.error().description()))
          .end();
      return std::nullopt;
    }
    const toml::table &root = parsed.table();
    checkKeys(root, {"namespace", "targets", "kernel"}, "a manifest");
    manifest.nameSpace = readNamespace(root);
    if (targets.empty())
      targets = readWords(root, "targets");
    const toml::node *kernels = root.get("kernel");
    if (!kernels || !kernels->is_array_of_tables())
      refuse(spanOf(kernels ? kernels->source() : root.source()),
             "a manifest has [[kernel]] tables");
    else
      for (const toml::node &entry : *kernels->as_array())
        readKernel(*entry.as_table());
    checkNames();
    return sink.hasErrors() ? std::nullopt : std::optional(std::move(manifest));
  }

private:
  diag::Span spanOf(const toml::source_region &region) const {
    auto offset = [&](toml::source_position at) {
      // Columns count code points.
      uint32_t place = file.lineStart(at.line);
      std::string_view text = file.text();
      for (uint32_t column = 1; column < at.column && place < text.size(); ++column)
        do
          ++place;
        while (place < text.size() && (text[place] & 0xC0) == 0x80);
      return place;
    };
    if (!region.begin)
      return {&file, 0, 0};
    uint32_t begin = offset(region.begin);
    return {&file, begin, std::max(begin, region.end ? offset(region.end) : begin)};
  }

  void refuse(diag::Span span, const llvm::Twine &what) {
    sink.report(Kind::InvalidOption, span, what.str()).end();
  }

  void checkKeys(const toml::table &table, llvm::ArrayRef<llvm::StringRef> known,
                 llvm::StringRef of) {
    for (auto &&[key, value] : table)
      if (!llvm::is_contained(known, llvm::StringRef(key.str())))
        sink.report(Kind::InvalidOption, spanOf(key.source()),
                    (of + " has no `" + llvm::StringRef(key.str()) + "`").str())
            .hint("it has {0}", llvm::join(known, ", "));
  }

  /// Of `namespace`, or the file's name.
  std::string readNamespace(const toml::table &root) {
    if (const toml::node *node = root.get("namespace")) {
      std::string text(node->value_or(std::string_view()));
      llvm::SmallVector<llvm::StringRef, 4> parts;
      llvm::StringRef(text).split(parts, "::");
      if (!llvm::all_of(parts, isIdentifier))
        refuse(spanOf(node->source()), "a namespace is names with :: between them");
      return text;
    }
    std::string stem = llvm::sys::path::stem(file.path()).str();
    for (char &c : stem)
      c = llvm::isAlnum(c) ? c : '_';
    return isIdentifier(stem) ? stem : "_" + stem;
  }

  /// A text, or a list of them.
  std::vector<Word> readWords(const toml::table &table, llvm::StringRef key) {
    std::vector<Word> words;
    const toml::node *node = table.get(std::string_view(key));
    if (!node)
      return words;
    auto add = [&](const toml::node &item) {
      if (auto text = item.value_exact<std::string_view>())
        words.push_back({std::string(*text), spanOf(item.source())});
      else
        refuse(spanOf(item.source()), "`" + key + "` takes texts");
    };
    if (const toml::array *list = node->as_array())
      for (const toml::node &item : *list)
        add(item);
    else
      add(*node);
    return words;
  }

  /// A value as `gluonc compile` takes it; nullopt after a report.
  std::optional<Word> readValue(const toml::node &node) {
    diag::Span span = spanOf(node.source());
    if (auto text = node.value_exact<std::string_view>())
      return Word{std::string(*text), span};
    if (auto flag = node.value_exact<bool>())
      return Word{*flag ? "True" : "False", span};
    if (node.is_integer() || node.is_floating_point())
      return Word{std::string(span.text()), span};
    refuse(span, "a value is a number, true or false, or the text of a type or an expression");
    return std::nullopt;
  }

  std::vector<Argument> readArguments(const toml::table &table, llvm::StringRef key) {
    const toml::node *node = table.get(std::string_view(key));
    if (!node)
      return {};
    if (const toml::table *arguments = node->as_table())
      return readValues(*arguments);
    refuse(spanOf(node->source()), "`" + key + "` is a table: NAME = VALUE");
    return {};
  }

  std::vector<Argument> readValues(const toml::table &table) {
    std::vector<Argument> arguments;
    for (auto &&[key, value] : table)
      arguments.push_back({{std::string(key.str()), spanOf(key.source())}, {}});
    // Tables of toml++ are sorted by name.
    llvm::sort(arguments, [](const Argument &a, const Argument &b) {
      return a.name.span.begin < b.name.span.begin;
    });
    for (Argument &argument : arguments)
      readAlternatives(*table.get(argument.name.text), argument);
    return arguments;
  }

  void readAlternatives(const toml::node &node, Argument &argument) {
    auto add = [&](const toml::node &item) {
      if (std::optional<Word> word = readValue(item))
        argument.values.push_back(std::move(*word));
    };
    const toml::array *list = node.as_array();
    argument.isList = list != nullptr;
    if (!list)
      return add(node);
    for (const toml::node &item : *list)
      add(item);
    if (list->empty())
      refuse(spanOf(node.source()), "a list of alternatives has at least one");
  }

  void readNumber(const toml::table &table, llvm::StringRef key, std::optional<uint64_t> &into) {
    const toml::node *node = table.get(std::string_view(key));
    if (!node)
      return;
    auto number = node->value_exact<int64_t>();
    if (!number || *number < 0) {
      refuse(spanOf(node->source()), "`" + key + "` takes a number");
      return;
    }
    into = static_cast<uint64_t>(*number);
  }

  void readFlag(const toml::table &table, llvm::StringRef key, std::optional<bool> &into) {
    const toml::node *node = table.get(std::string_view(key));
    if (!node)
      return;
    into = node->value_exact<bool>();
    if (!into)
      refuse(spanOf(node->source()), "`" + key + "` takes true or false");
  }

  static constexpr llvm::StringRef settingKeys[] = {
      "arguments", "targets",    "when",        "num-warps", "num-ctas", "num-stages",
      "maxnreg",   "launch-pdl", "cooperative", "fp-fusion", "debug",    "ptx"};

  Settings readSettings(const toml::table &table) {
    Settings settings;
    settings.arguments = readArguments(table, "arguments");
    settings.targets = readWords(table, "targets");
    settings.conditions = readWords(table, "when");
    readNumber(table, "num-warps", settings.numbers.warps);
    readNumber(table, "num-ctas", settings.numbers.ctas);
    readNumber(table, "num-stages", settings.numbers.stages);
    readNumber(table, "maxnreg", settings.numbers.registers);
    readFlag(table, "launch-pdl", settings.programmaticDependent);
    readFlag(table, "cooperative", settings.cooperative);
    readFlag(table, "fp-fusion", settings.fpFusion);
    readFlag(table, "debug", settings.debug);
    readFlag(table, "ptx", settings.ptx);
    if (std::string problem = driver::whyNotPossible(settings.numbers, ""); !problem.empty()) {
      // It begins with the name of the number.
      llvm::StringRef key = llvm::StringRef(problem).split(' ').first;
      refuse(spanOf(table.get(std::string_view(key))->source()), problem);
    }
    return settings;
  }

  static constexpr llvm::StringRef numberKeys[] = {"num-warps", "num-ctas", "num-stages",
                                                   "maxnreg"};

  /// Whole numbers, or a list of them.
  std::vector<Word> readNumbers(const toml::node &node, llvm::StringRef key) {
    std::vector<Word> words;
    auto add = [&](const toml::node &item) {
      auto number = item.value_exact<int64_t>();
      if (!number || *number < 0)
        refuse(spanOf(item.source()), "`" + key + "` takes numbers");
      else
        words.push_back({std::to_string(*number), spanOf(item.source())});
    };
    const toml::array *list = node.as_array();
    if (!list)
      add(node);
    else
      for (const toml::node &item : *list)
        add(item);
    return words;
  }

  std::optional<double> readFraction(const toml::table &table, llvm::StringRef key) {
    const toml::node *node = table.get(std::string_view(key));
    if (!node)
      return std::nullopt;
    std::optional<double> value = node->value<double>();
    if (value && *value >= 0)
      return value;
    refuse(spanOf(node->source()), "`" + key + "` takes a number from 0 on");
    return std::nullopt;
  }

  void readLaunches(const toml::table &table, Tuning &tuning) {
    const toml::node *node = table.get("launches");
    const toml::array *list = node ? node->as_array() : nullptr;
    for (size_t i = 0; list && i != list->size(); ++i)
      if (const toml::table *launch = list->get(i)->as_table())
        tuning.launches.push_back(readValues(*launch));
      else
        refuse(spanOf(list->get(i)->source()), "a launch is a table: { NAME = VALUE }");
    for (const std::vector<Argument> &launch : tuning.launches)
      refuseLists(launch);
    refuseLists(tuning.data);
    if (tuning.launches.empty())
      refuse(spanOf(node ? node->source() : table.source()),
             "launches to measure are missing: launches = [{ n = 1000 }, { n = 1000000 }]");
  }

  void refuseLists(const std::vector<Argument> &arguments) {
    for (const Argument &argument : arguments)
      if (argument.isList)
        refuse(argument.name.span, "a launch has one value of `" + argument.name.text + "`");
  }

  void readTuning(const toml::node &node, KernelEntry &entry) {
    const toml::table *table = node.as_table();
    if (!table) {
      refuse(spanOf(node.source()), "`tune` is a table: [kernel.tune]");
      return;
    }
    llvm::SmallVector<llvm::StringRef, 12> known(llvm::ArrayRef<llvm::StringRef>{numberKeys});
    llvm::append_values(known, "arguments", "by", "launches", "data", "grid", "within", "rtol",
                        "atol");
    checkKeys(*table, known, "a [kernel.tune]");
    Tuning &tuning = entry.tuning.emplace();
    tuning.arguments = readArguments(*table, "arguments");
    for (llvm::StringRef key : numberKeys)
      if (const toml::node *numbers = table->get(std::string_view(key)))
        tuning.numbers.emplace_back(key.str(), readNumbers(*numbers, key));
    tuning.by = readWords(*table, "by");
    tuning.data = readArguments(*table, "data");
    std::vector<Word> grid = readWords(*table, "grid");
    if (grid.size() == 1)
      tuning.grid = grid.front();
    else
      refuse(spanOf(table->source()), "a grid is missing: grid = \"gl.cdiv(n, BLOCK)\"");
    tuning.within = readFraction(*table, "within");
    tuning.rtol = readFraction(*table, "rtol");
    tuning.atol = readFraction(*table, "atol");
    readLaunches(*table, tuning);
  }

  void readSource(const toml::table &table, KernelEntry &entry) {
    const toml::node *node = table.get("source");
    auto text = node ? node->value_exact<std::string_view>() : std::nullopt;
    auto [path, kernel] = llvm::StringRef(text ? *text : std::string_view()).rsplit("::");
    if (path.empty() || kernel.empty()) {
      refuse(spanOf(node ? node->source() : table.source()),
             "a kernel has a source: \"FILE.py::KERNEL\"");
      return;
    }
    llvm::SmallString<128> whole(path);
    if (llvm::sys::path::is_relative(path)) {
      whole = llvm::sys::path::parent_path(file.path());
      llvm::sys::path::append(whole, path);
    }
    diag::Span span = spanOf(node->source());
    entry.path = {std::string(whole), span};
    entry.kernel = {kernel.str(), span};
    entry.name = entry.kernel;
  }

  void readKernel(const toml::table &table) {
    llvm::SmallVector<llvm::StringRef, 16> known(llvm::ArrayRef<llvm::StringRef>{settingKeys});
    llvm::append_values(known, "name", "source", "variant", "tune");
    checkKeys(table, known, "a kernel");
    KernelEntry entry;
    entry.place = spanOf(table.source());
    readSource(table, entry);
    if (const toml::node *name = table.get("name"))
      entry.name = {std::string(name->value_or(std::string_view())), spanOf(name->source())};
    if (!entry.name.text.empty() && !isIdentifier(entry.name.text))
      refuse(entry.name.span, "a kernel's name is that of a function of C++");
    entry.settings = readSettings(table);
    if (entry.settings.targets.empty())
      entry.settings.targets = targets;
    if (const toml::node *tuning = table.get("tune"))
      readTuning(*tuning, entry);
    const toml::node *variants = table.get("variant");
    entry.hasVariants = variants != nullptr;
    if (!variants)
      entry.variants.emplace_back();
    else if (!variants->is_array_of_tables())
      refuse(spanOf(variants->source()), "variants are [[kernel.variant]] tables");
    else
      for (const toml::node &variant : *variants->as_array()) {
        checkKeys(*variant.as_table(), settingKeys, "a variant");
        entry.variants.push_back(readSettings(*variant.as_table()));
      }
    if (entry.settings.targets.empty() &&
        llvm::any_of(entry.variants, [](auto &variant) { return variant.targets.empty(); }))
      sink.report(Kind::InvalidOption, entry.name.span, "no targets are given")
          .hint("targets = [\"cuda:90a\"], here or above all kernels, or --target cuda:90a");
    manifest.kernels.push_back(std::move(entry));
  }

  void checkNames() {
    std::set<std::string> names;
    for (const KernelEntry &entry : manifest.kernels)
      if (!names.insert(entry.name.text).second)
        refuse(entry.name.span,
               "there are two kernels `" + entry.name.text + "`: give one another `name`");
  }

  const diag::SourceFile &file;
  std::vector<Word> targets;
  diag::Sink &sink;
  Manifest manifest;
};

} // namespace

std::optional<Manifest> readManifest(const diag::SourceFile &file, llvm::ArrayRef<Word> targets,
                                     diag::Sink &sink) {
  return Reader(file, targets, sink).read();
}

template <typename T> static void override(std::optional<T> &value, const std::optional<T> &own) {
  if (own)
    value = own;
}

Settings merge(const Settings &kernel, const Settings &variant) {
  Settings merged = kernel;
  for (const Argument &own : variant.arguments) {
    auto at = llvm::find_if(merged.arguments, [&](const Argument &argument) {
      return argument.name.text == own.name.text;
    });
    if (at == merged.arguments.end())
      merged.arguments.push_back(own);
    else
      *at = own;
  }
  if (!variant.targets.empty())
    merged.targets = variant.targets;
  llvm::append_range(merged.conditions, variant.conditions);
  override(merged.numbers.warps, variant.numbers.warps);
  override(merged.numbers.ctas, variant.numbers.ctas);
  override(merged.numbers.stages, variant.numbers.stages);
  override(merged.numbers.registers, variant.numbers.registers);
  override(merged.programmaticDependent, variant.programmaticDependent);
  override(merged.ptx, variant.ptx);
  override(merged.cooperative, variant.cooperative);
  override(merged.fpFusion, variant.fpFusion);
  override(merged.debug, variant.debug);
  return merged;
}

} // namespace gluonc::pack
