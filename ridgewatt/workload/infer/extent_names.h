// Interprets the names of symbolic extents: which are the batch, which are sums of others, and that
// the tokens that attention uses are one quantity (total = past + sequence). Internal to the
// module.
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
bool names_past(std::string_view name);    // "past_sequence_length": tokens in the cache
bool names_total(std::string_view name);   // "total_seq_len": tokens in the cache and new ones
bool names_tokens(std::string_view name);  // "sequence_length", "seq_len": new ones

// Whether the name is a sum or product of others and numbers: "past_sequence_length + 1".
bool is_expression(std::string_view name);
// Its value; empty if it is not an expression or a name in it has no value.
std::optional<std::int64_t> evaluate_extent(std::string_view name, const ExtentValues& values);

// The lengths of a model that generates token by token, if it names them.
struct TokenLengths {
  std::string past, total, tokens;           // empty: not named
  std::optional<std::int64_t> fixed_tokens;  // if the file has a number for them

  // All three exist, so the total follows from the others.
  bool related() const {
    return !past.empty() && !total.empty() && (fixed_tokens || !tokens.empty());
  }
};

// Makes past, total and tokens agree: the one that was neither given nor fixed follows from the
// others. `given` are the user's; `values` has a value for each name. Throws UsageError if the
// given values contradict each other.
void relate_lengths(const TokenLengths& lengths, const ExtentValues& given, ExtentValues& values);

}  // namespace ridgewatt::workload
