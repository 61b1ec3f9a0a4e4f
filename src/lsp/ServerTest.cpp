#include "lsp/Server.h"

#include "support/Recovery.h"

#include "llvm/Support/JSON.h"

#include <cstdio>
#include <gtest/gtest.h>

using namespace gluonc;
using namespace gluonc::lsp;

namespace {

/// What a client says, all at once, and what the server answers.
class Session {
public:
  void raw(llvm::StringRef bytes) { said += bytes; }
  /// A request, or without a number a notification.
  void say(llvm::StringRef method, llvm::StringRef params = "{}", int id = 0) {
    std::string number = id ? "\"id\": " + std::to_string(id) + ", " : "";
    frame("{\"jsonrpc\": \"2.0\", " + number + "\"method\": \"" + method.str() +
          "\", \"params\": " + params.str() + "}");
  }
  void frame(llvm::StringRef text) {
    said += "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text.str();
  }
  void open(llvm::StringRef text) {
    llvm::json::Object item{
        {"uri", "file:///nowhere/k.py"}, {"languageId", "python"}, {"version", 1}, {"text", text}};
    std::string params;
    llvm::raw_string_ostream(params)
        << llvm::json::Value(llvm::json::Object{{"textDocument", std::move(item)}});
    say("textDocument/didOpen", params);
  }

  std::string run() {
    FILE *input = std::tmpfile();
    std::fwrite(said.data(), 1, said.size(), input);
    std::rewind(input);
    std::string answers;
    llvm::raw_string_ostream output(answers);
    status = serve(fileno(input), output, {});
    std::fclose(input);
    return answers;
  }

  std::string said;
  int status = -1;
};

bool contains(llvm::StringRef text, llvm::StringRef part) { return text.contains(part); }

const char *const kernel = "from triton.experimental import gluon\n"
                           "# gluonc: x=i32\n"
                           "@gluon.jit\n"
                           "def k(x):\n"
                           "    return\n";

} // namespace

TEST(Server, SkipsWhatIsNoMessage) {
  Session session;
  session.raw("no header at all\r\n\r\n");
  session.raw("Content-Length: -7\r\n\r\n");
  session.raw("Content-Length: 99999999999999999999999\r\n\r\n");
  session.frame("{\"jsonrpc\": \"2.0\", \"method\": ");
  session.frame("[1, 2]");
  session.frame("{}");
  session.frame("{\"jsonrpc\": \"2.0\"}");
  session.frame("{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": 4}");
  session.frame(std::string(100000, '['));
  session.frame("{\"jsonrpc\": \"2.0\", \"method\": \"textDocument/didOpen\", \"params\": 3}");
  session.say("initialize", "{}", 7);
  std::string answers = session.run();
  EXPECT_TRUE(contains(answers, "\"id\":7") && contains(answers, "hoverProvider")) << answers;
}

TEST(Server, SaysWhichMethodsItHasNot) {
  Session session;
  session.say("textDocument/formatting", "{}", 1);
  session.say("textDocument/hover", "{}", 2);
  session.say("$/unknown");
  std::string answers = session.run();
  EXPECT_TRUE(contains(answers, "-32601")) << answers;
  EXPECT_TRUE(contains(answers, "-32602")) << answers;
}

TEST(Server, ExitStatusTellsWhetherAShutdownCameFirst) {
  Session abrupt;
  abrupt.say("exit");
  abrupt.run();
  EXPECT_EQ(abrupt.status, 1);
  Session orderly;
  orderly.say("shutdown", "null", 1);
  orderly.say("exit");
  orderly.run();
  EXPECT_EQ(orderly.status, 0);
}

TEST(Server, AnInternalErrorCostsOneVersionOfAFile) {
  Session session;
  const char *file = R"({"textDocument": {"uri": "file:///nowhere/k.py"}})";
  session.open(kernel);
  session.say("textDocument/documentSymbol", file, 1);
  session.open(kernel);
  session.say("textDocument/documentSymbol", file, 2);
  plantInternalError("sema");
  std::string answers = session.run();
  auto [failed, rest] = llvm::StringRef(answers).split("\"id\":2");
  EXPECT_TRUE(contains(failed, "a bug of gluonc")) << answers;
  EXPECT_TRUE(contains(rest, "\"name\":\"k\"")) << answers;
}
