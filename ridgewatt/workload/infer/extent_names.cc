#include "ridgewatt/workload/infer/extent_names.h"

#include <algorithm>
#include <array>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {
namespace {

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

bool names_length(const std::string& lower) {
  return (holds(lower, "seq") || holds(lower, "len")) && !is_expression(lower);
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(without_blanks(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

bool names_batch(std::string_view name) {
  const std::string lower = lower_case(name);
  constexpr std::array<std::string_view, 5> kExact = {"n", "b", "bs", "bsz", "num_samples"};
  return holds(lower, "batch") || contains(kExact, lower);
}

bool names_side(std::string_view name) {
  const std::string lower = lower_case(name);
  return lower == "h" || lower == "w" || holds(lower, "height") || holds(lower, "width");
}

bool names_past(std::string_view name) {
  const std::string lower = lower_case(name);
  return holds(lower, "past") && names_length(lower);
}

bool names_total(std::string_view name) {
  const std::string lower = lower_case(name);
  return holds(lower, "total") && names_length(lower) && !holds(lower, "past");
}

bool names_tokens(std::string_view name) {
  const std::string lower = lower_case(name);
  for (const char* other : {"past", "total", "max", "encod", "cross", "batch", "num_"}) {
    if (holds(lower, other)) return false;
  }
  return holds(lower, "seq") && !is_expression(lower);
}

bool is_expression(std::string_view name) {
  return name.find('+') != std::string_view::npos || name.find('*') != std::string_view::npos;
}

std::optional<std::int64_t> evaluate_extent(std::string_view name, const ExtentValues& values) {
  if (!is_expression(name)) return std::nullopt;
  std::int64_t sum = 0;
  for (const std::string_view term : parts_of(name, '+')) {
    std::int64_t product = 1;
    for (const std::string_view factor : parts_of(term, '*')) {
      const auto known = values.find(std::string(factor));
      const auto number = known != values.end() ? known->second : parse_int(factor);
      if (!number || *number < 0) return std::nullopt;
      product = multiply_extents(product, *number);
    }
    sum = add_extents(sum, product);
  }
  return sum;
}

void relate_lengths(const TokenLengths& lengths, const ExtentValues& given, ExtentValues& values) {
  if (!lengths.related()) return;
  const auto is_given = [&](const std::string& name) { return given.contains(name); };
  const bool tokens_free = !lengths.fixed_tokens && !is_given(lengths.tokens);
  std::int64_t tokens = lengths.fixed_tokens ? *lengths.fixed_tokens : values.at(lengths.tokens);
  std::int64_t& past = values.at(lengths.past);
  std::int64_t& total = values.at(lengths.total);
  if (!is_given(lengths.total)) {
    total = add_extents(past, tokens);
    return;
  }
  if (!is_given(lengths.past)) {
    past = total - tokens;
  } else if (tokens_free && total > past) {
    tokens = values.at(lengths.tokens) = total - past;
  }
  if (past < 0 || past + tokens != total) {
    throw UsageError(lengths.total + " = " + std::to_string(total) +
                         " is not the sum of past and "
                         "new tokens",
                     "--dim",
                     past < 0 ? "there are " + std::to_string(tokens) + " new tokens"
                              : lengths.past + " = " + std::to_string(past) + " and there are " +
                                    std::to_string(tokens) + " new tokens");
  }
}

}  // namespace ridgewatt::workload
