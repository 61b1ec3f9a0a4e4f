#include "PictureFormat.h"
#include "picture/Draw.h"

namespace gluonc::tool {

int writePicture(Session &session, const picture::Picture &picture) {
  std::string text;
  const Word *format = session.line.find("--format");
  if (!format || format->text == "text")
    text = picture::toText(picture);
  else if (format->text == "svg")
    text = picture::toSvg(picture);
  else if (format->text == "html")
    text = picture::toHtml(picture);
  else
    return session.usage("--format takes text, svg or html");
  const Word *out = session.line.find("-o");
  session.writeFile(out ? *out : Word{"-", {}}, text);
  return session.status();
}

/// "load@0"; nullopt if it is something else.
static std::optional<picture::Pipeline::Step> parseStep(llvm::StringRef text) {
  constexpr unsigned mostStages = 16;
  auto [name, stageText] = text.rsplit('@');
  unsigned stage = 0;
  if (name.empty() || stageText.getAsInteger(10, stage) || stage >= mostStages)
    return std::nullopt;
  return picture::Pipeline::Step{name.str(), stage};
}

int pipelineCommand(Session &session) {
  picture::Pipeline pipeline;
  for (const Word &word : session.line.positional()) {
    std::optional<picture::Pipeline::Step> step = parseStep(word.text);
    if (!step)
      return session.usage(
          "a step is NAME@STAGE with a stage of 0 to 15, such as load@0, but this is " + word.text);
    pipeline.steps.push_back(std::move(*step));
  }
  if (pipeline.steps.empty())
    return session.usage("steps are needed, such as load@0 product@2");
  std::string problem;
  std::optional<uint64_t> iterations;
  if (!session.line.integer("--iterations", iterations, problem))
    return session.usage(problem);
  constexpr uint64_t mostIterations = 64;
  if (iterations && (*iterations < 1 || *iterations > mostIterations))
    return session.usage("--iterations takes 1 to 64");
  if (iterations)
    pipeline.iterations = static_cast<unsigned>(*iterations);
  return writePicture(session, picture::drawPipeline(pipeline));
}

} // namespace gluonc::tool
