#include "ridgewatt/llm/gguf/gguf.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::llm {
namespace {

// Limits: those of the format if it has one, else chosen far above any published file.
constexpr std::uint64_t kMostKeyBytes = 65535;
constexpr std::uint64_t kMostNameBytes = 256;
constexpr std::uint64_t kMostKeys = 65536;
constexpr std::uint64_t kMostTensors = 1'000'000;
constexpr std::uint64_t kMostKept = std::uint64_t{16} << 20;  // bytes of keys and values
constexpr std::uint64_t kMostKeptText = 4096;
constexpr std::uint64_t kMostKeptNumbers = 4096;
constexpr int kMostNesting = 4;
constexpr std::uint32_t kMostDims = 4;
constexpr std::int64_t kMostElements = std::int64_t{1} << 52;
constexpr std::int64_t kDefaultAlignment = 32;
constexpr std::int64_t kMostAlignment = std::int64_t{1} << 20;
constexpr std::uint64_t kLeastTensorBytes = 24;  // name, one extent, type and offset
constexpr std::uint64_t kLeastKeyBytes = 9;      // key, type and one byte

enum GgufType : std::uint32_t {
  kU8 = 0,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kF32,
  kBool,
  kString,
  kArray,
  kU64,
  kI64,
  kF64,
};

class GgufCursor {
 public:
  GgufCursor(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  [[noreturn]] void fail(std::string_view what) const {
    throw InputError(fmt::format("{} (byte {} of a GGUF header)", what, at_), file_,
                     "download or convert the file again");
  }
  std::uint64_t left() const { return bytes_.size() - at_; }
  std::uint64_t at() const { return at_; }

  template <typename T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  // Lengths and counts have 64 bits; in version 1 they had 32.
  void narrow_lengths() { narrow_ = true; }
  std::uint64_t length() { return narrow_ ? number<std::uint32_t>() : number<std::uint64_t>(); }
  std::uint64_t length_bytes() const {
    return narrow_ ? sizeof(std::uint32_t) : sizeof(std::uint64_t);
  }
  std::string_view text(std::uint64_t most, const char* what) {
    const auto size = length();
    if (size > most) fail(fmt::format("{} has {} bytes, at most {} are allowed", what, size, most));
    return take(size);
  }
  std::string_view take(std::uint64_t size) {
    if (size > left()) fail("is cut off");
    const std::string_view taken = bytes_.substr(at_, size);
    at_ += size;
    return taken;
  }
  // Reads a count of elements that follow, each of which takes at least `least` bytes.
  std::uint64_t count(std::uint64_t least, std::uint64_t most, const char* what) {
    const auto value = length();
    if (value > most || value > left() / least) {
      fail(fmt::format("cannot be complete, because its header states {} {}", value, what));
    }
    return value;
  }

  // The width of a type of fixed size, or 0 for other types.
  std::uint64_t width(std::uint32_t type) const {
    switch (type) {
      case kU8:
      case kI8:
      case kBool:
        return 1;
      case kU16:
      case kI16:
        return 2;
      case kU32:
      case kI32:
      case kF32:
        return 4;
      case kU64:
      case kI64:
      case kF64:
        return 8;
      case kString:
      case kArray:
        return 0;
      default:
        fail(fmt::format("a metadata value has the unknown type {}", type));
    }
  }

  GgufValue scalar(std::uint32_t type) {
    switch (type) {
      case kU8:
        return std::int64_t{number<std::uint8_t>()};
      case kI8:
        return std::int64_t{number<std::int8_t>()};
      case kU16:
        return std::int64_t{number<std::uint16_t>()};
      case kI16:
        return std::int64_t{number<std::int16_t>()};
      case kU32:
        return std::int64_t{number<std::uint32_t>()};
      case kI32:
        return std::int64_t{number<std::int32_t>()};
      case kU64:
        return std::bit_cast<std::int64_t>(number<std::uint64_t>());
      case kI64:
        return number<std::int64_t>();
      case kF32:
        return static_cast<double>(number<float>());
      case kF64:
        return number<double>();
      default:  // kBool
        return std::int64_t{number<std::uint8_t>() != 0};
    }
  }

  // Reads the next array. Long arrays and arrays of other elements than integers are skipped.
  std::vector<std::int64_t> array(int depth) {
    if (depth > kMostNesting) fail("metadata arrays are nested too deeply");
    const auto type = number<std::uint32_t>();
    const std::uint64_t size = width(type);
    const std::uint64_t least_array = sizeof(std::uint32_t) + length_bytes();
    const std::uint64_t least = size > 0 ? size : type == kString ? length_bytes() : least_array;
    const std::uint64_t length = count(least, left(), "elements of an array");
    std::vector<std::int64_t> kept;
    if (size > 0 && type != kF32 && type != kF64 && length <= kMostKeptNumbers) {
      kept.reserve(length);
      for (std::uint64_t i = 0; i < length; ++i) kept.push_back(std::get<0>(scalar(type)));
    } else if (size > 0) {
      take(length * size);  // count() has checked that this does not overflow
    } else {
      for (std::uint64_t i = 0; i < length; ++i) {
        if (type == kString) {
          text(left(), "text");
        } else {
          array(depth + 1);
        }
      }
    }
    return kept;
  }

 private:
  std::string_view bytes_;
  const std::string& file_;
  std::uint64_t at_ = 0;
  bool narrow_ = false;
};

// Reads a value. Empty if the value is not kept.
std::optional<GgufValue> read_value(GgufCursor& cursor) {
  const auto type = cursor.number<std::uint32_t>();
  if (cursor.width(type) > 0) return cursor.scalar(type);
  if (type == kString) {
    const std::string_view text = cursor.text(cursor.left(), "text");
    if (text.size() > kMostKeptText) return std::nullopt;
    return std::string(text);
  }
  auto numbers = cursor.array(1);
  if (numbers.empty()) return std::nullopt;
  return numbers;
}

void read_values(GgufCursor& cursor, std::uint64_t count, GgufHeader& header) {
  std::unordered_set<std::string_view> seen;
  std::uint64_t kept = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string_view key = cursor.text(kMostKeyBytes, "key");
    if (key.empty()) cursor.fail("has a metadata key without a name");
    if (!seen.insert(key).second) {
      cursor.fail("the metadata has the same key twice: " +
                  escape_terminal(key.substr(0, kMostNameBytes)));
    }
    auto value = read_value(cursor);
    if (!value) continue;
    kept += key.size() + sizeof(GgufValue);
    if (const auto* text = std::get_if<std::string>(&*value)) kept += text->size();
    if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&*value)) {
      kept += numbers->size() * sizeof(std::int64_t);
    }
    if (kept > kMostKept) cursor.fail("the metadata is larger than 16 MiB");
    header.values.emplace(key, std::move(*value));
  }
}

