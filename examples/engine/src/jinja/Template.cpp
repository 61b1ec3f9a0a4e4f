#include "Template.h"

#include "Functions.h"
#include "Operators.h"

#include <map>

namespace engine::jinja {

namespace {

constexpr size_t mostSteps = 1'000'000;
constexpr int deepest = 16; // calls of macros

struct Scope {
  std::map<std::string, Value, std::less<>> variables;
  Scope *parent = nullptr;
};

/// How a statement ends.
enum class Flow { Next, Break, Continue };

class Run {
public:
  explicit Run(const Dict &variables) {
    for (const Dict *each : {&globals(), &variables})
      for (const auto &[name, value] : *each)
        root.variables[name] = value;
  }
  std::string render(const Node &node) {
    execute(node);
    return std::move(out);
  }

private:
  void write(const std::string &text) {
    if (out.size() + text.size() > mostText)
      throw Failure("the text is too long");
    out += text;
  }
  void step() {
    if (++steps > mostSteps)
      throw Failure("the template takes too many steps");
  }

  // ---- Statements -----------------------------------------------------------------------------

  Flow execute(const Node &node) {
    step();
    switch (node.kind) {
    case Node::Block:
      for (const NodePtr &each : node.kids)
        if (const Flow flow = execute(*each); flow != Flow::Next)
          return flow;
      return Flow::Next;
    case Node::Text:
      write(node.text);
      return Flow::Next;
    case Node::Output:
      write(evaluate(*node.kids[0]).text());
      return Flow::Next;
    case Node::For:
      loop(node);
      return Flow::Next;
    case Node::If:
      for (size_t i = 0; i + 1 < node.kids.size(); i += 2)
        if (evaluate(*node.kids[i]).isTrue())
          return execute(*node.kids[i + 1]);
      return node.kids.size() % 2 ? execute(*node.kids.back()) : Flow::Next;
    case Node::Set:
      assign(node);
      return Flow::Next;
    case Node::SetBlock:
      scope->variables[node.names[0]] = capture(*node.kids[0]);
      return Flow::Next;
    case Node::Macro:
      scope->variables[node.text] = macro(node);
      return Flow::Next;
    case Node::Break:
      return Flow::Break;
    case Node::Continue:
      return Flow::Continue;
    default:
      failAt(node, "no statement");
    }
  }

  std::string capture(const Node &body) {
    std::string before = std::exchange(out, "");
    execute(body);
    return std::exchange(out, std::move(before));
  }

  void bind(const Node &node, Scope &to, const Value &value) {
    if (node.names.size() == 1) {
      to.variables[node.names[0]] = value;
      return;
    }
    const List parts = value.items();
    if (parts.size() != node.names.size())
      failAt(node, std::to_string(parts.size()) + " items for " +
                       std::to_string(node.names.size()) + " names");
    for (size_t i = 0; i != parts.size(); ++i)
      to.variables[node.names[i]] = parts[i];
  }

  void assign(const Node &node) {
    const Value value = evaluate(*node.kids[0]);
    if (node.text.empty())
      return bind(node, *scope, value);
    Value of = lookUp(node.text);
    if (!of.dict())
      failAt(node, "`" + node.text + "` is no namespace");
    of.put(node.names[0], value);
  }

  void loop(const Node &node) {
    const Value over = evaluate(*node.kids[0]);
    if (over.isUndefined())
      failAt(node, "`" + std::get<Undefined>(over.raw()).name + "` is undefined");
    List items = over.items();
    Scope inner = {{}, scope};
    scope = &inner;
    if (node.kids[3])
      std::erase_if(items, [&](const Value &item) {
        bind(node, inner, item);
        return !evaluate(*node.kids[3]).isTrue();
      });
    if (items.empty() && node.kids[2])
      execute(*node.kids[2]);
    for (size_t i = 0; i != items.size(); ++i) {
      inner.variables.clear();
      bind(node, inner, items[i]);
      inner.variables["loop"] = loopOf(items, i);
      if (execute(*node.kids[1]) == Flow::Break)
        break;
    }
    scope = inner.parent;
  }
  static Value loopOf(const List &items, size_t i) {
    const auto at = int64_t(i), count = int64_t(items.size());
    return Dict{
        {"index", at + 1},
        {"index0", at},
        {"revindex", count - at},
        {"revindex0", count - at - 1},
        {"first", at == 0},
        {"last", at + 1 == count},
        {"length", count},
        {"previtem", i ? items[i - 1] : Value(Undefined{"loop.previtem"})},
        {"nextitem", i + 1 != items.size() ? items[i + 1] : Value(Undefined{"loop.nextitem"})}};
  }

