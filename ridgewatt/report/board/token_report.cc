// Reports for runs of language models; see measure_report.h.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/csv.h"
#include "ridgewatt/llm/engine_facts.h"
#include "ridgewatt/report/board/bounds.h"
#include "ridgewatt/report/measure_report.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {
namespace {

Json count_or_null(double value) {
  return value > 0 ? Json(value) : Json();
}

// Adds "ttft_ms", "ttft_median_ms" and so on.
void put_time(const char* name, const std::optional<measure::TokenTime>& time, Json& row) {
  const auto put = [&](const char* statistic, std::optional<double> value) {
    row[fmt::format("{}{}_ms", name, statistic)] = known_json(value, 1e3);
  };
  put("", time ? std::optional(time->mean_s) : std::nullopt);
  put("_deviation", time ? time->deviation_s : std::nullopt);
  put("_median", time ? time->median_s : std::nullopt);
  put("_p90", time ? time->p90_s : std::nullopt);
  put("_p99", time ? time->p99_s : std::nullopt);
}

void put_energy(const char* name, const std::optional<measure::EnergySum>& energy, Json& row) {
  row[name] = energy ? Json(energy->energy_j) : Json();
  row[std::string(name) + "_error"] = energy ? known_json(energy->error_j) : Json();
}

void put_span(const char* name, const measure::SpanCost* cost, Json& row) {
  const bool any = cost != nullptr && cost->time_s > 0;
  const auto put = [&](const char* what, double value) {
    row[fmt::format("{}_{}", name, what)] = any ? known_json(value) : Json();
  };
  put("power_w", any ? cost->power_w() : 0);
  put("power_error_w", any ? cost->power_error_w() : 0);
  put("energy_j", any ? cost->energy_j : 0);
  put("energy_error_j", any ? cost->error_j : 0);
  put("s", any ? cost->time_s : 0);
  row[fmt::format("{}_samples", name)] = any ? Json(cost->samples) : Json();
}

// Seconds of idle power that the energy of each unit includes.
double per(double time_s, double count) {
  return count > 0 ? time_s / count : 0;
}

struct LessIdle {
  std::optional<measure::EnergySum> token, request;
};
LessIdle less_idle(const measure::TokenCost& cost) {
  return {cost.less_idle(cost.joules_per_token(), per(cost.decode.time_s, cost.decoded_tokens)),
          cost.less_idle(cost.request_j(),
                         per(cost.open().time_s, static_cast<double>(cost.requests)))};
}

void put_cost(const measure::TokenRun& run, Json& row) {
  const measure::TokenCost* cost = run.cost ? &*run.cost : nullptr;
  put_span("prefill", cost != nullptr ? &cost->prefill : nullptr, row);
  put_span("decode", cost != nullptr ? &cost->decode : nullptr, row);
  put_span("both", cost != nullptr ? &cost->both : nullptr, row);
  put_span("between", cost != nullptr ? &cost->between : nullptr, row);
  const LessIdle net = cost != nullptr ? less_idle(*cost) : LessIdle();
  put_energy("joules_per_token", cost != nullptr ? cost->joules_per_token() : std::nullopt, row);
  put_energy("joules_per_token_less_idle", net.token, row);
  put_energy("request_joules_per_token",
             cost != nullptr ? cost->request_joules_per_token() : std::nullopt, row);
  put_energy("request_j", cost != nullptr ? cost->request_j() : std::nullopt, row);
  put_energy("request_j_less_idle", net.request, row);
  row["idle_w"] = cost != nullptr ? known_json(cost->idle_w) : Json();
}

const char* clock_name(measure::TokenClock clock) {
  switch (clock) {
    case measure::TokenClock::kNone:
      return "none";
    case measure::TokenClock::kMonotonic:
      return "monotonic";
    case measure::TokenClock::kUnix:
      return "unix";
  }
  return "";
}

Json run_json(const measure::TokenRun& run, Provenance provenance) {
  Json row =
      json_object({{"source", run.source},
                   {"runtime", run.engine.empty() ? Json() : Json(run.engine)},
                   {"model", run.model.empty() ? Json() : Json(run.model)},
                   {"quantization", run.quantization.empty() ? Json() : Json(run.quantization)},
                   {"prompt_tokens", count_or_null(run.prompt_tokens)},
                   {"generated_tokens", count_or_null(run.output_tokens)},
                   {"depth_tokens", run.depth_tokens},
                   {"concurrency", count_or_null(run.concurrency)},
                   {"requests", run.requests},
                   {"failed", run.failed},
                   {"provenance", name_of(provenance)}});
  put_time("ttft", run.ttft, row);
  put_time("tpot", run.tpot, row);
  put_time("gap", run.gap, row);
  row["tokens_per_s"] = known_json(run.output_tokens_per_s);
  row["prompt_tokens_per_s"] = known_json(run.prompt_tokens_per_s);
  put_cost(run, row);
  row["time_stamps"] = clock_name(run.clock);
  row["notes"] = run.notes;
  return row;
}

void add_time_row(const char* name, const std::optional<measure::TokenTime>& time, Table& table) {
  if (!time) return;
  std::string note;
  if (time->median_s && time->p99_s) {
    note = sentence("median {:.4g}, 99 % within {:.4g}", *time->median_s * 1e3, *time->p99_s * 1e3);
  } else if (time->deviation_s) {
    note = sentence("standard deviation {:.2g}", *time->deviation_s * 1e3);
  }
  table.add_row({name, time->mean_s * 1e3, "ms", note});
}

void add_span_row(const char* name, const measure::SpanCost& cost, const std::string& words,
                  Table& table) {
  if (!(cost.time_s > 0)) return;
  table.add_row({name, cost.power_w(), "W",
                 sentence("{}{:.4g} J in {:.4g} s, {}", words, cost.energy_j, cost.time_s,
                          bound_text(cost.error_j, " J"))});
}

void add_energy_row(const char* name, const std::optional<measure::EnergySum>& energy,
                    const std::optional<measure::EnergySum>& net, const std::string& words,
                    Table& table) {
  if (!energy) return;
  const std::string idle =
      net ? sentence("; {:.4g} without the energy of the idle board", net->energy_j) : "";
  table.add_row({name, energy->energy_j, "J", words + bound_text(energy->error_j) + idle});
}

void add_run_rows(const measure::TokenRun& run, Table& table) {
  std::string what = run.model;
  if (!run.quantization.empty()) what += (what.empty() ? "" : ", ") + run.quantization;
  what += (what.empty() ? "" : "; ") + run.source;
  table.add_row({"requests", static_cast<std::int64_t>(run.requests), "",
                 run.failed > 0 ? fmt::format("{}; {} failed", what, run.failed) : what});
  if (run.prompt_tokens > 0) table.add_row({"prompt, mean", run.prompt_tokens, "tokens", ""});
  if (run.output_tokens > 0) table.add_row({"answer, mean", run.output_tokens, "tokens", ""});
  add_time_row("time to first token", run.ttft, table);
  add_time_row("time per token", run.tpot, table);
  add_time_row("gap between pieces", run.gap, table);
  if (run.output_tokens_per_s) {
    table.add_row({"tokens per second", *run.output_tokens_per_s, "1/s", "of all requests"});
  }
  if (run.cost) {
    const LessIdle net = less_idle(*run.cost);
    add_span_row("prefill power", run.cost->prefill, "", table);
    add_span_row("decode power", run.cost->decode, "", table);
    add_span_row("power while some requests are in prefill and some in decode", run.cost->both, "",
                 table);
    add_energy_row("energy per token", run.cost->joules_per_token(), net.token, "of decoding; ",
                   table);
    add_energy_row("energy per request", run.cost->request_j(), net.request, "", table);
  }
  for (const auto& note : run.notes) table.add_row({"note", Cell(), "", note});
}

// The name of an engine in the rows that `evaluate llm` reads.
std::string row_engine(const std::string& engine) {
  const auto* facts = llm::find_engine_facts(engine);
  return facts == nullptr ? engine : facts->written_as;
}

Json token_runs_json(std::span<const measure::TokenRun> runs, Provenance provenance) {
  Json rows = Json::array();
  for (const auto& run : runs) rows.push_back(run_json(run, provenance));
  return rows;
}

Table token_runs_table(std::span<const measure::TokenRun> runs, Provenance provenance) {
  Table table({{"model"},
               {"quantization"},
               {.name = "runtime", .rank = 2},
               {.name = "prompt_tokens", .heading = "prompt"},
               {.name = "generated_tokens", .heading = "answer"},
               {.name = "concurrency", .heading = "at once", .rank = 2},
               {.name = "requests", .rank = 3},
               {"ttft_ms", "first token (ms)"},
               {"tpot_ms", "token (ms)"},
               {.name = "tpot_deviation_ms", .heading = "token, deviation (ms)", .rank = 3},
               {"tokens_per_s", "tokens/s"},
               {.name = "prefill_power_w", .heading = "prefill (W)", .rank = 1},
               {.name = "decode_power_w", .heading = "decode (W)", .rank = 1},
               {.name = "joules_per_token", .heading = "J per token", .rank = 1},
               {.name = "joules_per_token_error", .heading = "error at most (J)", .rank = 1},
               {.name = "request_j", .heading = "J per request", .rank = 2},
               {.name = "source", .rank = 3},
               {.name = "provenance", .rank = 4}});
  for (const auto& run : runs) {
    const Json row = run_json(run, provenance);
    std::vector<Cell> cells;
    for (const auto& column : table.columns()) {
      const Json& value = row.at(std::string(column.name));
      if (value.is_null()) {
        cells.emplace_back();
      } else if (value.is_string()) {
        cells.emplace_back(value.get<std::string>());
      } else if (value.is_number_integer()) {
        cells.emplace_back(value.get<std::int64_t>());
      } else {
        cells.emplace_back(value.get<double>());
      }
    }
    table.add_row(std::move(cells));
  }
  return table;
}

}  // namespace

