//===- BuildGraph.h - gluonc build --graph --------------------------------------===//
#pragma once

#include "pack/Pack.h"

namespace gluonc::tool {

class Session;

/// Writes a file for ninja: an edge for each variant, which compiles it alone, and one that joins
/// the parts to the bundle that `gluonc build` makes; or as JSON what the edges are made of.
int writeGraph(Session &session, const pack::Manifest &manifest, const pack::Builder &builder);

} // namespace gluonc::tool
