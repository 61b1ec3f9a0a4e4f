#include "host/NumberFormat.h"

#include "support/Error.h"

#include <cmath>
#include <cstring>
#include <mutex>

namespace gluonc::host {

using sema::DType;
using sema::ScalarKind;

/// Every value of a format of at most 16 bits, made on first use.
static const double *decodeTable(ScalarKind kind) {
  static const double *tables[std::size(numeric::dtypes)] = {};
  static std::once_flag made[std::size(numeric::dtypes)];
  unsigned slot = static_cast<unsigned>(kind);
  std::call_once(made[slot], [&] {
    const numeric::FloatFormat &format = *numeric::factsOf(kind).format;
    double *table = new double[size_t(1) << format.bits()];
    for (unsigned code = 0; code != 1u << format.bits(); ++code)
      table[code] = numeric::decode(format, code);
    tables[slot] = table;
  });
  return tables[slot];
}

template <typename T> static T read(const void *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

double decodeElement(DType dtype, const void *bytes) {
  switch (dtype.scalarKind()) {
  case ScalarKind::Int1:
    return read<uint8_t>(bytes) != 0;
  case ScalarKind::Int8:
    return read<int8_t>(bytes);
  case ScalarKind::Int16:
    return read<int16_t>(bytes);
  case ScalarKind::Int32:
    return read<int32_t>(bytes);
  case ScalarKind::Int64:
    return static_cast<double>(read<int64_t>(bytes));
  case ScalarKind::UInt8:
    return read<uint8_t>(bytes);
  case ScalarKind::UInt16:
    return read<uint16_t>(bytes);
  case ScalarKind::UInt32:
    return read<uint32_t>(bytes);
  case ScalarKind::UInt64:
    return static_cast<double>(read<uint64_t>(bytes));
  case ScalarKind::Float32:
    return read<float>(bytes);
  case ScalarKind::Float64:
    return read<double>(bytes);
  default:
    GL_CHECK(dtype.isFloat());
    return decodeTable(
        dtype.scalarKind())[dtype.byteSize() == 2 ? read<uint16_t>(bytes) : read<uint8_t>(bytes)];
  }
}

/// A C cast of a double that is out of range is undefined; here it saturates, then wraps.
static int64_t toInteger(double value) {
  if (std::isnan(value))
    return 0;
  if (value >= 9223372036854775808.0)
    return value >= 18446744073709551615.0 ? -1
                                           : static_cast<int64_t>(static_cast<uint64_t>(value));
  if (value < -9223372036854775808.0)
    return INT64_MIN;
  return static_cast<int64_t>(value);
}

void encodeInteger(DType dtype, int64_t value, void *bytes) {
  if (dtype.isBool()) {
    uint8_t truth = value != 0;
    std::memcpy(bytes, &truth, 1);
    return;
  }
  // Little-endian: the low bytes come first.
  std::memcpy(bytes, &value, dtype.byteSize());
}

int64_t decodeInteger(DType dtype, const void *bytes) {
  switch (dtype.scalarKind()) {
  case ScalarKind::Int1:
    return read<uint8_t>(bytes) != 0;
  case ScalarKind::Int8:
    return read<int8_t>(bytes);
  case ScalarKind::Int16:
    return read<int16_t>(bytes);
  case ScalarKind::Int32:
    return read<int32_t>(bytes);
  case ScalarKind::UInt8:
    return read<uint8_t>(bytes);
  case ScalarKind::UInt16:
    return read<uint16_t>(bytes);
  case ScalarKind::UInt32:
    return read<uint32_t>(bytes);
  default:
    return read<int64_t>(bytes);
  }
}

void encodeElement(DType dtype, double value, void *bytes) {
  if (const numeric::FloatFormat *format = numeric::factsOf(dtype.scalarKind()).format) {
    uint32_t code = numeric::encode(*format, value, numeric::Rounding::NearestEven);
    std::memcpy(bytes, &code, dtype.byteSize());
    return;
  }
  switch (dtype.scalarKind()) {
  case ScalarKind::Float64:
    std::memcpy(bytes, &value, 8);
    return;
  case ScalarKind::Float32: {
    float narrow = static_cast<float>(value);
    std::memcpy(bytes, &narrow, 4);
    return;
  }
  case ScalarKind::Int1: {
    uint8_t truth = value != 0;
    std::memcpy(bytes, &truth, 1);
    return;
  }
  default:
    encodeInteger(dtype, toInteger(value), bytes);
  }
}

} // namespace gluonc::host
