#include "bundle/Choice.h"
#include "target/Compatibility.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

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

static bool isPtx(const Bundle &bundle, const Variant &variant) {
  return bundle.piece(variant).kind == CodeKind::Ptx;
}

/// Whether a chip runs a variant, or its driver compiles it.
static bool runs(const Bundle &bundle, const target::Target &chip, const Variant &variant,
                 const target::Target &target) {
  if (target::runs(chip, target))
    return true;
  llvm::StringRef name = bundle.text(variant.target);
  return isPtx(bundle, variant) && name.consume_front("cuda:") &&
         target::runsPtx(chip, "sm_" + name.str());
}

static bool areForTheSame(const Bundle &bundle, const Variant &a, const Variant &b) {
  llvm::ArrayRef<Condition> mine = bundle.conditions(a), others = bundle.conditions(b);
  // Records have no padding.
  return mine.size() == others.size() &&
         (mine.empty() || !memcmp(mine.data(), others.data(), mine.size() * sizeof(Condition)));
}

/// Takes PTX out where there is machine code for the same launches.
static void preferMachineCode(const Bundle &bundle, llvm::ArrayRef<Variant> variants,
                              llvm::SmallVectorImpl<uint32_t> &places) {
  if (llvm::all_of(places, [&](uint32_t place) { return isPtx(bundle, variants[place]); }))
    return;
  const llvm::SmallVector<uint32_t, 0> all(places.begin(), places.end());
  llvm::erase_if(places, [&](uint32_t place) {
    return isPtx(bundle, variants[place]) && llvm::any_of(all, [&](uint32_t other) {
             return !isPtx(bundle, variants[other]) &&
                    areForTheSame(bundle, variants[place], variants[other]);
           });
  });
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
    if (!target || !runs(bundle, chip, variant, *target) ||
        variant.sharedBytes > chip.maxSharedBytes())
      continue;
    if (!nearest || target::isNearer(*target, *nearest)) {
      nearest = target;
      places.clear();
    }
    if (*target == *nearest)
      places.push_back(at);
  }
  preferMachineCode(bundle, bundle.variants(kernel), places);
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
    if (!target || !runs(bundle, chip, variant, *target))
      out << "it is for " << name;
    else if (!llvm::is_contained(places, place) && isPtx(bundle, variant) &&
             llvm::any_of(places, [&](uint32_t other) {
               return areForTheSame(bundle, variant, bundle.variants(kernel)[other]);
             }))
      out << "it is PTX, and there is machine code";
    else if (!llvm::is_contained(places, place) && variant.sharedBytes <= chip.maxSharedBytes())
      out << "it is for " << name << ", and there are others for a nearer chip";
    else
      explain(bundle, kernel, variant, slots, out);
  }
  return text;
}

} // namespace gluonc::bundle
