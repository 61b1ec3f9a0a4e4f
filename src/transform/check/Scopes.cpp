//===- Scopes.cpp -------------------------------------------------------------===//
//
//   gluon.scope "load"                     gluon.scope "load" {number = 0}
//     …                        traced:       …
//   gluon.scope end "load"                 gluon.scope end "load" {number = 0}
//
// Each block ends the regions that it begins, so that every thread which comes to one
// border comes to the other. Regions may overlap.
//
//===----------------------------------------------------------------------===//
#include "ir/Report.h"
#include "ir/Scope.h"
#include "transform/Pipeline.h"

using namespace mlir;

namespace gluonc {

using diag::Kind;

namespace {

/// What the number of a border in machine code has room for (codegen/emit/EmitDebug.cpp).
constexpr unsigned mostNames = 1u << 15;

struct ScopesPass : PassWrapper<ScopesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ScopesPass)
  llvm::StringRef getArgument() const override { return "gluonc-scopes"; }
  llvm::StringRef getDescription() const override {
    return "Check the borders of regions, and drop them where nobody asks for a timeline";
  }

  void runOnOperation() override {
    llvm::SmallVector<gluon::ScopeOp> borders;
    getOperation().walk([&](gluon::ScopeOp op) { borders.push_back(op); });
    if (borders.empty())
      return markAllAnalysesPreserved();
    if (!areBalanced(borders))
      return signalPassFailure();
    const bool isTraced = getOperation()->hasAttr(gluon::tracedAttr);
    Builder builder(&getContext());
    llvm::SmallVector<Attribute> names;
    for (gluon::ScopeOp op : borders) {
      auto *number = llvm::find(names, op.getNameAttr());
      if (number == names.end() && names.size() < mostNames) {
        names.push_back(op.getNameAttr());
        number = std::prev(names.end());
      }
      if (isTraced && number != names.end())
        op->setAttr(gluon::numberAttr, builder.getI32IntegerAttr(int32_t(number - names.begin())));
      else
        op.erase();
    }
  }

  static bool areBalanced(llvm::ArrayRef<gluon::ScopeOp> borders) {
    // Borders without the other one so far.
    llvm::SmallVector<gluon::ScopeOp> alone;
    for (gluon::ScopeOp op : borders) {
      auto begun = op.getEnds() ? llvm::find_if(llvm::reverse(alone),
                                                [&](gluon::ScopeOp other) {
                                                  return !other.getEnds() &&
                                                         other->getBlock() == op->getBlock() &&
                                                         other.getNameAttr() == op.getNameAttr();
                                                })
                                : alone.rend();
      if (begun == alone.rend())
        alone.push_back(op);
      else
        alone.erase(std::prev(begun.base()));
    }
    for (gluon::ScopeOp op : alone)
      report(Kind::BadArgument, op.getLoc(),
             ("the scope `" + op.getName() + "` " +
              (op.getEnds() ? "ends here, and does not begin in the same block"
                            : "begins here, and does not end in the same block"))
                 .str());
    return alone.empty();
  }
};

} // namespace

std::unique_ptr<Pass> createScopesPass() { return std::make_unique<ScopesPass>(); }

} // namespace gluonc
