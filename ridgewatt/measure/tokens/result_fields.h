// Reads fields of results that other programs wrote. A number is absent, or finite and in a
// plausible range.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/io/json.h"
#include "ridgewatt/measure/token_runs.h"

namespace ridgewatt::measure {

// An object of a result, or null if it is absent, with its location for messages.
class ResultFields {
 public:
  ResultFields(const Json& json, std::string where) : json_(json), where_(std::move(where)) {}

  bool has(const char* name) const { return find(name) != nullptr; }
  const Json* find(const char* name) const;  // null if the field is absent or null
  ResultFields at(const char* name) const;   // the object in the field; an empty object if absent
  // From 0 to 1e18; empty if the field is absent or null. Throws InputError for other values.
  std::optional<double> number(const char* name) const;
  double number_or_zero(const char* name) const { return number(name).value_or(0); }
  std::string text(const char* name) const;             // at most 200 bytes; empty: absent
  std::vector<double> numbers(const char* name) const;  // like number(); empty: absent
  const std::string& where() const { return where_; }
  [[noreturn]] void fail(std::string_view what) const;

 private:
  const Json& json_;
  std::string where_;
};

// Checks one number like ResultFields::number.
double checked_number(const Json& value, const std::string& name, const std::string& where);

// Parses JSON of bounded depth. Throws InputError if it is invalid.
Json parse_result_json(std::string_view text, const std::string& where);

// Mean, deviation and quantiles; `values` must not be empty.
TokenTime token_time_of(std::vector<double> values);

// The readers, one per format. `where` is file and line for messages.
TokenRun llama_bench_test(const Json& test, const std::string& where);
std::vector<TokenRun> llama_bench_csv(std::string_view text, const std::string& source);
std::vector<TokenRun> llama_bench_table(std::string_view text, const std::string& source);
TokenRun aiperf_summary(const Json& json, const std::string& source);
TokenRun aiperf_csv(std::string_view text, const std::string& source);
// For the lines of profile_export.jsonl.
TokenRun aiperf_records(const std::vector<Json>& lines, const std::string& source);
TokenRun vllm_serve(const Json& json, const std::string& source);
TokenRun vllm_latency(const Json& json, const std::string& source);

}  // namespace ridgewatt::measure
