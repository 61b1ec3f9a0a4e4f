//===- DebugAdapter.h - `gluonc debug --dap` ------------------------------------===//
//
// The Debug Adapter Protocol, by which VS Code and other editors show a debugger. The
// client says in `launch` what the command line would:
//
//   {"program": "k.py", "kernel": "copy", "arguments": ["n=200", "src=arange(0, n, f32)"],
//    "grid": "2", "target": "cuda:90a", "options": ["--races", "warn"],
//    "stopOnEntry": true, "stopAtEnd": true}
//
// One request after the other; while a kernel runs, requests are looked for now and
// then and answered in between, so that it can be paused.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "DebugCommand.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/LSP/Transport.h"

namespace gluonc::tool {

class DebugAdapter {
public:
  explicit DebugAdapter(Session &session);
  /// Until the client disconnects or its stream ends.
  void run();

private:
  using Object = llvm::json::Object;
  /// The body of the answer.
  using Answer = llvm::Expected<llvm::json::Value>;
  using Handler = Answer (DebugAdapter::*)(const Object &arguments);

  // Messages (DebugAdapter.cpp).
  /// False where there are no more.
  bool handleMessage();
  void answer(const Object &request);
  void send(Object message);
  void sendEvent(llvm::StringRef name, Object body = {});
  void sendOutput(llvm::StringRef category, const std::string &text);
  static Handler findHandler(llvm::StringRef command);

  // The life of a session (DebugAdapter.cpp).
  Answer initialize(const Object &arguments);
  Answer launch(const Object &arguments);
  Answer configurationDone(const Object &arguments);
  Answer restart(const Object &arguments);
  Answer disconnect(const Object &arguments);

  // Going on and back (DebugAdapter.cpp). What goes on once the answer was sent is `pending`.
  Answer resume(const Object &arguments);
  Answer resumeBack(const Object &arguments);
  Answer stepOver(const Object &arguments);
  Answer stepInto(const Object &arguments);
  Answer stepOut(const Object &arguments);
  Answer stepBack(const Object &arguments);
  Answer pause(const Object &arguments);
  Answer go(const Object &arguments, std::function<debug::Stop()> how);
  void goOn();
  void sendStop(const debug::Stop &stop);
  bool shouldPause();
  /// The kernel's output, and what a stop has to report.
  std::string sendReports();

  // Breakpoints (DebugAdapterState.cpp).
  Answer setBreakpoints(const Object &arguments);
  Answer setExceptionBreakpoints(const Object &arguments);
  Answer dataBreakpointInfo(const Object &arguments);
  Answer setDataBreakpoints(const Object &arguments);

  // Looking (DebugAdapterState.cpp).
  Answer threads(const Object &arguments);
  Answer stackTrace(const Object &arguments);
  Answer scopes(const Object &arguments);
  Answer variables(const Object &arguments);
  Answer evaluate(const Object &arguments);
  Answer exceptionInfo(const Object &arguments);

  debug::Debugger &debugger() { return *kernel->debugger; }
  int64_t numberOf(debug::ThreadId thread);
  /// Nullopt where the program in hand has no such thread.
  std::optional<debug::ThreadId> threadOf(int64_t number);

  /// What numbers in answers mean, until the debugger goes on.
  struct Frame {
    debug::ThreadId thread;
    size_t frame = 0;
  };
  /// Of a tensor, or of a row of one.
  struct Elements {
    /// What the whole tensor is called, or an expression.
    std::string text;
    std::vector<int64_t> row;
    std::vector<int64_t> shape;
  };
  struct Scope {
    enum Kind { Locals, Arguments, Barriers, Operations, Tensor } kind = Locals;
    Frame frame;
    Elements elements = {};
  };

  // Elements of tensors (DebugAdapterElements.cpp).
  /// Makes a variable of a tensor one with children; leaves others as they are.
  void addElements(Object &variable, const Frame &frame, Elements elements);
  /// Children from `start` on, `count` at most.
  Answer childrenOf(const Scope &scope, const Object &arguments);
  /// What a child is called in expressions; "" for one that is no element.
  static std::string nameOfChild(const Elements &elements, llvm::StringRef child);

  std::vector<Frame> frames;
  /// By the references that variables have in answers.
  std::vector<Scope> shownScopes;

  Session &session;
  llvm::lsp::JSONTransportInputOverFile input;
  std::unique_ptr<DebuggedKernel> kernel;
  std::function<debug::Stop()> pending;
  int64_t sequence = 0;
  bool isRunning = false, hasEnded = false;
  bool stopsOnEntry = false, stopsAtEnd = false, stopsAtFaults = true;
  bool isPaused = false;
  /// What the last fault reported.
  std::string fault;
};

} // namespace gluonc::tool
