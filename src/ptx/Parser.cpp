//===- Parser.cpp - From text to Module --------------------------------------===//
//
// Declarations and instructions as the NVPTX back end and inline assembly write
// them. Blocks in braces have registers and labels of their own. A label may be
// used before it is seen, so targets are resolved where their block ends.
//
//===----------------------------------------------------------------------===//
#include "ptx/Handlers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <map>

namespace gluonc::ptx {

using llvm::StringRef;

Type typeNamed(StringRef name) {
  if (name == "pred")
    return {TypeKind::Predicate, 1};
  if (name == "bf16")
    return {TypeKind::BFloat, 16};
  if (name == "bf16x2")
    return {TypeKind::BFloat, 32, true};
  if (name == "f16x2")
    return {TypeKind::Float, 32, true};
  if (name == "f32x2")
    return {TypeKind::Float, 64, true};
  unsigned bits = 0;
  if (name.size() < 2 || name.drop_front().getAsInteger(10, bits) ||
      (bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 128))
    return {};
  TypeKind kind = llvm::StringSwitch<TypeKind>(name.take_front())
                      .Case("b", TypeKind::Bits)
                      .Case("u", TypeKind::Unsigned)
                      .Case("s", TypeKind::Signed)
                      .Case("f", bits == 8 ? TypeKind::None : TypeKind::Float)
                      .Default(TypeKind::None);
  return kind == TypeKind::None ? Type() : Type{kind, static_cast<uint8_t>(bits)};
}

namespace {

std::optional<Special> specialNamed(StringRef name) {
  return llvm::StringSwitch<std::optional<Special>>(name)
      .Case("%tid.x", Special::ThreadX)
      // Programs run as if there were one multiprocessor.
      .Cases({"%tid.y", "%tid.z", "%cluster_ctaid.y", "%cluster_ctaid.z", "%smid"}, Special::Zero)
      .Case("%ntid.x", Special::ThreadsX)
      .Cases({"%ntid.y", "%ntid.z"}, Special::One)
      .Case("%ctaid.x", Special::CtaX)
      .Case("%ctaid.y", Special::CtaY)
      .Case("%ctaid.z", Special::CtaZ)
      .Case("%nctaid.x", Special::GridX)
      .Case("%nctaid.y", Special::GridY)
      .Case("%nctaid.z", Special::GridZ)
      .Case("%cluster_ctarank", Special::ClusterRank)
      .Case("%cluster_nctarank", Special::ClusterSize)
      .Case("%cluster_ctaid.x", Special::ClusterCtaX)
      .Case("%clusterid.x", Special::ClusterX)
      .Case("%nclusterid.x", Special::ClustersX)
      .Case("%laneid", Special::Lane)
      .Case("%warpid", Special::Warp)
      .Case("%lanemask_lt", Special::LaneMaskLess)
      .Cases({"%clock", "%clock64", "%globaltimer"}, Special::Clock)
      .Cases({"%dynamic_smem_size", "%total_smem_size"}, Special::SharedBytes)
      .Default(std::nullopt);
}

/// What a name stands for in a block.
struct Symbol {
  /// A wide register is two.
  enum class Kind : uint8_t {
    Register,
    WideRegister,
    Address,
    Label,
    Targets
  } kind = Kind::Register;
  /// A register's number, an address, an instruction's number.
  uint64_t value = 0;
  std::vector<std::string> labels = {};
  bool isShared = false;
};

struct Scope {
  llvm::StringMap<Symbol> symbols;
  /// An operand that names a label.
  struct Use {
    size_t instruction, operand;
    StringRef label;
    unsigned line;
  };
  std::vector<Use> uses = {};
};

class Parser {
public:
  Parser(Module &module, ParseError &error) : module(module), rest(module.text), error(error) {}

  bool parseModule() {
    scopes.emplace_back();
    while (next())
      if (!parseTop())
        return false;
    finishPlaces();
    for (Function *kernel : kernels)
      if (!link(module, *kernel, error))
        return false;
    return error.message.empty();
  }

private:
  static constexpr unsigned mostFiles = 1u << 16;

