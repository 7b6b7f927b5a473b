#include "ridgewatt/report/explain_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgewatt/base/enum_rows.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/field.h"
#include "ridgewatt/report/keys/key_tables.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/tune_report.h"

namespace ridgewatt::report {
namespace {

using answer::ExplainAnswer;
using answer::ExplainedLayer;
using answer::ExplainedTime;
using answer::ExplainRow;
using answer::SlowCause;

constexpr double kExplainMs = 1e3, kPercentOf = 100;
constexpr double kShownProbability = 0.01;  // smallest probability in tables for people
constexpr double kShownShare = 0.005;       // smallest share of the gap in tables for people

// The texts for a cause. In `evidence`, {} is the setting. In `remedy`, {} is the mode as an
// argument of `mode apply`. An empty text means that the more general form of the row applies.
struct ExplainWords {
  std::string_view evidence = {}, remedy = {};
};
struct CauseText {
  SlowCause id;
  ExplainWords usual;
  ExplainWords language = {};   // for a language model
  ExplainWords processor = {};  // for a board without a GPU
  ExplainWords both = {};       // for a language model on a board without a GPU
};
constexpr ExplainWords lock_clocks(std::string_view evidence) {
  return {evidence, "ridgewatt top, then lock the clocks: sudo ridgewatt mode apply {}"};
}
constexpr auto kCauseTexts = enum_rows<CauseText>({
    {SlowCause::kNone, {"the estimate for {}", "nothing to fix"}},
    {SlowCause::kPowerMode, {"preset {}", "ridgewatt mode show; sudo ridgewatt mode apply {}"}},
    {SlowCause::kGpuClock, lock_clocks("a GPU clock of {}")},
    {SlowCause::kCpuClock, lock_clocks("a CPU clock of {}")},
    {SlowCause::kMemoryClock, lock_clocks("a memory clock of {}")},
    {SlowCause::kRuntime,
     {"runtime {}", "check which runtime is used; compare with ridgewatt estimate --runtime all"},
     {"", "check which runtime is used; compare with ridgewatt llm --runtime all"},
     {"", "check which runtime is used, and that its profiler is off"}},
    {SlowCause::kPrecision,
     {"precision {}", "check in which precision the engine was built"},
     {"", "check the quantization of the weights that are loaded"},
     {"", "check the number formats in the model's file"},
     {"", "check the quantization of the weights that are loaded"}},
    {SlowCause::kPerBatch,
     {"the number read as {}",
      "state the batch with --batch, and whether the time is per batch or per sample"},
     {"the rate read as {}",
      "state the sequences with --concurrency, and whether the rate is for one or for all"}},
    {SlowCause::kAsynchronousTiming,
     {"a timer that stops before the GPU does", "synchronize the GPU before stopping the timer"}},
    {SlowCause::kCpuFallback,
     {"work on the CPU {}", "check the execution provider and the GPU load: ridgewatt top"},
     {"{} on the CPU", ""}},
    {SlowCause::kPartialOffload,
     {"{} on the CPU",
      "offload all layers (-ngl 99, num_gpu); ridgewatt fits states whether they fit"}},
    {SlowCause::kHostCopy,
     {"a copy of the input on each call", "bind buffers on the device, or use pinned memory"},
     {},
     {"", "pass the input buffer without a copy, and reuse it"}},
    {SlowCause::kPrePostProcessing,
     {"pre- and post-processing on the CPU",
      "time the model alone, then move the rest to the GPU or to another thread"},
     {"a rate that counts the time of the prompt", "use the rate of the tokens after the first"},
     {"pre- and post-processing", "time the model alone, then move the rest to another thread"},
     {"a rate that counts the time of the prompt", "use the rate of the tokens after the first"}},
    {SlowCause::kPythonCaller, {"a caller {}", "call the engine from C++, or use a larger batch"}},
    {SlowCause::kWarmUp,
     {"first runs in the mean", "leave out the first 50 runs"},
     {"the first request, which loads the model,", "leave out the first request"}},
    {SlowCause::kInputSize, {"an image of {}", "state the size of the input with --dim"}},
    {SlowCause::kContextLength,
     {"a prompt of {}", "state the tokens with --prompt; start a new conversation"}},
    {SlowCause::kThermal,
     {"a GPU clock lowered by heat",
      "watch temperatures: ridgewatt top; raise the fan speed or use a lower mode"}},
    {SlowCause::kPowerLimit,
     {"a GPU clock lowered by the power limit",
      "check the supply and the over-current alarms: ridgewatt top"}},
    {SlowCause::kMemoryPressure,
     {"memory that swaps",
      "close other programs, or use a smaller batch: ridgewatt estimate shows the memory"},
     {"", "close other programs, or use a smaller quantization: ridgewatt fits shows the memory"}},
    {SlowCause::kContention,
     {"another program on the board", "stop other programs; ridgewatt top lists them"},
     {},
     {},
     {"another program {}", ""}},
    {SlowCause::kThreads,
     {"a program on {}",
      "let it use every core: taskset -p PID; set its number of threads to the number of cores"},
     {"a wrong number of threads", ""},
     {},
     {"a program on {}",
      "set one thread per core (-t), and let it use every core: taskset -p PID"}},
    {SlowCause::kCpuQuota,
     {"a control group that gives {} of the CPU time",
      "raise cpu.max of its control group (docker --cpus)"},
     {"a control group that limits the CPU time", ""},
     {},
     {"a control group that gives {} of the CPU time", ""}},
    {SlowCause::kLoader,
     {"a loader with {}", "raise the number of loader workers"},
     {},
     {"", "raise the number of loader workers, or run them on other cores than the model"}},
    {SlowCause::kStorage,
     {"waits for storage", "keep the data set in memory: ridgewatt loadbench"}},
});

// Returns the text of the most specific form that is not empty.
std::string_view words_of(const ExplainAnswer& found, SlowCause cause,
                          std::string_view ExplainWords::*words) {
  const CauseText& text = kCauseTexts[cause];
  const bool language = found.of != ExplainedTime::kMinibatch;
  const struct {
    bool applies;
    const ExplainWords& of;
  } forms[] = {{language && found.on_processor, text.both},
               {language, text.language},
               {found.on_processor, text.processor}};
  for (const auto& [applies, of] : forms) {
    if (applies && !(of.*words).empty()) return of.*words;
  }
  return text.usual.*words;
}

// The rows refer to `found`, which must outlive them.
std::vector<ExplainLine> lines_of(const ExplainAnswer& found) {
  const std::shared_ptr<const ExplainAnswer> lent(std::shared_ptr<void>(), &found);
  std::vector<ExplainLine> lines;
  for (std::size_t i = 0; i < found.rows.size(); ++i) lines.push_back({lent, i});
  return lines;
}

Json watched_json(const measure::SeenRun& watched) {
  Json json = Json::object();
  if (watched.time_s > 0) json["time_s"] = watched.time_s;
  if (!watched.preset.empty()) json["preset"] = watched.preset;
  for (const answer::SeenValue& one : answer::seen_values()) {
    if (const auto value = one.get(watched)) json[std::string(one.name)] = *value;
  }
  return json;
}

std::string figures_text(const ExplainAnswer& found, const answer::Prognosis& prognosis) {
  std::string text;
  if (found.of == ExplainedTime::kMinibatch) {
    text = sentence("{:.3g} ms", kExplainMs * prognosis.time_s);
  } else if (found.of == ExplainedTime::kToken) {
    text = sentence("{:.3g} tokens/s", found.batch / prognosis.time_s);
  }
  if (prognosis.first_token_s && (found.first_token || text.empty())) {
    text += sentence("{}a first token after {:.3g} ms", text.empty() ? "" : ", ",
                     kExplainMs * *prognosis.first_token_s);
  }
  if (prognosis.power_w) text += sentence(" at {:.3g} W", *prognosis.power_w);
  return text;
}

// For example, "preset 15W" or "a GPU clock of 306 MHz".
std::string setting_text(const ExplainLine& line) {
  const ExplainRow& row = line.row();
  const std::string setting =
      row.cause == SlowCause::kNone ? line.found->mode_text : row.prognosis.setting;
  std::string text =
      fmt::format(fmt::runtime(words_of(*line.found, row.cause, &ExplainWords::evidence)), setting);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::string evidence_text(const ExplainLine& line) {
  const ExplainRow& row = line.row();
  std::string text = setting_text(line) + " gives " + figures_text(*line.found, row.prognosis);
  for (const auto& sign : row.signs) text += "; " + sign;
  return text;
}

// The factor between the measured time and the one that the cause predicts, as a logarithm.
double misses_by(const ExplainLine& line) {
  const ExplainAnswer& found = *line.found;
  const answer::Prognosis& prognosis = line.row().prognosis;
  const bool first = found.gap_of == ExplainedTime::kFirstToken && prognosis.first_token_s;
  const double time_s = first ? *prognosis.first_token_s : prognosis.time_s;
  return time_s > 0 ? std::abs(std::log(found.gap_figure().measured / time_s))
                    : std::numeric_limits<double>::infinity();
}
const double kExplains = std::log(2);  // chosen: largest plausible error of a prediction

// For example, "no single cause explains it: the closest, preset 15W, predicts 62.3 ms". Empty if
// the prediction of a cause is near the measured time.
std::string unexplained_text(const ExplainAnswer& found) {
  const auto lines = lines_of(found);
  const auto nearest =
      std::min_element(lines.begin(), lines.end(),
                       [](const auto& a, const auto& b) { return misses_by(a) < misses_by(b); });
  if (nearest == lines.end() || misses_by(*nearest) <= kExplains) return "";
  return fmt::format("no single cause explains it: the closest, {}, predicts {}",
                     setting_text(*nearest), figures_text(found, nearest->row().prognosis));
}

// For example, "no cause explains the measured power: 1 W is below the idle power ..". Empty if the
// board can draw this power.
std::string power_fault_text(const ExplainAnswer& found) {
  if (found.power_fault.empty()) return "";
  return "no cause explains the measured power: " + found.power_fault +
         "; check its unit, and what the meter includes; the power is not used";
}

// For example, "preset 15W (33 %), work on the CPU (31 %) or heat (30 %)". Further causes are
// listed only if no cause is more probable than all others together.
std::string causes_text(const std::vector<ExplainLine>& lines) {
  static constexpr double kClose = 2.0 / 3;  // chosen: share of the first cause's probability
  static constexpr std::size_t kMost = 3;    // chosen: causes in the sentence
  const double most = lines.front().row().probability;
  std::vector<std::string> causes;
  for (const auto& line : lines) {
    const bool listed = causes.empty() || (most < 0.5 && line.row().probability >= kClose * most);
    if (!listed || line.row().cause == SlowCause::kNone || causes.size() == kMost) break;
    causes.push_back(fmt::format("{}{} ({:.0f} %)", setting_text(line),
                                 misses_by(line) > kExplains ? " with another cause" : "",
                                 100 * line.row().probability));
  }
  const std::string last = std::move(causes.back());
  causes.pop_back();
  return fmt::format("{}{}{}", fmt::join(causes, ", "), causes.empty() ? "" : " or ", last);
}

// What the answer concludes, as all outputs state it: "most probably because of preset 15W (62 %)",
// "possibly because of preset 15W (33 %) or work on the CPU (31 %)", or why no cause is named.
std::string conclusion_text(const ExplainAnswer& found) {
  if (std::string reason = unexplained_text(found); !reason.empty()) return reason;
  const std::vector<ExplainLine> lines = lines_of(found);
  const ExplainRow& first = lines.front().row();
  if (first.cause != SlowCause::kNone) {
    return (first.probability >= 0.5 ? "most probably because of " : "possibly because of ") +
           causes_text(lines);
  }
  const answer::ExplainedFigure& time = found.gap_figure();
  const bool within = time.measured >= time.low && time.measured <= time.high;
  return within ? "within the error of the estimate"
                : "no known cause explains it better than an error of the estimate";
}

// For example, "3.4 times as long as expected, most probably because of preset 15W (62 %)".
std::string explain_sentence(const ExplainAnswer& found) {
  static constexpr double kAsExpected = 1.05;  // chosen: smaller ratios are not stated
  const answer::ExplainedFigure& time = found.gap_figure();
  const double ratio = time.measured / time.expected;
  std::string text = found.first_token ? std::string(name_of(found.gap_of)) + ": " : "";
  text += ratio > kAsExpected || ratio < 1 / kAsExpected
              ? sentence("{:.3g} times as long as expected", ratio)
              : std::string("as long as expected");
  const std::string conclusion = conclusion_text(found);
  return text + (conclusion.starts_with("no ") ? "; " : ", ") + conclusion;
}

std::string remedy_text(const ExplainLine& line) {
  // An estimate of a model that does not fit describes no run on this board.
  const bool misfit = line.row().cause == SlowCause::kNone && !line.found->memory_fault.empty();
  if (misfit) {
    return std::string(words_of(*line.found, SlowCause::kMemoryPressure, &ExplainWords::remedy));
  }
  return fmt::format(fmt::runtime(words_of(*line.found, line.row().cause, &ExplainWords::remedy)),
                     line.found->mode_arguments);
}

}  // namespace

const Fields<ExplainLine>& explain_fields() {
  static const Fields<ExplainLine> rows = {
      {{.name = "cause", .meaning = "name of the cause; none: the measurement is as expected"},
       [](const ExplainLine& line) { return std::string(name_of(line.row().cause)); }},
      {{.name = "probability",
        .heading = "probability (%)",
        .digits = 2,
        .scale = 100,
        .meaning = "posterior probability of the cause, among those listed"},
       [](const ExplainLine& line) { return line.row().probability; }},
      {{.name = "prior",
        .digits = 2,
        .rank = 3,
        .meaning = "probability of the cause before anything was measured"},
       [](const ExplainLine& line) { return line.row().prior; }},
      {{.name = "time_ms",
        .heading = "of the gap (ms)",
        .digits = 3,
        .meaning = "probability times the gap; the rows add up to the gap"},
       [](const ExplainLine& line) { return line.row().time_s; }},
      {{.name = "evidence",
        .wrap = true,
        .meaning = "what the cause predicts, to compare with the measurement"},
       &evidence_text},
      {{.name = "gain",
        .digits = 3,
        .meaning = "speedup without the cause: measured time divided by the time without it; null: "
                   "no speedup"},
       [](const ExplainLine& line) { return line.row().gain; }},
      {{.name = "gain_lo",
        .heading = "gain from",
        .digits = 3,
        .rank = 2,
        .meaning = "lower end of its 90 % interval"},
       [](const ExplainLine& line) {
         return line.row().gain ? std::optional(line.row().gain_low) : std::nullopt;
       }},
      {{.name = "gain_hi",
        .heading = "gain to",
        .digits = 3,
        .rank = 2,
        .meaning = "upper end of its 90 % interval"},
       [](const ExplainLine& line) {
         return line.row().gain ? std::optional(line.row().gain_high) : std::nullopt;
       }},
      {{.name = "remedy", .rank = 1, .wrap = true, .meaning = "what tests or removes the cause"},
       &remedy_text},
  };
  return rows;
}

const Fields<ExplainedLayer>& explained_layer_fields() {
  static const Fields<ExplainedLayer> rows = {
      {{.name = "layer", .wrap = true, .meaning = "name of the layer, or of the sum"},
       [](const ExplainedLayer& row) { return row.name; }},
      {{.name = "kind", .meaning = "kind of the layer; empty: a sum"},
       [](const ExplainedLayer& row) { return row.kind; }},
      {{.name = "fault", .meaning = "finding about the layer; empty: none"},
       [](const ExplainedLayer& row) {
         return row.fault ? std::string(name_of(*row.fault)) : std::string();
       }},
      {{.name = "time_ms", .digits = 3, .meaning = "measured; the rows add up to measured_ms"},
       [](const ExplainedLayer& row) { return row.time_s; }},
      {{.name = "expected_ms",
        .heading = "expected (ms)",
        .digits = 3,
        .meaning = "by the twin; the rows add up to expected_ms"},
       [](const ExplainedLayer& row) { return row.expected_s; }},
      {{.name = "over_ms",
        .heading = "over (ms)",
        .digits = 3,
        .meaning = "measured minus expected time; the rows add up to the gap"},
       [](const ExplainedLayer& row) { return row.over_s(); }},
      {{.name = "roof_ms",
        .heading = "at its roof (ms)",
        .digits = 3,
        .rank = 1,
        .meaning = "lower bound of the time from work and traffic; null: not known"},
       [](const ExplainedLayer& row) { return row.roof_s; }},
  };
  return rows;
}

namespace {

Json profile_json(const answer::ProfiledLayers& profile) {
  Json json{{"source", profile.source},
            {"runtime", profile.runtime ? Json(name_of(*profile.runtime)) : Json(nullptr)},
            {"is_measured", profile.measured},
            {"layer_count", profile.count},
            {"layers_ms", kExplainMs * profile.layers_s}};
  Json& faults = json["faults"] = Json::array();
  for (const auto& [fault, name] : enum_names(answer::LayerFault{})) {
    const auto& layers = profile.faults[fault];
    if (!layers) continue;  // the profile cannot show this fault
    faults.push_back(json_object({{"fault", name},
                                  {"layer_count", layers->count},
                                  {"time_ms", kExplainMs * layers->time_s},
                                  {"longest", layers->longest}}));
  }
  if (!profile.remarks.empty()) json["remarks"] = profile.remarks;
  return json;
}

// For example, "power_mode (rank 1) is confirmed: 62 ms instead of 149 ms, 2.4 times as fast,
// promised 2.6 (2.1 to 3.1); its probability is 92 %, before 61 %".
std::string change_sentence(const answer::ExplainedChange& change) {
  return sentence(
      "{} (rank {}) is {}: {:.3g} ms instead of {:.3g} ms, {:.3g} times as fast, predicted {:.3g} "
      "({:.3g} to {:.3g}); its probability is {:.2g} %, previously {:.2g} %",
      name_of(change.removed), change.rank, name_of(change.verdict), kExplainMs * change.after_s,
      kExplainMs * change.before_s, change.gain(), change.promised, change.promised_low,
      change.promised_high, kPercentOf * change.probability,
      kPercentOf * change.probability_before);
}

Json change_json(const answer::ExplainedChange& change) {
  Json rows = Json::array();
  for (const ExplainLine& line : lines_of(*change.after)) {
    write_json(explain_fields(), line, rows.emplace_back(Json::object()));
  }
  return json_object({{"removed", name_of(change.removed)},
                      {"rank", change.rank},
                      {"verdict", name_of(change.verdict)},
                      {"before_ms", kExplainMs * change.before_s},
                      {"after_ms", kExplainMs * change.after_s},
                      {"gain", change.gain()},
                      {"promised", change.promised},
                      {"promised_lo", change.promised_low},
                      {"promised_hi", change.promised_high},
                      {"probability_before", change.probability_before},
                      {"probability", change.probability},
                      {"gap_ms", kExplainMs * change.after->gap_s()},
                      {"rows", std::move(rows)}});
}

// Shows a cause if it is probable enough and changes the time in the direction of the gap, and if
// either the measurement makes it more probable or it explains part of the gap.
bool shown_to_people(const ExplainAnswer& found, const ExplainRow& row) {
  return !row.against && row.probability >= kShownProbability &&
         (row.probability >= row.prior ||
          std::abs(row.time_s) >= kShownShare * std::abs(found.gap_s()));
}

Table explain_table(const ExplainAnswer& found, bool for_people) {
  Table table(columns_of(explain_fields()));
  for (const ExplainLine& line : lines_of(found)) {
    if (for_people && !shown_to_people(found, line.row())) continue;
    std::vector<Cell> cells(table.columns().size());
    set_cells(explain_fields(), line, cells);
    table.add_row(std::move(cells));
  }
  return table;
}

std::vector<std::string> explain_lines(const ExplainAnswer& found) {
  const bool language = found.of != ExplainedTime::kMinibatch;
  const auto figure = [](const answer::ExplainedFigure& of) {
    return sentence("measured {:.3g} ms, expected {:.3g} ms ({:.3g} to {:.3g}",
                    kExplainMs * of.measured, kExplainMs * of.expected, kExplainMs * of.low,
                    kExplainMs * of.high);
  };
  std::string text = fmt::format(
      "{}, {} on {}, {}, {} {}, {} {}: {}, {})", found.origin.workload, found.origin.kind,
      found.origin.board, found.mode_text, found.runtime, found.precision,
      language ? "sequences" : "batch", found.batch,
      (language ? std::string(name_of(found.of)) + " " : std::string()) + figure(found.time),
      found.claimed_s ? "the published time" : "modelled, 90 %");
  if (found.first_token) text += "; first token " + figure(*found.first_token) + ")";
  if (found.measured_power_w) {
    text += sentence("; {:.3g} W of {:.3g} W", *found.measured_power_w, found.expected_power_w);
  }
  std::vector<std::string> lines{text, explain_sentence(found)};
  if (found.first_token) {
    lines.push_back(
        fmt::format("the gap and the gains refer to the {}, which deviates more",
                    found.gap_of == ExplainedTime::kToken ? "time per token" : "first token"));
  }
  if (found.profile && found.profile->measured) {
    lines.push_back("the measured time is that of the profile (" + found.profile->source + ")");
  }
  for (const auto& sign : found.seen) lines.push_back("seen: " + sign);
  if (found.change) lines.push_back(change_sentence(*found.change));
  lines.emplace_back();
  return lines;
}

}  // namespace

Json explain_json(const ExplainAnswer& found) {
  Json json;
  add_origin(json, found.origin);
  set_members(json, {{"precision", found.precision},
                     {"mode", mode_to_json(found.mode)},
                     {"batch", found.batch},
                     {"time_of", name_of(found.of)},
                     {"measured_ms", kExplainMs * found.time.measured},
                     {"expected_ms", kExplainMs * found.time.expected},
                     {"expected_lo_ms", kExplainMs * found.time.low},
                     {"expected_hi_ms", kExplainMs * found.time.high},
                     {"gap_of", name_of(found.gap_of)},
                     {"gap_ms", kExplainMs * found.gap_s()},
                     {"expected_power_w", found.expected_power_w},
                     {"expected_power_lo_w", found.expected_power_low_w},
                     {"expected_power_hi_w", found.expected_power_high_w}});
  json["runtime"] = found.runtime;
  json["conclusion"] = conclusion_text(found);
  json["sentences"] = Json::array({explain_sentence(found)});
  if (!found.power_fault.empty()) json["sentences"].push_back(power_fault_text(found));
  if (!found.memory_fault.empty()) json["sentences"].push_back(found.memory_fault);
  if (found.change) json["sentences"].push_back(change_sentence(*found.change));
  if (found.first_token) {
    set_members(json, {{"measured_ttft_ms", kExplainMs * found.first_token->measured},
                       {"ttft_ms", kExplainMs * found.first_token->expected},
                       {"ttft_lo_ms", kExplainMs * found.first_token->low},
                       {"ttft_hi_ms", kExplainMs * found.first_token->high}});
  }
  if (found.measured_power_w) json["measured_power_w"] = *found.measured_power_w;
  if (found.claimed_s) json["claimed_ms"] = kExplainMs * *found.claimed_s;
  if (!found.widened_by.empty()) json["interval_widened_by"] = found.widened_by;
  put_remarks({wide_note(found.widened_by)}, json);
  if (found.watched) json["watched"] = watched_json(*found.watched);
  if (!found.seen.empty()) json["seen"] = found.seen;
  if (found.profile) {
    json["profile"] = profile_json(*found.profile);
    json["layers"] = json_list(explained_layer_fields(), found.profile->rows);
  }
  if (found.change) json["change"] = change_json(*found.change);
  add_caveats(found.caveats, json);
  Json& rows = json["rows"] = Json::array();
  for (const ExplainLine& line : lines_of(found)) {
    write_json(explain_fields(), line, rows.emplace_back(Json::object()));
  }
  return json;
}

Result explain_result(const ExplainAnswer& found) {
  Result result{.table = explain_table(found, true),
                .data = with_origin(explain_table(found, false), {found.origin}),
                .json = explain_json(found)};
  result.lines_before(explain_lines(found));
  if (!found.power_fault.empty()) result.notes.push_back(power_fault_text(found));
  if (!found.memory_fault.empty()) result.notes.push_back(found.memory_fault);
  if (!found.widened_by.empty()) result.notes.push_back(wide_note(found.widened_by));
  if (found.profile) {
    result.add("Layers, by measured time in excess of the expected time",
               table_of(explained_layer_fields(), found.profile->rows));
    for (const auto& remark : found.profile->remarks) result.notes.push_back(remark);
  }
  const auto left_out =
      std::count_if(found.rows.begin(), found.rows.end(),
                    [&](const ExplainRow& row) { return !shown_to_people(found, row); });
  if (left_out > 0) {
    result.notes.push_back("other causes, which are improbable or do not explain the gap: " +
                           std::to_string(left_out) + " (--format json lists all)");
  }
  if (found.change) {
    result.text_after("\nafter the change: " + explain_sentence(*found.change->after));
    if (!found.change->after->power_fault.empty()) {
      result.notes.push_back("after the change, " + power_fault_text(*found.change->after));
    }
    for (const auto& sign : found.change->after->seen)
      result.text_after("\nobserved after the change: " + sign);
    result.add("Causes of the remaining time, after the change",
               explain_table(*found.change->after, true));
  }
  return result;
}

const DeclaredKeys kExplainKeys([] { return keys_of(explain_fields(), "explain:rows"); });
const DeclaredKeys kExplainedLayerKeys([] {
  return keys_of(explained_layer_fields(), "explain:layers");
});

}  // namespace ridgewatt::report
