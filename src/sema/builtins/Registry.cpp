//===- Registry.cpp - Builtins and methods by name ----------------------------===//
#include "sema/builtins/Emit.h"
#include "sema/builtins/Families.h"
#include "sema/builtins/core/Payloads.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <deque>

namespace gluonc::sema::ops {

static Result reportLater(Context &context, llvm::StringRef name) {
  context.report(diag::Kind::NotSupportedYet, context.span, name).end();
  return std::nullopt;
}

static llvm::ArrayRef<Builtin> laterBuiltins() {
  static const Builtin table[] = {
#define GL_LATER(path)                                                                             \
  {path, "...", [](Context &context, const BoundArgs &) { return reportLater(context, path); }},
#include "sema/builtins/Later.def"
  };
  return table;
}

/// The only element of a block of one: `x.item()`.
static Result emitItem(Context &context, const BoundArgs &arguments) {
  const Value &value = arguments["x"];
  if (!value.isBlock())
    return value;
  if (value.blockTensorType().getNumElements() != 1) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span("x"), "x", "a tensor of one element",
                value.typeName())
        .end();
    return std::nullopt;
  }
  return reshape(context, operand(arguments, "x"), {}, context.span);
}

static llvm::ArrayRef<Builtin> methodsOnly() {
  static const Builtin table[] = {{"item", "x: tensor", emitItem, asMethod, R"(
The only element of a block of one.

A scalar is given as it is.

Gives: a scalar of the element type.
Errors: a block of more elements.

    total = gl.sum(x, axis=0, keep_dims=True).item()
)"}};
  return table;
}

// -- Tables --------------------------------------------------------------------

namespace {

/// Rows by name. Names and rows that are not written in a family's table are kept here.
class Table {
public:
  const Builtin *find(llvm::StringRef name) const { return rows.lookup(name); }
  void add(llvm::ArrayRef<Builtin> family) {
    for (const Builtin &builtin : family) {
      add(builtin.name, builtin);
      if (!builtin.traits.alias.empty())
        add((moduleOf(builtin.name) + builtin.traits.alias).str(), builtin);
    }
  }
  void add(llvm::StringRef name, const Builtin &builtin) { rows.try_emplace(name, &builtin); }

  /// Gives the module `to`, and those in it, what `from` has and they lack.
  void inherit(llvm::StringRef from, llvm::StringRef to) {
    std::vector<std::pair<std::string, const Builtin *>> missing;
    for (const auto &[name, builtin] : rows) {
      llvm::StringRef rest = name;
      if (!rest.consume_front(from) || !builtin->traits.isInherited)
        continue;
      std::string newer = (to + rest).str();
      if (!rows.count(newer))
        missing.emplace_back(std::move(newer), builtin);
    }
    for (auto &[name, builtin] : missing) {
      Builtin copy = *builtin;
      auto entry = rows.try_emplace(name, nullptr).first;
      copy.name = entry->getKey();
      entry->second = &inherited.emplace_back(copy);
    }
  }

  std::vector<std::pair<llvm::StringRef, const Builtin *>> sorted() const {
    std::vector<std::pair<llvm::StringRef, const Builtin *>> result;
    for (const auto &[name, builtin] : rows)
      result.emplace_back(name, builtin);
    llvm::sort(result, llvm::less_first());
    return result;
  }

private:
  /// "nvidia.hopper.tma." of "nvidia.hopper.tma.async_load".
  static llvm::StringRef moduleOf(llvm::StringRef name) {
    return name.take_front(name.rfind('.') + 1);
  }

  llvm::StringMap<const Builtin *> rows;
  std::deque<Builtin> inherited;
};

} // namespace

llvm::ArrayRef<Family> families() {
  static const Family all[] = {
      {"Programs, constants, conversions", creationBuiltins()},
      {"Memory", memoryBuiltins()},
      {"Atomic operations", atomicBuiltins()},
      {"Mathematics", mathBuiltins()},
      {"Shapes", shapeBuiltins()},
      {"Layouts", layoutBuiltins()},
      {"Reductions and scans", reduceBuiltins()},
      {"Elements by index", gatherBuiltins()},
      {"Functions of elements", elementwiseBuiltins()},
      {"Functions of elements", libdeviceBuiltins()},
      {"Matrix products", dotFmaBuiltins()},
      {"Shared memory", sharedBuiltins()},
      {"Warps and clusters", warpgroupBuiltins()},
      {"Hints, output, barriers", hintBuiltins()},
      {"Payloads of floats", payloadBuiltins()},
      {"Asynchronous copies", asyncCopyBuiltins()},
      {"Tensor cores", mmaBuiltins()},
      {"Barriers in shared memory", barrierBuiltins()},
      {"The copy engine", tmaBuiltins()},
      {"The copy engine", namedRowBuiltins()},
      {"Tensor memory", tensorMemoryBuiltins()},
      {"Products of tensor memory", tensorProductBuiltins()},
      {"Packed arithmetic", packedArithmeticBuiltins()},
      {"Packed arithmetic", floatPairBuiltins()},
      {"Work of other clusters", launchControlBuiltins()},
      {"Buffers", amdBufferBuiltins()},
      {"Matrix cores", amdMatrixBuiltins()},
      {"Scales", amdScaleBuiltins()},
      {"Asynchronous copies", amdAsyncCopyBuiltins()},
      {"Barriers in shared memory", amdBarrierBuiltins()},
      {"The copy engine", amdTensorCopyBuiltins()},
      {"Order of instructions", amdScheduleBuiltins()},
  };
  return all;
}

static const Table &functions() {
  static const Table table = [] {
    Table all;
    for (const Family &family : families())
      all.add(family.rows);
    all.add(blockBuiltins());
    all.inherit("nvidia.ampere.", "nvidia.hopper.");
    all.inherit("nvidia.hopper.", "nvidia.blackwell.");
    all.inherit("amd.cdna3.", "amd.cdna4.");
    // Of buffers gfx1250 has loads and stores in the language.
    for (llvm::StringRef name :
         {"buffer_load", "buffer_store", "scaled_upcast", "get_scaled_upcast_fp4_scale_layout"})
      all.inherit(("amd.cdna3." + name).str(), ("amd.cdna5." + name).str());
    all.inherit("amd.cdna4.scaled_downcast", "amd.cdna5.scaled_downcast");
    // The name that Triton 3.6 has for it.
    all.inherit("amd.cdna5.", "amd.gfx1250.");
    // What is supported wins over the names that are still to come.
    for (const Builtin &later : laterBuiltins())
      all.add(later.name, later);
    return all;
  }();
  return table;
}

static const Table &tensorMethods() {
  static const Table table = [] {
    Table methods;
    methods.add(methodsOnly());
    for (auto [name, builtin] : functions().sorted()) {
      if (builtin->traits.isMethod)
        methods.add(name, *builtin);
      if (!builtin->traits.methodAlias.empty())
        methods.add(builtin->traits.methodAlias, *builtin);
    }
    return methods;
  }();
  return table;
}

static const Table &memDescMethods() {
  static const Table table = [] {
    Table methods;
    for (llvm::ArrayRef<Builtin> rows : {bufferAccessMethods(), viewMethods(), indexedMethods()})
      methods.add(rows);
    return methods;
  }();
  return table;
}

static const Table &tmemMethods() {
  static const Table table = [] {
    Table methods;
    methods.add(tensorMemoryMethods());
    methods.add(reducingLoadMethods());
    return methods;
  }();
  return table;
}

const Builtin *findBuiltin(llvm::StringRef name) { return functions().find(name); }

void appendBuiltinNames(std::vector<llvm::StringRef> &names) {
  for (auto [name, builtin] : functions().sorted())
    if (!name.starts_with("_"))
      names.push_back(name);
}

const Builtin *findTensorMethod(llvm::StringRef name) { return tensorMethods().find(name); }
const Builtin *findMemDescMethod(llvm::StringRef name, bool inTensorMemory) {
  return (inTensorMemory ? tmemMethods() : memDescMethods()).find(name);
}

llvm::ArrayRef<Builtin> ownMethodRows(ValueKind kind) {
  return kind == ValueKind::FloatPairs     ? floatPairMethods()
         : kind == ValueKind::LaunchAnswer ? launchAnswerMethods()
                                           : llvm::ArrayRef<Builtin>();
}

const Builtin *findOwnMethod(ValueKind kind, llvm::StringRef name) {
  const auto *found =
      llvm::find_if(ownMethodRows(kind), [&](const Builtin &row) { return row.name == name; });
  return found == ownMethodRows(kind).end() ? nullptr : found;
}

std::vector<std::pair<llvm::StringRef, const Builtin *>> tensorMethodRows() {
  return tensorMethods().sorted();
}
std::vector<std::pair<llvm::StringRef, const Builtin *>> memDescMethodRows() {
  return memDescMethods().sorted();
}
std::vector<std::pair<llvm::StringRef, const Builtin *>> tensorMemoryMethodRows() {
  return tmemMethods().sorted();
}

bool isLater(const Builtin &builtin) {
  return llvm::any_of(laterBuiltins(), [&](const Builtin &later) { return &later == &builtin; });
}

std::optional<Value> emitCall(Context &context, const Builtin &builtin,
                              llvm::ArrayRef<Value> values, llvm::ArrayRef<diag::Span> spans) {
  if (!requireFeature(context, builtin.shortName(), builtin.traits.needs))
    return std::nullopt;
  return builtin.emit(context, {builtin.signature, values, spans});
}

} // namespace gluonc::sema::ops