Result measurement_result(const measure::TokenMeasurement& measured,
                          const std::vector<std::string>& command, Provenance provenance) {
  Result result{measurement_table(measured.measurement, provenance, measured.runs)};
  result.json = measurement_to_json(measured.measurement, command, provenance);
  result.notes = measurement_remarks(measured.measurement);
  if (measured.measurement.peak_memory_bytes <= 0) {  // the program did not run on this machine
    result.json["cpu"] = nullptr;
    result.json["peak_memory_bytes"] = nullptr;
  }
  if (!measured.runs.empty()) result.json["runs"] = token_runs_json(measured.runs, provenance);
  return result;
}

Result token_runs_result(std::span<const measure::TokenRun> runs, Provenance provenance) {
  Result result{token_runs_table(runs, provenance)};
  result.json = json_object({{"runs", token_runs_json(runs, provenance)}});
  for (const auto& run : runs) {
    for (const auto& note : run.notes) result.notes.push_back(run.model + ": " + note);
  }
  return result;
}

void add_token_rows(std::span<const measure::TokenRun> runs, Table& table) {
  for (const auto& run : runs) add_run_rows(run, table);
}

EngineRowsText engine_rows_csv(std::span<const measure::TokenRun> runs) {
  EngineRowsText text{
      "runtime,model,quantization,prompt_tokens,generated_tokens,ttft_ms,tpot_ms,"
      "prefill_power_w,decode_power_w\n",
      {}};
  const auto power = [](const measure::SpanCost& cost) {
    return cost.time_s > 0 ? sentence("{:.6g}", cost.power_w()) : std::string();
  };
  for (const auto& run : runs) {
    std::string missing;
    if (run.concurrency > 1) missing = "several requests ran at the same time";
    if (!run.ttft || !run.tpot) missing = "a time is missing";
    if (run.prompt_tokens <= 0 || run.output_tokens <= 0) missing = "no lengths";
    if (run.quantization.empty()) missing = "no quantization (state it with --quantization)";
    if (run.engine.empty()) missing = "no engine (state it with --runtime)";
    if (!missing.empty()) {
      text.left_out.push_back(run.model + ": " + missing);
      continue;
    }
    text.csv += fmt::format(
        "{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{},{}\n", csv_field(row_engine(run.engine)),
        csv_field(run.model), csv_field(run.quantization), run.prompt_tokens, run.output_tokens,
        run.ttft->mean_s * 1e3, run.tpot->mean_s * 1e3, run.cost ? power(run.cost->prefill) : "",
        run.cost ? power(run.cost->decode) : "");
  }
  return text;
}

}  // namespace ridgewatt::report
