#include "sema/builtins/Reference.h"

#include "sema/builtins/Families.h"
#include "sema/library/Library.h"
#include "sema/names/Language.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

namespace gluonc::sema {

const llvm::StringLiteral examplePrelude = R"(from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import cdna3, cdna4, cdna5, rdna3, rdna4
from triton.experimental.gluon.language.nvidia import ampere, blackwell, hopper

@gluon.jit
def add(a, b):
    return a + b

@gluon.jit
def produce(smem, bar):
    hopper.mbarrier.arrive(bar)

@gluon.jit
def consume(smem, bar):
    hopper.mbarrier.wait(bar, phase=0)

@gluon.jit
def example(p, q, counts, n, desc, words, image, row, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    tiled: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    line: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    offsets = gl.arange(0, 128, layout=layout)
    x = gl.load(p + offsets)
    y = gl.load(q + offsets)
    i = gl.load(counts + offsets)
    tile = gl.full([64, 32], 1.0, gl.float32, tiled)
    smem = gl.allocate_shared_memory(gl.float32, [64, 32], shared)
    bar = ampere.mbarrier.allocate_mbarrier()
    ampere.mbarrier.init(bar, count=1)
)";

// -- Entries -----------------------------------------------------------------------

std::vector<std::string> ReferenceEntry::parameters(bool hasTypes) const {
  std::vector<std::string> all;
  const Signature &parameters = row->signature;
  bool isMethod = !llvm::StringRef(path).starts_with("gl.");
  bool sawStar = false;
  for (unsigned i = isMethod ? 1 : 0; i < parameters.count(); ++i) {
    Signature::Parameter parameter = parameters[i];
    if (parameter.isKeywordOnly && !sawStar)
      all.push_back("*");
    sawStar |= parameter.isKeywordOnly || parameter.isVariadic;
    std::string &text = all.emplace_back(parameter.isVariadic ? "*" : "");
    text += parameter.name;
    bool typed = hasTypes && parameter.type != &typeWords[0];
    if (typed)
      text += (": " + parameter.type->word).str();
    if (parameter.isOptional)
      text += (llvm::Twine(typed ? " = " : "=") +
               (parameter.defaultText.empty() ? "None" : parameter.defaultText))
                  .str();
  }
  return all;
}

std::string ReferenceEntry::signature(bool hasTypes) const {
  return path + "(" + llvm::join(parameters(hasTypes), ", ") + ")";
}

/// The documentation without the line breaks around it.
static llvm::StringRef docOf(const Builtin &row) { return row.doc.trim('\n'); }

llvm::StringRef ReferenceEntry::summary() const { return docOf(*row).split('\n').first; }

static bool isCode(llvm::StringRef line) { return line.starts_with("    "); }

std::string ReferenceEntry::example() const {
  std::string code;
  for (llvm::StringRef line : llvm::split(docOf(*row), '\n'))
    if (isCode(line))
      code += (line.drop_front(4) + "\n").str();
  return code;
}

// -- Pages -------------------------------------------------------------------------

namespace {

struct Titles {
  llvm::StringLiteral path, about;
};

/// In the order of the index.
constexpr Titles titles[] = {
    {"gl", "What every target has."},
    {"tensor",
     "Methods of tensors. A function with the tensor as its first argument does the same."},
    {"shared_memory_descriptor", "Methods of buffers in shared memory."},
    {"tensor_memory_descriptor", "Methods of buffers in tensor memory."},
    {"Float2Tensor", "Methods of tensors of two float32 in each int64."},
    {"clc_result", "Methods of answers to requests for the work of other clusters."},
    {"gl.extra", "Launches that overlap."},
    {"gl.extra.libdevice", "Functions of NVIDIA's device library, element by element."},
    {"gl.amd", "What AMD's chips have."},
    {"gl.amd.cdna3", "From hip:gfx942 on."},
    {"gl.amd.cdna4", "hip:gfx950."},
    {"gl.amd.cdna4.async_copy", "Copies from global to shared memory past the registers."},
    {"gl.amd.cdna5", "hip:gfx1250."},
    {"gl.amd.cdna5.async_copy", "Copies between global and shared memory past the registers."},
    {"gl.amd.cdna5.cluster", "CTAs that run together."},
    {"gl.amd.cdna5.mbarrier", "Barriers in shared memory."},
    {"gl.amd.cdna5.tdm", "The engine that copies blocks of tensors."},
    {"gl.amd.gfx1250", "`gl.amd.cdna5` by the name that Triton 3.6 has for it."},
    {"gl.amd.gfx1250.async_copy", "Copies between global and shared memory past the registers."},
    {"gl.amd.gfx1250.cluster", "CTAs that run together."},
    {"gl.amd.gfx1250.mbarrier", "Barriers in shared memory."},
    {"gl.amd.gfx1250.tdm", "The engine that copies blocks of tensors."},
    {"gl.amd.rdna3", "hip:gfx1100."},
    {"gl.amd.rdna4", "hip:gfx1200."},
    {"gl.nvidia.ampere", "From cuda:80 on."},
    {"gl.nvidia.ampere.async_copy", "Copies from global to shared memory past the registers."},
    {"gl.nvidia.ampere.mbarrier", "Barriers in shared memory."},
    {"gl.nvidia.hopper", "From cuda:90 on."},
    {"gl.nvidia.hopper.async_copy", "Copies from global to shared memory past the registers."},
    {"gl.nvidia.hopper.mbarrier", "Barriers in shared memory."},
    {"gl.nvidia.hopper.cluster", "CTAs that run together."},
    {"gl.nvidia.hopper.tma", "The engine that copies blocks of tensors."},
    {"gl.nvidia.blackwell", "From cuda:100 on."},
    {"gl.nvidia.blackwell.async_copy", "Copies from global to shared memory past the registers."},
    {"gl.nvidia.blackwell.mbarrier", "Barriers in shared memory."},
    {"gl.nvidia.blackwell.cluster", "CTAs that run together."},
    {"gl.nvidia.blackwell.tma", "The engine that copies blocks of tensors."},
    {"gl.nvidia.blackwell.clc", "Work of clusters that have not begun."},
    {"gl.nvidia.blackwell.float2", "Arithmetic on two float32 at once."},
    {"gl.nvidia.rubin", "From cuda:107 on, besides all of `gl.nvidia.blackwell`."},
    {"gl.nvidia.rubin.mbarrier", "Layouts of barriers."},
};

/// Puts entries on pages, in the order in which they come.
class Collector {
public:
  std::vector<ReferencePage> pages;

