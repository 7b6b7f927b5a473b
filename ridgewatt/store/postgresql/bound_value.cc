// Parameters in PostgreSQL's binary format: big-endian numbers, and arrays of numbers or texts
// (src/backend/utils/adt/arrayfuncs.c, array_recv).
#include <bit>

#include "ridgewatt/store/postgresql/session.h"

namespace ridgewatt::store {
namespace {

// Type numbers (OIDs) from the catalog pg_type.
constexpr unsigned kInt8 = 20;
constexpr unsigned kText = 25;
constexpr unsigned kFloat8 = 701;
constexpr unsigned kTextArray = 1009;
constexpr unsigned kInt8Array = 1016;
constexpr unsigned kFloat8Array = 1022;

void put_number(std::string& bytes, std::uint64_t number, int length) {
  for (int shift = 8 * (length - 1); shift >= 0; shift -= 8) {
    bytes += static_cast<char>((number >> shift) & 0xFF);
  }
}

std::string bytes_of(std::int64_t number) {
  std::string bytes;
  put_number(bytes, static_cast<std::uint64_t>(number), 8);
  return bytes;
}

std::string bytes_of(double number) {
  return bytes_of(std::bit_cast<std::int64_t>(number));
}

std::string bytes_of(const std::string& text) {
  return text;
}

template <typename Element>
BoundValue array_of(unsigned type, unsigned element_type, const std::vector<Element>& values) {
  BoundValue result{type, {}, false};
  put_number(result.bytes, values.empty() ? 0 : 1, 4);  // number of dimensions
  put_number(result.bytes, 0, 4);                       // the array contains no nulls
  put_number(result.bytes, element_type, 4);
  if (values.empty()) return result;
  put_number(result.bytes, values.size(), 4);
  put_number(result.bytes, 1, 4);  // index of the first element
  for (const auto& value : values) {
    const std::string bytes = bytes_of(value);
    put_number(result.bytes, bytes.size(), 4);
    result.bytes += bytes;
  }
  return result;
}

}  // namespace

BoundValue bound(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return {kInt8, bytes_of(*integer), false};
  }
  if (const auto* real = std::get_if<double>(&value)) return {kFloat8, bytes_of(*real), false};
  if (const auto* text = std::get_if<std::string>(&value)) return {kText, *text, false};
  return {0, {}, true};
}

BoundValue bound_reals(const std::vector<double>& values) {
  return array_of(kFloat8Array, kFloat8, values);
}

BoundValue bound_integers(const std::vector<std::int64_t>& values) {
  return array_of(kInt8Array, kInt8, values);
}

BoundValue bound_texts(const std::vector<std::string>& values) {
  return array_of(kTextArray, kText, values);
}

}  // namespace ridgewatt::store
