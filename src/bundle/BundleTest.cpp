#include "bundle/Choice.h"
#include "bundle/Edit.h"

#include "llvm/Support/SHA256.h"
#include "gtest/gtest.h"

using namespace gluonc;
using namespace gluonc::bundle;
using format::Operator;
using format::ParameterKind;

namespace {

format::Condition condition(uint16_t parameter, Operator op, int64_t operand) {
  format::Condition made = {};
  made.parameter = parameter;
  made.op = op;
  made.operand = operand;
  return made;
}

Variant variant(const char *target, std::string code, std::vector<format::Condition> conditions) {
  Variant made;
  made.target = target;
  made.symbol = "kernel";
  made.conditions = std::move(conditions);
  made.threads = 128;
  made.code = {format::CodeKind::Cubin, std::move(code)};
  for (uint16_t i : {0, 1, 2}) {
    format::Argument argument = {};
    argument.parameter = i;
    made.arguments.push_back(argument);
  }
  made.constants = {{"BLOCK", "256"}};
  return made;
}

Kernel copyKernel(std::string name = "copy") {
  Kernel kernel;
  kernel.name = std::move(name);
  kernel.parameters = {{"src", "*fp32", ParameterKind::Pointer},
                       {"dst", "*fp32", ParameterKind::Pointer},
                       {"n", "i32", ParameterKind::Signed, 32}};
  kernel.variants = {
      variant("cuda:80", "plain", {}),
      variant("cuda:90a", "aligned",
              {condition(0, Operator::Multiple, 16), condition(2, Operator::LessEqual, 1000)}),
      variant("cuda:90a", "plain", {})};
  return kernel;
}

/// A file on a multiple of 8.
class File {
public:
  explicit File(llvm::StringRef bytes) : words((bytes.size() + 7) / 8), size(bytes.size()) {
    memcpy(words.data(), bytes.data(), bytes.size());
  }
  llvm::StringRef bytes() const { return {reinterpret_cast<const char *>(words.data()), size}; }
  char *begin() { return reinterpret_cast<char *>(words.data()); }

private:
  std::vector<uint64_t> words;
  size_t size;
};

std::string bytesOf(std::vector<Kernel> kernels) {
  return llvm::cantFail(write(Contents{std::move(kernels)}));
}

/// Why it is refused, wherever that shows: when it is opened or when its code is asked for.
std::string refusal(llvm::StringRef bytes) {
  File file(bytes);
  llvm::Expected<Bundle> bundle = Bundle::open(file.bytes());
  if (!bundle)
    return llvm::toString(bundle.takeError());
  for (const format::Piece &piece : bundle->pieces())
    if (auto code = bundle->code(piece); !code)
      return llvm::toString(code.takeError());
  return "";
}

/// Makes the digest of an index right that was changed.
void redigest(File &file) {
  auto &header = *reinterpret_cast<format::Header *>(file.begin());
  llvm::StringRef index = file.bytes().substr(sizeof header, header.indexBytes);
  header.digest = llvm::SHA256::hash(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(index.data()), index.size()));
}

/// A change of the index by somebody who makes the digest right again.
template <typename Change> std::string planted(Change change) {
  File file(bytesOf({copyKernel()}));
  auto &header = *reinterpret_cast<format::Header *>(file.begin());
  char *index = file.begin() + sizeof header;
  auto &directory = *reinterpret_cast<format::Directory *>(index);
  change(header, directory, index);
  redigest(file);
  return refusal(file.bytes());
}

/// The same of the first record of a kind.
template <typename Record, typename Change>
std::string plantedIn(format::Range format::Directory::*table, Change change) {
  return planted([&](format::Header &, format::Directory &directory, char *index) {
    change(*reinterpret_cast<Record *>(index + (directory.*table).first));
  });
}

TEST(Bundle, GivesBackWhatWasWritten) {
  File file(bytesOf({copyKernel("b"), copyKernel("a")}));
  Bundle bundle = llvm::cantFail(Bundle::open(file.bytes()));
  Contents contents = llvm::cantFail(read(bundle));
  ASSERT_EQ(contents.kernels.size(), 2u);
  EXPECT_EQ(contents.kernels[0].name, "a");
  const Kernel &kernel = contents.kernels[1];
  EXPECT_EQ(kernel.parameters, copyKernel().parameters);
  ASSERT_EQ(kernel.variants.size(), 3u);
  EXPECT_EQ(kernel.variants[1].target, "cuda:90a");
  EXPECT_EQ(kernel.variants[1].conditions[1].operand, 1000);
  EXPECT_EQ(kernel.variants[1].code.bytes, "aligned");
  EXPECT_EQ(kernel.variants[1].constants[0].value, "256");
  EXPECT_EQ(llvm::cantFail(write(contents)), file.bytes());
}

