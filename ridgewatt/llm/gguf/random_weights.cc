#include "ridgewatt/llm/gguf/random_weights.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "ridgewatt/base/error.h"

namespace ridgewatt::llm {
namespace {

// 16 bits of a block that are fixed or only partly random.
struct Field {
  int offset = -1;  // in bytes; -1: none
  std::uint16_t random = 0, value = 0;
};

struct BlockRow {
  StoredType type;
  std::array<Field, 2> fields;
};

constexpr double kWeight = 0.02;

// The bits of a positive FP16 number below 2.
constexpr std::uint16_t half(double value) {
  int exponent = 15;
  while (value < 1 && exponent > 1) {
    value *= 2;
    --exponent;
  }
  const bool normal = value >= 1;
  const int halves = static_cast<int>((normal ? value - 1 : value) * 2048);
  const int fraction = (halves + 1) / 2;
  return static_cast<std::uint16_t>(((normal ? exponent : 0) << 10) + fraction);
}

constexpr Field scale(int offset, double levels) {
  return {offset, 0, half(kWeight / levels)};
}

constexpr std::uint16_t kNegative = 0x8000;
// Sign and fraction are random. The exponent is that of 1/64.
constexpr Field kBrain = {0, 0x807F, 0x3C80};

// Offsets of scales: ggml-common.h. The second argument of scale() is the standard deviation of the
// numbers that the scale multiplies. For a minimum, it is this deviation divided by the mean
// number, which the minimum offsets.
constexpr BlockRow kBlocks[] = {
    {StoredType::kF32, {{{2, kBrain.random, kBrain.value}}}},
    {StoredType::kF16, {{{0, 0x83FF, 0x2400}}}},
    {StoredType::kBf16, {{kBrain}}},
    {StoredType::kQ80, {{scale(0, 74)}}},
    {StoredType::kQ50, {{scale(0, 9.2)}}},
    {StoredType::kQ51, {{scale(0, 9.2), {2, 0, half(kWeight / 9.2 * 15.5) | kNegative}}}},
    {StoredType::kQ40, {{scale(0, 4.6)}}},
    {StoredType::kQ41, {{scale(0, 4.6), {2, 0, half(kWeight / 4.6 * 7.5) | kNegative}}}},
    {StoredType::kQ2K, {{scale(80, 14), scale(82, 14 / 1.5)}}},
    {StoredType::kQ3K, {{scale(108, 43)}}},
    {StoredType::kQ4K, {{scale(0, 260), scale(2, 260 / 7.5)}}},
    {StoredType::kQ5K, {{scale(0, 530), scale(2, 530 / 15.5)}}},
    {StoredType::kQ6K, {{scale(208, 1370)}}},
    {StoredType::kIq4Nl, {{scale(0, 70)}}},
    {StoredType::kIq4Xs, {{scale(0, 1300)}}},
    {StoredType::kMxfp4, {{{0, 0xFF00, 120}}}},  // one byte of scale: 2^-8 of twice the values
};
constexpr BlockRow kVector = {StoredType::kF32, {{{2, 0x007F, 0x3F00}}}};  // 0.5 to 1

const BlockRow& block_row(StoredType type, bool vector) {
  if (vector && type == StoredType::kF32) return kVector;
  for (const BlockRow& row : kBlocks) {
    if (row.type == type) return row;
  }
  throw NotSupportedError("cannot generate weights of this type", std::string(facts_of(type).name));
}

// The bits of eight blocks, which fill whole 64-bit words.
std::vector<std::uint64_t> pattern(const BlockRow& row, std::uint16_t Field::*part,
                                   std::uint8_t elsewhere) {
  constexpr int kBlocksOfPattern = 8;
  const int block = facts_of(row.type).bytes;
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(block * kBlocksOfPattern), elsewhere);
  for (int i = 0; i < kBlocksOfPattern; ++i) {
    for (const Field& field : row.fields) {
      if (field.offset < 0) continue;
      std::memcpy(&bytes[static_cast<std::size_t>(i * block + field.offset)], &(field.*part), 2);
    }
  }
  std::vector<std::uint64_t> words(bytes.size() / sizeof(std::uint64_t));
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

}  // namespace

void RandomWeights::fill(StoredType type, bool vector, std::uint64_t bytes,
                         const std::function<void(std::string_view)>& take) {
  constexpr std::size_t kPartWords = std::size_t{1} << 16;
  const BlockRow& row = block_row(type, vector);
  const auto random = pattern(row, &Field::random, 0xFF), fixed = pattern(row, &Field::value, 0);
  std::vector<std::uint64_t> part(kPartWords);
  std::size_t at = 0;
  while (bytes > 0) {
    for (std::uint64_t& word : part) {
      word = (random_.next() & random[at]) | fixed[at];
      if (++at == random.size()) at = 0;
    }
    const auto count = std::min<std::uint64_t>(bytes, kPartWords * sizeof(std::uint64_t));
    take({reinterpret_cast<const char*>(part.data()), static_cast<std::size_t>(count)});
    bytes -= count;
  }
}

}  // namespace ridgewatt::llm