  // -- Words -------------------------------------------------------------------
  static bool isWord(char c) {
    return llvm::isAlnum(c) || c == '_' || c == '$' || c == '%' || c == '.';
  }
  void skipSpace() {
    for (;;) {
      while (!rest.empty() && llvm::isSpace(rest.front())) {
        line += rest.front() == '\n';
        rest = rest.drop_front();
      }
      if (rest.starts_with("//"))
        rest = rest.drop_while([](char c) { return c != '\n'; });
      else if (rest.starts_with("/*")) {
        size_t end = std::min(rest.find("*/"), rest.size());
        line += rest.take_front(end).count('\n');
        rest = rest.drop_front(std::min(end + 2, rest.size()));
      } else
        return;
    }
  }
  /// Reads a word or a character into `token`; false at the end.
  bool next() {
    skipSpace();
    tokenLine = line;
    if (rest.empty()) {
      token = "";
      return false;
    }
    size_t length = 1;
    if (rest.front() == '"')
      length = std::min(rest.find('"', 1), rest.size() - 1) + 1;
    else if (isWord(rest.front()))
      while (length < rest.size() &&
             (isWord(rest[length]) || (rest.substr(length).starts_with("::") && ++length)))
        ++length;
    token = rest.take_front(length);
    rest = rest.drop_front(length);
    return true;
  }
  bool isNext(char c) {
    skipSpace();
    return !rest.empty() && rest.front() == c;
  }
  bool take(char c) { return isNext(c) && next(); }
  bool fail(const llvm::Twine &message) {
    if (error.message.empty())
      error = {tokenLine, message.str()};
    return false;
  }
  bool expect(char c) {
    return take(c) || fail("expected '" + llvm::Twine(c) + "' behind '" + token + "'");
  }
  void skipLine() {
    rest = rest.drop_while([](char c) { return c != '\n'; });
  }
  /// To the semicolon, which may be the token already.
  bool skipStatement() {
    while (token != ";" && next())
      ;
    return true;
  }
  /// `.file 1 "name"`
  bool parseFile() {
    unsigned number = 0;
    if (!next() || token.getAsInteger(10, number) || number > mostFiles || !next())
      return fail("'" + token + "' is no number of a file");
    if (module.files.size() <= number)
      module.files.resize(number + 1);
    module.files[number] = token.trim('"').str();
    skipLine();
    return true;
  }
  /// `{ $L__name: .b8 104, 105, 0 … }`: what functions are called.
  bool parseStrings() {
    std::string *text = nullptr;
    while (next() && token != "}") {
      unsigned byte = 0;
      if (isNext(':')) {
        text = &strings[token];
        next();
      } else if (text && !token.getAsInteger(10, byte) && byte) {
        text->push_back(static_cast<char>(byte));
      }
    }
    return true;
  }
  /// Files have several numbers where several calls lead there: the first one stands for all. Names
  /// of functions come behind those that use them.
  void finishPlaces() {
    llvm::StringMap<unsigned> known;
    std::vector<unsigned> firsts;
    for (auto [number, file] : llvm::enumerate(module.files))
      firsts.push_back(file.empty() ? unsigned(number)
                                    : known.try_emplace(file, number).first->second);
    auto unify = [&](SourcePlace &at) {
      at.file = at.file < firsts.size() ? firsts[at.file] : at.file;
    };
    for (InlinedCall &inlined : module.calls) {
      inlined.function = strings.lookup(inlined.function);
      unify(inlined.place);
    }
    for (auto &entry : module.functions)
      for (Instruction &instruction : entry.second->code)
        unify(instruction.source);
  }
  bool skipBraces() {
    unsigned depth = 0;
    do {
      depth += token == "{";
      depth -= token == "}";
    } while (depth && next());
    return true;
  }