  Collector() {
    for (const Titles &title : titles)
      page(title.path).about = title.about.str();
  }

  void add(llvm::StringRef pagePath, llvm::StringRef section, std::string path,
           const Builtin &row) {
    ReferencePage &on = page(pagePath);
    auto found = llvm::find_if(
        on.sections, [&](const ReferenceSection &known) { return known.title == section; });
    if (found == on.sections.end())
      found = on.sections.insert(on.sections.end(), {section.str(), {}});
    found->entries.push_back({std::move(path), &row});
  }

  /// A function or class by its path below `gl`.
  void addFunction(llvm::StringRef name, llvm::StringRef section, const Builtin &row) {
    std::string path = ("gl." + name).str();
    add(modulePath(name), section, path, row);
    placed.insert(path);
  }
  bool has(llvm::StringRef name) const { return placed.count(("gl." + name).str()); }

  ReferencePage &page(llvm::StringRef path) {
    auto [at, isNew] = indices.try_emplace(path, pages.size());
    if (isNew)
      pages.push_back({path.str(), "", {}, {}});
    return pages[at->second];
  }

  /// "gl.nvidia.hopper.tma"; a class belongs to the module that it is in.
  static std::string modulePath(llvm::StringRef name) {
    std::string path = "gl";
    llvm::SmallVector<llvm::StringRef> parts;
    name.split(parts, '.');
    for (llvm::StringRef part : llvm::ArrayRef(parts).drop_back()) {
      if (llvm::isUpper(part.front()))
        break;
      path += "." + part.str();
    }
    return path;
  }

private:
  llvm::StringMap<size_t> indices;
  llvm::StringSet<> placed;
};

} // namespace

/// Entries of one key are one row under several names.
static std::pair<const char *, BuiltinFn> keyOf(const ReferenceEntry &entry) {
  return {entry.row->doc.data(), entry.row->emit};
}

/// Entries that say the same as an earlier one point at it.
static void linkOrigins(std::vector<ReferencePage> &pages) {
  std::map<std::pair<const char *, BuiltinFn>, const ReferenceEntry *> first;
  for (ReferencePage &page : pages)
    for (ReferenceSection &section : page.sections)
      for (ReferenceEntry &entry : section.entries)
        if (auto [at, isNew] = first.try_emplace(keyOf(entry), &entry); !isNew)
          entry.origin = at->second;
}

const std::vector<ReferencePage> &referencePages() {
  static const std::vector<ReferencePage> pages = [] {
    Collector all;
    std::vector<llvm::StringRef> names;
    appendLanguageNames(names);
    for (llvm::StringRef name : names)
      if (const Intrinsic *row = findLanguageIntrinsic(name); !row->doc.empty())
        all.addFunction(name, "Compile time", *row);
    names.clear();
    appendLayoutNames(names);
    for (llvm::StringRef name : names)
      all.addFunction(name, "Kinds of layouts", *findLayoutConstructor(name));
    names.clear();
    appendCachePolicyNames(names);
    for (llvm::StringRef name : names)
      all.addFunction(name, "Caches", *findCachePolicy(name));
    for (const ops::Family &family : ops::families())
      for (const Builtin &row : family.rows)
        all.addFunction(row.name, family.title, row);
    // What newer chips have from older ones, second names, and what is still to come.
    names.clear();
    ops::appendBuiltinNames(names);
    for (llvm::StringRef name : names) {
      const Builtin &row = *ops::findBuiltin(name);
      if (ops::isLater(row))
        all.page(Collector::modulePath(name)).later.push_back(("gl." + name).str());
      else if (!all.has(name))
        all.addFunction(name,
                        name.ends_with(row.traits.alias) && !row.traits.alias.empty()
                            ? "Other names"
                            : "As on older chips",
                        row);
    }
    for (auto [name, row] : ops::tensorMethodRows())
      all.add("tensor", "Methods", ("tensor." + name).str(), *row);
    for (auto [name, row] : ops::memDescMethodRows())
      all.add("shared_memory_descriptor", "Methods", ("shared_memory_descriptor." + name).str(),
              *row);
    for (auto [name, row] : ops::tensorMemoryMethodRows())
      all.add("tensor_memory_descriptor", "Methods", ("tensor_memory_descriptor." + name).str(),
              *row);
    for (ValueKind kind : {ValueKind::FloatPairs, ValueKind::LaunchAnswer})
      for (const Builtin &row : ops::ownMethodRows(kind))
        all.add(kindName(kind), "Methods", (kindName(kind) + "." + row.name).str(), row);
    linkOrigins(all.pages);
    return std::move(all.pages);
  }();
  return pages;
}

// -- Finding -----------------------------------------------------------------------

template <typename Fn> static void forEachEntry(Fn &&visit) {
  for (const ReferencePage &page : referencePages())
    for (const ReferenceSection &section : page.sections)
      for (const ReferenceEntry &entry : section.entries)
        visit(entry);
}

/// The name as the reference spells it: below `gl`, whatever it was imported as.
static llvm::StringRef canonicalName(llvm::StringRef name) {
  for (llvm::StringRef prefix :
       {"triton.experimental.gluon.language.", "gluonc.language.", "triton.language.", "tl."})
    if (name.consume_front(prefix))
      break;
  return name;
}

static bool isEndOf(llvm::StringRef path, llvm::StringRef name) {
  return path == name || (path.ends_with(name) && path[path.size() - name.size() - 1] == '.');
}

std::vector<const ReferenceEntry *> findReference(llvm::StringRef name) {
  name = canonicalName(name);
  std::vector<const ReferenceEntry *> found;
  bool isExact = false;
  forEachEntry([&](const ReferenceEntry &entry) {
    if (!isEndOf(entry.path, name))
      return;
    isExact |= entry.path == name;
    // Of entries that say the same, the first.
    if (entry.path == name || llvm::none_of(found, [&](const ReferenceEntry *known) {
          return keyOf(*known) == keyOf(entry);
        }))
      found.push_back(&entry);
  });
  if (isExact)
    llvm::erase_if(found, [&](const ReferenceEntry *entry) { return entry->path != name; });
  return found;
}

const ReferenceEntry *findReference(const Builtin &row) {
  const ReferenceEntry *found = nullptr;
  forEachEntry([&](const ReferenceEntry &entry) {
    if (!found && entry.row == &row)
      found = &entry;
  });
  return found;
}

const ReferencePage *findReferencePage(llvm::StringRef name) {
  name = canonicalName(name);
  for (const ReferencePage &page : referencePages())
    if (isEndOf(page.path, name))
      return &page;
  return nullptr;
}

std::string nearestReference(llvm::StringRef name) {
  std::vector<std::string> spellings;
  // A slip in "mbarrier.inti" is looked for among the ends of paths that have as many dots.
  size_t dots = canonicalName(name).count('.');
  forEachEntry([&](const ReferenceEntry &entry) {
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(entry.path).split(parts, '.');
    if (parts.size() > dots)
      spellings.push_back(llvm::join(llvm::ArrayRef(parts).take_back(dots + 1), "."));
  });
  std::vector<llvm::StringRef> candidates(spellings.begin(), spellings.end());
  return nearestName(canonicalName(name), candidates).str();
}

// -- Text --------------------------------------------------------------------------

/// What needs no words in the row: parameters, target, other names.
static std::vector<std::pair<std::string, std::string>> facts(const ReferenceEntry &entry) {
  std::vector<std::pair<std::string, std::string>> all;
  const Traits &traits = entry.row->traits;
  if (traits.needs)
    all.emplace_back("Needs", std::string(target::targetsWith(*traits.needs)));
  if (!traits.alias.empty())
    all.emplace_back("Also named", traits.alias.str());
  llvm::StringRef name = llvm::StringRef(entry.path).rsplit('.').second;
  if (llvm::StringRef(entry.path).starts_with("gl.") && traits.isMethod) {
    std::string methods = ("tensor." + name).str();
    if (!traits.methodAlias.empty())
      methods += ", tensor." + traits.methodAlias.str();
    all.emplace_back("As a method", methods);
  }
  return all;
}

std::string referenceText(const ReferenceEntry &entry) {
  std::string text = entry.signature(/*hasTypes=*/false) + "\n\n" + docOf(*entry.row).str() + "\n";
  llvm::raw_string_ostream out(text);
  const Signature &parameters = entry.row->signature;
  bool isMethod = !llvm::StringRef(entry.path).starts_with("gl.");
  for (unsigned i = isMethod; i < parameters.count(); ++i) {
    out << (i == isMethod ? "\n" : "") << "  " << llvm::left_justify(parameters[i].name, 24) << " "
        << parameters[i].type->meaning << "\n";
  }
  for (const auto &[what, value] : facts(entry))
    out << "\n" << what << ": " << value << "\n";
  return text;
}

std::string referenceText(const ReferencePage &page) {
  std::string text = page.path + ": " + page.about + "\n";
  llvm::raw_string_ostream out(text);
  for (const ReferenceSection &section : page.sections) {
    out << "\n" << section.title << "\n";
    for (const ReferenceEntry &entry : section.entries)
      out << "  "
          << llvm::left_justify(llvm::StringRef(entry.path).drop_front(page.path.size() + 1), 32)
          << " " << entry.summary() << "\n";
  }
  if (!page.later.empty())
    out << "\nNot supported yet: " << llvm::join(page.later, ", ") << "\n";
  return text;
}

// -- Files -------------------------------------------------------------------------

static std::string fileName(llvm::StringRef pagePath) { return pagePath.str() + ".md"; }

/// Paragraphs, with what they begin with in bold; the example as code.
static void writeBody(llvm::StringRef doc, llvm::raw_ostream &out) {
  bool inCode = false;
  for (llvm::StringRef line : llvm::split(doc, '\n')) {
    if (isCode(line) != inCode && !line.empty()) {
      out << (inCode ? "```\n" : "```python\n");
      inCode = !inCode;
    }
    for (llvm::StringRef word : {"Gives:", "Errors:"})
      if (line.consume_front(word))
        out << (word == "Errors:" ? "\n" : "") << "**" << word.drop_back() << "**:";
    out << (inCode ? line.drop_front(std::min<size_t>(4, line.size())) : line) << "\n";
  }
  out << (inCode ? "```\n" : "");
}

std::string referenceMarkdown(const ReferenceEntry &entry) {
  std::string text = "```python\n" + entry.signature(/*hasTypes=*/true) + "\n```\n\n";
  llvm::raw_string_ostream out(text);
  writeBody(docOf(*entry.row), out);
  for (const auto &[what, value] : facts(entry))
    out << "\n**" << what << "**: " << value << "\n";
  return text;
}

static void writeEntry(const ReferenceEntry &entry, llvm::raw_ostream &out) {
  out << "\n### `" << entry.path << "`\n\n";
  if (entry.origin) {
    llvm::StringRef path = entry.origin->path;
    for (const ReferencePage &page : referencePages())
      for (const ReferenceSection &section : page.sections)
        for (const ReferenceEntry &other : section.entries)
          if (&other == entry.origin)
            out << entry.summary() << " As [`" << path << "`](" << fileName(page.path) << ").\n";
    return;
  }
  out << referenceMarkdown(entry);
}

static std::string pageFile(const ReferencePage &page) {
  std::string text =
      "# " + page.path +
      "\n\n<!-- Made by `./dev reference` from the rows in src/sema; do not edit. -->\n\n" +
      page.about + "\n";
  llvm::raw_string_ostream out(text);
  for (const ReferenceSection &section : page.sections) {
    out << "\n## " << section.title << "\n";
    for (const ReferenceEntry &entry : section.entries)
      writeEntry(entry, out);
  }
  return text;
}

static std::string indexFile() {
  std::string text = R"(# Reference

<!-- Made by `./dev reference` from the rows in src/sema; do not edit. -->

Every function, method and layout that kernels have. `gluonc doc NAME` and Python's `help(gl.load)` say
the same.

| page | |
|---|---|
)";
  llvm::raw_string_ostream out(text);
  for (const ReferencePage &page : referencePages())
    if (!page.sections.empty())
      out << "| [" << page.path << "](" << fileName(page.path) << ") | " << page.about << " |\n";
  out << "| [tl](tl.md) | What `triton.language` has and Gluon has not. |\n";
  out << "\n## What parameters take\n\n| | |\n|---|---|\n";
  for (const TypeWord &word : typeWords)
    out << "| `" << word.word << "` | " << word.meaning << " |\n";
  out << "\nA block has a shape whose sizes are powers of two, an element type and a layout. "
         "Operands "
         "of one\noperation agree in layout; a scalar fits every shape.\n"
      << "\n## What the examples stand in\n\n```python\n"
      << examplePrelude
      << "    # the example\n```\n\n`p` and `q` point to float32, `counts` to int32, `n` is an "
         "int32; `desc`, `words`, `image` and `row` are descriptors\nof float16, of uint32, of an "
         "image and of single rows of float16.\n";
  out << "\n## Not supported yet\n\nA kernel that names one of these gets an error that says "
         "so.\n\n";
  for (const ReferencePage &page : referencePages())
    for (const std::string &name : page.later)
      out << "- `" << name << "`\n";
  return text;
}

