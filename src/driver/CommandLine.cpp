#include "driver/CommandLine.h"

#include "llvm/ADT/StringExtras.h"

namespace gluonc::driver {

static const OptionSpec *findOption(llvm::ArrayRef<llvm::ArrayRef<OptionSpec>> lists,
                                    llvm::StringRef name) {
  for (llvm::ArrayRef<OptionSpec> list : lists)
    for (const OptionSpec &option : list)
      if (option.name == name)
        return &option;
  return nullptr;
}

std::string CommandLine::parse(llvm::ArrayRef<llvm::ArrayRef<OptionSpec>> known,
                               llvm::ArrayRef<llvm::StringRef> arguments,
                               const diag::SourceFile *file, llvm::ArrayRef<uint32_t> offsets) {
  auto spanOf = [&](size_t i, size_t from, size_t length) {
    uint32_t begin = offsets[i] + static_cast<uint32_t>(from);
    return diag::Span{file, begin, begin + static_cast<uint32_t>(length)};
  };
  bool onlyWords = false;
  for (size_t i = 0; i != arguments.size(); ++i) {
    llvm::StringRef word = arguments[i];
    if (onlyWords || !word.starts_with("-") || word == "-") {
      words.push_back({word.str(), spanOf(i, 0, word.size())});
      continue;
    }
    if (word == "--") {
      onlyWords = true;
      continue;
    }
    auto [name, value] = word.split('=');
    bool attached = word.contains('=');
    const OptionSpec *option = findOption(known, name);
    if (const OptionSpec *letter = option ? nullptr : findOption(known, word.take_front(2));
        letter && !letter->value.empty() && !word.starts_with("--")) {
      // -IFOLDER
      options.push_back(
          {letter->name.str(), {word.drop_front(2).str(), spanOf(i, 2, word.size() - 2)}});
      continue;
    }
    if (!option)
      return ("unknown option " + name).str();
    if (option->value.empty()) {
      if (attached)
        return (name + " takes no value").str();
      options.push_back({name.str(), {"", spanOf(i, 0, word.size())}});
    } else if (attached) {
      options.push_back({name.str(), {value.str(), spanOf(i, name.size() + 1, value.size())}});
    } else {
      if (++i == arguments.size())
        return (name + " needs a value: " + name + " " + option->value).str();
      options.push_back({name.str(), {arguments[i].str(), spanOf(i, 0, arguments[i].size())}});
    }
  }
  return "";
}

const Word *CommandLine::find(llvm::StringRef option) const {
  const Word *found = nullptr;
  for (const auto &[name, word] : options)
    if (name == option)
      found = &word;
  return found;
}

std::vector<Word> CommandLine::all(llvm::StringRef option) const {
  std::vector<Word> found;
  for (const auto &[name, word] : options)
    if (name == option)
      found.push_back(word);
  return found;
}

bool CommandLine::namedValues(size_t skip, std::vector<ArgumentText> &out,
                              std::string &problem) const {
  for (const Word &word : llvm::ArrayRef(words).drop_front(skip)) {
    auto [name, value] = llvm::StringRef(word.text).split('=');
    bool isName = !name.empty() && !llvm::isDigit(name[0]) &&
                  llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (!isName || name.size() == word.text.size()) {
      problem = "`" + word.text + "` is not NAME=VALUE";
      return false;
    }
    uint32_t split = word.span.begin + static_cast<uint32_t>(name.size());
    out.push_back({name.str(),
                   value.str(),
                   {word.span.file, word.span.begin, split},
                   {word.span.file, split + 1, word.span.end}});
  }
  return true;
}

bool CommandLine::integer(llvm::StringRef option, std::optional<uint64_t> &out,
                          std::string &problem) const {
  const Word *word = find(option);
  if (!word)
    return true;
  uint64_t value = 0;
  if (llvm::StringRef(word->text).getAsInteger(10, value)) {
    problem = (option + " takes a number, not `" + word->text + "`").str();
    return false;
  }
  out = value;
  return true;
}

bool CommandLine::number(llvm::StringRef option, std::optional<double> &out,
                         std::string &problem) const {
  const Word *word = find(option);
  if (!word)
    return true;
  double value = 0;
  if (llvm::StringRef(word->text).getAsDouble(value) || !(value >= 0)) {
    problem = (option + " takes a number that is not negative, not `" + word->text + "`").str();
    return false;
  }
  out = value;
  return true;
}

} // namespace gluonc::driver
