#include "PictureFormat.h"
#include "picture/Draw.h"
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

namespace {

/// What the command line asks to draw. Its functions return nullopt after a report.
class LayoutRequest {
public:
  explicit LayoutRequest(Session &session)
      : session(session), program(session.sources),
        module(program.load("<layouts>", scopeText.str(), session.sink)) {}

  layout::Ints shape;
  unsigned elementBits = 32;
  std::optional<uint64_t> depth, kWidth;

  /// Reads the options; what is wrong with them, or an empty string.
  std::string readOptions() {
    const Word *shapeWord = session.line.find("--shape");
    if (!shapeWord)
      return "--shape is needed";
    host::Shape sizes;
    if (!parseShape(shapeWord->text, sizes))
      return "--shape takes sizes such as 64,64";
    shape.assign(sizes.begin(), sizes.end());
    std::string problem;
    std::optional<uint64_t> bits;
    if (!session.line.integer("--element-bits", bits, problem) ||
        !session.line.integer("--product", depth, problem) ||
        !session.line.integer("--k-width", kWidth, problem))
      return problem;
    constexpr uint64_t mostBits = 64, mostDepth = 1024;
    if (bits && (!llvm::isPowerOf2_64(*bits) || *bits > mostBits))
      return "--element-bits takes 1, 2, 4, 8, 16, 32 or 64";
    if (depth.value_or(0) > mostDepth || kWidth.value_or(0) > mostDepth)
      return "--product and --k-width take up to 1024";
    elementBits = static_cast<unsigned>(bits.value_or(32));
    return "";
  }

  std::optional<layout::Layout> read(const Word &expression) {
    std::optional<sema::Value> value =
        sema::evaluate(program, *module, expression.text, {}, "<layout>", session.sink);
    if (!value)
      return std::nullopt;
    if (!value->is(sema::ValueKind::Layout))
      return refuse(expression, "this is a " + sema::kindName(value->kind()) + ", not a layout");
    const layout::Layout &layout = value->asLayout();
    if (layout.isPlaceholder())
      return refuse(expression, "this layout is chosen by the compiler and has no picture");
    if (layout::Problem wrong = layout.validate())
      return refuse(expression, *wrong);
    if (layout::Problem wrong = layout::checkShape(layout, shape))
      return refuse(expression, *wrong);
    constexpr int64_t mostElements = 1 << 20;
    std::optional<int64_t> count = host::elementCount(host::Shape(shape.begin(), shape.end()));
    if (!count || *count > mostElements)
      return refuse(expression, "a picture of more than a million elements helps nobody");
    return layout;
  }

  std::optional<picture::Picture> draw(const Word &expression) {
    std::optional<layout::Layout> layout = read(expression);
    if (!layout)
      return std::nullopt;
    const picture::Laid laid{*layout, shape, elementBits};
    if (const Word *other = session.line.find("--to"))
      return drawChange(laid, *other);
    if (depth)
      return drawProduct(laid, expression);
    const Word *view = session.line.find("--view");
    if (!view || view->text == "elements")
      return picture::drawElements(laid);
    if (layout->isDistributed())
      return refuse(expression, "memory is viewed in a layout of shared or tensor memory");
    return picture::drawMemory(laid);
  }

private:
  std::nullopt_t refuse(const Word &expression, const llvm::Twine &what) {
    session.sink.report(Kind::LayoutShape, expression.span, what.str()).end();
    return std::nullopt;
  }

  std::optional<picture::Picture> drawChange(const picture::Laid &laid, const Word &other) {
    std::optional<layout::Layout> to = read(other);
    if (!to)
      return std::nullopt;
    if (!to->isShared() && !laid.layout.isShared()) {
      if (layout::Problem wrong = picture::checkConversion(laid, *to))
        return refuse(other, *wrong);
      return picture::drawConversion(laid, *to);
    }
    // From shared memory the same words are wanted as on the way there.
    picture::Laid registers = laid;
    layout::Layout memory = *to;
    if (laid.layout.isShared())
      std::swap(registers.layout, memory);
    if (layout::Problem wrong = picture::checkBanks(registers, memory))
      return refuse(other, *wrong);
    return picture::drawBanks(registers, memory);
  }

  std::optional<picture::Picture> drawProduct(const picture::Laid &laid, const Word &expression) {
    const picture::Product product{laid, static_cast<int64_t>(*depth),
                                   static_cast<int64_t>(kWidth.value_or(0))};
    if (layout::Problem wrong = picture::checkProduct(product))
      return refuse(expression, *wrong);
    return picture::drawProduct(product);
  }

  Session &session;
  sema::Program program;
  sema::Module *module;
};

} // namespace

int layoutCommand(Session &session) {
  if (session.line.positional().size() != 1)
    return session.usage("one layout is needed, in quotes");
  LayoutRequest request(session);
  if (std::string problem = request.readOptions(); !problem.empty())
    return session.usage(problem);
  std::optional<picture::Picture> picture = request.draw(session.line.positional().front());
  return picture ? writePicture(session, *picture) : session.status();
}

} // namespace gluonc::tool
