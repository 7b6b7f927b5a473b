// What the names of symbolic extents say: which are the batch, which are sums of others, and that
// the tokens that attention looks back on are one quantity (total = past + sequence). Inside the
// room only.
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
// Its value; nothing when it is not one or a name in it has no value.
std::optional<std::int64_t> evaluate_extent(std::string_view name, const ExtentValues& values);

// The lengths of a model that generates token by token, as far as it names them.
struct TokenLengths {
  std::string past, total, tokens;           // empty: not named
  std::optional<std::int64_t> fixed_tokens;  // where the file has a number for them

  // All three are there, so that the total follows from the others.
  bool related() const {
    return !past.empty() && !total.empty() && (fixed_tokens || !tokens.empty());
  }
};

// Makes past, total and tokens agree: whichever was neither given nor fixed follows from the
// others. `given` are the user's; `values` has a value for each name. Throws UsageError where what
// the user gave contradicts itself.
void relate_lengths(const TokenLengths& lengths, const ExtentValues& given, ExtentValues& values);

}  // namespace ridgewatt::workload
