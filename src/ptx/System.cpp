//===- System.cpp - Functions that a GPU's driver supplies -------------------------===//
//
// vprintf (format, arguments) reads its arguments from memory, each at a multiple of its
// size; __assertfail (message, file, line, function, bytes of a character) ends the kernel.
// Both are called with parameters in a lane's memory.
//
//===----------------------------------------------------------------------===//
#include "ptx/Memory.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

namespace gluonc::ptx {
namespace {

using llvm::StringRef;

/// The value of a call's argument.
uint64_t argument(Step &step, unsigned number, unsigned bytes, unsigned lane) {
  const Operand &operand = step.operand(2).elements[number];
  const uint8_t *place = locate(step, Space::Parameter, operand.value, bytes, lane);
  return place ? loadBits(place, bytes) : 0;
}

std::string textAt(Step &step, uint64_t address, unsigned lane) {
  std::string text;
  for (;; ++address) {
    const uint8_t *place = locate(step, Space::Generic, address, 1, lane);
    if (!place || !*place)
      return text;
    text += static_cast<char>(*place);
  }
}

/// Arguments one after another.
struct Arguments {
  Step &step;
  uint64_t address;
  unsigned lane;

  uint64_t next(unsigned bytes) {
    address = llvm::alignTo(address, bytes);
    const uint8_t *place = locate(step, Space::Generic, address, bytes, lane);
    address += bytes;
    return place ? loadBits(place, bytes) : 0;
  }
};

/// `%-5.3lld` and the like, from its conversion's letter on what it means.
void printOne(llvm::raw_ostream &out, const std::string &conversion, Arguments &arguments) {
  char letter = conversion.back();
  bool isLong = StringRef(conversion).contains("l") || letter == 'p';
  if (letter == 's')
    out << llvm::format(conversion.c_str(),
                        textAt(arguments.step, arguments.next(8), arguments.lane).c_str());
  else if (StringRef("eEfFgGaA").contains(letter))
    out << llvm::format(conversion.c_str(), std::bit_cast<double>(arguments.next(8)));
  else if (isLong)
    out << llvm::format(conversion.c_str(), arguments.next(8));
  else
    out << llvm::format(conversion.c_str(), static_cast<uint32_t>(arguments.next(4)));
}

void print(Step &step) {
  step.eachLane([&](unsigned lane) {
    std::string format = textAt(step, argument(step, 0, 8, lane), lane);
    Arguments arguments = {step, argument(step, 1, 8, lane), lane};
    std::string text;
    llvm::raw_string_ostream out(text);
    for (StringRef rest = format; !rest.empty();) {
      if (rest.consume_front("%%")) {
        out << '%';
        continue;
      }
      size_t length = rest.front() == '%' ? rest.find_first_of("diouxXcsfFeEgGaAp") : 0;
      if (length == StringRef::npos)
        return step.fail(lane, "a format of vprintf that is not known: " + format);
      if (rest.front() == '%')
        printOne(out, rest.take_front(length + 1).str(), arguments);
      else
        out << rest.front();
      rest = rest.drop_front(length + 1);
    }
    static std::mutex lock;
    std::lock_guard guard(lock);
    if (step.machine.launch.output)
      *step.machine.launch.output << text;
  });
}

void failAssertion(Step &step) {
  auto lane = static_cast<unsigned>(std::countr_zero(step.active));
  auto text = [&](unsigned number) { return textAt(step, argument(step, number, 8, lane), lane); };
  step.fail(lane,
            "assertion failed: " + text(0) + " (" + text(3) + ", " + text(1) + ":" +
                llvm::Twine(argument(step, 2, 4, lane)) + ")",
            FaultKind::Assertion);
}

} // namespace

Handler systemFunctionNamed(StringRef name) {
  return llvm::StringSwitch<Handler>(name)
      .Case("vprintf", print)
      .Case("__assertfail", failAssertion)
      .Default(nullptr);
}

} // namespace gluonc::ptx
