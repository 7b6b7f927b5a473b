#include "ridgewatt/measure/tokens/result_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"

namespace ridgewatt::measure {
namespace {

constexpr double kMostResult = 1e19;  // nanoseconds since 1970 are 1.8e18
constexpr int kDeepestResult = 32;
constexpr std::size_t kLongestResultName = 200;

}  // namespace

double checked_number(const Json& value, const std::string& name, const std::string& where) {
  const double number = value.is_number() ? value.get<double>() : -1;
  if (!(number >= 0) || !(number <= kMostResult)) {
    throw InputError(name + " must be a number from 0 to 1e18", where);
  }
  return number;
}

const Json* ResultFields::find(const char* name) const {
  if (!json_.is_object()) return nullptr;
  const auto found = json_.find(name);
  return found == json_.end() || found->is_null() ? nullptr : &*found;
}

ResultFields ResultFields::at(const char* name) const {
  static const Json kNothing;
  const Json* found = find(name);
  return {found != nullptr && found->is_object() ? *found : kNothing,
          fmt::format("{}: {}", where_, name)};
}

std::optional<double> ResultFields::number(const char* name) const {
  const Json* found = find(name);
  if (found == nullptr) return std::nullopt;
  return checked_number(*found, name, where_);
}

std::string ResultFields::text(const char* name) const {
  const Json* found = find(name);
  return found != nullptr && found->is_string()
             ? found->get<std::string>().substr(0, kLongestResultName)
             : std::string();
}

std::vector<double> ResultFields::numbers(const char* name) const {
  std::vector<double> values;
  const Json* found = find(name);
  if (found == nullptr) return values;
  if (!found->is_array()) fail(fmt::format("{} must be an array", name));
  for (const Json& value : *found) values.push_back(checked_number(value, name, where_));
  return values;
}

void ResultFields::fail(std::string_view what) const {
  throw InputError(what, where_);
}

Json parse_result_json(std::string_view text, const std::string& where) {
  const auto shallow = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > kDeepestResult) throw InputError("is nested too deeply", where);
    return true;
  };
  Json json = Json::parse(text, shallow, false);
  if (json.is_discarded()) throw InputError("is not JSON, or is cut off", where);
  return json;
}

TokenTime token_time_of(std::vector<double> values) {
  TokenTime time;
  time.mean_s = mean(values);
  if (values.size() < 2) return time;
  time.deviation_s = standard_deviation(values);
  time.median_s = median(values);
  time.p90_s = quantile(values, 0.9);
  time.p99_s = quantile(values, 0.99);
  return time;
}

}  // namespace ridgewatt::measure
