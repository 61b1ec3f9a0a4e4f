#include "sema/value/Value.h"

#include "ir/Encoding.h"
#include "layout/named/Layouts.h"
#include "sema/builtins/Context.h"
#include "sema/builtins/Ops.h"
#include "sema/eval/Work.h"
#include "sema/names/Program.h"
#include "sema/value/Arithmetic.h"
#include "sema/value/Format.h"
#include "sema/value/Numbers.h"
#include "sema/value/Repr.h"
#include "support/Error.h"

#include <cmath>

namespace gluonc::sema {

namespace {

struct StringPayload : Payload {
  std::string text;
  explicit StringPayload(std::string given) : text(std::move(given)) {
    spend(sizeof *this + text.size());
  }
};

/// Integers beyond 64 bits.
struct IntegerPayload : Payload {
  llvm::APInt value;
  explicit IntegerPayload(llvm::APInt given) : value(std::move(given)) {
    spend(sizeof *this + value.getBitWidth() / 8);
  }
};

/// A value with all that it holds, what is shared counted as often as it is met.
struct Extent {
  uint64_t count = 1;
  unsigned depth = 1;
};

} // namespace

/// Values wait here for their end, so that what nests deeply does not end in deep recursion.
static void discard(std::vector<Value> items) {
  static thread_local std::vector<Value> waiting;
  static thread_local bool isEnding = false;
  for (Value &item : items)
    if (item.rawPayload())
      waiting.push_back(std::move(item));
  if (isEnding)
    return;
  isEnding = true;
  while (!waiting.empty()) {
    Value last = std::move(waiting.back());
    waiting.pop_back();
  }
  isEnding = false;
}

namespace {

/// Tuples, lists, slices, ranges, bound methods, instances.
struct SequencePayload : Payload {
  std::vector<Value> items;
  std::vector<std::string> names;
  bool equalsLists = false;
  /// As of its making: lists may grow.
  Extent extent;

  SequencePayload(std::vector<Value> given, std::vector<std::string> names)
      : items(std::move(given)), names(std::move(names)) {
    spend(sizeof *this + items.size() * sizeof(Value));
    measure();
  }
  ~SequencePayload() override { discard(std::move(items)); }

