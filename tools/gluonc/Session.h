//===- Session.h - What the subcommands of gluonc share ---------------------===//
//
// The one place that prints diagnostics, reads the environment and decides exit
// statuses:
//
//   0 fine   1 the input has errors, or an output cannot be written   2 usage
//   3 an expectation failed or a checker found a fault
//   4 a device or tool is not available   70 a bug of gluonc
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Commands.h"
#include "driver/Cache.h"
#include "driver/Run.h"
#include "driver/Status.h"
#include "host/Expression.h"

namespace gluonc::tool {

/// Prints diagnostics as they come and remembers what they mean for the exit status.
class PrintingSink : public diag::Sink {
public:
  bool json = false;
  llvm::raw_ostream *out = &llvm::errs();
  driver::Outcome outcome = driver::Outcome::Fine;

protected:
  void handle(diag::Diagnostic diagnostic) override;
};

/// A file of kernels, and the one of them that a command is about.
struct LoadedKernel {
  explicit LoadedKernel(diag::SourceManager &sources) : program(sources) {}

  sema::Program program;
  std::shared_ptr<const sema::Function> kernel;
  /// Values of the command line, in the scope of the file.
  std::optional<host::HostScope> scope;
  /// What names the kernel on the command line.
  diag::Span place;
};

struct SourceRequest;

/// Values of the kernel's parameters, and --grid.
struct BoundLaunch {
  driver::KernelArguments arguments;
  driver::Grid grid = {1, 1, 1};
};

class Session {
public:
  CommandLine line;
  diag::SourceManager sources;
  PrintingSink sink;
  const CommandSpec *command = nullptr;

  /// Reads the options and arguments of `command`, which the second word names, from all words of
  /// a command line. Returns what is wrong with the usage, or an empty string.
  std::string readLine(llvm::ArrayRef<llvm::StringRef> words);
  /// Prints a usage error; returns 2.
  int usage(const llvm::Twine &problem);
  /// Writes what is left of the standard output. Returns `status`, or that of an output that
  /// takes no more.
  int finish(int status);
  /// The exit status so far.
  int status() const { return static_cast<int>(sink.outcome); }

  /// The bytes of a file; nullopt after a report.
  std::optional<std::string> readFile(const Word &path);
  /// False after a report. "-" is the standard output.
  /// Whether the performance model knows a chip, for the option that asks for a timeline. False
  /// after a report.
  bool canBeTraced(const target::Target &target, const Word &option);
  bool writeFile(const Word &path, llvm::StringRef bytes);

  /// `FILE.py::KERNEL` and `FILE.py`.
  struct Input {
    Word path;
    std::optional<Word> kernel;
    bool isIr() const {
      return llvm::StringRef(path.text).ends_with(".ttgir") ||
             llvm::StringRef(path.text).ends_with(".mlir");
    }
  };
  static Input splitInput(const Word &word);
  /// The kernel that `input` names, or the file's only one. Null after a report.
  std::unique_ptr<LoadedKernel> loadKernel(const Input &input);
  /// The same of a file that has been read, into `files`.
  std::unique_ptr<LoadedKernel> loadKernel(const Input &input, std::string text,
                                           diag::SourceManager &files, Timings *timings = nullptr);

  /// Where imports are looked for behind a file's own folder: -I and PYTHONPATH.
  std::vector<std::string> searchPath() const;
  /// Tells `program` so.
  void prepare(sema::Program &program) const;

  driver::CodeOptions codeOptions() const;
  /// Reads what --library names. False after a report.
  bool readLibraries(codegen::Options &options);
  /// On disk, and what GLUONC_REMOTE_CACHE and its fellows name behind it (--remote, --keys before
  /// them); off with --no-cache. Nullopt after a report.
  std::optional<driver::Cache> openCache();
  /// --schedule-seed, --max-branches, --races, --masked-off, --unknown-reads. False with a usage
  /// problem.
  bool readSimulation(driver::SimulatedRun &how, std::string &problem);
  /// The command line of a command that takes the source of one kernel, and needs --target, unless
  /// there is one to take without. Gives 0, or the exit status after a report or a usage error.
  int readRequest(SourceRequest &request, std::optional<target::Target> otherwise = std::nullopt);
  /// `later` are expressions beside the arguments that may use them. Nullopt after a report.
  std::optional<BoundLaunch> bindLaunch(LoadedKernel &loaded,
                                        llvm::ArrayRef<driver::ArgumentText> texts,
                                        std::vector<std::string> later = {});
  /// Whether `--format` says json; nullopt, after a usage error, where it says something else.
  std::optional<bool> wantsJson();

private:
  std::shared_ptr<const sema::Function> findKernel(sema::Program &program, sema::Module &module,
                                                   const Input &input);
};

/// `FILE.py::KERNEL NAME=… --target T` and the options of the kernel.
struct SourceRequest {
  Session::Input input;
  std::vector<driver::ArgumentText> arguments;
  sema::Options options;
};

/// A word as a shell reads it.
std::string quotedForShell(llvm::StringRef word);

/// PATH, CUDA_HOME and friends.
std::string findPtxasHere();
/// Another program of the CUDA toolkit; empty where there is none.
std::string findCudaToolHere(llvm::StringRef name);
/// GLUONC_CACHE_DIR (empty: no cache), else XDG_CACHE_HOME/gluonc, else ~/.cache/gluonc.
std::string cacheDirectory();

/// Makes internal errors and crashes print what happened, write a reproducer and exit with 70.
void installCrashHandlers(llvm::StringRef commandLine);

int runCommand(Session &session);
int compileCommand(Session &session);
int liftCommand(Session &session);
int explainCommand(Session &session);
int verifyCommand(Session &session);
int checkCommand(Session &session);
int lspCommand(Session &session);
int layoutCommand(Session &session);
int pipelineCommand(Session &session);
int docCommand(Session &session);
int infoCommand(Session &session);
int debugCommand(Session &session);
int cacheCommand(Session &session);
int tuneCommand(Session &session);
int buildCommand(Session &session);
int bundleCommand(Session &session);
int completionCommand(Session &session);
int manCommand(Session &session);

} // namespace gluonc::tool