std::vector<std::pair<std::string, std::string>> referenceFiles() {
  std::vector<std::pair<std::string, std::string>> files = {{"README.md", indexFile()}};
  for (const ReferencePage &page : referencePages())
    if (!page.sections.empty())
      files.emplace_back(fileName(page.path), pageFile(page));
  files.emplace_back(fileName("tl"), libraryPage());
  return files;
}

// -- Stubs -------------------------------------------------------------------------

/// Where Python's class of a name is defined.
static std::string importOf(llvm::StringRef name, bool isNvidia) {
  if (!name.ends_with("Policy"))
    return ("from gluonc.language._layouts import " + name).str();
  bool isOwn = isNvidia && name == "CachePolicy";
  return ((isOwn ? "from gluonc.language._policies import Nvidia"
                 : "from gluonc.language._policies import ") +
          name)
      .str();
}

/// What a stub of a module begins with. The classes of host code keep their own definitions.
static constexpr llvm::StringLiteral rootStub = R"(from collections.abc import Callable, Sequence
from typing import Any

from gluonc._host import cdiv as cdiv, constexpr_function as constexpr_function
from gluonc._host import next_power_of_2 as next_power_of_2
from gluonc.language._constexpr import constexpr as constexpr
from gluonc.language._dtypes import *
from gluonc.language._dtypes import dtype as dtype, pointer_type as pointer_type
from gluonc.language._layouts import (
    DistributedLayout as DistributedLayout, SharedLayout as SharedLayout,
    to_linear_layout as to_linear_layout)
