//===- CompletionCommand.cpp - gluonc completion, gluonc man -----------------===//
//
// Scripts that complete command lines in a shell, and the manual page: all of them say
// what the tables of the command line say.
//
//===----------------------------------------------------------------------===//
#include "Session.h"
#include "driver/Stage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace gluonc::tool {

namespace {

/// What an option takes, where that is one of a few words; else empty. What there is of chips and
/// stages other tables know.
std::vector<std::string> choicesOf(const OptionSpec &option) {
  std::vector<std::string> words;
  llvm::SmallVector<llvm::StringRef> parts;
  option.choices.split(parts, ' ', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts)
    words.push_back(part.str());
  if (option.name == "--target")
    for (const target::Target &target : target::Target::all())
      words.push_back(target.name());
  else if (option.name == "--emit")
    for (const driver::StageInfo &stage : driver::allStages())
      for (llvm::StringRef name : {stage.name, stage.amdName})
        if (!llvm::is_contained(words, name))
          words.push_back(name.str());
  return words;
}

/// The first word after a command, where that is one of a few.
std::vector<std::string> wordsAfter(llvm::StringRef command) {
  if (command == "cache")
    return {"list", "size", "prune", "verify", "stats", "push", "pull", "keygen"};
  if (command == "bundle")
    return {"list", "inspect", "verify", "strip", "merge"};
  if (command == "completion")
    return {"bash", "zsh", "fish"};
  return {};
}

template <typename Visit> void forEachOption(const CommandSpec &command, Visit &&visit) {
  for (llvm::ArrayRef<OptionSpec> list : {command.options, sharedOptions()})
    for (const OptionSpec &option : list)
      visit(option);
}

std::string replaced(llvm::StringRef text, llvm::StringRef special, llvm::StringRef before) {
  std::string made;
  for (char c : text) {
    if (special.contains(c))
      made += before;
    made += c;
  }
  return made;
}

llvm::StringRef firstLine(llvm::StringRef text) { return text.split('\n').first; }

/// In single quotes of a shell.
std::string quoted(const llvm::Twine &text) {
  std::string made = "'";
  for (char c : text.str())
    made += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return made + "'";
}

std::string commandNames() {
  std::vector<llvm::StringRef> names;
  for (const CommandSpec &command : allCommands())
    names.push_back(command.name);
  return llvm::join(names, " ");
}

void writeBash(llvm::raw_ostream &out) {
  out << R"sh(# Completion of gluonc in bash: eval "$(gluonc completion bash)"
_gluonc() {
  local line=${COMP_LINE:0:COMP_POINT} words options choices=
  read -ra words <<<"$line"
  local word=${line##*[[:space:]]} last=$((${#words[@]} - 1))
  [ -n "$word" ] || last=$((last + 1))
  local before=${words[last - 1]}
  if [ "$last" = 1 ]; then
    choices=")sh"
      << commandNames() << R"sh( --help --version"
  else
    case ${words[1]} in
)sh";
  for (const CommandSpec &command : allCommands()) {
    out << "    " << command.name << ") options=\"";
    llvm::ListSeparator space(" ");
    forEachOption(command, [&](const OptionSpec &option) { out << space << option.name; });
    out << "\"";
    if (std::vector<std::string> words = wordsAfter(command.name); !words.empty())
      out << " choices=\"" << llvm::join(words, " ") << "\"";
    out << " ;;\n";
  }
  out << "    esac\n    case \"${words[1]} $before\" in\n";
  for (const CommandSpec &command : allCommands())
    forEachOption(command, [&](const OptionSpec &option) {
      if (!option.value.empty())
        out << "    \"" << command.name << ' ' << option.name << "\") choices=\""
            << llvm::join(choicesOf(option), " ") << "\" options= ;;\n";
    });
  out << R"sh(    esac
    [[ $word != -* ]] || choices=$options
  fi
  # Nothing found: names of files.
  mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
  # What is left of a colon is not replaced.
  [[ $word != *:* ]] || COMPREPLY=("${COMPREPLY[@]#"${word%:*}:"}")
}
complete -o default -F _gluonc gluonc
)sh";
}

void writeZsh(llvm::raw_ostream &out) {
  out << "#compdef gluonc\n# Completion of gluonc in zsh: a file `_gluonc` in a folder of $fpath\n"
         "_gluonc() {\n  local -a commands=(\n";
  for (const CommandSpec &command : allCommands())
    out << "    " << quoted(command.name + ":" + firstLine(command.about)) << "\n";
  out << "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
         "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const CommandSpec &command : allCommands()) {
    out << "  " << command.name << ")\n    _arguments \\\n";
    forEachOption(command, [&](const OptionSpec &option) {
      // A letter and its value are two words, or one.
      bool isLetter = !llvm::StringRef(option.name).starts_with("--");
      llvm::StringRef joint = option.value.empty() ? "" : isLetter ? "+" : "=";
      std::string spec =
          ("*" + option.name + joint + "[").str() + replaced(option.help, "[]\\", "\\") + "]";
      if (!option.value.empty()) {
        std::vector<std::string> choices = choicesOf(option);
        for (std::string &choice : choices)
          choice = replaced(choice, ":", "\\");
        spec += ":" + replaced(option.value, ":\\", "\\") + ":" +
                (choices.empty() ? "_files" : "(" + llvm::join(choices, " ") + ")");
      }
      out << "      " << quoted(spec) << " \\\n";
    });
    std::vector<std::string> words = wordsAfter(command.name);
    if (!words.empty())
      out << "      " << quoted("1:what:(" + llvm::join(words, " ") + ")") << " \\\n";
    out << "      '*:file:_files' ;;\n";
  }
  out << "  esac\n}\n_gluonc \"$@\"\n";
}