  // -- Declarations ------------------------------------------------------------
  bool parseTop() {
    if (token == ".target") {
      next();
      module.target = token.str();
      skipLine();
      return true;
    }
    if (token == ".version" || token == ".address_size" || token == ".loc") {
      skipLine();
      return true;
    }
    if (token == ".file")
      return parseFile();
    if (token == ".section") {
      if (next() && token == ".debug_str")
        return parseStrings();
      while (token != "{" && next())
        ;
      return skipBraces();
    }
    if (token == ".pragma")
      return skipStatement();
    bool isExtern = false;
    while (token == ".visible" || token == ".extern" || token == ".weak" || token == ".common") {
      isExtern |= token == ".extern";
      next();
    }
    if (token == ".shared" || token == ".global" || token == ".const")
      return parseVariable(isExtern);
    if (token == ".entry")
      return parseFunction(/*isKernel=*/true);
    if (token == ".func")
      return isExtern ? skipStatement() : parseFunction(/*isKernel=*/false);
    return fail("'" + token + "' is not known");
  }

  static std::optional<uint64_t> number(StringRef text) {
    bool isNegative = text.consume_front("-");
    uint64_t value = 0;
    if (text.starts_with("0f") || text.starts_with("0F") || text.starts_with("0d") ||
        text.starts_with("0D")) {
      if (text.drop_front(2).getAsInteger(16, value))
        return std::nullopt;
      return value;
    }
    if (double real; text.contains('.') && llvm::isDigit(text.front()) && !text.getAsDouble(real))
      return std::bit_cast<uint32_t>(static_cast<float>(isNegative ? -real : real));
    text.consume_back("U");
    if (text.getAsInteger(0, value))
      return std::nullopt;
    return isNegative ? uint64_t(0) - value : value;
  }

  /// `.shared .align 16 .b8 name[12] = {…};` with the space as token.
  bool parseVariable(bool isExtern) {
    bool isShared = token == ".shared", isLocal = token == ".local";
    uint64_t align = 1;
    Type type;
    while (next() && token.starts_with(".")) {
      if (token == ".align") {
        next();
        align = number(token).value_or(1);
      } else if (Type named = typeNamed(token.drop_front()); named.bits)
        type = named;
    }
    StringRef name = token;
    uint64_t count = 1;
    if (take('[')) {
      if (take(']')) {
        count = 0;
      } else {
        next();
        count = number(token).value_or(0);
        if (!expect(']'))
          return false;
      }
    }
    if (!type.bits)
      return fail("a variable without a type");
    uint64_t bytes = count * type.bytes();
    Symbol symbol{Symbol::Kind::Address};
    symbol.isShared = isShared;
    if (isLocal) {
      if (bytes > (1u << 20))
        return fail("a variable of this size");
      symbol.value = placeInLane(static_cast<unsigned>(bytes));
    } else if (isShared && isExtern) {
      symbol.value = dynamicSharedBase;
    } else if (isShared) {
      uint64_t begin = llvm::alignTo(module.staticSharedBytes, std::max<uint64_t>(align, 1));
      if (begin + bytes > dynamicSharedBase)
        return fail("static shared memory is limited to 1024 bytes here");
      module.staticSharedBytes = static_cast<unsigned>(begin + bytes);
      symbol.value = begin;
    } else {
      if (bytes > (1u << 26))
        return fail("a variable of this size");
      auto &storage = module.variables.emplace_back(
          std::make_unique<llvm::SmallVector<uint8_t, 0>>(bytes + align, 0));
      uint64_t address = llvm::alignTo(reinterpret_cast<uint64_t>(storage->data()), align);
      if (take('=') && !parseInitializer(reinterpret_cast<uint8_t *>(address), type, bytes))
        return false;
      symbol.value = address;
      if (!function)
        module.variablePlaces[name] = {address, bytes};
    }
    scopes.back().symbols[name] = symbol;
    return expect(';');
  }

  /// `.param .align 16 .b8 name[20];` in a function: what is passed to another.
  bool parsePassed() {
    Parameter parameter;
    StringRef name = parseParameter(parameter);
    if (name.empty())
      return false;
    placeInLane(name, parameter);
    return expect(';');
  }