from gluonc.language._types import (
    bank_conflicts as bank_conflicts, block_type as block_type,
    distributed_type as distributed_type,
    shared_memory_descriptor_type as shared_memory_descriptor_type)

Number = int | float | bool
Layout = DistributedLayout | SharedLayout
PropagateNan: Any
math: Any
DType = dtype
)";
static constexpr llvm::StringLiteral submoduleStub =
    R"(from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor
)";
/// What every tensor has besides the methods of the rows.
static constexpr llvm::StringLiteral tensorStub = R"(    dtype: DType
    shape: Sequence[int]
    type: Any
    T: tensor
    def __add__(self, other: tensor | Number) -> tensor: ...
    def __radd__(self, other: Number) -> tensor: ...
    def __sub__(self, other: tensor | Number) -> tensor: ...
    def __rsub__(self, other: Number) -> tensor: ...
    def __mul__(self, other: tensor | Number) -> tensor: ...
    def __rmul__(self, other: Number) -> tensor: ...
    def __truediv__(self, other: tensor | Number) -> tensor: ...
    def __rtruediv__(self, other: Number) -> tensor: ...
    def __floordiv__(self, other: tensor | Number) -> tensor: ...
    def __rfloordiv__(self, other: Number) -> tensor: ...
    def __mod__(self, other: tensor | Number) -> tensor: ...
    def __rmod__(self, other: Number) -> tensor: ...
    def __and__(self, other: tensor | Number) -> tensor: ...
    def __or__(self, other: tensor | Number) -> tensor: ...
    def __xor__(self, other: tensor | Number) -> tensor: ...
    def __lshift__(self, other: tensor | Number) -> tensor: ...
    def __rshift__(self, other: tensor | Number) -> tensor: ...
    def __lt__(self, other: tensor | Number) -> tensor: ...
    def __le__(self, other: tensor | Number) -> tensor: ...
    def __gt__(self, other: tensor | Number) -> tensor: ...
    def __ge__(self, other: tensor | Number) -> tensor: ...
    def __eq__(self, other: tensor | Number) -> tensor: ...  # type: ignore[override]
    def __ne__(self, other: tensor | Number) -> tensor: ...  # type: ignore[override]
    def __neg__(self) -> tensor: ...
    def __invert__(self) -> tensor: ...
    def __getitem__(self, index: Any) -> tensor: ...
)";
static constexpr llvm::StringLiteral bufferStub = R"(    dtype: DType
    shape: Sequence[int]
    layout: Layout
    type: Any
)";

