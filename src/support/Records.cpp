#include "support/Records.h"

#include <cstring>

namespace gluonc {

RecordWriter &RecordWriter::add(uint64_t value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
  return *this;
}

RecordWriter &RecordWriter::add(llvm::StringRef field) {
  add(static_cast<uint64_t>(field.size()));
  bytes += field;
  return *this;
}

uint64_t RecordReader::number() {
  uint64_t value = 0;
  if (rest.size() < sizeof value) {
    broken = true;
    rest = {};
    return 0;
  }
  std::memcpy(&value, rest.data(), sizeof value);
  rest = rest.drop_front(sizeof value);
  return value;
}

llvm::StringRef RecordReader::text() {
  uint64_t length = number();
  if (length > rest.size()) {
    broken = true;
    rest = {};
    return {};
  }
  llvm::StringRef field = rest.take_front(length);
  rest = rest.drop_front(length);
  return field;
}

} // namespace gluonc
