// Classes in source: aggregates, whose fields may be IR, and named tuples.
//
// An instance is a tuple with a class. Its constructor fills it in place; after
// that it is immutable, so copies may share it. Constexpr fields are part of its
// type, run-time fields are flattened wherever values cross control flow.

#include "sema/eval/Classes.h"

#include "sema/names/Language.h"
#include "sema/names/ProgramState.h"

namespace gluonc::sema {

using diag::Kind;
using diag::Span;

std::optional<size_t> Class::findField(llvm::StringRef field) const {
  for (size_t i = 0; i < fields.size(); ++i)
    if (fields[i].name == field)
      return i;
  return std::nullopt;
}

const Class::Member *Class::findMember(llvm::StringRef member) const {
  auto found = members.find(member);
  return found == members.end() ? nullptr : &found->second;
}

bool Class::isOrDerivesFrom(const Class &other) const {
  return this == &other || llvm::any_of(bases, [&](const std::shared_ptr<const Class> &base) {
           return base->isOrDerivesFrom(other);
         });
}

// -- Definition ----------------------------------------------------------------------

/// A field that is annotated again keeps its place.
static void addField(Class &cls, const Class::Field &field) {
  if (std::optional<size_t> existing = cls.findField(field.name))
    cls.fields[*existing] = field;
  else
    cls.fields.push_back(field);
}

void addBases(Class &cls, llvm::ArrayRef<Value> bases) {
  std::vector<Class::Field> own = std::exchange(cls.fields, {});
  for (const Value &base : bases) {
    if (!base.is(ValueKind::Class))
      continue;
    cls.bases.push_back(base.sharedClass());
    if (base.asClass().kind == ClassKind::NamedTuple)
      cls.kind = ClassKind::NamedTuple;
    for (const Class::Field &field : base.asClass().fields)
      addField(cls, field);
    for (const auto &member : base.asClass().members)
      // A class without a constructor of its own gets one for all its fields. The first base that
      // has a member counts.
      if (member.first() != "__init__")
        cls.members.try_emplace(member.first(), member.second);
  }
  for (const Class::Field &field : own)
    addField(cls, field);
}

void addAssignedFields(Class &cls, const ast::FunctionDef &init) {
  if (init.args->args.empty())
    return;
  llvm::StringRef self = init.args->args[0]->arg;
  auto collect = [&](const ast::Node &node, auto &again) -> void {
    const auto *target = llvm::dyn_cast<ast::Attribute>(&node);
    if (target && target->ctx == ast::ExprContext::Store)
      if (const auto *object = llvm::dyn_cast<ast::Name>(target->value);
          object && object->id == self && !cls.findField(target->attr))
        cls.fields.push_back({target->attr, target->attrSpan});
    ast::forEachChild(node, [&](const ast::Node &child) { again(child, again); });
  };
  collect(init, collect);
}

namespace {

/// Builds one Class. Runs in the frame of the definition's scope.
struct ClassBuilder {
  Interpreter &interpreter;
  Module &module;
  const ast::ClassDef &def;
  std::shared_ptr<Class> cls;

  /// Decorators and bases of host classes need not be evaluable.
  MaybeValue quietly(const ast::Expr *expr) {
    diag::Collector ignored;
    Interpreter::SinkScope quiet(interpreter, ignored);
    return interpreter.eval(expr);
  }

  ClassKind classify() {
    for (const ast::Expr *decorator : def.decorator_list) {
      const auto *call = llvm::dyn_cast<ast::Call>(decorator);
      MaybeValue value = quietly(call ? call->func : decorator);
      if (value && (isIntrinsic(*value, "aggregate") || isIntrinsic(*value, "_aggregate")))
        return ClassKind::Aggregate;
    }
    bool isNamedTuple = llvm::any_of(
        def.bases, [](const ast::Expr *base) { return base->span.text().ends_with("NamedTuple"); });
    return isNamedTuple ? ClassKind::NamedTuple : ClassKind::Plain;
  }

  void inherit() {
    std::vector<Value> bases;
    for (const ast::Expr *expr : def.bases)
      if (MaybeValue base = quietly(expr))
        bases.push_back(std::move(*base));
    addBases(*cls, bases);
  }

  void addMethod(const ast::FunctionDef &method) {
    std::shared_ptr<Function> function = makeFunction(interpreter, module, method, cls->closure);
    fixKnownDefaults(interpreter, *function);
    function->owner = cls;
    Class::Member member{Value::function(std::move(function)), Class::Access::Bound};
    for (const ast::Expr *decorator : method.decorator_list) {
      if (decorator->span.text() == "property")
        member.access = Class::Access::Property;
      else if (decorator->span.text() == "staticmethod")
        member.access = Class::Access::Static;
      else if (decorator->span.text() == "classmethod")
        member.access = Class::Access::OfClass;
    }
    cls->members[method.name] = std::move(member);
    if (cls->kind == ClassKind::Plain && method.name == "__init__")
      addAssignedFields(*cls, method);
  }

