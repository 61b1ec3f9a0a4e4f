//===- Join.cpp - Variants of one kernel under one list of parameters ----------===//
#include "pack/Variant.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace gluonc::pack {

using bundle::format::Condition;
using bundle::format::Field;
using bundle::format::Operator;
using bundle::format::ParameterKind;
using diag::Kind;

namespace {

class Joiner {
public:
  Joiner(const KernelEntry &entry, bundle::Kernel &kernel, diag::Sink &sink)
      : entry(entry), kernel(kernel), sink(sink) {}

  bool findParameters(llvm::ArrayRef<CompiledVariant> variants) {
    for (const CompiledVariant &variant : variants)
      for (const Leaf &leaf : variant.leaves)
        if (leaf.runtime && !addParameter(*leaf.runtime))
          return false;
    sortAsDeclared(variants);
    // Behind those that a launch needs.
    for (const Argument &argument : entry.settings.arguments)
      addChoice(argument, variants);
    if (kernel.parameters.size() <= UINT16_MAX)
      return true;
    refuse(entry.name.span, "it has too many parameters");
    return false;
  }

  bool finish(CompiledVariant &compiled, llvm::ArrayRef<Word> conditions) {
    bundle::Variant &variant = compiled.variant;
    for (const Leaf &leaf : compiled.leaves) {
      std::optional<uint16_t> place = placeOf(leaf.name);
      if (!leaf.runtime)
        variant.constants.push_back({leaf.name, leaf.value});
      if (leaf.argument)
        variant.arguments.emplace_back(*leaf.argument).parameter = *place;
      if (leaf.condition)
        variant.conditions.emplace_back(*leaf.condition).parameter = *place;
      else if (!leaf.runtime && place && !addEquality(leaf, *place, variant))
        return false;
    }
    for (const Word &word : conditions) {
      std::optional<Condition> condition = parseCondition(word);
      if (!condition)
        return false;
      variant.conditions.push_back(*condition);
    }
    // What tells most variants apart comes first: a launch looks at the fewest then.
    llvm::stable_sort(variant.conditions, [](const Condition &a, const Condition &b) {
      return (a.op == Operator::Equal) > (b.op == Operator::Equal);
    });
    return true;
  }

private:
  void refuse(diag::Span span, const llvm::Twine &what) {
    sink.report(Kind::InvalidOption, span, what.str()).end();
  }

  std::optional<uint16_t> placeOf(llvm::StringRef name) const {
    for (auto [i, parameter] : llvm::enumerate(kernel.parameters))
      if (parameter.name == name)
        return static_cast<uint16_t>(i);
    return std::nullopt;
  }

  bool addParameter(const bundle::Parameter &parameter) {
    std::optional<uint16_t> place = placeOf(parameter.name);
    if (!place) {
      kernel.parameters.push_back(parameter);
      return true;
    }
    const bundle::Parameter &known = kernel.parameters[*place];
    if (known == parameter)
      return true;
    sink.report(Kind::InvalidOption, entry.name.span,
                "`" + parameter.name + "` is " + known.type + " in one variant and " +
                    parameter.type + " in another")
        .hint("make them kernels of two names");
    return false;
  }

  /// What is None in the first variant came behind the others.
  void sortAsDeclared(llvm::ArrayRef<CompiledVariant> variants) {
    std::vector<llvm::StringRef> names;
    for (const CompiledVariant &variant : variants) {
      auto at = names.begin();
      for (const Leaf &leaf : variant.leaves) {
        auto known = llvm::find(names, leaf.name);
        at = std::next(known == names.end() ? names.insert(at, leaf.name) : known);
      }
    }
    llvm::stable_sort(kernel.parameters,
                      [&](const bundle::Parameter &a, const bundle::Parameter &b) {
                        return llvm::find(names, a.name) < llvm::find(names, b.name);
                      });
  }

  /// A list of compile-time numbers is what the caller chooses from.
  void addChoice(const Argument &argument, llvm::ArrayRef<CompiledVariant> variants) {
    const std::string &name = argument.name.text;
    bool isNumber = llvm::all_of(variants, [&](const CompiledVariant &variant) {
      return llvm::any_of(variant.leaves, [&](const Leaf &leaf) {
        return leaf.name == name && leaf.number && leaf.value != "None";
      });
    });
    if (argument.isList && isNumber && !placeOf(name))
      kernel.parameters.push_back({name, "constexpr", ParameterKind::Choice});
  }

