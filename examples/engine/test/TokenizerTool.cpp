// Encodes and decodes for tokenizer_test.py: reads one JSON object a line, and answers with one.
//   TokenizerTool MODEL_FOLDER
//   {"text": "…", "special": true}     -> {"tokens": […]}
//   {"tokens": […], "skip": true}      -> {"text": "…", "stream": "…"}: at once, and token by token
#include "Json.h"
#include "TextStream.h"

#include <iostream>

using namespace engine;

static Json answer(const Tokenizer &tokenizer, const Json &question) {
  if (question.contains("text")) {
    Expected<std::vector<int32_t>> tokens =
        tokenizer.encode(question["text"].get<std::string>(), question["special"].get<bool>());
    return tokens ? Json{{"tokens", *tokens}} : Json{{"error", tokens.error().text}};
  }
  const auto tokens = question["tokens"].get<std::vector<int32_t>>();
  TextStream stream(tokenizer, {});
  std::string text;
  for (int32_t token : tokens)
    text += stream.put(token);
  text += stream.finish();
  return {{"text", tokenizer.decode(tokens, question["skip"].get<bool>())}, {"stream", text}};
}

int main(int argc, char **argv) {
  Expected<Tokenizer> tokenizer =
      argc == 2 ? Tokenizer::open(argv[1]) : fail("usage: TokenizerTool MODEL_FOLDER");
  if (!tokenizer) {
    std::cerr << tokenizer.error().text << "\n";
    return 1;
  }
  std::string line;
  while (std::getline(std::cin, line)) {
    Expected<Json> question = parseJson(line);
    std::cout << dump(question ? answer(*tokenizer, *question)
                               : Json{{"error", question.error().text}})
              << "\n"
              << std::flush;
  }
}