static constexpr llvm::StringLiteral pairsStub = R"(    value: tensor
    def __init__(self, value: tensor) -> None: ...
    def __add__(self, other: Float2Tensor) -> Float2Tensor: ...
    def __sub__(self, other: Float2Tensor) -> Float2Tensor: ...
    def __mul__(self, other: Float2Tensor) -> Float2Tensor: ...
)";

/// A class that belongs to a module, with what it has besides the methods of the rows.
struct ModuleClass {
  llvm::StringLiteral module, name, attributes;
};
static constexpr ModuleClass moduleClasses[] = {
    {"nvidia.blackwell.float2", "Float2Tensor", pairsStub},
    {"nvidia.blackwell.clc", "clc_result", ""},
};

static llvm::StringRef pythonType(const TypeWord &word) {
  // `dtype` is also a parameter and an attribute.
  return word.word == "dtype" ? llvm::StringRef("DType") : llvm::StringRef(word.python);
}

static void writeStub(const ReferenceEntry &entry, bool isMethod, llvm::raw_ostream &out) {
  llvm::StringRef indent = isMethod ? "    " : "";
  out << indent << "def " << llvm::StringRef(entry.path).rsplit('.').second << "(";
  const Signature &parameters = entry.row->signature;
  bool sawStar = false;
  llvm::ListSeparator comma;
  for (unsigned i = 0; i < parameters.count(); ++i) {
    Signature::Parameter parameter = parameters[i];
    if (isMethod && i == 0) {
      out << comma << "self";
      continue;
    }
    if (parameter.isKeywordOnly && !sawStar)
      out << comma << "*";
    sawStar |= parameter.isKeywordOnly || parameter.isVariadic;
    bool mayBeNone =
        parameter.isOptional && (parameter.defaultText.empty() || parameter.defaultText == "None");
    llvm::StringRef type = pythonType(*parameter.type);
    // `reshape(4, 8)` and `reshape([4, 8])`.
    if (parameter.isVariadic && parameter.type->word == "ints")
      type = "int | Sequence[int]";
    out << comma << (parameter.isVariadic ? "*" : "") << parameter.name << ": " << type
        << (mayBeNone && type != "Any" ? " | None" : "") << (parameter.isOptional ? " = ..." : "");
  }
  bool givesNothing = entry.row->doc.contains("\nGives: nothing.");
  out << ") -> " << (givesNothing ? "None" : "Any") << ":\n" << indent << "    \"\"\"";
  for (llvm::StringRef line : llvm::split(docOf(*entry.row), '\n'))
    out << (line.data() == docOf(*entry.row).data() || line.empty() ? "" : (indent + "    ").str())
        << line << "\n";
  out << indent << "    \"\"\"\n" << indent << "    ...\n\n";
}