GgufTensor read_tensor(GgufCursor& cursor) {
  GgufTensor tensor;
  tensor.name = cursor.text(kMostNameBytes, "name of a tensor");
  const std::string shown = "'" + escape_terminal(tensor.name) + "'";
  if (tensor.name.empty()) cursor.fail("has a tensor without a name");
  const auto dims = cursor.number<std::uint32_t>();
  if (dims < 1 || dims > kMostDims) {
    cursor.fail(fmt::format("tensor {} has {} dimensions, but only 1 to {} are allowed", shown,
                            dims, kMostDims));
  }
  std::int64_t elements = 1;
  for (std::uint32_t i = 0; i < dims; ++i) {
    const auto extent = cursor.length();
    if (extent < 1 || extent > static_cast<std::uint64_t>(kMostElements / elements)) {
      cursor.fail(
          fmt::format("tensor {} has the impossible size {} in one dimension", shown, extent));
    }
    elements *= static_cast<std::int64_t>(extent);
    tensor.shape.push_back(static_cast<std::int64_t>(extent));
  }
  const auto id = cursor.number<std::uint32_t>();
  const auto type = stored_type_of_gguf(id);
  if (!type) cursor.fail(fmt::format("tensor {} has the unknown or obsolete type {}", shown, id));
  tensor.type = *type;
  const StoredTypeFacts& facts = facts_of(*type);
  if (tensor.shape.front() % facts.elements != 0) {
    cursor.fail(fmt::format("the rows of tensor {} are not a whole number of {} blocks", shown,
                            facts.name));
  }
  std::reverse(tensor.shape.begin(), tensor.shape.end());
  tensor.bytes = stored_bytes(*type, elements);
  tensor.offset = cursor.number<std::uint64_t>();
  return tensor;
}

