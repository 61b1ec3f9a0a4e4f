//===- DebugPrompt.h - Commands of `gluonc debug` ------------------------------===//
#pragma once

#include "debug/Debugger.h"

namespace gluonc::tool {

/// Reads commands, most of them with gdb's names, and says what came of them.
class DebugPrompt {
public:
  DebugPrompt(debug::Debugger &debugger, llvm::raw_ostream &out) : debugger(debugger), out(out) {}

  /// The commands, then those of the standard input, until one says to quit.
  void run(std::vector<std::string> commands);
  /// False where it says to quit.
  bool execute(llvm::StringRef line);

private:
  struct Command;
  static llvm::ArrayRef<Command> commands();
  static const Command *findCommand(llvm::StringRef name);

  // What the commands do; `rest` is what follows the name.
  void addBreakpoint(llvm::StringRef rest);
  void watch(llvm::StringRef rest);
  void remove(llvm::StringRef rest);
  void start(llvm::StringRef rest);
  void restart(llvm::StringRef rest);
  void resume(llvm::StringRef rest);
  void resumeBack(llvm::StringRef rest);
  void stepInto(llvm::StringRef rest);
  void stepOver(llvm::StringRef rest);
  void stepOut(llvm::StringRef rest);
  void stepBackInto(llvm::StringRef rest);
  void stepBackOver(llvm::StringRef rest);
  void print(llvm::StringRef rest);
  void list(llvm::StringRef rest);
  void backtrace(llvm::StringRef rest);
  void selectFrame(llvm::StringRef rest);
  void selectThread(llvm::StringRef rest);
  void info(llvm::StringRef rest);
  void help(llvm::StringRef rest);

  void infoLocals();
  void infoArguments();
  void infoBreakpoints();
  void infoThreads();
  void infoBarriers();
  void infoAsync();

  void say(const llvm::Twine &text) { out << text << '\n'; }
  void repeat(llvm::StringRef count, debug::Step step, debug::Direction direction);
  void showStop(const debug::Stop &stop);
  void showPlace();
  /// Of the selected frame.
  std::optional<debug::Line> lineHere() const;
  std::optional<debug::Line> parseLine(llvm::StringRef text);

  debug::Debugger &debugger;
  llvm::raw_ostream &out;
};

} // namespace gluonc::tool