  bool parseInitializer(uint8_t *to, Type type, uint64_t bytes) {
    bool isList = take('{');
    for (uint64_t at = 0; !isNext('}') && !isNext(';'); at += type.bytes()) {
      std::optional<uint64_t> value = literal();
      if (!value || at + type.bytes() > bytes)
        return fail("an initializer that is not a list of numbers");
      std::memcpy(to + at, &*value, type.bytes());
      if (!take(','))
        break;
    }
    return !isList || expect('}');
  }

  /// A number with its sign.
  std::optional<uint64_t> literal() {
    bool isNegative = take('-');
    if (!next())
      return std::nullopt;
    std::optional<uint64_t> value = number(token);
    return value && isNegative ? uint64_t(0) - *value : value;
  }

  // -- Functions ---------------------------------------------------------------
  /// `.entry name (…) {…}` and `.func (…) name (…) {…}`; a declaration ends in a semicolon.
  bool parseFunction(bool isKernel) {
    place = {};
    auto owned = std::make_unique<Function>();
    function = owned.get();
    scopes.emplace_back();
    if (!isKernel && isNext('(') && !parseParameters(function->results, /*inLane=*/true))
      return false;
    next();
    function->name = token.str();
    if (isNext('(') && !parseParameters(function->parameters, !isKernel))
      return false;
    while (next() && token != "{" && token != ";")
      parseDirective();
    if (token == ";") {
      scopes.pop_back();
      function = nullptr;
      return true;
    }
    if (!parseBody())
      return false;
    if (isKernel)
      kernels.push_back(function);
    module.functions[function->name] = std::move(owned);
    function = nullptr;
    return true;
  }

  /// `.reqntid 128, 1, 1` and the like; others bind ptxas.
  void parseDirective() {
    unsigned *said = llvm::StringSwitch<unsigned *>(token)
                         .Case(".maxntid", &function->maxThreads)
                         .Case(".reqntid", &function->exactThreads)
                         .Case(".reqnctapercluster", &function->clusterCtas)
                         .Case(".maxnreg", &function->maxRegisters)
                         .Default(nullptr);
    if (!said)
      return;
    *said = 1;
    do {
      next();
      *said *= static_cast<unsigned>(number(token).value_or(1));
    } while (take(','));
  }

  /// The name; "" after an error. The offset becomes the alignment.
  StringRef parseParameter(Parameter &parameter) {
    uint64_t align = 1, bytes = 0;
    while (next() && token.starts_with(".")) {
      if (token == ".align" && next())
        align = std::max(align, number(token).value_or(1));
      else if (Type type = typeNamed(token.drop_front()); type.bits && !bytes)
        bytes = type.bytes();
    }
    StringRef name = token;
    if (take('[')) {
      next();
      bytes *= number(token).value_or(0);
      if (!expect(']'))
        return "";
    } else {
      align = bytes;
    }
    if (!bytes || bytes > laneMemoryBase) {
      fail("a parameter without a type");
      return "";
    }
    parameter = {static_cast<unsigned>(align), static_cast<unsigned>(bytes)};
    return name;
  }

  void placeInLane(StringRef name, Parameter &parameter) {
    parameter.offset = placeInLane(parameter.bytes);
    scopes.back().symbols[name] = {Symbol::Kind::Address, parameter.offset};
  }
  unsigned placeInLane(unsigned bytes) {
    unsigned offset = static_cast<unsigned>(llvm::alignTo(module.laneMemoryBytes, 16));
    module.laneMemoryBytes = offset + bytes;
    return laneMemoryBase + offset;
  }

  bool parseParameters(std::vector<Parameter> &list, bool inLane) {
    if (!expect('('))
      return false;
    while (!take(')')) {
      Parameter &parameter = list.emplace_back();
      StringRef name = parseParameter(parameter);
      if (name.empty())
        return false;
      if (inLane) {
        placeInLane(name, parameter);
      } else {
        parameter.offset =
            static_cast<unsigned>(llvm::alignTo(function->parameterBytes, parameter.offset));
        function->parameterBytes = parameter.offset + parameter.bytes;
        scopes.back().symbols[name] = {Symbol::Kind::Address, parameter.offset};
      }
      take(',');
    }
    return true;
  }

