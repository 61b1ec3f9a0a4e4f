#include "Commands.h"

#include "llvm/ADT/StringExtras.h"

namespace gluonc::tool {

llvm::ArrayRef<OptionSpec> sharedOptions() {
  static constexpr OptionSpec options[] = {
      {"--diagnostics", "FORMAT", "text (default), or json: one object a line on stderr",
       "text json"},
      {"--help", "", "this text"},
  };
  return options;
}

void printHelp(const CommandSpec &spec, llvm::raw_ostream &out) {
  out << "usage: gluonc " << spec.name << " " << spec.usage << "\n\n" << spec.about << "\n\n";
  size_t width = 0;
  auto left = [](const OptionSpec &option) {
    return (option.name + (option.value.empty() ? "" : " ") + option.value).str();
  };
  for (llvm::ArrayRef<OptionSpec> list : {spec.options, sharedOptions()})
    for (const OptionSpec &option : list)
      width = std::max(width, left(option).size());
  for (llvm::ArrayRef<OptionSpec> list : {spec.options, sharedOptions()})
    for (const OptionSpec &option : list)
      out << "  " << llvm::left_justify(left(option), static_cast<unsigned>(width)) << "  "
          << option.help << '\n';
}

} // namespace gluonc::tool
