//===- ElementFlow.cpp - Which elements of tensors belong together ------------===//
#include "ir/Dialects.h"

using namespace mlir;
using namespace gluonc;

using Dims = llvm::SmallVector<std::optional<unsigned>, 4>;

static unsigned rankOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()).getRank(); }

/// 0, 1, … but for `dropped`.
static Dims dimsWithout(unsigned rank, unsigned dropped) {
  Dims dims;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (dim != dropped)
      dims.push_back(dim);
  return dims;
}

static Dims allDims(unsigned rank) { return dimsWithout(rank, rank); }

/// 0, 1, … with no dim at `at`.
static Dims dimsWithNoneAt(unsigned rank, unsigned at) {
  Dims dims = allDims(rank);
  dims[at] = std::nullopt;
  return dims;
}

//===----------------------------------------------------------------------===//
// The same elements under another shape or layout
//===----------------------------------------------------------------------===//

void ttg::ConvertLayoutOp::flowElements(ElementFlow &flow) {
  flow.sameNumbers.push_back({getSrc(), getResult()});
}
void gluon::SetAutoLayoutOp::flowElements(ElementFlow &flow) {
  flow.sameNumbers.push_back({getSrc(), getResult()});
}
void tt::ReshapeOp::flowElements(ElementFlow &flow) {
  flow.sameNumbers.push_back({getSrc(), getResult()});
}
void tt::ExpandDimsOp::flowElements(ElementFlow &flow) {
  flow.sameNumbers.push_back({getSrc(), getResult()});
}

void tt::TransOp::flowElements(ElementFlow &flow) {
  flow.maps.push_back({getSrc(), getResult(), Dims(getOrder().begin(), getOrder().end())});
}

void tt::BroadcastOp::flowElements(ElementFlow &flow) {
  Dims dims;
  for (auto [dim, size] : llvm::enumerate(getSrc().getType().getShape()))
    dims.push_back(size == 1 ? std::nullopt : std::optional<unsigned>(dim));
  flow.maps.push_back({getResult(), getSrc(), dims});
}

/// `pair` has both elements of a pair along its last dim, `half` one.
static void flowPairs(ElementFlow &flow, Value pair, Value half) {
  unsigned last = rankOf(pair) - 1;
  flow.alongDims.push_back({pair, last});
  flow.maps.push_back({pair, half, dimsWithout(last + 1, last)});
}

// The other half has the same type.
void tt::JoinOp::flowElements(ElementFlow &flow) { flowPairs(flow, getResult(), getLhs()); }
void tt::SplitOp::flowElements(ElementFlow &flow) { flowPairs(flow, getSrc(), getOutLHS()); }

//===----------------------------------------------------------------------===//
// Across elements
//===----------------------------------------------------------------------===//

// All sources have one shape and layout, and so have all results.

void tt::ReduceOp::flowElements(ElementFlow &flow) {
  Value source = getSrcs()[0];
  flow.alongDims.push_back({source, getAxis()});
  flow.maps.push_back({source, getResults()[0], dimsWithout(rankOf(source), getAxis())});
}

void ttng::TMEMLoadOp::flowElements(ElementFlow &flow) {
  if (!getRed()) {
    // The buffer has them where the tensor has them.
    flow.sameNumbers.push_back({getResult(), getResult()});
    return;
  }
  flow.alongDims.push_back({getResult(), 1});
  flow.maps.push_back({getResult(), getRed(), dimsWithout(rankOf(getResult()), 1)});
}

void tt::ScanOp::flowElements(ElementFlow &flow) {
  Value source = getSrcs()[0];
  flow.alongDims.push_back({source, getAxis()});
  flow.maps.push_back({source, getResults()[0], allDims(rankOf(source))});
}

/// A row of `a` and a column of `b` for each element of `c`.
static void flowProduct(ElementFlow &flow, Value a, Value b, Value c, Value d) {
  unsigned rank = rankOf(c);
  flow.maps.push_back({c, a, dimsWithNoneAt(rank, rank - 1)});
  flow.maps.push_back({c, b, dimsWithNoneAt(rank, rank - 2)});
  flow.maps.push_back({c, d, allDims(rank)});
}

void tt::DotOp::flowElements(ElementFlow &flow) {
  flowProduct(flow, getA(), getB(), getC(), getD());
}
void ttng::WarpGroupDotOp::flowElements(ElementFlow &flow) {
  flowProduct(flow, getA(), getB(), getC(), getD());
}