// Checks that the data of all tensors is inside the file and does not overlap.
void check_places(const GgufCursor& cursor, const GgufHeader& header, std::uint64_t data_bytes,
                  std::uint64_t alignment) {
  std::vector<const GgufTensor*> order;
  std::unordered_set<std::string_view> names;
  for (const GgufTensor& tensor : header.tensors) {
    order.push_back(&tensor);
    if (!names.insert(tensor.name).second) {
      cursor.fail("the file has the same tensor twice: " + escape_terminal(tensor.name));
    }
  }
  std::sort(order.begin(), order.end(),
            [](const auto* a, const auto* b) { return a->offset < b->offset; });
  std::uint64_t end = 0;
  for (const GgufTensor* tensor : order) {
    const std::string shown = "'" + escape_terminal(tensor->name) + "'";
    if (tensor->offset % alignment != 0) cursor.fail("tensor " + shown + " is not aligned");
    if (tensor->offset < end) cursor.fail("tensor " + shown + " overlaps another tensor");
    const auto bytes = static_cast<std::uint64_t>(tensor->bytes);
    if (tensor->offset > data_bytes || bytes > data_bytes - tensor->offset) {
      cursor.fail("the file is cut off: tensor " + shown + " ends beyond its end");
    }
    end = tensor->offset + bytes;
  }
}

}  // namespace

std::optional<std::int64_t> GgufHeader::integer(std::string_view key) const {
  const auto found = values.find(key);
  if (found == values.end()) return std::nullopt;
  const auto* number = std::get_if<std::int64_t>(&found->second);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

std::string GgufHeader::text(std::string_view key) const {
  const auto found = values.find(key);
  if (found == values.end()) return "";
  const auto* text = std::get_if<std::string>(&found->second);
  return text == nullptr ? "" : *text;
}

std::vector<std::int64_t> GgufHeader::integers(std::string_view key) const {
  const auto found = values.find(key);
  if (found == values.end()) return {};
  if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&found->second)) {
    return *numbers;
  }
  const auto number = integer(key);
  return number ? std::vector<std::int64_t>{*number} : std::vector<std::int64_t>{};
}

GgufHeader parse_gguf(std::string_view bytes, const std::string& file) {
  GgufCursor cursor(bytes, file);
  if (cursor.take(4) != "GGUF") throw InputError("is not a GGUF file", file);
  GgufHeader header;
  header.version = cursor.number<std::uint32_t>();
  if (header.version == 1) cursor.narrow_lengths();
  if (header.version < 1 || header.version > 3) {
    cursor.fail(fmt::format("GGUF version {} is not supported, only 1 to 3{}", header.version,
                            header.version >= 1U << 24 ? ", little-endian" : ""));
  }
  const auto tensors = cursor.count(kLeastTensorBytes, kMostTensors, "tensors");
  const auto keys = cursor.count(kLeastKeyBytes, kMostKeys, "keys");
  read_values(cursor, keys, header);
  for (std::uint64_t i = 0; i < tensors; ++i) header.tensors.push_back(read_tensor(cursor));
  const std::int64_t alignment = header.integer("general.alignment").value_or(kDefaultAlignment);
  if (alignment < 1 || alignment > kMostAlignment ||
      !std::has_single_bit(static_cast<std::uint64_t>(alignment))) {
    cursor.fail(
        fmt::format("general.alignment is {}, but must be an allowed power of two", alignment));
  }
  const auto step = static_cast<std::uint64_t>(alignment);
  header.header_bytes = (cursor.at() + step - 1) / step * step;
  const std::uint64_t data =
      bytes.size() > header.header_bytes ? bytes.size() - header.header_bytes : 0;
  check_places(cursor, header, data, step);
  return header;
}

}  // namespace ridgewatt::llm
