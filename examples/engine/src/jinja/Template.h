//===- Template.h - Templates as Hugging Face's models have them ----------------===//
//
// The part of Jinja (https://jinja.palletsprojects.com) that chat templates are written in, with
// the settings and functions that transformers gives them: output, for with else, if, break,
// continue, set, namespaces, macros, expressions, slices, and the filters, tests and methods that
// Functions.cpp lists. No includes, inheritance or call blocks: what is not supported is an
// error. Tuples are lists, also when they are printed.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "../Expected.h"
#include "Tree.h"

namespace engine::jinja {

/// Can be used by several threads.
class Template {
public:
  static Expected<Template> parse(std::string_view source);
  /// The text; an error where the template raises one, uses what there is not, or takes more than
  /// a million steps or makes more than 16 MiB.
  Expected<std::string> render(const Dict &variables) const;

private:
  std::shared_ptr<const Node> root;
};

} // namespace engine::jinja
