//===- InlinedPlaces.h - Calls that were inlined, in PTX -------------------------===//
//
// PTX says of an instruction by `.loc` which call it was inlined by (PTX ISA 8.0, 11.5.2); LLVM 22
// prints lines only. So places with calls get a file of their own, whose name has the
// calls, and the text gets what such names say.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace llvm {
class MachineFunctionPass;
}

namespace gluonc::codegen::nvidia {

/// Before the text is printed: names files so.
llvm::MachineFunctionPass *createInlinedPlaces();

/// The text with `function_name` and `inlined_at` for files of such names.
std::string withInlinedPlaces(std::string ptx);

} // namespace gluonc::codegen::nvidia
