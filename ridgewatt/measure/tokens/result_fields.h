// Fields of results that programs of others wrote: absent, or finite and within reason.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/io/json.h"
#include "ridgewatt/measure/token_runs.h"

namespace ridgewatt::measure {

// An object, or null where it is absent, with the place for messages.
class ResultFields {
 public:
  ResultFields(const Json& json, std::string where) : json_(json), where_(std::move(where)) {}

  bool has(const char* name) const { return find(name) != nullptr; }
  const Json* find(const char* name) const;  // not null
  ResultFields at(const char* name) const;   // an object; of nothing where there is none
  // At least 0 and at most 1e18; null is absent. InputError else.
  std::optional<double> number(const char* name) const;
  double number_or_zero(const char* name) const { return number(name).value_or(0); }
  std::string text(const char* name) const;             // at most 200 bytes; empty: absent
  std::vector<double> numbers(const char* name) const;  // as number(); empty: absent
  const std::string& where() const { return where_; }
  [[noreturn]] void fail(const std::string& what) const;

 private:
  const Json& json_;
  std::string where_;
};

// A number of a result: as ResultFields::number.
double checked_number(const Json& value, const std::string& name, const std::string& where);

// JSON of bounded depth; InputError where it is none.
Json parse_result_json(std::string_view text, const std::string& where);

// Mean, deviation and quantiles of at least one value.
TokenTime token_time_of(std::vector<double> values);

// The readers. `where`: file and line.
TokenRun llama_bench_test(const Json& test, const std::string& where);
std::vector<TokenRun> llama_bench_csv(std::string_view text, const std::string& source);
std::vector<TokenRun> llama_bench_table(std::string_view text, const std::string& source);
TokenRun aiperf_summary(const Json& json, const std::string& source);
TokenRun aiperf_csv(std::string_view text, const std::string& source);
// Lines of profile_export.jsonl.
TokenRun aiperf_records(const std::vector<Json>& lines, const std::string& source);
TokenRun vllm_serve(const Json& json, const std::string& source);
TokenRun vllm_latency(const Json& json, const std::string& source);

}  // namespace ridgewatt::measure