  bool parseBody() {
    size_t depth = scopes.size();
    scopes.emplace_back();
    while (scopes.size() > depth) {
      if (!next())
        return fail("the end of the file inside of a function");
      if (!parseStatement())
        return false;
    }
    // A kernel ends with its text, too.
    Instruction end;
    end.name = "ret";
    end.line = tokenLine;
    end.execute = findHandler(end);
    function->code.push_back(std::move(end));
    scopes.pop_back();
    return true;
  }

  bool parseStatement() {
    if (token == "{") {
      scopes.emplace_back();
      return true;
    }
    if (token == "}")
      return closeScope();
    if (token == ";")
      return true;
    if (token == ".loc")
      return parsePlace();
    if (token == ".file")
      return parseFile();
    if (token == ".pragma")
      return skipStatement();
    if (token == ".reg")
      return parseRegisters();
    if (token == ".param")
      return parsePassed();
    if (token == ".shared" || token == ".local")
      return parseVariable(/*isExtern=*/false);
    if (token.starts_with("."))
      return fail("'" + token + "' is not executed yet");
    if (token != "@" && isNext(':')) {
      StringRef name = token;
      next();
      scopes.back().symbols[name] = {Symbol::Kind::Label, function->code.size()};
      if (!isNext('.'))
        return true;
      next();
      return token == ".branchtargets" ? parseTargets(name) : parseStatement();
    }
    return parseInstruction();
  }

  bool parsePlace(SourcePlace &read) {
    for (unsigned *number : {&read.file, &read.line, &read.column})
      if (!next() || token.getAsInteger(10, *number))
        return fail("'" + token + "' is no number of a place");
    return true;
  }
  /// `.loc 1 12 20`, perhaps with `, function_name label, inlined_at 1 40 5` or other words: what
  /// follows comes from there.
  bool parsePlace() {
    call = 0;
    if (!parsePlace(place))
      return false;
    StringRef words = rest.take_until([](char c) { return c == '\n'; }).split("//").first;
    StringRef function;
    if (size_t at = words.find("function_name"); at != StringRef::npos)
      function = words.drop_front(at + sizeof("function_name")).split(',').first.trim();
    if (size_t at = words.find("inlined_at"); at != StringRef::npos) {
      rest = rest.drop_front(at + sizeof("inlined_at"));
      SourcePlace outer;
      if (!parsePlace(outer))
        return false;
      // Which call that place was inlined by is said in front.
      call = callFor({function.str(), outer, callsOfPlaces[outer]});
    }
    callsOfPlaces[place] = call;
    skipLine();
    return true;
  }
  unsigned callFor(const InlinedCall &made) {
    auto [found, isNew] = callNumbers.try_emplace(std::tuple(made.function, made.place, made.outer),
                                                  unsigned(module.calls.size()));
    if (isNew)
      module.calls.push_back(made);
    return found->second;
  }

  bool parseTargets(StringRef name) {
    Symbol symbol{Symbol::Kind::Targets};
    do {
      next();
      symbol.labels.push_back(token.str());
    } while (take(','));
    scopes.back().symbols[name] = symbol;
    return expect(';');
  }

  bool parseRegisters() {
    next();
    Type type = typeNamed(token.starts_with(".") ? token.drop_front() : token);
    if (!type.bits)
      return fail("registers of type '" + token + "'");
    bool isWide = type.bits == 128;
    do {
      next();
      StringRef name = token;
      unsigned count = 1;
      bool isRange = take('<');
      if (isRange) {
        next();
        if (token.getAsInteger(10, count) || count > (1u << 20) || !expect('>'))
          return fail("a range of registers");
      }
      function->registerNames.push_back(
          {name, isRange && !isWide, static_cast<uint32_t>(function->registerBits.size())});
      for (unsigned i = 0; i != count; ++i) {
        std::string full = isRange ? (name + llvm::Twine(i)).str() : name.str();
        scopes.back().symbols[full] = {isWide ? Symbol::Kind::WideRegister : Symbol::Kind::Register,
                                       function->registerBits.size()};
        function->registerBits.insert(function->registerBits.end(), isWide ? 2 : 1,
                                      isWide ? uint8_t(64) : type.bits);
      }
    } while (take(','));
    return expect(';');
  }

