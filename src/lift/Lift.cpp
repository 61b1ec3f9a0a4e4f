#include "lift/Lift.h"

#include "lift/Body.h"

#include "ir/Dialects.h"

using namespace mlir;

namespace gluonc::lift {

/// What the signature does not say of the parameters.
static std::string parameterHints(tt::FuncOp kernel, llvm::ArrayRef<Argument> arguments) {
  std::string text;
  for (auto [i, argument] : llvm::enumerate(arguments))
    for (auto [attribute, function] :
         {std::pair("tt.divisibility", "multiple_of"), std::pair("tt.contiguity", "max_contiguous"),
          std::pair("tt.constancy", "max_constancy")}) {
      auto value = kernel.getArgAttrOfType<IntegerAttr>(unsigned(i), attribute);
      bool isKnown = argument.isDivisible && llvm::StringRef(attribute) == "tt.divisibility" &&
                     value && value.getInt() == 16;
      if (value && !isKnown)
        text += std::string("    gl.") + function + "(" + argument.text + ", " +
                std::to_string(value.getInt()) + ")\n";
    }
  return text;
}

std::optional<std::string> liftModule(ModuleOp module, const Request &request) {
  File file(request);
  auto isPublic = [](tt::FuncOp function) {
    return SymbolTable::getSymbolVisibility(function) == SymbolTable::Visibility::Public;
  };
  auto functions = module.getOps<tt::FuncOp>();
  tt::FuncOp kernel = *llvm::find_if(functions, isPublic);
  std::string name = file.fresh(kernel.getSymName());
  Body body(file);
  std::string parameters;
  for (const std::string &parameter : request.parameters) {
    parameters += (parameters.empty() ? "" : ", ") + parameter;
    body.reserve(llvm::StringRef(parameter).ltrim('*').take_while(
        [](char c) { return c != ':' && c != ' '; }));
  }
  for (auto [value, argument] : llvm::zip_equal(kernel.getBody().getArguments(), request.arguments))
    body.bind(value, argument.text, {.isUnsigned = argument.isUnsigned});
  if (!body.functionBlock(kernel.getBody().front()))
    return std::nullopt;
  return file.text() + "\n\n" + request.decorator + "\ndef " + name + "(" + parameters + "):\n" +
         parameterHints(kernel, request.arguments) + body.takeText();
}

} // namespace gluonc::lift