void writeFish(llvm::raw_ostream &out) {
  out << "# Completion of gluonc in fish: gluonc completion fish | source\n";
  for (const CommandSpec &command : allCommands()) {
    out << "complete -c gluonc -n __fish_use_subcommand -f -a " << command.name << " -d "
        << quoted(firstLine(command.about)) << "\n";
    std::string here =
        ("complete -c gluonc -n '__fish_seen_subcommand_from " + command.name + "'").str();
    for (const std::string &word : wordsAfter(command.name))
      out << here << " -f -a " << word << "\n";
    forEachOption(command, [&](const OptionSpec &option) {
      llvm::StringRef name = option.name;
      bool isLong = name.consume_front("--") || !name.consume_front("-");
      out << here << (isLong ? " -l " : " -s ") << name;
      std::vector<std::string> choices = choicesOf(option);
      if (!option.value.empty())
        out << (choices.empty() ? " -r" : " -x -a " + quoted(llvm::join(choices, " ")));
      out << " -d " << quoted(option.help) << "\n";
    });
  }
}

/// Text of a manual page: what troff would take for a command is none.
std::string roff(llvm::StringRef text) {
  std::string made;
  bool isStart = true;
  for (char c : text) {
    if (isStart && (c == '.' || c == '\''))
      made += "\\&";
    isStart = c == '\n';
    if (c == '\\')
      made += "\\e";
    else if (c == '-')
      made += "\\-";
    else
      made += c;
  }
  return made;
}

constexpr struct {
  llvm::StringLiteral name, meaning;
} variables[] = {
    {"GLUONC_CACHE_DIR", "Folder of compiled kernels; empty: none are kept. By default "
                         "XDG_CACHE_HOME/gluonc, else ~/.cache/gluonc."},
    {"GLUONC_PTXAS", "The program ptxas. By default it is looked for in PATH, CUDA_HOME, "
                     "/usr/local/cuda, VIRTUAL_ENV and CONDA_PREFIX."},
    {"PYTHONPATH", "Folders in which imports of kernel files are looked for."},
    {"TMPDIR", "Where the report of a crash goes."},
};

constexpr struct {
  llvm::StringLiteral status, meaning;
} statuses[] = {
    {"0", "Fine."},
    {"1", "The input has errors, or an output cannot be written."},
    {"2", "The command line is wrong."},
    {"3", "An expectation failed, or a checker found a fault."},
    {"4", "A device or tool is not available."},
    {"70", "A bug of gluonc."},
};

void writeManual(const OptionSpec &option, llvm::raw_ostream &out) {
  out << ".TP\n\\fB" << roff(option.name) << "\\fR";
  if (!option.value.empty())
    out << " \\fI" << roff(option.value) << "\\fR";
  out << "\n" << roff(option.help) << "\n";
}

void writeManual(llvm::raw_ostream &out) {
  out << ".TH GLUONC 1 \"\" \"gluonc " << GLUONC_VERSION << "\" \"User Commands\"\n"
      << ".SH NAME\ngluonc \\- compiles and runs Gluon kernels\n.SH SYNOPSIS\n";
  for (const CommandSpec &command : allCommands()) {
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(command.usage).split(lines, '\n');
    for (auto [i, line] : llvm::enumerate(lines))
      // A second line of a usage says the command itself.
      out << (i || &command != allCommands().begin() ? ".br\n" : "") << "\\fBgluonc\\fR "
          << (i ? "" : "\\fB" + command.name.str() + "\\fR ")
          << roff(i ? line.trim().drop_front(strlen("gluonc")).trim() : line) << "\n";
  }
  out << ".SH COMMANDS\n";
  for (const CommandSpec &command : allCommands()) {
    out << ".SS gluonc " << command.name << "\n" << roff(command.about) << "\n";
    for (const OptionSpec &option : command.options)
      writeManual(option, out);
  }
  out << ".SH OPTIONS\nEvery command has these.\n";
  for (const OptionSpec &option : sharedOptions())
    writeManual(option, out);
  out << ".SH EXIT STATUS\n";
  for (const auto &[status, meaning] : statuses)
    out << ".TP\n.B " << status << "\n" << roff(meaning) << "\n";
  out << ".SH ENVIRONMENT\n";
  for (const auto &[name, meaning] : variables)
    out << ".TP\n.B " << name << "\n" << roff(meaning) << "\n";
}

} // namespace

int completionCommand(Session &session) {
  const std::vector<Word> &words = session.line.positional();
  llvm::StringRef shell = words.size() == 1 ? llvm::StringRef(words[0].text) : "";
  if (shell == "bash")
    writeBash(llvm::outs());
  else if (shell == "zsh")
    writeZsh(llvm::outs());
  else if (shell == "fish")
    writeFish(llvm::outs());
  else
    return session.usage("completion takes bash, zsh or fish");
  return session.status();
}

int manCommand(Session &session) {
  if (!session.line.positional().empty())
    return session.usage("man takes no arguments");
  writeManual(llvm::outs());
  return session.status();
}

} // namespace gluonc::tool