  void measure();
};

/// The one payload that is built in place: by its constructor, until that returns.
struct InstancePayload : SequencePayload {
  std::shared_ptr<const Class> cls;
  bool isOpen = true;
  InstancePayload(std::shared_ptr<const Class> cls, std::vector<Value> items,
                  std::vector<std::string> names)
      : SequencePayload(std::move(items), std::move(names)), cls(std::move(cls)) {}
};

struct ClassPayload : Payload {
  std::shared_ptr<const Class> cls;
  explicit ClassPayload(std::shared_ptr<const Class> cls) : cls(std::move(cls)) {}
};

struct DictPayload : Payload {
  std::vector<std::pair<Value, Value>> items;
  explicit DictPayload(std::vector<std::pair<Value, Value>> given) : items(std::move(given)) {
    spend(sizeof *this + items.size() * sizeof items[0]);
  }
  ~DictPayload() override {
    std::vector<Value> values;
    for (auto &[key, value] : items) {
      values.push_back(std::move(key));
      values.push_back(std::move(value));
    }
    discard(std::move(values));
  }
};

struct LayoutPayload : Payload {
  layout::Layout value;
  explicit LayoutPayload(layout::Layout value) : value(std::move(value)) {}
};

struct FunctionPayload : Payload {
  std::shared_ptr<const Function> function;
  explicit FunctionPayload(std::shared_ptr<const Function> function)
      : function(std::move(function)) {}
};

} // namespace

static bool isSequence(ValueKind kind) {
  switch (kind) {
  case ValueKind::Tuple:
  case ValueKind::List:
  case ValueKind::Set:
  case ValueKind::Slice:
  case ValueKind::Range:
  case ValueKind::BoundMethod:
  case ValueKind::Instance:
  case ValueKind::Descriptor:
    return true;
  default:
    return false;
  }
}

/// What holds too much, or nests too deeply, ends the evaluation that makes it.
void SequencePayload::measure() {
  extent = Extent();
  for (const Value &item : items) {
    Extent part;
    if (isSequence(item.kind()))
      part = static_cast<const SequencePayload &>(*item.rawPayload()).extent;
    extent.count = std::min(extent.count + part.count, maxSteps);
    extent.depth = std::max(extent.depth, part.depth + 1);
  }
  if (extent.count > uint64_t(2 * maxSequenceLength))
    spend(maxSteps * stepCost + 1);
  if (extent.depth > maxValueDepth)
    refuseDepth();
}

llvm::StringRef kindName(ValueKind kind) {
  switch (kind) {
  case ValueKind::Absent:
    return "nothing";
  case ValueKind::None:
    return "None";
  case ValueKind::Bool:
    return "bool";
  case ValueKind::Int:
    return "int";
  case ValueKind::Float:
    return "float";
  case ValueKind::String:
    return "str";
  case ValueKind::Tuple:
    return "tuple";
  case ValueKind::List:
    return "list";
  case ValueKind::Dict:
    return "dict";
  case ValueKind::Set:
    return "set";
  case ValueKind::Slice:
    return "slice";
  case ValueKind::Range:
    return "range";
  case ValueKind::DType:
    return "dtype";
  case ValueKind::BlockType:
    return "block type";
  case ValueKind::Layout:
    return "layout";
  case ValueKind::Function:
    return "function";
  case ValueKind::Builtin:
    return "builtin";
  case ValueKind::BoundMethod:
    return "method";
  case ValueKind::Class:
    return "class";
  case ValueKind::Instance:
    return "instance";
  case ValueKind::Module:
    return "module";
  case ValueKind::Opaque:
    return "host object";
  case ValueKind::Tensor:
    return "tensor";
  case ValueKind::MemDesc:
    return "shared memory descriptor";
  case ValueKind::Accumulator:
    return "warpgroup_mma_accumulator";
  case ValueKind::FloatPairs:
    return "Float2Tensor";
  case ValueKind::LaunchAnswer:
    return "clc_result";
  case ValueKind::Descriptor:
    return "tensor_descriptor";
  case ValueKind::Handle:
    return "handle";
  }
  GL_UNREACHABLE("value kind");
}

Value Value::boolean(bool value) {
  Value result(ValueKind::Bool);
  result.scalar.boolean = value;
  return result;
}

Value Value::integer(int64_t value) {
  Value result(ValueKind::Int);
  result.scalar.integer = value;
  return result;
}

Value Value::integer(const llvm::APInt &value) {
  if (value.isSignedIntN(64))
    return integer(value.sextOrTrunc(64).getSExtValue());
  Value result(ValueKind::Int);
  // The smallest width, so that equal values have equal payloads.
  result.payload = std::make_shared<IntegerPayload>(value.trunc(value.getSignificantBits()));
  return result;
}

Value Value::real(double value) {
  Value result(ValueKind::Float);
  result.scalar.real = value;
  return result;
}

Value Value::string(std::string text) {
  return custom(ValueKind::String, std::make_shared<StringPayload>(std::move(text)));
}

static Value sequence(ValueKind kind, std::vector<Value> items,
                      std::vector<std::string> names = {}) {
  return Value::custom(kind, std::make_shared<SequencePayload>(std::move(items), std::move(names)));
}

Value Value::tuple(std::vector<Value> items, std::vector<std::string> names) {
  return sequence(ValueKind::Tuple, std::move(items), std::move(names));
}
Value Value::fixedList(std::vector<Value> items) {
  auto made = std::make_shared<SequencePayload>(std::move(items), std::vector<std::string>());
  made->equalsLists = true;
  return custom(ValueKind::Tuple, std::move(made));
}
Value Value::list(std::vector<Value> items) { return sequence(ValueKind::List, std::move(items)); }
Value Value::set(llvm::ArrayRef<Value> items) {
  std::vector<Value> distinct;
  for (const Value &item : items)
    if (!isWorkSpent() && !llvm::is_contained(distinct, item))
      distinct.push_back(item);
  return sequence(ValueKind::Set, std::move(distinct));
}
Value Value::slice(Value start, Value stop, Value step) {
  return sequence(ValueKind::Slice, {std::move(start), std::move(stop), std::move(step)});
}
Value Value::range(Value start, Value stop, Value step, llvm::ArrayRef<Value> hints) {
  std::vector<Value> items{std::move(start), std::move(stop), std::move(step)};
  items.insert(items.end(), hints.begin(), hints.end());
  return sequence(ValueKind::Range, std::move(items));
}

Value Value::boundMethod(Value callee, Value self) {
  return sequence(ValueKind::BoundMethod, {std::move(callee), std::move(self)});
}

Value Value::dict(std::vector<std::pair<Value, Value>> items) {
  return custom(ValueKind::Dict, std::make_shared<DictPayload>(std::move(items)));
}

Value Value::dtype(DType dtype) {
  Value result(ValueKind::DType);
  result.elementType = dtype;
  return result;
}

Value Value::blockType(mlir::Type type, DType dtype) {
  Value result(ValueKind::BlockType);
  result.elementType = dtype;
  result.scalar.constPointer = type.getAsOpaquePointer();
  return result;
}

Value Value::layout(layout::Layout layout) {
  return custom(ValueKind::Layout, std::make_shared<LayoutPayload>(std::move(layout)));
}

Value Value::function(std::shared_ptr<const Function> function) {
  return custom(ValueKind::Function, std::make_shared<FunctionPayload>(std::move(function)));
}

Value Value::builtin(const Builtin *builtin) {
  Value result(ValueKind::Builtin);
  result.scalar.constPointer = builtin;
  return result;
}

Value Value::module(Module *module) {
  Value result(ValueKind::Module);
  result.scalar.pointer = module;
  return result;
}

Value Value::classValue(std::shared_ptr<const Class> cls) {
  return custom(ValueKind::Class, std::make_shared<ClassPayload>(std::move(cls)));
}

Value Value::instance(std::shared_ptr<const Class> cls, std::vector<Value> items) {
  std::vector<std::string> names;
  for (const Class::Field &field : cls->fields)
    names.push_back(field.name.str());
  return custom(ValueKind::Instance, std::make_shared<InstancePayload>(
                                         std::move(cls), std::move(items), std::move(names)));
}

Value Value::opaque(std::string what) {
  return custom(ValueKind::Opaque, std::make_shared<StringPayload>(std::move(what)));
}

Value Value::tensor(mlir::Value value, DType dtype) {
  Value result(ValueKind::Tensor);
  result.elementType = dtype;
  result.scalar.pointer = value.getAsOpaquePointer();
  return result;
}

Value Value::memDesc(mlir::Value value, DType dtype) {
  Value result = tensor(value, dtype);
  result.valueKind = ValueKind::MemDesc;
  return result;
}

Value Value::accumulator(mlir::Value value, DType dtype) {
  Value result = tensor(value, dtype);
  result.valueKind = ValueKind::Accumulator;
  return result;
}

Value Value::floatPairs(mlir::Value value) {
  Value result = tensor(value, dtypes::int64);
  result.valueKind = ValueKind::FloatPairs;
  return result;
}

Value Value::launchAnswer(mlir::Value value) {
  Value result = tensor(value, DType());
  result.valueKind = ValueKind::LaunchAnswer;
  return result;
}

Value Value::handle(mlir::Value value) {
  Value result = tensor(value, DType());
  result.valueKind = ValueKind::Handle;
  return result;
}

Value Value::descriptor(mlir::Value handle, Value shape, Value strides, DType dtype) {
  Value result = sequence(ValueKind::Descriptor,
                          {Value::handle(handle), std::move(shape), std::move(strides)});
  result.elementType = dtype;
  return result;
}

Value Value::withIr(mlir::Value value) const {
  GL_CHECK(isIr());
  Value result = *this;
  result.scalar.pointer = value.getAsOpaquePointer();
  return result;
}

Value Value::custom(ValueKind kind, std::shared_ptr<const Payload> payload) {
  Value result(kind);
  result.payload = std::move(payload);
  return result;
}

bool Value::isCompileTime() const {
  if (isIr())
    return false;
  if (!isSequence(valueKind))
    return true;
  Descent descent;
  return descent.mustEnd() ||
         llvm::all_of(items(), [](const Value &item) { return item.isCompileTime(); });
}

bool Value::isNumber() const {
  return is(ValueKind::Bool) || is(ValueKind::Int) || is(ValueKind::Float);
}

std::optional<int64_t> Value::asInt64() const {
  if (is(ValueKind::Bool))
    return scalar.boolean;
  if (is(ValueKind::Int) && !payload)
    return scalar.integer;
  return std::nullopt;
}

llvm::APInt Value::asApInt() const {
  if (is(ValueKind::Int) && payload)
    return static_cast<const IntegerPayload &>(*payload).value;
  GL_CHECK(is(ValueKind::Int) || is(ValueKind::Bool));
  return llvm::APInt(64, uint64_t(*asInt64()), /*isSigned=*/true);
}

double Value::asDouble() const {
  if (is(ValueKind::Float))
    return scalar.real;
  if (std::optional<int64_t> small = asInt64())
    return double(*small);
  llvm::APInt integer = asApInt();
  return sema::toDouble(integer).value_or(integer.isNegative() ? -INFINITY : INFINITY);
}

llvm::StringRef Value::asString() const {
  GL_CHECK(is(ValueKind::String) || is(ValueKind::Opaque));
  return static_cast<const StringPayload &>(*payload).text;
}

llvm::ArrayRef<Value> Value::items() const {
  return static_cast<const SequencePayload &>(*payload).items;
}

llvm::ArrayRef<std::string> Value::fieldNames() const {
  return static_cast<const SequencePayload &>(*payload).names;
}

// Lists and dicts are shared mutable objects, as in Python; every other payload is immutable.
std::vector<Value> &Value::listItems() const {
  GL_CHECK(is(ValueKind::List) || is(ValueKind::Set));
  return const_cast<SequencePayload &>(static_cast<const SequencePayload &>(*payload)).items;
}

std::vector<std::pair<Value, Value>> &Value::dictItems() const {
  GL_CHECK(is(ValueKind::Dict));
  return const_cast<DictPayload &>(static_cast<const DictPayload &>(*payload)).items;
}

const layout::Layout &Value::asLayout() const {
  GL_CHECK(is(ValueKind::Layout));
  return static_cast<const LayoutPayload &>(*payload).value;
}

std::shared_ptr<const Class> Value::sharedClass() const {
  GL_CHECK(is(ValueKind::Class) || is(ValueKind::Instance));
  return is(ValueKind::Class) ? static_cast<const ClassPayload &>(*payload).cls
                              : static_cast<const InstancePayload &>(*payload).cls;
}

std::vector<Value> &Value::plainFields() const {
  GL_CHECK(is(ValueKind::Instance));
  return const_cast<InstancePayload &>(static_cast<const InstancePayload &>(*payload)).items;
}

const Class &Value::asClass() const { return *sharedClass(); }

std::vector<Value> *Value::openFields() const {
  GL_CHECK(is(ValueKind::Instance));
  auto &instance = const_cast<InstancePayload &>(static_cast<const InstancePayload &>(*payload));
  return instance.isOpen ? &instance.items : nullptr;
}

void Value::closeFields() const {
  GL_CHECK(is(ValueKind::Instance));
  auto &instance = const_cast<InstancePayload &>(static_cast<const InstancePayload &>(*payload));
  instance.isOpen = false;
  instance.measure();
}

const Function &Value::asFunction() const { return *sharedFunction(); }

std::shared_ptr<const Function> Value::sharedFunction() const {
  GL_CHECK(is(ValueKind::Function));
  return static_cast<const FunctionPayload &>(*payload).function;
}

const Builtin &Value::asBuiltin() const {
  GL_CHECK(is(ValueKind::Builtin));
  return *static_cast<const Builtin *>(scalar.constPointer);
}

Module &Value::asModule() const {
  GL_CHECK(is(ValueKind::Module));
  return *static_cast<Module *>(scalar.pointer);
}

mlir::Type Value::irType() const {
  if (is(ValueKind::BlockType))
    return mlir::Type::getFromOpaquePointer(scalar.constPointer);
  if (is(ValueKind::Descriptor))
    return items()[0].irType();
  GL_CHECK(isIr());
  return ir().getType();
}

bool Value::isBlock() const { return isTensor() && bool(blockTensorType()); }

mlir::RankedTensorType Value::blockTensorType() const {
  return mlir::dyn_cast<mlir::RankedTensorType>(irType());
}

/// Nullopt for scalars. Memory descriptors are no ShapedType to MLIR.
static std::optional<llvm::ArrayRef<int64_t>> shapeOf(mlir::Type type) {
  if (auto shaped = mlir::dyn_cast<mlir::ShapedType>(type))
    return shaped.getShape();
  if (auto buffer = mlir::dyn_cast<ttg::MemDescType>(type))
    return buffer.getShape();
  if (ttng::Descriptor descriptor = ttng::descriptorOf(type))
    return descriptor.shape;
  return std::nullopt;
}

llvm::ArrayRef<int64_t> Value::shape() const {
  return shapeOf(irType()).value_or(llvm::ArrayRef<int64_t>());
}

bool Value::isSame(const Value &other) const {
  if (valueKind != other.valueKind)
    return false;
  switch (valueKind) {
  case ValueKind::List:
  case ValueKind::Dict:
  case ValueKind::Set:
  case ValueKind::Tuple:
    return payload == other.payload;
  default:
    return *this == other;
  }
}

static bool sameItems(llvm::ArrayRef<Value> lhs, llvm::ArrayRef<Value> rhs) {
  return lhs.size() == rhs.size() && std::equal(lhs.begin(), lhs.end(), rhs.begin());
}

/// Ranges are equal when their items are; those of `tl.range` also when nothing is known of them.
static bool sameRange(const Value &lhs, const Value &rhs) {
  std::optional<RangeBounds> a = RangeBounds::of(lhs), b = RangeBounds::of(rhs);
  if (!a || !b || !lhs.rangeHints().empty() || !rhs.rangeHints().empty())
    return sameItems(lhs.items(), rhs.items());
  return a->count == b->count && (a->count == 0 || a->start == b->start) &&
         (a->count <= 1 || a->step == b->step);
}

/// Whether one is a list and the other one stands for a list.
static bool areLists(const Value &lhs, const Value &rhs) {
  auto standsForList = [](const Value &value) {
    return value.is(ValueKind::Tuple) &&
           static_cast<const SequencePayload &>(*value.rawPayload()).equalsLists;
  };
  return (lhs.is(ValueKind::List) && standsForList(rhs)) ||
         (standsForList(lhs) && rhs.is(ValueKind::List));
}

bool Value::operator==(const Value &other) const {
  spend(visitCost);
  if (isNumber() && other.isNumber())
    return compareNumbers(*this, other) == 0;
  if (valueKind != other.valueKind && !areLists(*this, other))
    return false;
  // The same object is equal to itself, whatever it holds.
  if (payload && payload == other.payload)
    return true;
  Descent descent;
  if (descent.mustEnd())
    return false;
  switch (valueKind) {
  case ValueKind::Absent:
  case ValueKind::None:
    return true;
  case ValueKind::Bool:
  case ValueKind::Int:
  case ValueKind::Float:
    GL_UNREACHABLE("numbers were compared above");
  case ValueKind::String:
  case ValueKind::Opaque:
    return asString() == other.asString();
  case ValueKind::Tuple:
  case ValueKind::List:
  case ValueKind::Slice:
  case ValueKind::BoundMethod:
    return sameItems(items(), other.items());
  case ValueKind::Range:
    return sameRange(*this, other);
  case ValueKind::Instance:
    return sharedClass() == other.sharedClass() && sameItems(items(), other.items());
  case ValueKind::Dict:
    return dictItems().size() == other.dictItems().size() &&
           llvm::all_of(dictItems(), [&](const auto &item) {
             return !isWorkSpent() && llvm::is_contained(other.dictItems(), item);
           });
  case ValueKind::Set:
    return items().size() == other.items().size() && llvm::all_of(items(), [&](const Value &item) {
             return !isWorkSpent() && llvm::is_contained(other.items(), item);
           });
  case ValueKind::DType:
    return elementType == other.elementType;
  case ValueKind::Layout:
    return payload == other.payload || asLayout() == other.asLayout();
  case ValueKind::Function:
    return sharedFunction() == other.sharedFunction();
  case ValueKind::Class:
    return sharedClass() == other.sharedClass();
  case ValueKind::BlockType:
    return scalar.constPointer == other.scalar.constPointer && elementType == other.elementType;
  case ValueKind::Builtin:
  case ValueKind::Module:
  case ValueKind::Tensor:
  case ValueKind::MemDesc:
  case ValueKind::Accumulator:
  case ValueKind::FloatPairs:
  case ValueKind::LaunchAnswer:
  case ValueKind::Handle:
    return scalar.constPointer == other.scalar.constPointer;
  case ValueKind::Descriptor:
    return items()[0].isSame(other.items()[0]);
  }
  GL_UNREACHABLE("value kind");
}

static void printItems(llvm::raw_ostream &os, llvm::ArrayRef<Value> items) {
  llvm::interleaveComma(items, os, [&](const Value &item) { item.print(os); });
}

void Value::print(llvm::raw_ostream &os) const {
  Descent descent;
  if (descent.mustEnd() || os.tell() > uint64_t(maxSequenceLength)) {
    os << "...";
    return;
  }
  switch (valueKind) {
  case ValueKind::Absent:
  case ValueKind::None:
    os << "None";
    return;
  case ValueKind::Bool:
    os << (scalar.boolean ? "True" : "False");
    return;
  case ValueKind::Int:
    if (payload)
      os << (asApInt().isNegative() ? "-" : "") << integerDigits(asApInt(), 'd');
    else
      os << scalar.integer;
    return;
  case ValueKind::Float:
    os << pythonFloat(scalar.real);
    return;
  case ValueKind::String:
    os << pythonString(asString());
    return;
  case ValueKind::Tuple:
    os << '(';
    printItems(os, items());
    os << (items().size() == 1 ? ",)" : ")");
    return;
  case ValueKind::List:
    os << '[';
    printItems(os, items());
    os << ']';
    return;
  case ValueKind::Dict:
    os << '{';
    llvm::interleaveComma(dictItems(), os, [&](const auto &item) {
      item.first.print(os);
      os << ": ";
      item.second.print(os);
    });
    os << '}';
    return;
  case ValueKind::Set:
    os << (items().empty() ? "set(" : "{");
    printItems(os, items());
    os << (items().empty() ? ")" : "}");
    return;
  case ValueKind::Slice:
    os << "slice(";
    printItems(os, bounds());
    os << ')';
    return;
  case ValueKind::Range:
    // `range(0, 5)`: a step of 1 does not show.
    os << "range(";
    printItems(os, bounds().drop_back(bounds()[2].asInt64() == 1));
    os << ')';
    return;
  case ValueKind::DType:
    os << elementType.name();
    return;
  case ValueKind::Layout:
    os << asLayout().toString();
    return;
  case ValueKind::Function:
    os << "<function " << asFunction().name << '>';
    return;
  case ValueKind::Builtin:
    os << "<builtin " << asBuiltin().name << '>';
    return;
  case ValueKind::Module:
    os << "<module " << asModule().name() << '>';
    return;
  case ValueKind::Opaque:
    os << '<' << asString() << '>';
    return;
  case ValueKind::BoundMethod:
    os << '<' << kindName(valueKind) << '>';
    return;
  case ValueKind::Class:
    os << "<class " << asClass().name << '>';
    return;
  case ValueKind::Instance:
    os << asClass().name << '(';
    for (auto [i, item] : llvm::enumerate(items())) {
      os << (i ? ", " : "") << fieldNames()[i] << '=';
      item.print(os);
    }
    os << ')';
    return;
  case ValueKind::BlockType:
  case ValueKind::Tensor:
  case ValueKind::MemDesc:
  case ValueKind::Accumulator:
  case ValueKind::FloatPairs:
  case ValueKind::LaunchAnswer:
  case ValueKind::Descriptor:
  case ValueKind::Handle:
    os << typeName();
    return;
  }
}

std::string Value::repr() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

std::string Value::str() const { return is(ValueKind::String) ? asString().str() : repr(); }

/// `fp32[128, 64] in BlockedLayout(…)`.
static std::string blockTypeName(mlir::Type type, DType dtype) {
  std::optional<llvm::ArrayRef<int64_t>> shape = shapeOf(type);
  if (!shape)
    return dtype.name();
  std::string text = dtype.name();
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(*shape, os);
  os << ']';
  mlir::Attribute encoding;
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type))
    encoding = tensor.getEncoding();
  else if (auto buffer = mlir::dyn_cast<ttg::MemDescType>(type))
    encoding = buffer.getEncoding();
  else if (ttng::Descriptor descriptor = ttng::descriptorOf(type))
    encoding = descriptor.layout;
  if (encoding)
    if (std::optional<layout::Layout> layout = layoutOf(encoding))
      os << " in " << layout->toString();
  return text;
}

std::string Value::typeName() const {
  switch (valueKind) {
  case ValueKind::Tensor:
  case ValueKind::MemDesc:
  case ValueKind::BlockType:
    return blockTypeName(irType(), elementType);
  case ValueKind::Accumulator:
  case ValueKind::FloatPairs:
  case ValueKind::Descriptor:
    return (kindName(valueKind) + "<" + blockTypeName(irType(), elementType) + ">").str();
  case ValueKind::Tuple: {
    std::string text = "(";
    for (const Value &item : items())
      text += (text.size() > 1 ? ", " : "") + item.typeName();
    return text + ")";
  }
  case ValueKind::Instance: {
    // Constexpr fields are part of the type.
    std::string text = asClass().name + "(";
    for (auto [i, item] : llvm::enumerate(items()))
      text += (i ? ", " : "") + (item.isIr() ? item.typeName() : item.repr());
    return text + ")";
  }
  default:
    return kindName(valueKind).str();
  }
}

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Value &value) {
  return os << value.repr();
}

} // namespace gluonc::sema
