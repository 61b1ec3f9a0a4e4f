#include "sema/library/Library.h"

#include "sema/names/ProgramState.h"
#include "support/Error.h"
#include "syntax/Parser.h"

namespace gluonc::sema {

namespace {

constexpr llvm::StringLiteral folder = "<gluonc library>/";

constexpr LibraryFile texts[] = {
#include "sema/library/Texts.inc"
};

constexpr LibraryName exports[] = {
    {"sigmoid", "standard.py", true},
    {"softmax", "standard.py", true},
    {"flip", "standard.py", true},
    {"view", "standard.py", true},
    {"cat", "standard.py"},
    {"interleave", "standard.py"},
    {"squeeze", "standard.py"},
    {"unsqueeze", "standard.py"},
    {"swizzle2d", "standard.py"},
    {"_log2", "standard.py"},
    {"_partners", "standard.py"},
    {"get_int_dtype", "standard.py"},
    // Private names that programs use all the same.
    {"_sum_combine", "standard.py"},
    {"_prod_combine", "standard.py"},
    {"_xor_combine", "standard.py"},
    {"_or_combine", "standard.py"},
    {"_elementwise_max", "standard.py"},
    {"_elementwise_min", "standard.py"},
    {"_argmax_combine", "standard.py"},
    {"_argmin_combine", "standard.py"},
    {"_argmax_combine_tie_break_left", "standard.py"},
    {"_argmax_combine_tie_break_fast", "standard.py"},
    {"_argmin_combine_tie_break_left", "standard.py"},
    {"_argmin_combine_tie_break_fast", "standard.py"},
    {"tensor.logical_and", "standard.py"},
    {"tensor.logical_or", "standard.py"},
    {"tensor.histogram", "standard.py"},
    {"sort", "sorting.py", true},
    {"topk", "sorting.py"},
    {"bitonic_merge", "sorting.py"},
    {"philox", "random.py"},
    {"philox_impl", "random.py"},
    {"randint", "random.py"},
    {"randint4x", "random.py"},
    {"rand", "random.py"},
    {"rand4x", "random.py"},
    {"randn", "random.py"},
    {"randn4x", "random.py"},
    {"uint_to_uniform_float", "random.py"},
    {"pair_uniform_to_normal", "random.py"},
    {"make_block_ptr", "memory.py"},
    {"advance", "memory.py"},
    {"tensor_descriptor", "memory.py"},
    {"make_tensor_descriptor", "memory.py"},
    {"load_tensor_descriptor", "memory.py"},
    {"store_tensor_descriptor", "memory.py"},
    {"dot_scaled", "products.py"},
    {"extra.globaltimer", "chip.py"},
    {"extra.smid", "chip.py"},
};

const LibraryName *findExport(llvm::StringRef name) {
  const auto *found =
      llvm::find_if(exports, [&](const LibraryName &entry) { return entry.path == name; });
  return found == std::end(exports) ? nullptr : found;
}

/// Its path is for diagnostics: no such file is read.
SourceModule &libraryModule(Interpreter &interpreter, llvm::StringRef file) {
  Program &program = interpreter.program;
  std::unique_ptr<SourceModule> &module = program.state().library[file];
  if (!module) {
    const auto *entry =
        llvm::find_if(texts, [&](const LibraryFile &text) { return text.name == file; });
    GL_CHECK(entry != std::end(texts));
    const diag::SourceFile *source =
        program.sources().add((folder + file).str(), entry->text.str());
    module = std::make_unique<SourceModule>(program, file.drop_back(3).str(), *source,
                                            ast::parse(*source, *interpreter.sink), /*scope=*/0);
  }
  return *module;
}

} // namespace

llvm::ArrayRef<LibraryFile> libraryFiles() { return texts; }
llvm::ArrayRef<LibraryName> libraryNames() { return exports; }

MaybeValue findLibraryMember(Interpreter &interpreter, llvm::StringRef name) {
  const LibraryName *entry = findExport(name);
  if (!entry)
    return std::nullopt;
  llvm::StringRef last = name.substr(name.rfind('.') + 1);
  return libraryModule(interpreter, entry->file).lookup(last, interpreter);
}

MaybeValue findLibraryMethod(Interpreter &interpreter, llvm::StringRef name) {
  if (const LibraryName *entry = findExport(name))
    return entry->isMethod ? findLibraryMember(interpreter, name) : std::nullopt;
  return findLibraryMember(interpreter, ("tensor." + name).str());
}

MaybeValue findLibraryOverload(Interpreter &interpreter, const Value &object,
                               llvm::StringRef name) {
  if (!object.is(ValueKind::Instance))
    return std::nullopt;
  const Class &cls = object.asClass();
  const Class::Member *member = cls.findMember(name);
  bool isOurs = llvm::any_of(interpreter.program.state().library,
                             [&](const auto &entry) { return entry.second.get() == cls.module; });
  return member && isOurs ? MaybeValue(Value::boundMethod(member->value, object)) : std::nullopt;
}

bool isOfLibrary(diag::Span span) {
  return span.file && llvm::StringRef(span.file->path()).starts_with(folder);
}

void appendLibraryNames(std::vector<llvm::StringRef> &names) {
  for (const LibraryName &entry : exports)
    if (!entry.path.starts_with("_") && !entry.path.contains('.'))
      names.push_back(entry.path);
}

} // namespace gluonc::sema
