#include "pack/Header.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace gluonc::pack {

namespace format = bundle::format;

/// Of an element or a number. Pointers to what has no name here are pointers to anything.
static llvm::StringRef typeInCpp(llvm::StringRef dtype) {
  return llvm::StringSwitch<llvm::StringRef>(dtype)
      .Case("i1", "bool")
      .Case("u1", "bool")
      .Case("i8", "std::int8_t")
      .Case("i16", "std::int16_t")
      .Case("i32", "std::int32_t")
      .Case("i64", "std::int64_t")
      .Case("u8", "std::uint8_t")
      .Case("u16", "std::uint16_t")
      .Case("u32", "std::uint32_t")
      .Case("u64", "std::uint64_t")
      .Case("fp32", "float")
      .Case("fp64", "double")
      .Case("fp16", "gluonc::rt::fp16")
      .Case("bf16", "gluonc::rt::bf16")
      .Case("fp8e4nv", "gluonc::rt::fp8e4nv")
      .Case("fp8e4b8", "gluonc::rt::fp8e4b8")
      .Case("fp8e5", "gluonc::rt::fp8e5")
      .Case("fp8e5b16", "gluonc::rt::fp8e5b16")
      .Default("");
}

static std::string parameterInCpp(const format::Parameter &parameter, llvm::StringRef type) {
  switch (parameter.kind) {
  case format::ParameterKind::Tensor:
    return "const gluonc::rt::Tensor &";
  case format::ParameterKind::Choice:
    return "std::int64_t ";
  case format::ParameterKind::Pointer: {
    type.consume_front("*");
    bool isConst = type.consume_front("k");
    llvm::StringRef element = typeInCpp(type);
    return ("gluonc::rt::Pointer<" + llvm::Twine(isConst ? "const " : "") +
            (element.empty() ? "void" : element) + "> ")
        .str();
  }
  default: {
    llvm::StringRef number = typeInCpp(type);
    // Numbers of 16 bits and less are given by their bits.
    bool isNumber = !number.empty() && !number.starts_with("gluonc");
    return (isNumber ? number : "std::uint16_t").str() + " ";
  }
  }
}

/// A parameter's name where C++ has another use for it.
static std::string nameInCpp(llvm::StringRef name) {
  static constexpr llvm::StringLiteral taken[] = {
      "alignas",  "auto",     "bool",   "case",     "char",   "const",   "default",   "delete",
      "do",       "double",   "enum",   "explicit", "export", "extern",  "float",     "friend",
      "goto",     "grid",     "inline", "int",      "long",   "mutable", "namespace", "new",
      "operator", "private",  "public", "register", "short",  "signed",  "sizeof",    "static",
      "stream",   "struct",   "switch", "template", "this",   "throw",   "typedef",   "typename",
      "union",    "unsigned", "using",  "virtual",  "void",   "volatile"};
  return llvm::is_contained(taken, name) ? name.str() + "_" : name.str();
}

static std::string signatureOf(const bundle::Bundle &bundle, const format::Kernel &kernel) {
  std::string types;
  for (const format::Parameter &parameter : bundle.parameters(kernel))
    types += (types.empty() ? "" : ", ") + bundle.text(parameter.type).str();
  return types;
}

static void writeKernel(const bundle::Bundle &bundle, const format::Kernel &kernel, size_t place,
                        llvm::raw_ostream &out) {
  std::string names;
  out << "  gluonc::rt::Expected<gluonc::rt::Done> " << bundle.text(kernel.name)
      << "(gluonc::rt::Grid grid, void *stream";
  for (const format::Parameter &parameter : bundle.parameters(kernel)) {
    std::string name = nameInCpp(bundle.text(parameter.name));
    out << ",\n      " << parameterInCpp(parameter, bundle.text(parameter.type)) << name;
    names += ", " + name;
  }
  out << ") const {\n    return kernels[" << place << "].launch(grid, stream" << names
      << ");\n  }\n";
}

std::string writeHeader(const bundle::Bundle &bundle, llvm::StringRef nameSpace) {
  std::string text;
  llvm::raw_string_ostream out(text);
  size_t count = bundle.kernels().size();
  out << "// Made by gluonc build.\n#pragma once\n\n#include <gluonc/gluonc_rt.hpp>\n\n#include "
         "<array>\n#include <optional>\n\nnamespace "
      << nameSpace
      << " {\n\n/// Launches the kernels that it was made with. Which variant of a kernel is "
         "taken\n"
         "/// depends on the arguments and on the thread's current device.\nclass Bundle "
         "{\npublic:\n"
         "  /// Of the bundle that was made beside this header.\n"
         "  static constexpr const char *digest = \""
      << bundle.digest()
      << "\";\n\n  /// Fails where a kernel is not there, or takes something else.\n"
         "  static gluonc::rt::Expected<Bundle> open(const std::string &path,\n"
         "                                           const gluonc::rt::BundleOptions &options = "
         "{}) "
         "{\n    return make(gluonc::rt::Bundle::open(path, options));\n  }\n"
         "  /// Of bytes that live as long, on a multiple of 8.\n"
         "  static gluonc::rt::Expected<Bundle> open(const void *bytes, std::size_t size,\n"
         "                                           const gluonc::rt::BundleOptions &options = "
         "{}) "
         "{\n    return make(gluonc::rt::Bundle::open(bytes, size, options));\n  }\n"
         "  /// Owns it from now on: what gluonc_engine_build_bundle made of the same manifest.\n"
         "  static gluonc::rt::Expected<Bundle> take(gluonc_rt_bundle *raw) {\n"
         "    return make(gluonc::rt::Bundle::take(raw));\n  }\n\n";
  size_t place = 0;
  for (const format::Kernel &kernel : bundle.kernels())
    writeKernel(bundle, kernel, place++, out);
  out << "\n  /// Loads all variants of all kernels for a device, so that no launch there has to.\n"
         "  gluonc::rt::Expected<gluonc::rt::Done> load(int device = 0) const {\n"
         "    for (const gluonc::rt::Kernel &kernel : kernels)\n"
         "      if (auto done = kernel.load(device); !done)\n        return done;\n"
         "    return gluonc::rt::Done();\n  }\n";
  out << "\n  enum Index : std::size_t {";
  llvm::interleaveComma(bundle.kernels(), out, [&](const format::Kernel &kernel) {
    out << "index_" << bundle.text(kernel.name);
  });
  out << "};\n  gluonc::rt::Kernel kernel(Index index) const { return kernels[index]; "
         "}\n\nprivate:\n"
         "  static gluonc::rt::Expected<Bundle> make(gluonc::rt::Expected<gluonc::rt::Bundle> "
         "opened) "
         "{\n    static constexpr const char *types[][2] = {\n";
  for (const format::Kernel &kernel : bundle.kernels())
    out << "        {\"" << bundle.text(kernel.name) << "\", \"" << signatureOf(bundle, kernel)
        << "\"},\n";
  out << "    };\n    if (!opened)\n      return opened.error();\n    Bundle made;\n"
         "    for (std::size_t i = 0; i != "
      << count
      << "; ++i) {\n      auto found = opened->kernel(types[i][0], types[i][1]);\n"
         "      if (!found)\n        return found.error();\n      made.kernels[i] = *found;\n    "
         "}\n"
         "    made.bundle.emplace(std::move(*opened));\n    return made;\n  }\n\n"
         "  std::optional<gluonc::rt::Bundle> bundle;\n  std::array<gluonc::rt::Kernel, "
      << count << "> kernels;\n};\n\n} // namespace " << nameSpace << '\n';
  return text;
}

} // namespace gluonc::pack
