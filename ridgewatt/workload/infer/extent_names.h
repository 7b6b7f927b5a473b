// Interprets the names of symbolic extents. Recognizes the batch, sums of other extents, and the
// token lengths of attention (total = past + new tokens). Internal to the module.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridgewatt::workload {

using ExtentValues = std::map<std::string, std::int64_t>;

bool names_batch(std::string_view name);   // "batch", "batch_size", "N"
bool names_side(std::string_view name);    // "height", "w": side of an image
bool names_past(std::string_view name);    // "past_sequence_length": tokens in the cache
bool names_total(std::string_view name);   // "total_seq_len": tokens in the cache plus new tokens
bool names_tokens(std::string_view name);  // "sequence_length", "seq_len": new tokens

// True if the name is a sum or product of names and numbers: "past_sequence_length + 1".
bool is_expression(std::string_view name);
// Evaluates an expression of names. Empty for another text, or if a name has no value.
std::optional<std::int64_t> evaluate_extent(std::string_view name, const ExtentValues& values);

// The lengths that a model names if it generates token by token.
struct TokenLengths {
  std::string past, total, tokens;           // Names. Empty: not named.
  std::optional<std::int64_t> fixed_tokens;  // number of new tokens, if the file fixes it

  // True if all three lengths exist, so that one length follows from the others.
  bool related() const {
    return !past.empty() && !total.empty() && (fixed_tokens || !tokens.empty());
  }
};

// Makes past, total and new tokens consistent: a length that is neither given nor fixed follows
// from the other two. `given` holds the user's values; `values` has a value for each name. Throws
// UsageError if the given values contradict each other.
void relate_lengths(const TokenLengths& lengths, const ExtentValues& given, ExtentValues& values);

}  // namespace ridgewatt::workload
