#include "TestTokenizer.h"
#include "TextStream.h"

#include "gtest/gtest.h"

using namespace engine;

namespace {

std::string refusal(const Json &json) {
  Expected<Tokenizer> tokenizer = Tokenizer::parse(json);
  return tokenizer ? "" : tokenizer.error().text;
}

TEST(Tokenizer, MergesInTheOrderOfTheMerges) {
  Tokenizer tokenizer = *Tokenizer::parse(tokenizerJson());
  // th 256, the 257, an 258, and 259
  EXPECT_EQ(*tokenizer.encode("thethan", true), (std::vector<int32_t>{257, 256, 258}));
  EXPECT_EQ(*tokenizer.encode("and<end>the<tag>", true),
            (std::vector<int32_t>{259, 260, 257, 261}));
  EXPECT_EQ(tokenizer.addedToken("<tag>"), 261);
  EXPECT_EQ(tokenizer.addedToken("<tag"), std::nullopt);
}

TEST(Tokenizer, RefusesTextThatIsNoUtf8) {
  Tokenizer tokenizer = *Tokenizer::parse(tokenizerJson());
  for (std::string_view text : {"\xff", "a\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80"})
    EXPECT_FALSE(tokenizer.encode(text, true));
  EXPECT_TRUE(tokenizer.encode("\xf4\x8f\xbf\xbf", true));
}

TEST(Tokenizer, SaysWhatItDoesNotHave) {
  Json json = tokenizerJson();
  json["model"]["type"] = "Unigram";
  EXPECT_EQ(refusal(json), "the model must be BPE, not Unigram");
  json = tokenizerJson();
  json["model"]["byte_fallback"] = true;
  EXPECT_EQ(refusal(json), "byte_fallback is not supported");
  json = tokenizerJson();
  json["model"]["merges"].push_back("x nope");
  EXPECT_EQ(refusal(json), "the merge of 'x' and 'nope' is about what is no token");
  json = tokenizerJson();
  json["model"]["vocab"].erase("a");
  EXPECT_EQ(refusal(json), "the byte 97 is no token");
  json = tokenizerJson();
  json["normalizer"] = {{"type", "Lowercase"}};
  EXPECT_EQ(refusal(json), "the normalizer Lowercase is not supported");
  json = tokenizerJson();
  json["pre_tokenizer"] = {{"type", "Metaspace"}};
  EXPECT_EQ(refusal(json), "the last pre_tokenizer must be ByteLevel");
  json = tokenizerJson();
  json["added_tokens"][1]["id"] = 260;
  EXPECT_EQ(refusal(json), "two tokens have the number 260");
  json = tokenizerJson();
  json["added_tokens"][1]["lstrip"] = true;
  EXPECT_NE(refusal(json).find("lstrip is not supported"), std::string::npos);
  json = tokenizerJson();
  json.erase("decoder");
  EXPECT_EQ(refusal(json), "the decoder must be ByteLevel");
}

TEST(Tokenizer, AnyPartOfTheWrongTypeIsAnError) {
  // Each value in turn becomes something else; none may end the process.
  const Json whole = tokenizerJson().flatten();
  std::vector<std::string> keys;
  for (const auto &[key, value] : whole.items())
    if (!key.starts_with("/model/vocab/") || key.ends_with("/a"))
      keys.push_back(key);
  for (const std::string &key : keys)
    for (const Json &value :
         {Json(nullptr), Json(-1), Json("x"), Json(1e300), Json::array({1}), Json{{"x", 1}}}) {
      Json json = tokenizerJson();
      json[Json::json_pointer(key)] = value;
      (void)Tokenizer::parse(json);
      for (Json::json_pointer part(key); !part.empty(); part = part.parent_pointer())
        if (json.contains(part)) {
          json[part] = value;
          (void)Tokenizer::parse(json);
        }
    }
}

TEST(Splitter, CutsByRegularExpression) {
  auto split = [](const char *pattern, Splitter::Behavior behavior, bool invert,
                  std::string_view text) {
    return *Splitter::fromRegex(pattern, behavior, invert)->split(text);
  };
  using Parts = std::vector<std::string_view>;
  using enum Splitter::Behavior;
  EXPECT_EQ(split(R"(\p{L}+)", Isolated, false, "ab, c"), (Parts{"ab", ", ", "c"}));
  EXPECT_EQ(split(R"(\p{L}+)", Removed, false, "ab, c"), (Parts{", "}));
  EXPECT_EQ(split(R"(\p{L}+)", Removed, true, "ab, c"), (Parts{"ab", "c"}));
  EXPECT_EQ(split(R"(\s)", Isolated, false, "a\u180eb\u3000c"), (Parts{"a\u180eb", "\u3000", "c"}));
  EXPECT_EQ(*Splitter::fromString("a.", Isolated, false)->split("a.aba."),
            (Parts{"a.", "ab", "a."}));
}

TEST(Splitter, RefusesWhatTheLibrariesReadDifferently) {
  for (const char *pattern :
       {R"(\w+)", "^a", "a$", "a.b", "[[:alpha:]]", R"(\ba)", "a*", "(a", "\\", R"([\S])"})
    EXPECT_FALSE(Splitter::fromRegex(pattern, Splitter::Behavior::Isolated, false)) << pattern;
}

TEST(Splitter, LongTextsDoNotExhaustIt) {
  Splitter splitter = *Splitter::fromRegex(R"(\s+(?!\S)|\s+|[^\s\p{L}]+|\p{L}+)",
                                           Splitter::Behavior::Isolated, false);
  const std::string spaces(3'000'000, ' '), letters(3'000'000, 'a');
  EXPECT_EQ(splitter.split(spaces + letters)->size(), 3u);
}

std::string stream(const Tokenizer &tokenizer, std::vector<std::string> stops,
                   std::vector<int32_t> tokens, std::vector<std::string> *pieces = nullptr) {
  TextStream made(tokenizer, std::move(stops));
  std::string text;
  for (int32_t token : tokens) {
    const std::string piece = made.put(token);
    if (pieces)
      pieces->push_back(piece);
    text += piece;
  }
  return text + made.finish();
}

TEST(TextStream, HoldsHalfCodePointsBack) {
  Tokenizer tokenizer = *Tokenizer::parse(tokenizerJson());
  std::vector<std::string> pieces;
  EXPECT_EQ(stream(tokenizer, {}, {0xE2, 0x82, 0xAC, 'x', 0xC3}, &pieces), "€x\uFFFD");
  EXPECT_EQ(pieces, (std::vector<std::string>{"", "", "€", "x", ""}));
  EXPECT_EQ(stream(tokenizer, {}, {0xE2, 'x', 0xF0, 0x9F}), "\uFFFDx\uFFFD");
}

TEST(TextStream, FindsStopStringsAcrossTokens) {
  Tokenizer tokenizer = *Tokenizer::parse(tokenizerJson());
  std::vector<std::string> pieces;
  EXPECT_EQ(stream(tokenizer, {"bcd"}, {'a', 'b', 'c', 'x', 'b', 'c', 'd', 'e'}, &pieces), "abcx");
  EXPECT_EQ(pieces, (std::vector<std::string>{"a", "", "", "bcx", "", "", "", ""}));
  EXPECT_EQ(stream(tokenizer, {"bcd"}, {'a', 'b', 'c'}), "abc")
      << "what was held back comes at the end";
  EXPECT_EQ(stream(tokenizer, {"aab"}, {'a', 'a', 'a', 'b'}), "a");
  EXPECT_EQ(stream(tokenizer, {"xyz", "he"}, {257, 257}), "t");
  EXPECT_EQ(stream(tokenizer, {"€"}, {'a', 0xE2, 0x82, 0xAC}), "a");
  EXPECT_EQ(stream(tokenizer, {"<end>"}, {260, 'a'}), "a") << "special tokens have no text";
}

} // namespace
