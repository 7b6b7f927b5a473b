#include "ridgewatt/measure/token_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/csv.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/measure/tokens/result_fields.h"

namespace ridgewatt::measure {
namespace {

constexpr std::size_t kMostResultBytes = std::size_t{256} << 20;
constexpr char kKnownResults[] =
    "give a result of llama-bench (-o json, jsonl, csv, md), aiperf, genai-perf, `vllm bench "
    "serve` or `vllm bench latency`";

std::vector<TokenRun> runs_of_object(const Json& json, const std::string& source) {
  if (json.contains("avg_ns")) return {llama_bench_test(json, source)};
  if (json.contains("metadata") && json.contains("metrics")) {
    return {aiperf_records({json}, source)};
  }
  if (json.contains("latencies")) return {vllm_latency(json, source)};
  if (json.contains("completed")) return {vllm_serve(json, source)};
  for (const char* metric : {"time_to_first_token", "request_latency", "output_token_throughput"}) {
    if (json.contains(metric)) return {aiperf_summary(json, source)};
  }
  throw InputError("is not a result of a known program", source, kKnownResults);
}

std::vector<TokenRun> runs_of_lines(std::string_view text, const std::string& source) {
  std::vector<Json> lines;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trim(text.substr(at, end - at));
    at = end + 1;
    ++number;
    if (line.empty()) continue;
    lines.push_back(parse_result_json(line, fmt::format("{} line {}", source, number)));
    if (!lines.back().is_object()) {
      throw InputError("is not a JSON object", fmt::format("{} line {}", source, number),
                       kKnownResults);
    }
  }
  if (lines.size() > 1 && lines[0].contains("metadata")) return {aiperf_records(lines, source)};
  std::vector<TokenRun> runs;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (auto& run : runs_of_object(lines[i], fmt::format("{} line {}", source, i + 1))) {
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

std::vector<TokenRun> runs_of_json(std::string_view text, const std::string& source) {
  // If the first line is a whole object and more lines follow, each line is one result.
  const auto line_end = text.find('\n');
  const std::string_view first = trim(text.substr(0, line_end));
  const bool lines = first.size() > 1 && first.front() == '{' && first.back() == '}' &&
                     line_end != std::string_view::npos;
  if (lines) return runs_of_lines(text, source);
  const Json json = parse_result_json(text, source);
  if (json.is_object()) return runs_of_object(json, source);
  std::vector<TokenRun> runs;
  for (std::size_t i = 0; i < json.size(); ++i) {
    runs.push_back(llama_bench_test(json[i], fmt::format("{} entry {}", source, i + 1)));
  }
  return runs;
}

}  // namespace

double TokenRequest::decoded_tokens() const {
  const double first = first_s > begin_s ? 1 : 0;  // the first token comes from prefill
  return std::max(output_tokens - first, 0.0);
}

void summarize(TokenRun& run) {
  if (run.timeline.empty()) return;
  std::vector<double> first, token, gap;
  double prompts = 0, outputs = 0, reading_s = 0;
  double begin_s = run.timeline[0].begin_s, end_s = run.timeline[0].end_s;
  for (const auto& request : run.timeline) {
    begin_s = std::min(begin_s, request.begin_s);
    end_s = std::max(end_s, request.end_s);
    prompts += request.prompt_tokens;
    outputs += request.output_tokens;
    if (request.first_s > request.begin_s) {
      first.push_back(request.first_s - request.begin_s);
      reading_s += first.back();
    }
    if (request.end_s > request.first_s && request.decoded_tokens() > 0) {
      token.push_back((request.end_s - request.first_s) / request.decoded_tokens());
    }
    for (std::size_t i = 1; i < request.token_times_s.size(); ++i) {
      gap.push_back(request.token_times_s[i] - request.token_times_s[i - 1]);
    }
  }
  const auto count = static_cast<double>(run.timeline.size());
  run.requests = run.timeline.size();
  run.prompt_tokens = prompts / count;
  run.output_tokens = outputs / count;
  if (!first.empty()) run.ttft = token_time_of(first);
  if (!token.empty()) run.tpot = token_time_of(token);
  if (!gap.empty()) run.gap = token_time_of(gap);
  if (end_s > begin_s && outputs > 0) run.output_tokens_per_s = outputs / (end_s - begin_s);
  if (reading_s > 0 && prompts > 0) run.prompt_tokens_per_s = prompts / reading_s;
}

std::vector<TokenRun> parse_token_runs(std::string_view text, const std::string& source) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::string_view begin = trim(text);
  if (begin.empty()) throw InputError("is empty", source, kKnownResults);
  if (begin[0] == '{' || begin[0] == '[') {
    auto runs = runs_of_json(begin, source);
    if (runs.empty()) throw InputError("has no test of prefill or decode", source, kKnownResults);
    return runs;
  }
  const std::string_view header = begin.substr(0, begin.find('\n'));
  if (header.find("avg_ns") != std::string_view::npos) return llama_bench_csv(begin, source);
  if (header.find("Metric") < 2) return {aiperf_csv(begin, source)};
  if (begin.find("| model") != std::string_view::npos) {
    auto runs = llama_bench_table(begin, source);
    if (!runs.empty()) return runs;
  }
  throw InputError("is not a result of a known program", source, kKnownResults);
}

std::vector<TokenRun> read_token_runs(const std::string& path) {
  return parse_token_runs(read_file(path, kMostResultBytes), path);
}

std::vector<TokenRun> with_joined_phases(const std::vector<TokenRun>& runs) {
  std::vector<TokenRun> joined;
  for (const auto& prompt : runs) {
    const bool reads = prompt.source == "llama-bench" && prompt.ttft && !prompt.tpot;
    const bool writes = prompt.source == "llama-bench" && prompt.tpot && !prompt.ttft;
    if (!reads && !writes) joined.push_back(prompt);
    if (!reads || prompt.depth_tokens > 0) continue;
    const auto fits = [&](const TokenRun& other, double depth) {
      return other.source == prompt.source && other.tpot && !other.ttft &&
             other.model == prompt.model && other.quantization == prompt.quantization &&
             other.depth_tokens == depth;
    };
    const bool at_depth = std::any_of(runs.begin(), runs.end(), [&](const TokenRun& other) {
      return fits(other, prompt.prompt_tokens);
    });
    for (const auto& other : runs) {
      if (!fits(other, at_depth ? prompt.prompt_tokens : 0)) continue;
      TokenRun both = prompt;
      both.output_tokens = other.output_tokens;
      both.tpot = other.tpot;
      both.output_tokens_per_s = other.output_tokens_per_s;
      if (both.cost && other.cost) {
        both.cost->decode = other.cost->decode;
        both.cost->decoded_tokens = other.cost->decoded_tokens;
        both.cost->output_tokens = other.cost->output_tokens;
        both.cost->requests = 0;  // no request had both
      }
      both.ttft->mean_s += other.tpot->mean_s;  // prefill in llama-bench yields no token
      both.notes.push_back("the time to the first token is the time of the prompt plus one step");
      if (!at_depth) {
        both.notes.push_back(
            fmt::format("decoding was timed with an empty cache; -d {:g} times it after the prompt",
                        prompt.prompt_tokens));
      }
      joined.push_back(std::move(both));
    }
  }
  return joined;
}

std::vector<TokenRequest> requests_of(const std::vector<TimedMark>& marks, double end_s) {
  std::vector<TokenRequest> requests;
  for (const auto& span : phases_of(marks, end_s)) {
    if (span.name == "prefill") {
      requests.push_back({span.begin_s, span.end_s, span.end_s, 0, 1, {span.end_s}});
    } else if (span.name == "decode") {
      const bool answers = !requests.empty() && requests.back().end_s <= span.begin_s &&
                           requests.back().end_s == requests.back().first_s;
      if (!answers) requests.push_back({span.begin_s, span.begin_s, span.begin_s, 0, 0, {}});
      TokenRequest& request = requests.back();
      // The time between two marks belongs to the second token.
      request.end_s = span.end_s;
      for (const auto& mark : marks) {
        if (mark.kind != TimedMark::Kind::kMinibatch || mark.time_s < span.begin_s ||
            mark.time_s > span.end_s) {
          continue;
        }
        ++request.output_tokens;
        request.token_times_s.push_back(mark.time_s);
      }
    }
  }
  return requests;
}

std::vector<TokenRun> read_token_runs(const std::string& path, const std::string& power_path,
                                      const std::optional<double>& idle_w) {
  auto runs = read_token_runs(path);
  for (auto& run : runs) {
    if (power_path.empty()) break;
    if (run.timeline.empty()) {
      throw NotSupportedError(
          "the result has no time stamps, so the energy cannot be divided between prefill and "
          "decode",
          path, "give profile_export.jsonl of aiperf, or a result of vLLM with --save-detailed");
    }
    run.cost = split_energy(run.timeline, read_power_log(power_path, run.clock), idle_w);
  }
  return runs;
}

}  // namespace ridgewatt::measure