TEST(Bundle, AnEmptyOneIsFine) {
  File file(bytesOf({}));
  Bundle bundle = llvm::cantFail(Bundle::open(file.bytes()));
  EXPECT_TRUE(bundle.kernels().empty());
  EXPECT_EQ(bundle.find("copy"), nullptr);
}

TEST(Bundle, FindsKernelsByName) {
  File file(bytesOf({copyKernel("c"), copyKernel("a"), copyKernel("b")}));
  Bundle bundle = llvm::cantFail(Bundle::open(file.bytes()));
  for (const char *name : {"a", "b", "c"}) {
    ASSERT_TRUE(bundle.find(name)) << name;
    EXPECT_EQ(bundle.text(bundle.find(name)->name), name);
  }
  for (const char *name : {"", "ab", "d"})
    EXPECT_FALSE(bundle.find(name)) << name;
}

TEST(Bundle, KeepsEqualCodeOnce) {
  File file(bytesOf({copyKernel("a"), copyKernel("b")}));
  EXPECT_EQ(llvm::cantFail(Bundle::open(file.bytes())).pieces().size(), 2u);
}

TEST(Bundle, TheOrderOfKernelsMakesNoDifference) {
  EXPECT_EQ(bytesOf({copyKernel("a"), copyKernel("b")}),
            bytesOf({copyKernel("b"), copyKernel("a")}));
}

TEST(Bundle, RefusesEveryFlippedBit) {
  const std::string whole = bytesOf({copyKernel()});
  ASSERT_EQ(refusal(whole), "");
  for (size_t i = 0; i != whole.size(); ++i)
    for (unsigned bit = 0; bit != 8; ++bit) {
      std::string flipped = whole;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      EXPECT_NE(refusal(flipped), "") << "byte " << i << ", bit " << bit;
    }
}

TEST(Bundle, RefusesEveryShorterAndLongerFile) {
  const std::string whole = bytesOf({copyKernel()});
  for (size_t size = 0; size != whole.size(); ++size)
    EXPECT_NE(refusal(llvm::StringRef(whole).take_front(size)), "") << size;
  EXPECT_NE(refusal(whole + '\0'), "");
}

TEST(Bundle, RefusesAnotherVersion) {
  std::string changed = bytesOf({copyKernel()});
  changed[8] = 2;
  EXPECT_EQ(refusal(changed), "no valid bundle: it is of version 2 of the format, not 1");
}

TEST(Bundle, AnUnchangedIndexIsNoPlantedOne) {
  EXPECT_EQ(planted([](auto &...) {}), "");
}

TEST(Bundle, RefusesTablesThatLieElsewhere) {
  using D = format::Directory;
  for (format::Range D::*table : {&D::kernels, &D::parameters, &D::variants, &D::conditions,
                                  &D::arguments, &D::constants, &D::pieces, &D::texts})
    for (uint32_t value : {0u, 1u, 7u, 1u << 16, UINT32_MAX}) {
      EXPECT_NE(planted([&](auto &, D &directory, char *) { (directory.*table).first = value; }),
                "");
      EXPECT_NE(planted([&](auto &, D &directory, char *) {
                  (directory.*table).count += std::max(value, 1u);
                }),
                "");
    }
}

TEST(Bundle, RefusesAnIndexThatEndsElsewhere) {
  for (uint64_t bytes : {uint64_t(0), uint64_t(8), uint64_t(64), uint64_t(1) << 40, UINT64_MAX})
    EXPECT_NE(planted([&](format::Header &header, auto &...) { header.indexBytes = bytes; }), "")
        << bytes;
}

TEST(Bundle, RefusesRangesOutsideOfTheirTables) {
  using D = format::Directory;
  for (format::Range wrong : {format::Range{0, UINT32_MAX}, format::Range{UINT32_MAX, 2},
                              format::Range{3, 1000}, format::Range{1000, 0}}) {
    using K = format::Kernel;
    using V = format::Variant;
    for (auto range : {&K::parameters, &K::variants, &K::name})
      EXPECT_NE(plantedIn<K>(&D::kernels, [&](K &kernel) { kernel.*range = wrong; }), "");
    for (auto range : {&V::target, &V::symbol, &V::conditions, &V::arguments, &V::constants})
      EXPECT_NE(plantedIn<V>(&D::variants, [&](V &variant) { variant.*range = wrong; }), "");
  }
}