/// Names that host code defines, which the stubs import; and `range`, which it has under `tl` only.
static bool isHostName(llvm::StringRef name) {
  static constexpr llvm::StringLiteral names[] = {"bank_conflicts",
                                                  "cdiv",
                                                  "constexpr",
                                                  "distributed_type",
                                                  "next_power_of_2",
                                                  "pointer_type",
                                                  "range",
                                                  "to_linear_layout",
                                                  "shared_memory_descriptor_type"};
  return llvm::is_contained(names, name);
}

static const ReferencePage &pageOf(llvm::StringRef path) {
  return *llvm::find_if(referencePages(),
                        [&](const ReferencePage &page) { return page.path == path; });
}

static void writeClass(llvm::StringRef name, llvm::StringRef attributes, llvm::raw_ostream &out) {
  const ReferencePage &page = pageOf(name);
  out << "class " << name << ":\n    \"\"\"" << page.about << "\"\"\"\n" << attributes << "\n";
  for (const ReferenceSection &section : page.sections)
    for (const ReferenceEntry &entry : section.entries)
      writeStub(entry, /*isMethod=*/true, out);
}

std::vector<std::pair<std::string, std::string>> stubFiles() {
  // Modules by path below `gl`, with the modules in them.
  std::map<std::string, std::set<std::string>> modules;
  for (const ReferencePage &page : referencePages()) {
    llvm::StringRef path = page.path;
    if (!path.consume_front("gl") || page.sections.empty())
      continue;
    (void)path.consume_front(".");
    modules[path.str()];
    for (; !path.empty(); path = path.contains('.') ? path.rsplit('.').first : "")
      modules[path.contains('.') ? path.rsplit('.').first.str() : ""].insert(
          path.rsplit('.').second.empty() ? path.str() : path.rsplit('.').second.str());
  }
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto &[path, submodules] : modules) {
    std::string text = "# Made by `./dev reference` from the rows in src/sema; do not edit.\n";
    llvm::raw_string_ostream out(text);
    out << (path.empty() ? rootStub : submoduleStub);
    for (const std::string &name : submodules)
      out << "from . import " << name << " as " << name << "\n";
    out << "\n";
    if (path.empty()) {
      writeClass("tensor", tensorStub, out);
      writeClass("shared_memory_descriptor", bufferStub, out);
      writeClass("tensor_memory_descriptor", bufferStub, out);
    }
    for (const ModuleClass &each : moduleClasses)
      if (each.module == path)
        writeClass(each.name, each.attributes, out);
    std::string pagePath = path.empty() ? "gl" : "gl." + path;
    for (const ReferencePage &page : referencePages())
      if (page.path == pagePath)
        for (const ReferenceSection &section : page.sections)
          for (const ReferenceEntry &entry : section.entries) {
            llvm::StringRef name = llvm::StringRef(entry.path).drop_front(pagePath.size() + 1);
            // Methods of classes are the classes' own.
            bool isClass = llvm::any_of(moduleClasses,
                                        [&](const ModuleClass &each) { return each.name == name; });
            if (name.contains('.') || isHostName(name) || isClass)
              continue;
            if (!llvm::isUpper(name.front()))
              writeStub(entry, /*isMethod=*/false, out);
            else
              out << importOf(name, /*isNvidia=*/!path.empty()) << " as " << name << "\n\n";
          }
    std::string file = path;
    std::replace(file.begin(), file.end(), '.', '/');
    files.emplace_back((file.empty() ? "" : file + "/") + "__init__.pyi", std::move(text));
  }
  return files;
}

} // namespace gluonc::sema