  const Symbol *find(StringRef name) const {
    for (const Scope &scope : llvm::reverse(scopes)) {
      auto found = scope.symbols.find(name);
      if (found != scope.symbols.end())
        return &found->second;
    }
    return nullptr;
  }

  /// Gives the block's labels to the operands that name them; others ask the block around.
  bool closeScope() {
    Scope scope = std::move(scopes.back());
    scopes.pop_back();
    for (Scope::Use &use : scope.uses) {
      auto found = scope.symbols.find(use.label);
      if (found == scope.symbols.end()) {
        if (scopes.size() <= 2) {
          tokenLine = use.line;
          return fail("'" + use.label + "' is not declared");
        }
        scopes.back().uses.push_back(use);
        continue;
      }
      Operand &operand = function->code[use.instruction].operands[use.operand];
      if (found->second.kind == Symbol::Kind::Targets) {
        operand.kind = OperandKind::Vector;
        for (const std::string &label : found->second.labels) {
          auto target = scope.symbols.find(label);
          if (target == scope.symbols.end())
            return fail("'" + label + "' is not declared");
          Operand element;
          element.kind = OperandKind::Target;
          element.value = target->second.value;
          operand.elements.push_back(element);
        }
        continue;
      }
      operand.kind = OperandKind::Target;
      operand.value = found->second.value;
    }
    return true;
  }

  // -- Instructions ------------------------------------------------------------
  bool parseInstruction() {
    Instruction instruction;
    instruction.line = tokenLine;
    instruction.source = place;
    instruction.call = call;
    if (token == "@") {
      instruction.guardIsNegated = take('!');
      next();
      const Symbol *guard = find(token);
      if (!guard || guard->kind != Symbol::Kind::Register)
        return fail("'" + token + "' is no predicate");
      instruction.guard = static_cast<int32_t>(guard->value);
      next();
    }
    llvm::SmallVector<StringRef, 8> parts;
    token.split(parts, '.');
    instruction.name = parts.front();
    for (StringRef part : llvm::drop_begin(parts)) {
      instruction.addModifier(part);
      if (Type type = typeNamed(part); type.bits)
        instruction.types.push_back(type);
    }
    bool isCall = instruction.name == "call";
    function->code.push_back(std::move(instruction));
    if (isCall)
      return parseCall();
    Instruction &added = function->code.back();
    while (!take(';')) {
      Operand operand;
      if (!parseOperand(operand, added.operands.size()))
        return false;
      added.operands.push_back(std::move(operand));
      if (!isNext(';') && !expect(','))
        return false;
    }
    // An update whose old value goes nowhere is a reduction (PTX ISA, "atom").
    if (added.name == "atom" && !added.operands.empty() &&
        added.operands.front().kind == OperandKind::None) {
      added.name = "red";
      added.operands.erase(added.operands.begin());
    }
    tokenLine = added.line;
    added.execute = findHandler(added);
    added.needs = laneNeeds(added);
    if (!added.execute)
      return fail("'" + added.name + "' with these modifiers and operands is not executed yet");
    return true;
  }

  /// `call.uni (results), name, (arguments);`
  bool parseCall() {
    Instruction &call = function->code.back();
    Operand operands[3];
    operands[0].kind = OperandKind::Target;
    for (unsigned i : {1u, 2u}) {
      operands[i].kind = OperandKind::Vector;
      if (take('(')) {
        while (!take(')')) {
          if (!parseOperand(operands[i].elements.emplace_back(), i))
            return false;
          take(',');
        }
        take(',');
      }
      if (i == 1) {
        next();
        call.calleeName = token;
        take(',');
      }
    }
    call.operands.append(std::begin(operands), std::end(operands));
    call.execute = findHandler(call);
    return expect(';');
  }

