//===- FetchReaders.h - What reads the copies of a loop --------------------------===//
#pragma once

#include "assign/Fetch.h"

namespace gluonc::assign {

/// Sets of a fetch whose loop, copies and operations are known: numbers of boxes and their bytes,
/// products that may still run when their iteration is over, and which copies those read.
void findReaders(Fetch &fetch);

} // namespace gluonc::assign
