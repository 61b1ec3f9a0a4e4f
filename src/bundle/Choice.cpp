#include "bundle/Choice.h"
#include "target/Compatibility.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace gluonc::bundle {

using namespace format;

static int64_t valueOf(const Condition &condition, const Parameter &parameter, uint64_t slot) {
  if (condition.field != Field::Value) {
    const auto &tensor = *reinterpret_cast<const gluonc_rt_tensor *>(slot);
    return condition.field == Field::Extent ? tensor.shape[condition.dim]
                                            : tensor.strides[condition.dim];
  }
  return parameter.kind == ParameterKind::Signed ? signExtended(slot, parameter.bits)
                                                 : static_cast<int64_t>(slot);
}

/// Of numbers from 2^63 on, which compare as larger than every operand.
static bool holdsForLarge(const Condition &condition, uint64_t value) {
  switch (condition.op) {
  case Operator::Multiple:
    return value % static_cast<uint64_t>(condition.operand) == 0;
  case Operator::NotEqual:
  case Operator::Greater:
  case Operator::GreaterEqual:
    return true;
  default:
    return false;
  }
}

bool holds(const Condition &condition, llvm::ArrayRef<Parameter> parameters,
           const uint64_t *slots) {
  const Parameter &parameter = parameters[condition.parameter];
  uint64_t slot = slots[condition.parameter];
  int64_t value = valueOf(condition, parameter, slot);
  bool isUnsigned =
      parameter.kind == ParameterKind::Unsigned || parameter.kind == ParameterKind::Pointer;
  if (isUnsigned && value < 0) [[unlikely]]
    return holdsForLarge(condition, slot);
  return compare(condition.op, value, condition.operand);
}

std::string describe(const Condition &condition, llvm::ArrayRef<Parameter> parameters,
                     const Bundle &bundle) {
  static constexpr const char *operators[] = {"==", "!=", "<", "<=", ">", ">="};
  std::string text;
  llvm::raw_string_ostream out(text);
  out << bundle.text(parameters[condition.parameter].name);
  if (condition.field != Field::Value)
    out << (condition.field == Field::Extent ? ".shape[" : ".strides[") << int(condition.dim)
        << ']';
  if (condition.op == Operator::Multiple)
    out << " % " << condition.operand << " == 0";
  else
    out << ' ' << operators[static_cast<int>(condition.op)] << ' ' << condition.operand;
  return text;
}

llvm::SmallVector<uint32_t, 0> variantsFor(const Bundle &bundle, const Kernel &kernel,
                                           const target::Target &chip) {
  llvm::SmallVector<uint32_t, 0> places;
  std::optional<target::Target> nearest;
  uint32_t place = 0;
  for (const Variant &variant : bundle.variants(kernel)) {
    uint32_t at = place++;
    std::optional<target::Target> target =
        target::Target::parse(std::string_view(bundle.text(variant.target)));
    if (!target || !target::runs(chip, *target) || variant.sharedBytes > chip.maxSharedBytes())
      continue;
    if (!nearest || target::isNearer(*target, *nearest)) {
      nearest = target;
      places.clear();
    }
    if (*target == *nearest)
      places.push_back(at);
  }
  return places;
}

/// Why a variant for a chip is not taken.
static void explain(const Bundle &bundle, const Kernel &kernel, const Variant &variant,
                    const uint64_t *slots, llvm::raw_ostream &out) {
  llvm::ArrayRef<Parameter> parameters = bundle.parameters(kernel);
  for (const Condition &condition : bundle.conditions(variant))
    if (!holds(condition, parameters, slots)) {
      const Parameter &parameter = parameters[condition.parameter];
      int64_t value = valueOf(condition, parameter, slots[condition.parameter]);
      out << "it needs " << describe(condition, parameters, bundle) << ", and that is ";
      if (parameter.kind == ParameterKind::Pointer)
        out << llvm::format_hex(static_cast<uint64_t>(value), 1);
      else
        out << value;
      return;
    }
  out << "it needs " << variant.sharedBytes << " bytes of shared memory";
}

std::string whyNone(const Bundle &bundle, const Kernel &kernel, const target::Target &chip,
                    const uint64_t *slots) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "no variant of " << bundle.text(kernel.name) << " is for this launch on " << chip.name();
  llvm::SmallVector<uint32_t, 0> places = variantsFor(bundle, kernel, chip);
  for (auto [place, variant] : llvm::enumerate(bundle.variants(kernel))) {
    llvm::StringRef name = bundle.text(variant.target);
    std::optional<target::Target> target = target::Target::parse(std::string_view(name));
    out << "\nvariant " << place << ": ";
    if (!target || !target::runs(chip, *target))
      out << "it is for " << name;
    else if (!llvm::is_contained(places, place) && variant.sharedBytes <= chip.maxSharedBytes())
      out << "it is for " << name << ", and there are others for a nearer chip";
    else
      explain(bundle, kernel, variant, slots, out);
  }
  return text;
}

} // namespace gluonc::bundle
