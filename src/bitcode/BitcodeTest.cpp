#include "bitcode/Bitcode.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <map>

using namespace gluonc::bitcode;

namespace {

uint64_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }
uint64_t bitsOf(double value) { return std::bit_cast<uint64_t>(value); }
float asFloat(uint64_t bits) { return std::bit_cast<float>(uint32_t(bits)); }
double asDouble(uint64_t bits) { return std::bit_cast<double>(bits); }

/// Words of 64 bits at multiples of 8; others are faults.
struct Words : Memory {
  std::map<uint64_t, uint64_t> words;
  bool load(uint64_t address, unsigned bytes, uint64_t &value) override {
    auto word = words.find(address / 8 * 8);
    if (word == words.end() || address % bytes)
      return false;
    std::memcpy(&value, reinterpret_cast<uint8_t *>(&word->second) + address % 8, bytes);
    return true;
  }
  bool store(uint64_t address, unsigned bytes, uint64_t value) override {
    auto word = words.find(address / 8 * 8);
    if (word == words.end() || address % bytes)
      return false;
    std::memcpy(reinterpret_cast<uint8_t *>(&word->second) + address % 8, &value, bytes);
    return true;
  }
  bool update(uint64_t address, unsigned bytes, llvm::function_ref<uint64_t(uint64_t)> change,
              uint64_t &old) override {
    old = 0;
    return load(address, bytes, old) && store(address, bytes, change(old));
  }
};

class BitcodeTest : public testing::Test {
protected:
  void read(std::vector<std::string> texts, Chip chip = {90, true}) {
    std::vector<File> files;
    for (size_t i = 0; i < texts.size(); ++i)
      files.push_back(
          {"file" + std::to_string(i) + ".ll", std::make_shared<std::string>(texts[i])});
    llvm::Expected<Libraries> found = Libraries::read(files, chip);
    ASSERT_TRUE(bool(found)) << llvm::toString(found.takeError());
    libraries.emplace(std::move(*found));
  }

  std::optional<Function> find(llvm::StringRef name, std::vector<Type> arguments, Type result) {
    Signature signature;
    signature.arguments.assign(arguments.begin(), arguments.end());
    signature.result = result;
    why.clear();
    return libraries->find(name, signature, why);
  }

  Outcome run(llvm::StringRef name, std::vector<Type> types, Type result,
              std::vector<uint64_t> arguments) {
    std::optional<Function> function = find(name, types, result);
    EXPECT_TRUE(function) << why;
    return function ? function->call(arguments, memory) : Outcome{0, "not found: " + why};
  }

  uint64_t word(llvm::StringRef name, std::vector<uint64_t> arguments) {
    Outcome outcome =
        run(name, std::vector<Type>(arguments.size(), Type::I32), Type::I32, arguments);
    EXPECT_EQ(outcome.problem, "");
    return outcome.value;
  }

  std::optional<Libraries> libraries;
  std::string why;
  Words memory;
};

} // namespace