TEST(Bundle, RefusesPiecesOutsideOfTheFile) {
  using P = format::Piece;
  auto change = [](auto how) { return plantedIn<P>(&format::Directory::pieces, how); };
  EXPECT_NE(change([](P &piece) { piece.offset = 0; }), "");
  EXPECT_NE(change([](P &piece) { piece.offset += 64; }), "");
  EXPECT_NE(change([](P &piece) { piece.bytes = 0; }), "");
  EXPECT_NE(change([](P &piece) { piece.bytes = 1000; }), "");
  EXPECT_NE(change([](P &piece) { piece.bytes = UINT64_MAX; }), "");
  EXPECT_NE(change([](P &piece) { piece.bytes = UINT64_MAX - 63; }), "");
  EXPECT_NE(change([](P &piece) { piece.kind = format::CodeKind(3); }), "");
}

TEST(Bundle, RefusesRecordsThatMakeNoSense) {
  using D = format::Directory;
  using C = format::Condition;
  auto inCondition = [](auto how) { return plantedIn<C>(&D::conditions, how); };
  EXPECT_NE(inCondition([](C &c) { c.parameter = 3; }), "");
  EXPECT_NE(inCondition([](C &c) { c.operand = 0; }), "");
  EXPECT_NE(inCondition([](C &c) { c.dim = 1; }), "");
  EXPECT_NE(inCondition([](C &c) { c.field = format::Field::Extent; }), "");
  EXPECT_NE(inCondition([](C &c) { c.op = Operator(7); }), "");
  using A = format::Argument;
  auto inArgument = [](auto how) { return plantedIn<A>(&D::arguments, how); };
  EXPECT_NE(inArgument([](A &a) { a.parameter = 3; }), "");
  EXPECT_NE(inArgument([](A &a) { a.rank = 1; }), "");
  EXPECT_NE(inArgument([](A &a) { a.kind = format::ArgumentKind::Box; }), "");
  EXPECT_NE(inArgument([](A &a) { a.kind = format::ArgumentKind(4); }), "");
  using V = format::Variant;
  auto inVariant = [](auto how) { return plantedIn<V>(&D::variants, how); };
  EXPECT_NE(inVariant([](V &v) { v.piece = 2; }), "");
  EXPECT_NE(inVariant([](V &v) { v.threads = 0; }), "");
  EXPECT_NE(inVariant([](V &v) { v.threads = 2048; }), "");
  EXPECT_NE(inVariant([](V &v) { v.ctas = 0; }), "");
  EXPECT_NE(inVariant([](V &v) { v.flags = 4; }), "");
  using P = format::Parameter;
  auto inParameter = [](auto how) { return plantedIn<P>(&D::parameters, how); };
  EXPECT_NE(inParameter([](P &p) { p.kind = ParameterKind(6); }), "");
  EXPECT_NE(inParameter([](P &p) { p.kind = ParameterKind::Tensor; }), "");
  EXPECT_NE(inParameter([](P &p) { p.bits = 8; }), "");
}

TEST(Bundle, RefusesKernelsThatAreNotSorted) {
  File file(bytesOf({copyKernel("a"), copyKernel("b")}));
  auto &header = *reinterpret_cast<format::Header *>(file.begin());
  char *index = file.begin() + sizeof header;
  auto &directory = *reinterpret_cast<format::Directory *>(index);
  auto *kernels = reinterpret_cast<format::Kernel *>(index + directory.kernels.first);
  std::swap(kernels[0], kernels[1]);
  redigest(file);
  EXPECT_EQ(refusal(file.bytes()), "no valid bundle: its kernels are not sorted by name");
}

