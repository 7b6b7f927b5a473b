// Reads the wire format of protocol buffers in place. No message is built and no byte is copied, so
// models larger than memory (and than protobuf's limit of 2 GB) can be read.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "ridgewatt/base/error.h"

namespace ridgewatt::workload {

// Iterates over the fields of a message. Unknown fields are skipped. Throws InputError if the bytes
// end early.
//
//   for (WireReader in(bytes); in.next();) switch (in.field()) { case 1: use(in.bytes()); ... }
class WireReader {
 public:
  explicit WireReader(std::string_view message)
      : next_(message.data()), end_(message.data() + message.size()) {}

  // Advances to the next field. Returns false at the end.
  bool next() {
    if (next_ == end_) return false;
    const std::uint64_t tag = varint();
    if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff) fail();
    field_ = static_cast<int>(tag >> 3);
    type_ = static_cast<int>(tag & 7);
    switch (type_) {
      case 0:
        number_ = varint();
        return true;
      case 1:
        content_ = take(8);
        return true;
      case 2:
        content_ = take(varint());
        return true;
      case 5:
        content_ = take(4);
        return true;
      default:  // groups do not occur in ONNX
        fail();
    }
  }

  int field() const { return field_; }

  std::int64_t integer() const {
    if (type_ != 0) fail();
    return static_cast<std::int64_t>(number_);
  }
  // Content of a field of type string, bytes or message.
  std::string_view bytes() const {
    if (type_ != 2) fail();
    return content_;
  }
  float real() const {
    if (type_ != 5) fail();
    float value = 0;
    std::memcpy(&value, content_.data(), sizeof value);
    return value;
  }

  // Calls each(value) for every value of a repeated scalar field, packed or not.
  template <typename Each>
  void integers(Each each) const {
    if (type_ == 0) {
      each(static_cast<std::int64_t>(number_));
      return;
    }
    if (type_ != 2) fail();
    WireReader packed(content_);
    while (packed.next_ != packed.end_) each(static_cast<std::int64_t>(packed.varint()));
  }
  // `Real` must be float or double.
  template <typename Real, typename Each>
  void reals(Each each) const {
    const bool single = type_ == (sizeof(Real) == 4 ? 5 : 1);
    if ((!single && type_ != 2) || content_.size() % sizeof(Real) != 0) fail();
    for (std::size_t at = 0; at < content_.size(); at += sizeof(Real)) {
      Real value = 0;
      std::memcpy(&value, content_.data() + at, sizeof value);
      each(value);
    }
  }

 private:
  [[noreturn]] static void fail() { throw InputError("the ONNX data is malformed or cut off"); }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (next_ == end_) fail();
      const auto byte = static_cast<unsigned char>(*next_++);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail();
  }
  std::string_view take(std::uint64_t size) {
    if (size > static_cast<std::uint64_t>(end_ - next_)) fail();
    const std::string_view taken(next_, size);
    next_ += size;
    return taken;
  }

  const char* next_;
  const char* end_;
  int field_ = 0;
  int type_ = 0;
  std::uint64_t number_ = 0;
  std::string_view content_;
};

}  // namespace ridgewatt::workload
