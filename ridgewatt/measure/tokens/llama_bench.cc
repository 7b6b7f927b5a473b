// Reads results of llama-bench (tools/llama-bench of llama.cpp), one row per test. "pp" processes a
// prompt, "tg" generates tokens one by one, and "pg" does both and reports the total time.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/csv.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/llm/recipe.h"
#include "ridgewatt/measure/tokens/result_fields.h"

namespace ridgewatt::measure {
namespace {

// The values of a row, in any of its output formats.
struct BenchTest {
  std::string file, type;  // model_filename, model_type
  double prompt = 0, generated = 0, depth = 0;
  double mean_s = 0, deviation_s = 0;
  std::vector<double> samples_s;
};

TokenRun run_of(const BenchTest& test, const std::string& where) {
  if (test.prompt + test.generated <= 0) throw InputError("the test has no tokens", where);
  if (!(test.mean_s > 0)) throw InputError("the test has no time", where);
  TokenRun run;
  run.source = "llama-bench";
  run.engine = "llama.cpp";
  run.model = test.file.empty() ? test.type : file_name(test.file);
  run.quantization = quantization_named(run.model);
  if (run.quantization.empty()) run.quantization = quantization_named(test.type);
  run.prompt_tokens = test.prompt;
  run.output_tokens = test.generated;
  run.depth_tokens = test.depth;
  run.concurrency = 1;
  run.requests = std::max<std::size_t>(test.samples_s.size(), 1);
  TokenTime time = test.samples_s.empty() ? TokenTime{test.mean_s} : token_time_of(test.samples_s);
  if (test.samples_s.empty() && test.deviation_s > 0) time.deviation_s = test.deviation_s;
  if (test.prompt > 0 && test.generated > 0) {
    run.notes.emplace_back(
        "prompt and answer are timed together; the options -p and -n of llama-bench separate them");
    run.output_tokens_per_s = test.generated / test.mean_s;
  } else if (test.prompt > 0) {
    run.ttft = time;
    run.prompt_tokens_per_s = test.prompt / test.mean_s;
  } else {
    TokenTime token = time;
    token.mean_s /= test.generated;
    for (auto* value : {&token.deviation_s, &token.median_s, &token.p90_s, &token.p99_s}) {
      if (*value) **value /= test.generated;
    }
    run.tpot = token;
    run.output_tokens_per_s = test.generated / test.mean_s;
  }
  return run;
}

bool word_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

double tokens_after(std::string_view text, const std::string& where) {
  const auto number = parse_int(text);
  if (!number || *number <= 0) throw InputError("is not a test of llama-bench", where);
  return static_cast<double>(*number);
}

// Parses "pp512", "tg128" or "pp512+tg128", optionally with " @ d4096".
void read_test_name(std::string_view name, BenchTest& test, const std::string& where) {
  if (const auto depth = name.find(" @ d"); depth != std::string_view::npos) {
    test.depth = tokens_after(name.substr(depth + 4), where);
    name = name.substr(0, depth);
  }
  for (const auto& part : split(name, '+')) {
    if (part.rfind("pp", 0) == 0) {
      test.prompt = tokens_after(part.substr(2), where);
    } else if (part.rfind("tg", 0) == 0) {
      test.generated = tokens_after(part.substr(2), where);
    } else {
      throw InputError("is not a test of llama-bench", where);
    }
  }
}

std::vector<std::string> table_cells(std::string_view line) {
  std::vector<std::string> cells;
  for (const auto& cell : split(line, '|')) cells.emplace_back(trim(cell));
  if (cells.size() > 1) cells.erase(cells.begin());
  if (!cells.empty()) cells.pop_back();
  return cells;
}

}  // namespace

std::string quantization_named(std::string_view text) {
  std::string name = lower_case(text);
  for (const auto& [words, letter] :
       {std::pair{" - medium", "_m"}, std::pair{" - small", "_s"}, std::pair{" - large", "_l"}}) {
    if (const auto at = name.find(words); at != std::string::npos) {
      name.replace(at, std::string_view(words).size(), letter);
    }
  }
  std::string best;
  for (const auto& recipe : llm::recipes()) {
    const std::string& wanted = recipe.name;
    for (auto at = name.find(wanted); at != std::string::npos; at = name.find(wanted, at + 1)) {
      const std::size_t end = at + wanted.size();
      const bool whole = (at == 0 || !word_part(name[at - 1])) &&
                         (end == name.size() || !(word_part(name[end]) || name[end] == '_'));
      if (whole && wanted.size() > best.size()) best = wanted;
    }
  }
  return best;
}

TokenRun llama_bench_test(const Json& json, const std::string& where) {
  const ResultFields fields(json, where);
  if (!fields.has("n_prompt") || !fields.has("n_gen") || !fields.has("avg_ns")) {
    fields.fail("not a test of llama-bench: n_prompt, n_gen or avg_ns is missing");
  }
  BenchTest test{fields.text("model_filename"),
                 fields.text("model_type"),
                 fields.number_or_zero("n_prompt"),
                 fields.number_or_zero("n_gen"),
                 fields.number_or_zero("n_depth"),
                 fields.number_or_zero("avg_ns") * 1e-9,
                 fields.number_or_zero("stddev_ns") * 1e-9,
                 fields.numbers("samples_ns")};
  for (double& sample : test.samples_s) sample *= 1e-9;
  return run_of(test, where);
}

std::vector<TokenRun> llama_bench_csv(std::string_view text, const std::string& source) {
  const CsvTable table = parse_csv(text, source);
  const auto field = [&](std::size_t row, const char* name) {
    const auto column = table.column(name);
    return column ? table.rows[row][*column] : std::string();
  };
  std::vector<TokenRun> runs;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const auto number = [&](const char* name, bool needed) {
      const auto column = needed ? table.require_column(name) : table.column(name);
      const double value = column ? table.number(row, *column) : 0;
      if (value < 0) throw InputError(std::string(name) + " is negative", table.where(row));
      return value;
    };
    runs.push_back(run_of({field(row, "model_filename"),
                           field(row, "model_type"),
                           number("n_prompt", true),
                           number("n_gen", true),
                           number("n_depth", false),
                           number("avg_ns", true) * 1e-9,
                           number("stddev_ns", false) * 1e-9,
                           {}},
                          table.where(row)));
  }
  return runs;
}

std::vector<TokenRun> llama_bench_table(std::string_view text, const std::string& source) {
  std::vector<TokenRun> runs;
  std::vector<std::string> header;
  std::size_t number = 0;
  for (const auto& raw : split(text, '\n')) {
    ++number;
    const std::string_view line = trim(raw);
    if (line.empty() || line[0] != '|') continue;  // other output of llama-bench
    const std::string where = fmt::format("{} line {}", source, number);
    auto cells = table_cells(line);
    if (header.empty()) {
      header = std::move(cells);
      continue;
    }
    if (!cells.empty() && cells[0].rfind("--", 0) == 0) continue;
    if (cells.size() != header.size()) throw InputError("a row is cut off", where);
    BenchTest test;
    double rate = 0;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (header[c] == "model") test.type = cells[c];
      if (header[c] == "test") read_test_name(cells[c], test, where);
      if (header[c] == "t/s") {  // "1234.56 ± 7.89"
        rate = parse_double(cells[c].substr(0, cells[c].find(' '))).value_or(0);
      }
    }
    if (!(rate > 0) || !std::isfinite(rate)) throw InputError("no tokens per second", where);
    test.mean_s = (test.prompt + test.generated) / rate;
    runs.push_back(run_of(test, where));
  }
  return runs;
}

}  // namespace ridgewatt::measure