/// Whatever is planted, opening it and walking over it reads nothing outside: a program built with
/// sanitizers sees it.
TEST(Bundle, AnyWordThatIsPlantedIsRefusedOrHarmless) {
  const std::string whole = bytesOf({copyKernel()});
  const uint64_t indexBytes = reinterpret_cast<const format::Header *>(whole.data())->indexBytes;
  for (uint64_t at = 0; at != indexBytes; at += 4)
    for (uint32_t value : {0u, 1u, 0x7fffffffu, 0xffffffffu, 64u}) {
      File file(whole);
      auto &header = *reinterpret_cast<format::Header *>(file.begin());
      memcpy(file.begin() + sizeof header + at, &value, sizeof value);
      redigest(file);
      llvm::Expected<Bundle> bundle = Bundle::open(file.bytes());
      if (!bundle) {
        llvm::consumeError(bundle.takeError());
        continue;
      }
      if (llvm::Expected<Contents> contents = read(*bundle); !contents)
        llvm::consumeError(contents.takeError());
    }
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

class Choice : public testing::Test {
protected:
  File file = File(bytesOf({copyKernel()}));
  Bundle bundle = llvm::cantFail(Bundle::open(file.bytes()));
  const format::Kernel &kernel = *bundle.find("copy");
  llvm::ArrayRef<format::Parameter> parameters = bundle.parameters(kernel);

  bool holds(uint16_t parameter, Operator op, int64_t operand, uint64_t value) {
    uint64_t slots[3] = {};
    slots[parameter] = value;
    return bundle::holds(condition(parameter, op, operand), parameters, slots);
  }
};

TEST_F(Choice, NumbersHaveTheWidthOfTheirParameter) {
  // What is above the low 32 bits of an i32 does not count.
  EXPECT_TRUE(holds(2, Operator::Equal, -1, 0xffffffff));
  EXPECT_TRUE(holds(2, Operator::Less, 0, 0xfffffffffffffff0));
  EXPECT_TRUE(holds(2, Operator::Multiple, 16, 0xfffffff0));
  EXPECT_FALSE(holds(2, Operator::Multiple, 16, 24));
  EXPECT_TRUE(holds(2, Operator::Multiple, 12, 24));
}

TEST_F(Choice, AddressesInTheUpperHalfAreLarge) {
  uint64_t high = uint64_t(1) << 63;
  EXPECT_TRUE(holds(0, Operator::Greater, INT64_MAX, high));
  EXPECT_FALSE(holds(0, Operator::Less, 0, high));
  EXPECT_TRUE(holds(0, Operator::Multiple, 16, high));
  EXPECT_FALSE(holds(0, Operator::Multiple, 16, high + 8));
}

TEST_F(Choice, EveryOperatorComparesAsItSays) {
  struct {
    Operator op;
    bool below, same, above;
  } rows[] = {{Operator::Equal, false, true, false},   {Operator::NotEqual, true, false, true},
              {Operator::Less, true, false, false},    {Operator::LessEqual, true, true, false},
              {Operator::Greater, false, false, true}, {Operator::GreaterEqual, false, true, true}};
  for (auto [op, below, same, above] : rows) {
    EXPECT_EQ(holds(2, op, 5, 4), below);
    EXPECT_EQ(holds(2, op, 5, 5), same);
    EXPECT_EQ(holds(2, op, 5, 6), above);
  }
}

TEST_F(Choice, VariantsOfTheNearestChipAreTriedInOrder) {
  using Places = llvm::SmallVector<uint32_t, 0>;
  EXPECT_EQ(variantsFor(bundle, kernel, *target::Target::parse("cuda:90a")), (Places{1, 2}));
  EXPECT_EQ(variantsFor(bundle, kernel, *target::Target::parse("cuda:86")), (Places{0}));
  EXPECT_EQ(variantsFor(bundle, kernel, *target::Target::parse("hip:gfx942")), Places());
}

TEST_F(Choice, SaysWhyEachVariantWasRefused) {
  Kernel few = copyKernel();
  few.variants.pop_back();
  File other(bytesOf({few}));
  Bundle small = llvm::cantFail(Bundle::open(other.bytes()));
  uint64_t slots[3] = {0x1008, 0x2000, 8};
  EXPECT_EQ(whyNone(small, *small.find("copy"), *target::Target::parse("cuda:90a"), slots),
            "no variant of copy is for this launch on cuda:90a\n"
            "variant 0: it is for cuda:80\n"
            "variant 1: it needs src % 16 == 0, and that is 0x1008");
}

TEST_F(Choice, PtxIsForLaterChipsAndWhereThereIsNoMachineCode) {
  using Places = llvm::SmallVector<uint32_t, 0>;
  Kernel both = copyKernel();
  both.variants = {variant("cuda:80", "cubin", {}), variant("cuda:80", "ptx", {}),
                   variant("cuda:80", "ptx for some", {condition(2, Operator::LessEqual, 9)}),
                   variant("cuda:90a", "ptx", {})};
  for (size_t i = 1; i != 4; ++i)
    both.variants[i].code.kind = format::CodeKind::Ptx;
  File other(bytesOf({both}));
  Bundle bundle = llvm::cantFail(Bundle::open(other.bytes()));
  const format::Kernel &kernel = *bundle.find("copy");
  auto places = [&](const char *chip) {
    return variantsFor(bundle, kernel, *target::Target::parse(chip));
  };
  EXPECT_EQ(places("cuda:80"), (Places{0, 2}));
  EXPECT_EQ(places("cuda:86"), (Places{0, 2}));
  EXPECT_EQ(places("cuda:90a"), (Places{3}));
  EXPECT_EQ(places("cuda:100a"), (Places{1, 2})) << "code for 90a is for that chip alone";
  EXPECT_EQ(places("hip:gfx942"), Places());
  uint64_t slots[3] = {};
  EXPECT_NE(whyNone(bundle, kernel, *target::Target::parse("cuda:80"), slots)
                .find("variant 1: it is PTX, and there is machine code"),
            std::string::npos);
}

TEST_F(Choice, AChipWithTooLittleSharedMemoryTakesAnother) {
  Kernel large = copyKernel();
  large.variants[0].sharedBytes = 120 * 1024;
  File other(bytesOf({large}));
  Bundle bundle = llvm::cantFail(Bundle::open(other.bytes()));
  uint64_t slots[3] = {};
  const format::Kernel &kernel = *bundle.find("copy");
  EXPECT_EQ(variantsFor(bundle, kernel, *target::Target::parse("cuda:80")).size(), 1u);
  EXPECT_EQ(variantsFor(bundle, kernel, *target::Target::parse("cuda:86")).size(), 0u);
  EXPECT_NE(whyNone(bundle, kernel, *target::Target::parse("cuda:86"), slots)
                .find("variant 0: it needs 122880 bytes of shared memory"),
            std::string::npos);
}

//===----------------------------------------------------------------------===//
// Other bundles
//===----------------------------------------------------------------------===//

std::string textOf(llvm::Error error) { return llvm::toString(std::move(error)); }

TEST(Edit, MergingAddsKernelsAndVariantsOnce) {
  Contents contents = {{copyKernel("a")}};
  Kernel more = copyKernel("a");
  more.variants.push_back(variant("hip:gfx942", "other", {}));
  ASSERT_EQ(textOf(merge(contents, Contents{{more, copyKernel("b")}})), "");
  ASSERT_EQ(contents.kernels.size(), 2u);
  ASSERT_EQ(contents.kernels[0].variants.size(), 4u);
  EXPECT_EQ(contents.kernels[0].variants[3].target, "hip:gfx942");
}

TEST(Edit, MergingRefusesTwoVariantsForTheSameLaunches) {
  Contents contents = {{copyKernel()}};
  Kernel changed = copyKernel();
  changed.variants[1].code.bytes = "changed";
  EXPECT_EQ(textOf(merge(contents, Contents{{changed}})),
            "the two have different variants of `copy` for cuda:90a under the same conditions");
}

TEST(Edit, MergingRefusesOtherParameters) {
  Contents contents = {{copyKernel()}};
  Kernel changed = copyKernel();
  changed.parameters[0].type = "*fp16";
  EXPECT_EQ(textOf(merge(contents, Contents{{changed}})),
            "the two have a kernel `copy` of different parameters");
}

TEST(Edit, StrippingKeepsTargetsAndKernels) {
  Kernel amd = copyKernel("amd");
  amd.variants = {variant("hip:gfx942", "code", {})};
  Contents contents = {{copyKernel("a"), copyKernel("b"), amd}};
  ASSERT_EQ(textOf(strip(contents, {"cuda:80"}, {"a", "amd"})), "");
  ASSERT_EQ(contents.kernels.size(), 1u);
  EXPECT_EQ(contents.kernels[0].name, "a");
  EXPECT_EQ(contents.kernels[0].variants.size(), 1u);
}

TEST(Edit, StrippingRefusesNamesThatAreNotThere) {
  Contents contents = {{copyKernel()}};
  EXPECT_EQ(textOf(strip(contents, {"cuda:89"}, {})), "nothing in it is for cuda:89");
  EXPECT_EQ(textOf(strip(contents, {}, {"paste"})), "there is no kernel `paste` in it");
}

} // namespace
