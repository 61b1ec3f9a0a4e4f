//===- Imports.h - Where the modules of `import` and `from` are ---------------===//
//
// A module is looked for as Python does: `import a.b` in the folder of the file that the command
// line names, then in those of the search path; `from .b import f` beside the file itself. A file
// that no one imported but that lies in a package `a` finds `a.b` in that package, so files of an
// installed library can be named as they are. Folders without an __init__.py are packages as well.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <vector>

namespace gluonc::sema {

class Program;

/// Folders in which `import a.b` looks behind that of the file: `-I`, PYTHONPATH.
void setSearchPath(Program &program, std::vector<std::string> folders);

} // namespace gluonc::sema
