// Reads results of aiperf and of its predecessor genai-perf: profile_export_aiperf.json and .csv
// (statistics of a whole run) and profile_export.jsonl (a line per request, with times since 1970).
// https://docs.nvidia.com/aiperf/reference/json-export-schema
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/csv.h"
#include "ridgewatt/measure/tokens/result_fields.h"

namespace ridgewatt::measure {
namespace {

// Returns the factor that converts a time in this unit to seconds.
double seconds_per(const std::string& unit, const std::string& where) {
  if (unit == "ms") return 1e-3;
  if (unit == "us") return 1e-6;
  if (unit == "ns") return 1e-9;
  if (unit == "s" || unit == "sec" || unit == "seconds") return 1;
  throw InputError(fmt::format("'{}' is not a unit of time", unit.substr(0, 20)), where);
}

std::optional<TokenTime> time_metric(const ResultFields& all, const char* name) {
  if (!all.has(name)) return std::nullopt;
  const ResultFields metric = all.at(name);
  const auto mean = metric.number("avg");
  if (!mean) return std::nullopt;
  const double scale = seconds_per(metric.text("unit"), metric.where());
  const auto scaled = [&](const char* field) {
    auto value = metric.number(field);
    if (value) *value *= scale;
    return value;
  };
  return TokenTime{*mean * scale, scaled("std"), scaled("p50"), scaled("p90"), scaled("p99")};
}

std::optional<double> plain_metric(const ResultFields& all, const char* name) {
  return all.at(name).number("avg");
}

std::string first_text(const Json* list) {
  if (list == nullptr) return "";
  if (list->is_string()) return list->get<std::string>().substr(0, 200);
  if (!list->is_array() || list->empty() || !list->front().is_string()) return "";
  return list->front().get<std::string>().substr(0, 200);
}

// Adds model and concurrency. Their place in the file depends on the version of aiperf.
void add_configuration(const ResultFields& all, TokenRun& run) {
  for (const char* place : {"input_config", "config"}) {
    const ResultFields config = all.at(place);
    const ResultFields endpoint = config.at("endpoint");
    for (const Json* names :
         {endpoint.find("model_names"), config.find("model_names"), config.find("model")}) {
      if (run.model.empty()) run.model = first_text(names);
    }
    for (const auto& options : {config.at("loadgen"), config.at("perf_analyzer").at("stimulus")}) {
      const Json* found = options.find("concurrency");
      if (found != nullptr && found->is_number()) {
        run.concurrency = checked_number(*found, "concurrency", options.where());
      }
    }
  }
  run.quantization = quantization_named(run.model);
}

// Splits "Time to First Token (ms)" into the key "time_to_first_token" and the unit "ms".
std::pair<std::string, std::string> metric_key(const std::string& title) {
  const auto open = title.rfind(" (");
  std::string unit =
      open == std::string::npos ? "" : title.substr(open + 2, title.size() - open - 3);
  std::string key = lower_case(title.substr(0, open));
  std::replace(key.begin(), key.end(), ' ', '_');
  return {key, unit};
}

std::optional<double> metric_value(const ResultFields& metrics, const char* name,
                                   bool time = false) {
  if (!metrics.has(name)) return std::nullopt;
  const ResultFields metric = metrics.at(name);
  auto value = metric.number("value");
  if (value && time) *value *= seconds_per(metric.text("unit"), metric.where());
  return value;
}

TokenRequest request_of(const ResultFields& line) {
  const ResultFields stamps = line.at("metadata");
  const ResultFields metrics = line.at("metrics");
  const auto begin_ns = stamps.number("request_start_ns");
  const auto end_ns = stamps.number("request_end_ns");
  if (!begin_ns || !end_ns || *end_ns < *begin_ns) line.fail("a request lacks its time stamps");
  TokenRequest request;
  request.begin_s = *begin_ns * 1e-9;
  request.end_s = *end_ns * 1e-9;
  const auto first_s = metric_value(metrics, "time_to_first_token", true);
  if (!first_s) line.fail("a request has no time to first token, because it was not streamed");
  request.first_s = request.begin_s + *first_s;
  // The time stamp of the end is slightly after the last token, at which the latency ends.
  if (const auto latency_s = metric_value(metrics, "request_latency", true)) {
    request.end_s = request.begin_s + *latency_s;
  }
  if (request.first_s > request.end_s) line.fail("the first token comes after the last");
  request.prompt_tokens = metric_value(metrics, "input_sequence_length").value_or(0);
  request.output_tokens = metric_value(metrics, "output_sequence_length")
                              .value_or(metric_value(metrics, "output_token_count").value_or(0));
  const ResultFields gaps = metrics.at("inter_chunk_latency");
  if (gaps.has("value")) {
    const double scale = seconds_per(gaps.text("unit"), gaps.where());
    request.token_times_s.push_back(request.first_s);
    for (const double gap : gaps.numbers("value")) {
      request.token_times_s.push_back(request.token_times_s.back() + gap * scale);
    }
  }
  return request;
}

}  // namespace

TokenRun aiperf_summary(const Json& json, const std::string& source) {
  const ResultFields all(json, source);
  TokenRun run;
  run.source = "aiperf";
  run.ttft = time_metric(all, "time_to_first_token");
  run.tpot = time_metric(all, "inter_token_latency");
  run.gap = time_metric(all, "inter_chunk_latency");
  run.prompt_tokens = plain_metric(all, "input_sequence_length").value_or(0);
  run.output_tokens = plain_metric(all, "output_sequence_length").value_or(0);
  run.output_tokens_per_s = plain_metric(all, "output_token_throughput");
  run.requests = static_cast<std::size_t>(plain_metric(all, "request_count").value_or(0));
  run.failed = static_cast<std::size_t>(plain_metric(all, "error_request_count").value_or(0));
  add_configuration(all, run);
  if (!run.ttft && !run.tpot && !run.output_tokens_per_s)
    all.fail("the result has neither times nor rates");
  return run;
}

// Reads sections of different widths, each with a header: "Metric,avg,min,..", then "Metric,Value".
TokenRun aiperf_csv(std::string_view text, const std::string& source) {
  Json all = Json::object();
  std::vector<std::string> header;
  std::size_t number = 0;
  for (const auto& line : split(text, '\n')) {
    ++number;
    const std::string where = fmt::format("{} line {}", source, number);
    if (trim(line).empty()) {
      header.clear();
      continue;
    }
    // Splits each line separately, because the number of columns changes, and removes quotes.
    std::vector<std::string> cells;
    for (const auto& cell : split(trim(line), ',')) {
      std::string_view plain = trim(cell);
      if (plain.size() > 1 && plain.front() == '"' && plain.back() == '"') {
        plain = plain.substr(1, plain.size() - 2);
      }
      cells.emplace_back(plain);
    }
    if (header.empty() || cells[0] == "Metric") {
      header = cells;
      continue;
    }
    if (header[0] != "Metric") continue;  // telemetry, or a section of a newer version
    if (cells.size() > header.size()) throw InputError("the row has too many fields", where);
    const auto [key, unit] = metric_key(cells[0]);
    Json metric = json_object({{"unit", unit}});
    for (std::size_t c = 1; c < cells.size(); ++c) {
      const auto value = parse_double(cells[c]);
      if (value) metric[header[c] == "Value" ? "avg" : header[c]] = *value;
    }
    all[key] = std::move(metric);
  }
  return aiperf_summary(all, source);
}

TokenRun aiperf_records(const std::vector<Json>& lines, const std::string& source) {
  TokenRun run;
  run.source = "aiperf";
  run.clock = TokenClock::kUnix;
  std::size_t number = 0;
  for (const Json& json : lines) {
    const ResultFields line(json, fmt::format("{} line {}", source, ++number));
    if (!line.has("metadata"))
      line.fail("the record is not a request of aiperf, because it lacks metadata");
    const std::string phase = line.at("metadata").text("benchmark_phase");
    if (phase == "warmup") continue;
    if (line.has("error")) {
      ++run.failed;
      continue;
    }
    run.timeline.push_back(request_of(line));
  }
  if (run.timeline.empty()) throw InputError("the file has no successful request", source);
  summarize(run);
  return run;
}

}  // namespace ridgewatt::measure