  Value macro(const Node &node) {
    return Function([this, &node](List arguments, const Dict &named) -> Value {
      if (++calls > deepest)
        failAt(node, "macros call each other too deeply");
      if (arguments.size() > node.names.size())
        failAt(node, "`" + node.text + "` takes fewer arguments");
      Scope inner = {{}, &root};
      Scope *const outer = std::exchange(scope, &inner);
      const size_t defaults = node.kids.size() - 1, plain = node.names.size() - defaults;
      for (size_t i = 0; i != node.names.size(); ++i)
        inner.variables[node.names[i]] = i < arguments.size() ? arguments[i]
                                         : i >= plain         ? evaluate(*node.kids[1 + i - plain])
                                                              : Value(Undefined{node.names[i]});
      for (const auto &[name, value] : named) {
        if (std::ranges::find(node.names, name) == node.names.end())
          failAt(node, "`" + node.text + "` has no parameter `" + name + "`");
        inner.variables[name] = value;
      }
      std::string made = capture(*node.kids[0]);
      scope = outer;
      --calls;
      return made;
    });
  }

  // ---- Expressions ----------------------------------------------------------------------------

  Value lookUp(const std::string &name) const {
    for (const Scope *each = scope; each; each = each->parent)
      if (const auto found = each->variables.find(name); found != each->variables.end())
        return found->second;
    return Undefined{name};
  }

  Value evaluate(const Node &node) {
    step();
    switch (node.kind) {
    case Node::Literal:
      return node.value;
    case Node::Variable:
      return lookUp(node.text);
    case Node::ListOf: {
      List made;
      for (const NodePtr &each : node.kids)
        made.push_back(evaluate(*each));
      return made;
    }
    case Node::DictOf: {
      Value made = Dict();
      for (size_t i = 0; i != node.kids.size(); i += 2) {
        const Value key = evaluate(*node.kids[i]);
        if (!key.string())
          failAt(node, std::string("a key is ") + key.typeName());
        made.put(*key.string(), evaluate(*node.kids[i + 1]));
      }
      return made;
    }
    case Node::Member:
      return memberOf(node, evaluate(*node.kids[0]));
    case Node::Item:
      return itemOf(node, evaluate(*node.kids[0]), evaluate(*node.kids[1]));
    case Node::Slice:
      return slice(node);
    case Node::Call:
      return call(node);
    case Node::Filter: {
      Dict named;
      const List arguments = argumentsOf(node, 0, named);
      return applyFilter(node.text, arguments, named);
    }
    case Node::Test: {
      Dict named;
      return applyTest(node.text, argumentsOf(node, 0, named));
    }
    case Node::Unary: {
      const Value of = evaluate(*node.kids[0]);
      if (node.text == "not")
        return !of.isTrue();
      const bool isMinus = node.text == "-";
      return of.isInteger() ? Value(isMinus ? -of.integer() : of.integer())
                            : Value(isMinus ? -of.number() : of.number());
    }
    case Node::Binary:
      return binary(node);
    case Node::Compare:
      return compare(node);
    case Node::Choose:
      if (evaluate(*node.kids[0]).isTrue())
        return evaluate(*node.kids[1]);
      return node.kids[2] ? evaluate(*node.kids[2]) : Value(Undefined{"else"});
    default:
      failAt(node, "no expression");
    }
  }

  List argumentsOf(const Node &node, size_t first, Dict &named) {
    List made;
    const size_t unnamed = node.kids.size() - node.names.size();
    for (size_t i = first; i != node.kids.size(); ++i)
      if (i < unnamed)
        made.push_back(evaluate(*node.kids[i]));
      else
        named.emplace_back(node.names[i - unnamed], evaluate(*node.kids[i]));
    return made;
  }

  Value slice(const Node &node) {
    const Value of = evaluate(*node.kids[0]);
    std::array<std::optional<int64_t>, 3> parts;
    for (size_t i = 0; i != parts.size(); ++i)
      if (const Node *part = node.kids[i + 1].get())
        if (const Value value = evaluate(*part); !value.is<None>())
          parts[i] = value.integer();
    return sliceOf(node, of, parts);
  }

  Value call(const Node &node) {
    const Value of = evaluate(*node.kids[0]);
    if (!of.function()) {
      needDefined(node, of);
      failAt(node, std::string(of.typeName()) + " is called");
    }
    Dict named;
    List arguments = argumentsOf(node, 1, named);
    return (*of.function())(std::move(arguments), named);
  }

  Value binary(const Node &node) {
    Value left = evaluate(*node.kids[0]);
    if (node.text == "and" || node.text == "or")
      return left.isTrue() == (node.text == "or") ? left : evaluate(*node.kids[1]);
    return binaryOf(node, left, evaluate(*node.kids[1]));
  }

  Value compare(const Node &node) {
    Value left = evaluate(*node.kids[0]);
    for (size_t i = 0; i != node.names.size(); ++i) {
      Value right = evaluate(*node.kids[i + 1]);
      if (!holds(node.names[i], left, right))
        return false;
      left = std::move(right);
    }
    return true;
  }

  std::string out;
  Scope root;
  Scope *scope = &root;
  size_t steps = 0;
  int calls = 0;
};

} // namespace

Expected<Template> Template::parse(std::string_view source) {
  try {
    Template made;
    made.root = jinja::parse(source);
    return made;
  } catch (const Failure &failure) {
    return fail(failure.what());
  }
}

Expected<std::string> Template::render(const Dict &variables) const {
  try {
    return Run(variables).render(*root);
  } catch (const Failure &failure) {
    return fail(failure.what());
  }
}

} // namespace engine::jinja