  /// Whether it is an annotation of a field.
  bool addAnnotated(const ast::Stmt &stmt) {
    const auto *field = llvm::dyn_cast<ast::AnnAssign>(&stmt);
    if (!field)
      return false;
    if (const auto *name = llvm::dyn_cast<ast::Name>(field->target))
      addField(*cls, {name->id, name->span, field->annotation, field->value});
    return true;
  }

  /// Gives a field the default that it has now.
  void fixKnownField(const ast::AnnAssign &stmt) {
    const auto *name = llvm::dyn_cast<ast::Name>(stmt.target);
    MaybeValue value = name && stmt.value ? quietly(stmt.value) : std::nullopt;
    if (value && !value->is(ValueKind::Opaque))
      cls->fields[*cls->findField(name->id)].constant = asKernelArgument(*value);
  }

  void addStatement(const ast::Stmt &stmt) {
    if (const auto *method = llvm::dyn_cast<ast::FunctionDef>(&stmt))
      return addMethod(*method);
    if (addAnnotated(stmt))
      return fixKnownField(llvm::cast<ast::AnnAssign>(stmt));
    if (const auto *assign = llvm::dyn_cast<ast::Assign>(&stmt))
      for (const ast::Expr *target : assign->targets)
        if (const auto *name = llvm::dyn_cast<ast::Name>(target))
          if (MaybeValue value = quietly(assign->value))
            cls->members[name->id] = {*value, Class::Access::Static};
  }
};

} // namespace

static ClassBuilder startClass(Interpreter &interpreter, Module &module, const ast::ClassDef &def,
                               std::shared_ptr<Closure> closure) {
  ClassBuilder builder{interpreter, module, def, std::make_shared<Class>()};
  builder.cls->kind = builder.classify();
  builder.cls->name = def.name.str();
  builder.cls->module = &module;
  builder.cls->span = def.nameSpan;
  builder.cls->closure = std::move(closure);
  return builder;
}

std::shared_ptr<const Class> makeClass(Interpreter &interpreter, Module &module,
                                       const ast::ClassDef &def, std::shared_ptr<Closure> closure) {
  ClassBuilder builder = startClass(interpreter, module, def, std::move(closure));
  builder.inherit();
  for (const ast::Stmt *stmt : def.body)
    builder.addStatement(*stmt);
  return builder.cls;
}

std::shared_ptr<Class> startHostAggregate(Interpreter &interpreter, Module &module,
                                          const ast::ClassDef &def) {
  ClassBuilder builder = startClass(interpreter, module, def, nullptr);
  builder.cls->kind = ClassKind::Aggregate;
  // For where they are; which ones there are, and their defaults, is for the host to say.
  for (const ast::Stmt *stmt : def.body)
    builder.addAnnotated(*stmt);
  for (Class::Field &field : builder.cls->fields)
    field.defaultValue = nullptr;
  return builder.cls;
}

bool Classes::define(const ast::ClassDef &node) {
  if (!frame().module) {
    report(Kind::UnsupportedHostConstruct, node.span, "a class here").end();
    return false;
  }
  std::shared_ptr<const Class> cls =
      makeClass(interpreter, *frame().module, node, interpreter.capture());
  frame().scope.set(node.name, Value::classValue(std::move(cls)), node.nameSpan,
                    /*isConstexpr=*/true);
  return true;
}

// -- Construction --------------------------------------------------------------------

/// Runs `body` where the class was defined.
template <typename Fn>
static auto inDefinition(Interpreter &interpreter, const Class &cls, Fn body) {
  Frame definition;
  definition.module = cls.module;
  definition.closure = cls.closure.get();
  Interpreter::FrameScope active(interpreter, definition);
  return body();
}

bool Classes::bindFields(const Class &cls, CallArguments &arguments, std::vector<Value> &items) {
  items.assign(cls.fields.size(), Value());
  if (arguments.positional.size() > cls.fields.size()) {
    report(Kind::TooManyArguments, arguments.positionalSpans[cls.fields.size()], cls.name,
           cls.fields.size(), arguments.positional.size())
        .label(cls.span, "defined here");
    return false;
  }
  for (auto [item, value] : llvm::zip(items, arguments.positional))
    item = asKernelArgument(value);
  for (const CallArguments::Keyword &keyword : arguments.keywords) {
    std::optional<size_t> i = cls.findField(keyword.name);
    if (!i) {
      report(Kind::UnexpectedArgument, keyword.span, cls.name, keyword.name)
          .label(cls.span, "defined here");
      return false;
    }
    if (!items[*i].isAbsent()) {
      report(Kind::DuplicateArgument, keyword.span, cls.name, keyword.name)
          .label(cls.fields[*i].span, "field defined here");
      return false;
    }
    items[*i] = asKernelArgument(keyword.value);
  }
  for (auto [item, field] : llvm::zip(items, cls.fields)) {
    if (!item.isAbsent())
      continue;
    if (field.constant) {
      item = field.constant;
      continue;
    }
    if (!field.defaultValue) {
      report(Kind::MissingArgument, arguments.span, cls.name, field.name)
          .label(field.span, "field defined here");
      return false;
    }
    MaybeValue value = inDefinition(interpreter, cls, [&] { return eval(field.defaultValue); });
    if (!value)
      return false;
    item = asKernelArgument(*value);
  }
  return true;
}

/// Does a type admit the value? Types of host code (`int`) admit all.
static bool admits(const Value &type, const Value &value) {
  if (type.isNone())
    return value.isNone();
  if (isIntrinsic(type, "constexpr"))
    return value.isCompileTime();
  static constexpr llvm::StringLiteral classes[] = {"tensor",
                                                    "tuple",
                                                    "shared_memory_descriptor",
                                                    "tensor_memory_descriptor",
                                                    "tensor_descriptor",
                                                    "tensor_descriptor_im2col",
                                                    "warpgroup_mma_accumulator"};
  const Intrinsic *intrinsic = asIntrinsic(type);
  bool isClass =
      type.is(ValueKind::Class) ||
      (intrinsic &&
       llvm::is_contained(classes, intrinsic->name.substr(intrinsic->name.rfind('.') + 1)));
  return !isClass || isInstance(value, type);
}

/// Does the field's annotation admit the value? What cannot be evaluated (`Union[…]`) admits all.
static bool admits(Interpreter &interpreter, const Class &cls, const Class::Field &field,
                   const Value &value) {
  if (field.types)
    return field.types.items().empty() || llvm::any_of(field.types.items(), [&](const Value &type) {
             return admits(type, value);
           });
  diag::Collector ignored;
  Interpreter::SinkScope quiet(interpreter, ignored);
  MaybeValue type =
      inDefinition(interpreter, cls, [&] { return interpreter.eval(field.annotation); });
  return !type || admits(*type, value);
}

bool Classes::finishFields(const Class &cls, llvm::ArrayRef<Value> items, Span span) {
  for (auto [item, field] : llvm::zip(items, cls.fields)) {
    if (item.isAbsent()) {
      report(Kind::FieldNotSet, span, cls.name, field.name).label(field.span, "declared here");
      return false;
    }
    if (cls.kind != ClassKind::Aggregate || admits(interpreter, cls, field, item))
      continue;
    std::string type = field.annotation ? std::string(field.annotation->span.text())
                       : field.types.items().size() == 1 ? field.types.items()[0].str()
                                                         : field.types.str();
    diag::Builder builder =
        report(Kind::FieldType, span, field.name, cls.name, type, item.typeName());
    (void)std::move(builder).label(field.span, "declared here");
    if (item.isNumber())
      (void)std::move(builder).hint("make it a run-time value with `gl.to_tensor`");
    return false;
  }
  return true;
}

/// Calls `__post_init__` of a dataclass.
static bool finishConstruction(Interpreter &interpreter, const Value &instance, Span span) {
  const Class::Member *last = instance.asClass().kind == ClassKind::Plain
                                  ? instance.asClass().findMember("__post_init__")
                                  : nullptr;
  if (!last)
    return true;
  CallArguments arguments;
  arguments.span = span;
  arguments.add(instance, span);
  return interpreter.call(last->value, arguments).has_value();
}

MaybeValue Classes::construct(const Value &value, CallArguments &arguments) {
  Interpreter::DepthScope nested(interpreter);
  if (!step(arguments.span))
    return std::nullopt;
  std::shared_ptr<const Class> cls = value.sharedClass();
  const Class::Member *init = cls->findMember("__init__");
  if (!init) {
    std::vector<Value> items;
    if (!bindFields(*cls, arguments, items) || !finishFields(*cls, items, arguments.span))
      return std::nullopt;
    if (cls->kind == ClassKind::NamedTuple) {
      std::vector<std::string> names;
      for (const Class::Field &field : cls->fields)
        names.push_back(field.name.str());
      return Value::tuple(std::move(items), std::move(names));
    }
    Value instance = Value::instance(cls, std::move(items));
    bool isDone = finishConstruction(interpreter, instance, arguments.span);
    instance.closeFields();
    return isDone ? MaybeValue(instance) : std::nullopt;
  }
  if (!init->value.is(ValueKind::Function)) {
    report(Kind::BadClassBody, arguments.span, "`__init__` of `" + cls->name + "` is no function")
        .label(cls->span, "defined here");
    return std::nullopt;
  }
  Value self = Value::instance(cls, std::vector<Value>(cls->fields.size()));
  arguments.positional.insert(arguments.positional.begin(), self);
  arguments.positionalSpans.insert(arguments.positionalSpans.begin(), arguments.span);
  MaybeValue result = callFunction(init->value, arguments);
  // What the fields hold is settled either way: nothing may change behind a copy's back.
  self.closeFields();
  if (!result || !finishFields(*cls, self.items(), arguments.span))
    return std::nullopt;
  return self;
}

/// An instance under construction may not become part of itself: values are trees.
static bool holdsOpenInstance(const Value &value) {
  Descent descent;
  if (descent.mustEnd())
    return true;
  switch (value.kind()) {
  case ValueKind::Instance:
    if (value.openFields())
      return true;
    [[fallthrough]];
  case ValueKind::Tuple:
  case ValueKind::List:
  case ValueKind::BoundMethod:
    return llvm::any_of(value.items(), holdsOpenInstance);
  default:
    return false;
  }
}

bool holdsPayload(const Value &value, const Payload *payload) {
  Descent descent;
  if (descent.mustEnd())
    return false;
  switch (value.kind()) {
  case ValueKind::Dict:
    return value.rawPayload() == payload || llvm::any_of(value.dictItems(), [&](const auto &item) {
             return holdsPayload(item.second, payload);
           });
  case ValueKind::Instance:
  case ValueKind::Tuple:
  case ValueKind::List:
  case ValueKind::BoundMethod:
    return value.rawPayload() == payload || llvm::any_of(value.items(), [&](const Value &item) {
             return holdsPayload(item, payload);
           });
  default:
    return false;
  }
}

bool Classes::setField(const ast::Attribute &target, const Value &value) {
  MaybeValue object = eval(target.value);
  if (!object)
    return false;
  if (object->is(ValueKind::Class) && !inKernel()) {
    object->asClass().members[target.attr] = {value, Class::Access::Static};
    return true;
  }
  if (!object->is(ValueKind::Instance)) {
    report(inKernel() ? Kind::UnsupportedConstruct : Kind::UnsupportedHostConstruct, target.span,
           "assignment to an attribute")
        .end();
    return false;
  }
  const Class &cls = object->asClass();
  std::optional<size_t> field = cls.findField(target.attr);
  if (!field) {
    report(Kind::UnknownField, target.span, cls.name, target.attr)
        .label(cls.span, "defined here")
        .hint("annotate it in the class: `{0}: gl.tensor`", target.attr);
    return false;
  }
  std::vector<Value> *fields = object->openFields();
  bool isPlain = cls.kind == ClassKind::Plain && !inKernel();
  if (!fields && isPlain)
    fields = &object->plainFields();
  if (!fields) {
    report(Kind::InstanceImmutable, target.span, cls.name)
        .hint("make a changed copy with `gl.aggregate_replace(…, {0}=…)`", target.attr);
    return false;
  }
  if (isPlain ? holdsPayload(value, object->rawPayload()) : holdsOpenInstance(value)) {
    report(Kind::BadClassBody, target.span, "an instance cannot hold itself").end();
    return false;
  }
  (*fields)[*field] = isPlain ? value : asKernelArgument(value);
  return true;
}

/// A layout with some of its parameters changed.
static MaybeValue replaceParameters(Interpreter &interpreter, const Value &old,
                                    CallArguments changed) {
  std::string name = llvm::StringRef(old.repr()).split('(').first.str();
  const Intrinsic *constructor = findLayoutConstructor(name);
  if (!constructor)
    return std::nullopt;
  for (unsigned i = 0; i < constructor->signature.count(); ++i) {
    llvm::StringRef parameter = constructor->signature[i].name;
    bool isChanged = llvm::any_of(changed.keywords, [&](const CallArguments::Keyword &keyword) {
      return keyword.name == parameter;
    });
    diag::Collector ignored;
    Interpreter::SinkScope quiet(interpreter, ignored);
    MaybeValue kept =
        isChanged ? std::nullopt : interpreter.attribute(old, parameter, changed.span);
    if (kept)
      changed.keywords.push_back({parameter, *kept, changed.span});
  }
  return interpreter.call(Value::builtin(constructor), changed);
}

/// `p._replace(x=…)` of a named tuple.
static MaybeValue replaceNamed(Interpreter &interpreter, const Value &old,
                               const CallArguments &changed) {
  std::vector<Value> items = old.items().vec();
  for (const CallArguments::Keyword &keyword : changed.keywords) {
    const auto *name = llvm::find(old.fieldNames(), keyword.name);
    if (name == old.fieldNames().end()) {
      interpreter.report(Kind::UnexpectedArgument, keyword.span, "_replace", keyword.name).end();
      return std::nullopt;
    }
    items[size_t(name - old.fieldNames().begin())] = keyword.value;
  }
  return Value::tuple(std::move(items), old.fieldNames().vec());
}

MaybeValue Classes::replaceFields(CallArguments &arguments) {
  Value old = arguments.positional.size() == 1 ? arguments.positional[0] : Value();
  CallArguments all;
  all.span = arguments.span;
  all.keywords = arguments.keywords;
  if (old.is(ValueKind::Tuple) && !old.fieldNames().empty())
    return replaceNamed(interpreter, old, arguments);
  if (old.is(ValueKind::Layout))
    return replaceParameters(interpreter, old, std::move(all));
  if (!old.is(ValueKind::Instance)) {
    report(Kind::BadArgument, arguments.span,
           "one aggregate and its new fields as keywords are needed")
        .end();
    return std::nullopt;
  }
  // The constructor gets every field by name, so that it may check or derive others.
  for (auto [field, item] : llvm::zip(old.asClass().fields, old.items()))
    if (llvm::none_of(arguments.keywords, [&field = field](const CallArguments::Keyword &keyword) {
          return keyword.name == field.name;
        }))
      all.keywords.push_back({field.name, item, arguments.span});
  return construct(Value::classValue(old.sharedClass()), all);
}

// -- Use -----------------------------------------------------------------------------

static Value fieldsByName(const Value &instance) {
  std::vector<std::pair<Value, Value>> fields;
  for (auto [field, item] : llvm::zip(instance.asClass().fields, instance.items()))
    if (!item.isAbsent())
      fields.emplace_back(Value::string(field.name.str()), item);
  return Value::dict(std::move(fields));
}

/// What `__getattr__` of the class finds, which a decorator may have given it.
MaybeValue Classes::missingMember(const Value &instance, llvm::StringRef name, Span span) {
  const Class::Member *finder = instance.asClass().findMember("__getattr__");
  if (!finder || !finder->value.is(ValueKind::Function) || name.starts_with("__"))
    return std::nullopt;
  Interpreter::DepthScope nested(interpreter);
  if (!step(span))
    return std::nullopt;
  CallArguments arguments;
  arguments.span = span;
  arguments.add(instance, span);
  arguments.add(Value::string(name.str()), span);
  MaybeValue found = callFunction(finder->value, arguments);
  // A kernel's function belongs to nobody for Python: it becomes a method of whom it is asked of.
  if (found && found->is(ValueKind::BoundMethod) && found->boundCallee().is(ValueKind::Function) &&
      found->boundCallee().asFunction().kind == FunctionKind::Jit)
    return Value::boundMethod(found->boundCallee(), instance);
  return found;
}

MaybeValue Classes::member(const Value &object, llvm::StringRef name, Span span) {
  const Class &cls = object.asClass();
  bool isInstance = object.is(ValueKind::Instance);
  if (isInstance)
    if (std::optional<size_t> field = cls.findField(name)) {
      if (!object.items()[*field].isAbsent())
        return object.items()[*field];
      report(Kind::FieldNotSet, span, cls.name, name).end();
      return std::nullopt;
    }
  if (name == "__name__" && !isInstance)
    return Value::string(cls.name);
  if (name == "__triton_aggregate__" && cls.kind == ClassKind::Aggregate)
    return Value::boolean(true);
  if (name == "__dict__" && isInstance)
    return fieldsByName(object);
  const Class::Member *member = cls.findMember(name);
  if (!member)
    return isInstance ? missingMember(object, name, span) : std::nullopt;
  if (member->access == Class::Access::OfClass)
    return Value::boundMethod(member->value, Value::classValue(object.sharedClass()));
  if (!isInstance || member->access == Class::Access::Static ||
      !member->value.is(ValueKind::Function))
    return member->value;
  if (member->access == Class::Access::Bound)
    return Value::boundMethod(member->value, object);
  CallArguments arguments;
  arguments.span = span;
  arguments.add(object, span);
  return callFunction(member->value, arguments);
}

} // namespace gluonc::sema