TEST_F(BitcodeTest, Integers) {
  read({R"(
define i32 @division(i32 %a, i32 %b) { %r = sdiv i32 %a, %b ret i32 %r }
define i32 @narrow(i32 %a, i32 %b) {
  %x = trunc i32 %a to i8
  %y = ashr i8 %x, 1
  %z = sext i8 %y to i32
  %w = zext i8 %y to i32
  %s = mul i32 %z, 1000
  %r = add i32 %s, %w
  ret i32 %r
}
define i32 @several(i32 %a, i32 %b) {
  %f = call i32 @llvm.fshl.i32(i32 %a, i32 %b, i32 8)
  %p = call i32 @llvm.ctpop.i32(i32 %f)
  %c = call {i32, i1} @llvm.sadd.with.overflow.i32(i32 2147483647, i32 %b)
  %o = extractvalue {i32, i1} %c, 1
  %r = select i1 %o, i32 %p, i32 %f
  ret i32 %r
}
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i32 @llvm.ctpop.i32(i32)
declare {i32, i1} @llvm.sadd.with.overflow.i32(i32, i32)
)"});
  EXPECT_EQ(int32_t(word("division", {uint32_t(-7), 2})), -3);
  EXPECT_EQ(word("division", {0x80000000, uint32_t(-1)}), 0x80000000u);
  EXPECT_EQ(run("division", {Type::I32, Type::I32}, Type::I32, {1, 0}).problem,
            "`division` divides by zero");
  EXPECT_EQ(int32_t(word("narrow", {0x1f0, 0})), -8 * 1000 + 0xf8);
  EXPECT_EQ(word("several", {0x11, 0xff000000}), 0x11ffu - 0u);
  EXPECT_EQ(word("several", {0x11, 0x0f000001}), 2u + 4u);
}

TEST_F(BitcodeTest, LoopsAndBranches) {
  read({R"(
define i32 @collatz(i32 %n) {
entry:
  br label %loop
loop:
  %x = phi i32 [%n, %entry], [%next, %go]
  %steps = phi i32 [0, %entry], [%more, %go]
  switch i32 %x, label %go [ i32 0, label %none i32 1, label %end ]
go:
  %odd = trunc i32 %x to i1
  %half = lshr i32 %x, 1
  %three = mul i32 %x, 3
  %up = add i32 %three, 1
  %next = select i1 %odd, i32 %up, i32 %half
  %more = add i32 %steps, 1
  br label %loop
none:
  unreachable
end:
  ret i32 %steps
}
define i32 @swaps(i32 %n) {
entry:
  br label %loop
loop:
  %a = phi i32 [1, %entry], [%b, %loop]
  %b = phi i32 [2, %entry], [%a, %loop]
  %i = phi i32 [0, %entry], [%j, %loop]
  %j = add i32 %i, 1
  %on = icmp slt i32 %j, %n
  br i1 %on, label %loop, label %end
end:
  ret i32 %a
}
define i32 @forever(i32 %n) {
  br label %loop
loop:
  br label %loop
}
define i32 @deep(i32 %n) {
  %r = call i32 @deep(i32 %n)
  ret i32 %r
}
define i32 @fibonacci(i32 %n) {
  %small = icmp ult i32 %n, 2
  br i1 %small, label %end, label %more
more:
  %a = sub i32 %n, 1
  %b = sub i32 %n, 2
  %x = call i32 @fibonacci(i32 %a)
  %y = call i32 @fibonacci(i32 %b)
  %z = add i32 %x, %y
  ret i32 %z
end:
  ret i32 %n
}
)"});
  EXPECT_EQ(word("collatz", {27}), 111u);
  EXPECT_EQ(run("collatz", {Type::I32}, Type::I32, {0}).problem,
            "`collatz` comes to a place that it says is never reached");
  EXPECT_EQ(word("swaps", {2}), 2u);
  EXPECT_EQ(word("swaps", {3}), 1u);
  EXPECT_EQ(word("fibonacci", {15}), 610u);
  EXPECT_EQ(run("forever", {Type::I32}, Type::I32, {0}).problem, "`forever` does not end");
  EXPECT_EQ(run("deep", {Type::I32}, Type::I32, {0}).problem, "`deep` calls functions without end");
}

TEST_F(BitcodeTest, Floats) {
  read({R"(
define float @mixed(float %x, float %y) {
  %f = call float @llvm.fma.f32(float %x, float %y, float 1.0)
  %n = fcmp ugt float %f, 100.0
  %d = fpext float %f to double
  %q = fdiv double %d, 3.0
  %t = fptrunc double %q to float
  %r = select i1 %n, float %f, float %t
  ret float %r
}
define half @halves(half %x) { %r = fmul half %x, 0xH3E00 ret half %r }
define i32 @cut(float %x) { %r = fptosi float %x to i32 ret i32 %r }
define float @toward(float %x, float %y) {
  %r = call float @llvm.nvvm.add.rz.f(float %x, float %y) ret float %r }
define float @flushed(float %x) {
  %r = call float @llvm.nvvm.mul.rn.ftz.f(float %x, float 1.0) ret float %r }
define i32 @upper(double %x) { %r = call i32 @llvm.nvvm.d2i.hi(double %x) ret i32 %r }
define double @joined(i32 %a, i32 %b) {
  %r = call double @llvm.nvvm.lohi.i2d(i32 %a, i32 %b) ret double %r }
define float @power(float %x) {
  %r = call float @llvm.nvvm.ex2.approx.ftz.f32(float %x) ret float %r }
define float @subtracts(float %x, float %y) {
  %r = call float asm "sub.rn.ftz.f32 $0, $1, $2;", "=f,f,f"(float %x, float %y) ret float %r }
define i1 @odd(float %x) { %r = call i1 @llvm.is.fpclass.f32(float %x, i32 516) ret i1 %r }
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.nvvm.add.rz.f(float, float)
declare float @llvm.nvvm.mul.rn.ftz.f(float, float)
declare i32 @llvm.nvvm.d2i.hi(double)
declare double @llvm.nvvm.lohi.i2d(i32, i32)
declare float @llvm.nvvm.ex2.approx.ftz.f32(float)
declare i1 @llvm.is.fpclass.f32(float, i32)
)"});
  auto two = [&](llvm::StringRef name, float x, float y) {
    return asFloat(
        run(name, {Type::Float, Type::Float}, Type::Float, {bitsOf(x), bitsOf(y)}).value);
  };
  EXPECT_EQ(two("mixed", 2, 4), 3.0f);
  EXPECT_EQ(two("mixed", 20, 10), 201.0f);
  EXPECT_TRUE(std::isnan(two("mixed", NAN, 10)));
  EXPECT_EQ(two("subtracts", 5.0f, 1e-40f), 5.0f);
  EXPECT_EQ(two("subtracts", 5.0f, 7.0f), -2.0f);
  EXPECT_EQ(two("toward", 1.0f, 0x1.8p-24f), 1.0f);
  EXPECT_EQ(run("halves", {Type::Half}, Type::Half, {0x4000}).value, 0x4200u);
  EXPECT_EQ(int32_t(run("cut", {Type::Float}, Type::I32, {bitsOf(-2.75f)}).value), -2);
  EXPECT_EQ(run("flushed", {Type::Float}, Type::Float, {bitsOf(-1e-40f)}).value, 0x80000000u);
  EXPECT_EQ(run("upper", {Type::Double}, Type::I32, {bitsOf(1.0)}).value, 0x3ff00000u);
  EXPECT_EQ(asDouble(run("joined", {Type::I32, Type::I32}, Type::Double, {0, 0x40000000}).value),
            2.0);
  EXPECT_EQ(asFloat(run("power", {Type::Float}, Type::Float, {bitsOf(3.0f)}).value), 8.0f);
  // 516: both infinities.
  EXPECT_EQ(run("odd", {Type::Float}, Type::I1, {bitsOf(INFINITY)}).value, 1u);
  EXPECT_EQ(run("odd", {Type::Float}, Type::I1, {bitsOf(1.0f)}).value, 0u);
}

TEST_F(BitcodeTest, TablesVectorsAndLocalMemory) {
  read({R"(
@table = internal addrspace(1) constant [4 x {i16, float}] [
  {i16, float} {i16 7, float 0.5}, {i16, float} {i16 8, float 1.5},
  {i16, float} {i16 9, float 2.5}, {i16, float} zeroinitializer]
@counter = internal global i32 0
@shared = global i32 0
define float @lookup(i32 %i) {
  %p = getelementptr inbounds [4 x {i16, float}], ptr addrspace(1) @table, i32 0, i32 %i, i32 1
  %q = addrspacecast ptr addrspace(1) %p to ptr
  %r = load float, ptr %q
  ret float %r
}
define i32 @reversed(i32 %x) {
  %place = alloca [4 x i8], align 4
  %v = bitcast i32 %x to <4 x i8>
  %w = shufflevector <4 x i8> %v, <4 x i8> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  store <4 x i8> %w, ptr %place, align 4
  %last = getelementptr i8, ptr %place, i64 3
  store i8 -1, ptr %last
  %r = load i32, ptr %place
  ret i32 %r
}
define i32 @copied(i32 %i) {
  %place = alloca [4 x {i16, float}]
  call void @llvm.memcpy.p0.p1.i64(ptr %place, ptr addrspace(1) @table, i64 32, i1 false)
  %p = getelementptr [4 x {i16, float}], ptr %place, i32 0, i32 %i
  %n = load i16, ptr %p
  %r = zext i16 %n to i32
  ret i32 %r
}
define i32 @counts(i32 %x) { store i32 %x, ptr @counter ret i32 %x }
define i32 @shares(i32 %x) { %r = load i32, ptr @shared ret i32 %r }
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
)"});
  EXPECT_EQ(asFloat(run("lookup", {Type::I32}, Type::Float, {2}).value), 2.5f);
  EXPECT_EQ(word("reversed", {0x11223344}), 0xff332211u);
  EXPECT_EQ(word("copied", {1}), 8u);
  EXPECT_EQ(run("counts", {Type::I32}, Type::I32, {1}).problem,
            "`counts` writes to a variable of its library");
  EXPECT_FALSE(find("shares", {Type::I32}, Type::I32));
  EXPECT_EQ(why, "`shares`: it uses the variable `shared`, which others may change");
}

TEST_F(BitcodeTest, MemoryOfOthers) {
  read({R"(
define i32 @adds(ptr %p, i32 %x) {
  %old = atomicrmw add ptr %p, i32 %x monotonic
  %q = getelementptr i32, ptr %p, i32 1
  %y = load i32, ptr %q
  %z = add i32 %y, %old
  store i32 %z, ptr %q
  ret i32 %old
}
define i32 @swaps(ptr %p, i32 %x) {
  %pair = cmpxchg ptr %p, i32 %x, i32 9 monotonic monotonic
  %is = extractvalue {i32, i1} %pair, 1
  %r = zext i1 %is to i32
  ret i32 %r
}
define i32 @reads(ptr %p, i32 %x) { %r = load i32, ptr %p ret i32 %r }
)"});
  memory.words[64] = 5 | uint64_t(100) << 32;
  EXPECT_EQ(run("adds", {Type::Pointer, Type::I32}, Type::I32, {64, 3}).value, 5u);
  EXPECT_EQ(memory.words[64], 8 | uint64_t(105) << 32);
  EXPECT_EQ(run("swaps", {Type::Pointer, Type::I32}, Type::I32, {64, 8}).value, 1u);
  EXPECT_EQ(run("swaps", {Type::Pointer, Type::I32}, Type::I32, {64, 8}).value, 0u);
  EXPECT_EQ(memory.words[64] & 0xffffffff, 9u);
  std::optional<Function> adds = find("adds", {Type::Pointer, Type::I32}, Type::I32);
  EXPECT_TRUE(adds->loads() && adds->stores() && adds->updates());
  // A fault of memory ends the call; its owner knows why.
  EXPECT_EQ(run("reads", {Type::Pointer, Type::I32}, Type::I32, {128, 3}).problem, "");
}

TEST_F(BitcodeTest, FilesAndNames) {
  read({R"(
@ftz = private constant [11 x i8] c"__CUDA_FTZ\00"
@arch = private constant [12 x i8] c"__CUDA_ARCH\00"
declare i32 @__nvvm_reflect(ptr)
declare i32 @other(i32)
declare i32 @missing(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define i32 @asks(i32 %x) {
  %a = call i32 @__nvvm_reflect(ptr @ftz)
  %b = call i32 @__nvvm_reflect(ptr @arch)
  %c = add i32 %a, %b
  ret i32 %c
}
define i32 @calls(i32 %x) { %r = call i32 @other(i32 %x) ret i32 %r }
define i32 @misses(i32 %x) { %r = call i32 @missing(i32 %x) ret i32 %r }
define i32 @thread(i32 %x) { %r = call i32 @llvm.nvvm.read.ptx.sreg.tid.x() ret i32 %r }
define i32 @assembly(i32 %x) { %r = call i32 asm "mov.b32 $0, $1;", "=r,r"(i32 %x) ret i32 %r }
define i32 @wide(i32 %x) {
  %p = call {i32, i32} asm "{\0A\09mad.lo.cc.u32 $0, $2, $3, $4;\0A\09madc.hi.u32 $1, $2, $3, 0;\0A\09}", "=r,=r,r,r,r"(i32 %x, i32 %x, i32 5)
  %l = extractvalue {i32, i32} %p, 0
  %h = extractvalue {i32, i32} %p, 1
  %r = xor i32 %l, %h
  ret i32 %r
}
define internal i32 @hidden(i32 %x) { ret i32 %x }
)",
        "define i32 @other(i32 %x) { %y = add i32 %x, 7 ret i32 %y }"});
  EXPECT_EQ(word("asks", {0}), 901u);
  EXPECT_EQ(word("calls", {1}), 8u);
  EXPECT_EQ(word("wide", {0xfffffffe}), 9u ^ 0xfffffffcu);
  EXPECT_TRUE(libraries->defines("other"));
  EXPECT_FALSE(libraries->defines("hidden"));
  auto problemOf = [&](llvm::StringRef name) {
    EXPECT_FALSE(find(name, {Type::I32}, Type::I32));
    return why;
  };
  EXPECT_EQ(problemOf("misses"), "`misses`: it calls `missing`, which no library has");
  EXPECT_EQ(problemOf("thread"), "`thread`: it calls `llvm.nvvm.read.ptx.sreg.tid.x`, which the "
                                 "simulator does not have");
  EXPECT_EQ(problemOf("hidden"), "no library has `hidden`");
  EXPECT_NE(problemOf("assembly").find("asm"), std::string::npos);
  EXPECT_FALSE(find("other", {Type::Float}, Type::I32));
  EXPECT_EQ(why, "`other` is `i32 (i32)` in `file1.ll`, and is called with others");
  llvm::Expected<Libraries> broken =
      Libraries::read({{"broken.ll", std::make_shared<std::string>("define i32 @")}}, {});
  ASSERT_FALSE(bool(broken));
  EXPECT_TRUE(
      llvm::StringRef(llvm::toString(broken.takeError())).starts_with("cannot read `broken.ll`: "));
}
