#include "Tools.h"

#include "gtest/gtest.h"

#include <random>

using namespace engine;

namespace {

/// Text, then each call as `name(arguments)`, of an answer cut into pieces at random.
std::string read(ToolUse use, const std::string &answer, unsigned seed = 0) {
  std::mt19937 random(seed);
  ToolParser parser(use);
  std::string text, calls;
  auto take = [&](const ToolParser::Piece &piece) {
    text += piece.text;
    for (const ToolCall &call : piece.calls)
      calls += " " + call.name + "(" + call.arguments + ")";
  };
  for (size_t at = 0; at < answer.size();) {
    const size_t size = seed == 0 ? answer.size() : 1 + random() % 7;
    take(parser.put(answer.substr(at, size)));
    at += size;
  }
  take(parser.finish());
  return text + "|" + calls;
}

void expectAll(ToolFormat format, const std::string &answer, const std::string &expected,
               bool onlyOne = false) {
  for (unsigned seed = 0; seed != 20; ++seed)
    EXPECT_EQ(read({format, "", onlyOne}, answer, seed), expected) << answer << ", seed " << seed;
}

TEST(Tools, HermesCalls) {
  auto expect = [](const std::string &answer, const std::string &expected, bool onlyOne = false) {
    expectAll(ToolFormat::Hermes, answer, expected, onlyOne);
  };
  const std::string one = "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"b\": 1, \"a\": [2, "
                          "\"</tool\"]}}\n</tool_call>",
                    call = R"( f({"b":1,"a":[2,"</tool"]}))";
  expect(one, "|" + call);
  expect("\n" + one + "\n", "|" + call);
  expect("Let me look.\n\n" + one, "Let me look.|" + call);
  expect(one + "\n" + one, "|" + call + call);
  expect(one + "\n" + one, "|" + call, true);
  expect(one + " done", " done|" + call);
  // Without its end, as at a stop string or the end of the answer.
  expect(one.substr(0, one.find("\n</tool_call>")), "|" + call);
  expect("<tool_call>{\"name\": \"g\"}</tool_call>", "| g({})");
  expect("<tool_call>{\"name\": \"g\", \"arguments\": \"{}\"}</tool_call>", "| g({})");
}

TEST(Tools, HermesTextThatIsNoCall) {
  for (const std::string &text :
       {std::string("plain < text <tool_cal > "), std::string("<tool_call>no JSON</tool_call>"),
        std::string("a <tool_call>{\"name\": 1}</tool_call> b"), std::string("<tool_call>{\"na"),
        std::string("<tool_call>[1]</tool_call>"), std::string(" \n"), std::string(),
        std::string("<tool_call>{\"name\": \"f\", \"arguments\": [1]}</tool_call>")})
    expectAll(ToolFormat::Hermes, text, text + "|");
  // Levels without number do not overflow the stack.
  const std::string deep =
      "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": " + std::string(1000000, '[');
  EXPECT_EQ(read({ToolFormat::Hermes}, deep), deep + "|");
}

TEST(Tools, Llama3Calls) {
  auto expect = [](const std::string &answer, const std::string &expected, bool onlyOne = false) {
    expectAll(ToolFormat::Llama3, answer, expected, onlyOne);
  };
  const std::string one = R"({"name": "f", "parameters": {"x": "a}\"{;"}})",
                    call = R"( f({"x":"a}\"{;"}))";
  expect(one, "|" + call);
  expect(" " + one + "\n", "|" + call);
  expect("<|python_tag|>" + one, "|" + call);
  expect(one + "; " + one, "|" + call + call);
  expect(one + one, "|" + call + call);
  expect(one + ";" + one, "|" + call, true);
  for (const std::string &text :
       {std::string("The answer is ") + one, one + " and more", std::string("{\"x\": 1}"),
        std::string("{"), std::string("{}}"), std::string("<|python"), std::string("<|pyth on"),
        std::string("f(x)"), std::string(" "), one.substr(0, one.size() - 1)})
    expect(text, text + "|");
}

TEST(Tools, WithoutToolsEverythingIsText) {
  expectAll(ToolFormat::None, "<tool_call>{\"name\": \"f\"}</tool_call>",
            "<tool_call>{\"name\": \"f\"}</tool_call>|");
}

TEST(Tools, BeginningsOfCallsAreCallsWhenTheyGoOn) {
  EXPECT_EQ(read({ToolFormat::Hermes}, beginOfCall(ToolFormat::Hermes, "f") + " {\"a\": 1}}"),
            R"(| f({"a":1}))");
  EXPECT_EQ(read({ToolFormat::Hermes}, beginOfCall(ToolFormat::Hermes, "") + "g\"}</tool_call>"),
            "| g({})");
  EXPECT_EQ(read({ToolFormat::Llama3}, beginOfCall(ToolFormat::Llama3, "f") + " {\"a\": 1}}"),
            R"(| f({"a":1}))");
  EXPECT_EQ(read({ToolFormat::Llama3}, beginOfCall(ToolFormat::Llama3, "") + "g\"}"), "| g({})");
}

TEST(Tools, FormatsOfTemplates) {
  EXPECT_EQ(toolFormatOf("{{ messages }}"), ToolFormat::None);
  EXPECT_EQ(toolFormatOf("{% if tools %}<tool_call></tool_call>"), ToolFormat::Hermes);
  EXPECT_EQ(toolFormatOf("{% if tools %}<tool_call><function=f>"), ToolFormat::None);
  EXPECT_EQ(toolFormatOf("tools <|start_header_id|> \"parameters\""), ToolFormat::Llama3);
  EXPECT_EQ(toolFormatOf("tools <|python_tag|>"), ToolFormat::Llama3);
  EXPECT_EQ(toolFormatOf("tools [TOOL_CALLS]"), ToolFormat::None);
}

} // namespace
