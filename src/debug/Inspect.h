//===- Inspect.h - Barriers and operations in flight of a stopped program -------===//
#pragma once

#include "debug/Lines.h"
#include "sim/machine/Cta.h"

namespace gluonc::debug {

/// Something of the machine, and what is to be said of it.
struct Fact {
  std::string name, text;
};

/// The barriers that were initialized: phase, arrivals and bytes to come.
std::vector<Fact> barriersOf(sim::Cta &machine);
/// Operations that were issued and are not complete: what each writes, what completes it.
std::vector<Fact> operationsOf(sim::Cta &machine, const Lines &lines);

std::string textOf(const sim::Barrier &barrier);

} // namespace gluonc::debug
