#include "Session.h"
#include "driver/LayoutPicture.h"
#include "sema/eval/Evaluator.h"

#include "llvm/ADT/StringExtras.h"

namespace gluonc::tool {

using diag::Kind;

/// The language's names without their prefix, as the design of the command line has it.
static constexpr llvm::StringLiteral scopeText =
    "from triton.experimental.gluon.language import (\n"
    "    AutoLayout, BlockedLayout, CoalescedLayout, DistributedLinearLayout, DotOperandLayout,\n"
    "    NVMMADistributedLayout, NVMMASharedLayout, PaddedSharedLayout, SharedLinearLayout,\n"
    "    SliceLayout, SwizzledSharedLayout, amd, nvidia)\n";

static bool parseShape(llvm::StringRef text, host::Shape &shape) {
  llvm::SmallVector<llvm::StringRef, 4> parts;
  text.split(parts, ',');
  for (llvm::StringRef part : parts) {
    int64_t size = 0;
    if (part.trim(" x").getAsInteger(10, size) || size < 1)
      return false;
    shape.push_back(size);
  }
  return !shape.empty();
}

int layoutCommand(Session &session) {
  if (session.line.positional().size() != 1)
    return session.usage("one layout is needed, in quotes");
  const Word *shapeWord = session.line.find("--shape");
  if (!shapeWord)
    return session.usage("--shape is needed");
  host::Shape shape;
  if (!parseShape(shapeWord->text, shape))
    return session.usage("--shape takes sizes such as 64,64");
  std::string problem;
  std::optional<uint64_t> bits;
  if (!session.line.integer("--element-bits", bits, problem))
    return session.usage(problem);
  driver::PictureFormat format = driver::PictureFormat::Text;
  if (const Word *word = session.line.find("--format")) {
    if (word->text == "svg")
      format = driver::PictureFormat::Svg;
    else if (word->text == "html")
      format = driver::PictureFormat::Html;
    else if (word->text != "text")
      return session.usage("--format takes text, svg or html");
  }
  const Word &expression = session.line.positional().front();
  sema::Program program(session.sources);
  sema::Module *module = program.load("<layouts>", scopeText.str(), session.sink);
  std::optional<sema::Value> value =
      sema::evaluate(program, *module, expression.text, {}, "<layout>", session.sink);
  if (!value)
    return session.status();
  auto bad = [&](const llvm::Twine &what) {
    session.sink.report(Kind::LayoutShape, expression.span, what.str()).end();
    return session.status();
  };
  if (!value->is(sema::ValueKind::Layout))
    return bad("this is a " + sema::kindName(value->kind()) + ", not a layout");
  const layout::Layout &layout = value->asLayout();
  if (layout.isPlaceholder())
    return bad("this layout is chosen by the compiler and has no picture");
  if (layout.isTensorMemory())
    return bad("tensor memory has no picture");
  if (layout::Problem wrong = layout.validate())
    return bad(*wrong);
  if (layout::Problem wrong = layout::checkShape(layout, shape))
    return bad(*wrong);
  constexpr int64_t mostElements = 1 << 20;
  std::optional<int64_t> count = host::elementCount(shape);
  if (!count || *count > mostElements)
    return bad("a picture of more than a million elements helps nobody");
  std::string picture = driver::drawLayout(
      layout, shape, static_cast<unsigned>(std::max<uint64_t>(bits.value_or(32) / 8, 1)), format);
  const Word *out = session.line.find("-o");
  session.writeFile(out ? *out : Word{"-", {}}, picture);
  return session.status();
}

} // namespace gluonc::tool
