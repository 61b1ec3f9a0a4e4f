#include "driver/IrSignature.h"

#include "driver/Run.h"
#include "ir/Dialects.h"
#include "ir/Encoding.h"
#include "ir/SourceLocation.h"
#include "target/Limits.h"

#include "llvm/ADT/StringExtras.h"

namespace gluonc::driver {

using diag::Kind;

namespace {

/// Reads the parameters of one kernel, from the first to the last.
class Reader {
public:
  Reader(tt::FuncOp kernel, const diag::SourceManager &sources, diag::Sink &sink)
      : kernel(kernel), span(spanOf(kernel.getLoc(), sources)), sink(sink) {}

  bool read(std::vector<sema::ArgSpec> &arguments) {
    while (next != kernel.getNumArguments()) {
      std::optional<sema::ArgSpec> spec =
          ttng::descriptorOf(typeAt(next)) ? descriptor() : scalar();
      if (!spec)
        return false;
      arguments.push_back(std::move(*spec));
    }
    return true;
  }

private:
  mlir::Type typeAt(unsigned index) { return kernel.getFunctionType().getInput(index); }

  std::optional<sema::ArgSpec> scalar() {
    std::optional<sema::DType> dtype = sema::DType::fromMlir(typeAt(next));
    if (!dtype)
      return bad("is of a type that no launch can pass");
    auto divisibility = kernel.getArgAttrOfType<mlir::IntegerAttr>(next, "tt.divisibility");
    ++next;
    return sema::ArgSpec::scalar(*dtype, divisibility && divisibility.getInt() % 16 == 0);
  }

  /// A descriptor and what follows it: an i32 for each extent of the tensor, an i64 for each
  /// stride.
  std::optional<sema::ArgSpec> descriptor() {
    ttng::Descriptor type = ttng::descriptorOf(typeAt(next));
    std::optional<sema::DType> dtype = sema::DType::fromMlir(type.elementType);
    std::optional<layout::Layout> layout;
    if (type.layout)
      layout = layoutOf(type.layout);
    if (!dtype || !layout)
      return bad("is a descriptor without a layout or type of elements");
    // The block of im2col does not tell how many dims the image has; its extents do.
    auto rank = static_cast<unsigned>(type.shape.size());
    if (type.im2col)
      for (rank = 0; isInteger(next + 1 + rank, 32);)
        ++rank;
    if (rank == 0 || rank > 5)
      return bad("is a descriptor of a tensor of 1 to 5 dims, whose extents follow as i32");
    for (unsigned i = 0; i != rank; ++i)
      if (!isInteger(next + 1 + i, 32) || !isInteger(next + 1 + rank + i, 64))
        return bad("is a descriptor, which " + std::to_string(rank) + " i32 (extents) and " +
                   std::to_string(rank) + " i64 (strides) follow");
    next += 1 + 2 * rank;
    std::vector<int64_t> block(type.shape.begin(), type.shape.end());
    sema::Value value = sema::Value::layout(std::move(*layout));
    return type.im2col
               ? sema::ArgSpec::im2colDescriptor(*dtype, std::move(block), rank, std::move(value))
               : sema::ArgSpec::descriptor(*dtype, std::move(block), std::move(value));
  }

  bool isInteger(unsigned index, unsigned bits) {
    return index < kernel.getNumArguments() && typeAt(index).isSignlessInteger(bits);
  }

  std::nullopt_t bad(const std::string &what) {
    sink.report(Kind::InvalidTtgir, span,
                "argument " + std::to_string(next) + " of `" + kernel.getSymName().str() + "` " +
                    what)
        .end();
    return std::nullopt;
  }

  tt::FuncOp kernel;
  diag::Span span;
  diag::Sink &sink;
  unsigned next = 0;
};

} // namespace

std::optional<IrSignature> readSignature(mlir::ModuleOp module, const diag::SourceManager &sources,
                                         diag::Sink &sink) {
  diag::Span span = spanOf(module.getLoc(), sources);
  auto bad = [&](const std::string &what) {
    sink.report(Kind::InvalidTtgir, span, what).end();
    return std::nullopt;
  };
  IrSignature signature;
  signature.kernel = kernelNameOf(module);
  auto kernel = module.lookupSymbol<tt::FuncOp>(signature.kernel);
  if (!kernel || kernel.isExternal())
    return bad("the kernel is the one public `tt.func` of a module");
  if (kernel.getFunctionType().getNumResults())
    return bad("a kernel returns nothing");
  int warps = ttg::numWarpsOf(module), ctas = ttg::numCtasOf(module);
  auto lanes = unsigned(ttg::threadsPerWarpOf(module));
  if (!target::isNumWarps(uint64_t(warps), lanes))
    return bad("`ttg.num-warps` is " + target::powersOfTwoUpTo(target::maxWarpsPerCta(lanes)));
  if (!target::isNumCtas(uint64_t(ctas)))
    return bad("`ttg.num-ctas` is " + target::powersOfTwoUpTo(target::maxCtasPerCluster));
  signature.options.numWarps = unsigned(warps);
  signature.options.numCtas = unsigned(ctas);
  if (auto limit = module->getAttrOfType<mlir::IntegerAttr>(ttg::maxRegistersAttr))
    signature.options.maxnreg = unsigned(limit.getInt());
  if (!Reader(kernel, sources, sink).read(signature.arguments))
    return std::nullopt;
  return signature;
}

bool isForTarget(mlir::ModuleOp module, const target::Target &target,
                 const diag::SourceManager &sources, diag::Sink &sink) {
  auto made = module->getAttrOfType<mlir::StringAttr>(ttg::targetAttr);
  llvm::StringRef vendor = made ? made.getValue().split(':').first : llvm::StringRef();
  int lanes = ttg::threadsPerWarpOf(module);
  if (lanes == int(target.warpSize()) &&
      (!made || llvm::StringRef(target.irName()).split(':').first == vendor))
    return true;
  sink.report(Kind::InvalidTtgir, spanOf(module.getLoc(), sources),
              "the IR is for " + (made ? made.getValue() : "another target").str() +
                  " with warps of " + std::to_string(lanes) + " threads; " + target.name() +
                  " has warps of " + std::to_string(target.warpSize()))
      .end();
  return false;
}

} // namespace gluonc::driver
