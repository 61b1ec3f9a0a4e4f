//===- Costs.h - What IR says of costs -----------------------------------------===//
#pragma once

#include "lsp/Analysis.h"

namespace gluonc::lsp {

/// What is known without running it of what the operation at `place` costs, a line each: changes of
/// layouts and how they are made, elements that an access moves at once. Empty for other places.
std::string describeCosts(const View &view, diag::Span place);
/// What a kernel takes, a line for each request above it.
std::string describeKernel(const View &view, const sema::Function &function);

} // namespace gluonc::lsp
