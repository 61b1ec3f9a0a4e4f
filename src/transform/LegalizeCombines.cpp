//===- LegalizeScans.cpp - Scans of layouts that no plan serves -----------------===//
//
// A scan combines in place where every bit of its axis is one bit of register, lane
// or warp. Other layouts (a DistributedLinearLayout whose bases mix dimensions, one
// that repeats elements in registers) pass through a layout where that holds:
//
//   %y = tt.scan %x : #mixed        %a = ttg.convert_layout %x : #mixed -> #blocked
//                              →    %b = tt.scan %a : #blocked
//                                   %y = ttg.convert_layout %b : #blocked -> #mixed
//
//===----------------------------------------------------------------------===//
#include "ir/Dialects.h"
#include "ir/Encoding.h"
#include "layout/Scan.h"
#include "transform/Pipeline.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace gluonc {
namespace {

/// A blocked layout of the threads of `like`, registers and lanes along `axis` first.
layout::BlockedLayout alongAxis(RankedTensorType type, unsigned axis) {
  const layout::LinearLayout &like = toLinear(type);
  unsigned rank = type.getRank();
  layout::Ints ones(rank, 1), order = {int64_t(axis)};
  for (unsigned dim = rank; dim-- > 0;)
    if (dim != axis)
      order.push_back(dim);
  layout::BlockedLayout result{ones, ones, ones, order, {}};
  int64_t left = like.inSize(layout::Dim::Lane);
  for (int64_t dim : order) {
    result.threadsPerWarp[dim] = std::min(left, type.getDimSize(dim));
    left /= result.threadsPerWarp[dim];
  }
  // Lanes and warps beyond the shape repeat it, which a blocked layout may.
  result.threadsPerWarp[order.back()] *= left;
  result.warpsPerCta[order.back()] = like.inSize(layout::Dim::Warp);
  return result;
}

RankedTensorType withEncoding(RankedTensorType type, Attribute encoding) {
  return RankedTensorType::get(type.getShape(), type.getElementType(), encoding);
}

void convertAround(tt::ScanOp scan) {
  auto type = cast<RankedTensorType>(scan.getSrcs()[0].getType());
  Attribute inner = fromLayout(scan.getContext(), alongAxis(type, scan.getAxis()));
  OpBuilder builder(scan);
  IRMapping sources;
  for (Value source : scan.getSrcs())
    sources.map(source, builder.create<ttg::ConvertLayoutOp>(
                            scan.getLoc(),
                            withEncoding(cast<RankedTensorType>(source.getType()), inner), source,
                            /*force_warp_shuffle=*/false));
  Operation *inside = builder.clone(*scan, sources);
  for (auto [outer, result] : llvm::zip_equal(scan.getResults(), inside->getResults())) {
    auto outerType = cast<RankedTensorType>(outer.getType());
    result.setType(withEncoding(outerType, inner));
    outer.replaceAllUsesWith(builder.create<ttg::ConvertLayoutOp>(scan.getLoc(), outerType, result,
                                                                  /*force_warp_shuffle=*/false));
  }
  scan.erase();
}

struct LegalizeScansPass : PassWrapper<LegalizeScansPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LegalizeScansPass)
  llvm::StringRef getArgument() const override { return "gluonc-legalize-scans"; }
  llvm::StringRef getDescription() const override {
    return "Convert scans to a layout that can be scanned where theirs cannot";
  }

  void runOnOperation() override {
    llvm::SmallVector<tt::ScanOp> without;
    getOperation().walk([&](tt::ScanOp scan) {
      auto type = cast<RankedTensorType>(scan.getSrcs()[0].getType());
      const layout::LinearLayout *linear = linearOrNull(type);
      // A cluster's part of the axis is not ours to move.
      if (linear && linear->inSize(layout::Dim::Block) == 1 &&
          !layout::planScan(linear->removeZeroBases(layout::Dim::Register), scan.getAxis()))
        without.push_back(scan);
    });
    for (tt::ScanOp scan : without)
      convertAround(scan);
  }
};

} // namespace

std::unique_ptr<Pass> createLegalizeScansPass() { return std::make_unique<LegalizeScansPass>(); }

} // namespace gluonc