  bool parseOperand(Operand &operand, size_t index) {
    if (take('{')) {
      operand.kind = OperandKind::Vector;
      while (!take('}')) {
        if (!parseOperand(operand.elements.emplace_back(), index))
          return false;
        take(',');
      }
      return true;
    }
    if (take('['))
      return parseAddress(operand, index);
    if (take('!'))
      operand.isNegated = true;
    bool isNegative = take('-');
    if (!next())
      return fail("an operand is missing");
    if (std::optional<uint64_t> value = number(token)) {
      operand.kind = OperandKind::Immediate;
      operand.value = isNegative ? uint64_t(0) - *value : *value;
      return true;
    }
    if (std::optional<Special> special = specialNamed(token)) {
      operand.kind = OperandKind::Special;
      operand.special = *special;
      return true;
    }
    return parseName(operand, index);
  }

  bool parseName(Operand &operand, size_t index) {
    if (token != "_") {
      const Symbol *symbol = find(token);
      if (!symbol || symbol->kind == Symbol::Kind::Label || symbol->kind == Symbol::Kind::Targets) {
        scopes.back().uses.push_back({function->code.size() - 1, index, token, tokenLine});
        return true;
      }
      if (symbol->kind == Symbol::Kind::Address) {
        operand.kind = OperandKind::Immediate;
        operand.value = symbol->value;
        operand.isShared = symbol->isShared;
        if (take('+'))
          operand.value += literal().value_or(0);
        return true;
      }
      if (symbol->kind == Symbol::Kind::WideRegister) {
        operand.kind = OperandKind::Vector;
        for (uint64_t half : {symbol->value, symbol->value + 1}) {
          Operand &element = operand.elements.emplace_back();
          element.kind = OperandKind::Register;
          element.reg = static_cast<int32_t>(half);
        }
        return true;
      }
      operand.kind = OperandKind::Register;
      operand.reg = static_cast<int32_t>(symbol->value);
    }
    // `_|p` gives the second result only.
    if (!take('|'))
      return true;
    next();
    const Symbol *second = token == "_" ? nullptr : find(token);
    if (second && second->kind == Symbol::Kind::Register)
      operand.second = static_cast<int32_t>(second->value);
    return token == "_" || operand.second >= 0 || fail("'" + token + "' is no register");
  }

  /// `%rd1+16]`, `name+4]`, `%rd1, {%r1, %r2}]` behind the bracket.
  bool parseAddress(Operand &operand, size_t index) {
    operand.kind = OperandKind::Address;
    Operand base;
    if (!parseOperand(base, index))
      return false;
    if (base.kind == OperandKind::Register)
      operand.reg = base.reg;
    else if (base.kind == OperandKind::Immediate) {
      operand.value = base.value;
      operand.isShared = base.isShared;
    } else
      return fail("'" + token + "' is no address");
    if (take('+')) {
      std::optional<uint64_t> offset = literal();
      if (!offset)
        return fail("'" + token + "' is no offset");
      operand.value += *offset;
    }
    if (take(',')) {
      Operand coordinates;
      if (!parseOperand(coordinates, index))
        return false;
      operand.elements = std::move(coordinates.elements);
    }
    return expect(']');
  }

  Module &module;
  StringRef rest, token;
  ParseError &error;
  unsigned line = 1, tokenLine = 1;
  /// Where the source has the instructions that are read.
  SourcePlace place;
  /// A number in the module's calls, and those of the places that were read last.
  unsigned call = 0;
  std::map<SourcePlace, unsigned> callsOfPlaces;
  std::map<std::tuple<std::string, SourcePlace, unsigned>, unsigned> callNumbers;
  /// Of `.debug_str`, by their labels.
  llvm::StringMap<std::string> strings;
  Function *function = nullptr;
  std::vector<Function *> kernels;
  std::vector<Scope> scopes;
};

} // namespace

std::unique_ptr<Module> parse(StringRef text, ParseError &error) {
  auto module = std::make_unique<Module>();
  module->text = text.str();
  error = {};
  if (!Parser(*module, error).parseModule())
    return nullptr;
  return module;
}

} // namespace gluonc::ptx