  /// That a launch gives the number that a variant is compiled for.
  bool addEquality(const Leaf &leaf, uint16_t place, bundle::Variant &variant) {
    ParameterKind kind = kernel.parameters[place].kind;
    if (!leaf.number || kind == ParameterKind::Opaque || kind == ParameterKind::Tensor) {
      refuse(entry.name.span, "`" + leaf.name + "` is " + leaf.value +
                                  " in one variant and given at run time in another: only "
                                  "integers and None can be both");
      return false;
    }
    Condition condition = {};
    condition.parameter = place;
    condition.operand = *leaf.number;
    variant.conditions.push_back(condition);
    return true;
  }

  std::nullopt_t badCondition(const Word &word) {
    sink.report(Kind::InvalidOption, word.span,
                "`" + word.text + "` is no condition on the kernel's arguments")
        .hint("conditions are `n <= 1024`, `n % 64 == 0`, `a.shape[1] >= 128`, `a.strides[0] == "
              "1`, of {0}",
              parameterNames());
    return std::nullopt;
  }

  std::string parameterNames() const {
    std::string names;
    for (const bundle::Parameter &parameter : kernel.parameters)
      names += (names.empty() ? "" : ", ") + parameter.name;
    return names;
  }

  /// `name`, `name.shape[1]`, `name.strides[0]`, taken from `rest`.
  bool parseSubject(llvm::StringRef &rest, Condition &condition) {
    llvm::StringRef name = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    rest = rest.drop_front(name.size());
    std::optional<uint16_t> place = placeOf(name);
    if (!place)
      return false;
    condition.parameter = *place;
    const bundle::Parameter &parameter = kernel.parameters[*place];
    condition.field = rest.consume_front(".shape[")     ? Field::Extent
                      : rest.consume_front(".strides[") ? Field::Stride
                                                        : Field::Value;
    rest = rest.ltrim();
    if (condition.field == Field::Value)
      return parameter.kind != ParameterKind::Opaque && parameter.kind != ParameterKind::Tensor;
    unsigned dim = 0;
    if (rest.consumeInteger(10, dim) || !rest.consume_front("]") || dim >= parameter.rank)
      return false;
    condition.dim = static_cast<uint8_t>(dim);
    rest = rest.ltrim();
    return true;
  }

  std::optional<Condition> parseCondition(const Word &word) {
    llvm::StringRef rest = llvm::StringRef(word.text).trim();
    Condition condition = {};
    if (!parseSubject(rest, condition))
      return badCondition(word);
    if (rest.consume_front("%")) {
      condition.op = Operator::Multiple;
      rest = rest.ltrim();
      bool fine = !rest.consumeInteger(10, condition.operand) && condition.operand > 0;
      rest = rest.ltrim();
      fine = fine && rest.consume_front("==") && rest.trim() == "0";
      return fine ? std::optional(condition) : badCondition(word);
    }
    llvm::StringRef name =
        rest.take_while([](char c) { return c == '=' || c == '!' || c == '<' || c == '>'; });
    auto op = llvm::StringSwitch<std::optional<Operator>>(name)
                  .Case("==", Operator::Equal)
                  .Case("!=", Operator::NotEqual)
                  .Case("<", Operator::Less)
                  .Case("<=", Operator::LessEqual)
                  .Case(">", Operator::Greater)
                  .Case(">=", Operator::GreaterEqual)
                  .Default(std::nullopt);
    if (!op || rest.drop_front(name.size()).trim().getAsInteger(10, condition.operand))
      return badCondition(word);
    condition.op = *op;
    return condition;
  }

  const KernelEntry &entry;
  bundle::Kernel &kernel;
  diag::Sink &sink;
};

} // namespace

bool join(const KernelEntry &entry, llvm::ArrayRef<const VariantRequest *> requests,
          std::vector<CompiledVariant> variants, bundle::Kernel &kernel, diag::Sink &sink) {
  kernel.name = entry.name.text;
  Joiner joiner(entry, kernel, sink);
  if (!joiner.findParameters(variants))
    return false;
  for (auto [request, variant] : llvm::zip(requests, variants)) {
    if (!joiner.finish(variant, request->settings.conditions))
      return false;
    kernel.variants.push_back(std::move(variant.variant));
  }
  return true;
}

} // namespace gluonc::pack
