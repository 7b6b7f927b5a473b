#include "ridgewatt/report/explain_report.h"

#include <fmt/format.h>

#include "ridgewatt/base/enum_rows.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/field.h"
#include "ridgewatt/report/mode_json.h"

namespace ridgewatt::report {
namespace {

using answer::ExplainAnswer;
using answer::ExplainRow;
using answer::SlowCause;

constexpr double kExplainMs = 1e3;
constexpr double kShownProbability = 0.01;  // to people

// How a cause is worded. In `evidence`, {} is the setting; in `remedy`, the mode.
struct CauseText {
  SlowCause id;
  std::string_view evidence;
  std::string_view remedy;
};
constexpr auto kCauseTexts = enum_rows<CauseText>({
    {SlowCause::kNone, "the estimate for {}", "nothing to fix"},
    {SlowCause::kPowerMode, "preset {}", "ridgewatt mode show; sudo ridgewatt mode set {}"},
    {SlowCause::kGpuClock, "a GPU clock of {}",
     "ridgewatt top, then lock the clocks: sudo ridgewatt mode set {}"},
    {SlowCause::kCpuClock, "a CPU clock of {}",
     "ridgewatt top, then lock the clocks: sudo ridgewatt mode set {}"},
    {SlowCause::kMemoryClock, "a memory clock of {}",
     "ridgewatt top, then lock the clocks: sudo ridgewatt mode set {}"},
    {SlowCause::kRuntime, "runtime {}",
     "check which runtime runs; compare with ridgewatt estimate --runtime all"},
    {SlowCause::kPrecision, "precision {}", "check in which precision the engine was built"},
    {SlowCause::kPerBatch, "the number read as {}",
     "state the batch with --batch, and whether the time is per batch or per sample"},
    {SlowCause::kAsynchronousTiming, "a timer that stops before the GPU does",
     "synchronize the GPU before stopping the timer"},
    {SlowCause::kCpuFallback, "work on the CPU {}",
     "check the execution provider and the GPU load: ridgewatt top"},
    {SlowCause::kHostCopy, "a copy of the input on each call",
     "bind buffers on the device, or use pinned memory"},
    {SlowCause::kPrePostProcessing, "pre- and post-processing on the CPU",
     "time the model alone, then move the rest to the GPU or to another thread"},
    {SlowCause::kPythonCaller, "a caller {}", "call the engine from C++, or raise the batch"},
    {SlowCause::kWarmUp, "first runs in the mean", "leave out the first 50 runs"},
    {SlowCause::kInputSize, "an image of {}", "state the size of the input with --dim"},
    {SlowCause::kThermal, "a GPU clock lowered by heat",
     "watch temperatures: ridgewatt top; raise the fan or take a lower mode"},
    {SlowCause::kPowerLimit, "a GPU clock lowered by the power limit",
     "check the supply and the over-current alarms: ridgewatt top"},
    {SlowCause::kMemoryPressure, "memory that swaps",
     "close other programs, or take a smaller batch: ridgewatt estimate shows the memory"},
    {SlowCause::kContention, "another program on the GPU",
     "stop other programs; ridgewatt top lists them"},
    {SlowCause::kLoader, "a loader with {}", "raise the number of loader workers"},
    {SlowCause::kStorage, "waits for storage", "keep the data set in memory: ridgewatt loadbench"},
});

// A row with what it is about.
struct ExplainLine {
  const ExplainAnswer& found;
  const ExplainRow& row;
};

std::string evidence_text(const ExplainLine& line) {
  const ExplainRow& row = line.row;
  const std::string setting =
      row.cause == SlowCause::kNone ? line.found.mode_text : row.prognosis.setting;
  std::string text = fmt::format(fmt::runtime(kCauseTexts[row.cause].evidence), setting);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  text += fmt::format(" gives {:.3g} ms", kExplainMs * row.prognosis.time_s);
  if (row.prognosis.power_w) text += fmt::format(" at {:.3g} W", *row.prognosis.power_w);
  return text;
}

std::string remedy_text(const ExplainLine& line) {
  return fmt::format(fmt::runtime(kCauseTexts[line.row.cause].remedy), line.found.mode_text);
}

const Fields<ExplainLine>& explain_fields() {
  static const Fields<ExplainLine> rows = {
      {{.name = "cause", .meaning = "name of the cause; none: the measurement is as expected"},
       [](const ExplainLine& line) { return std::string(name_of(line.row.cause)); }},
      {{.name = "probability",
        .heading = "probability (%)",
        .digits = 2,
        .scale = 100,
        .meaning = "posterior probability of the cause, among those listed"},
       [](const ExplainLine& line) { return line.row.probability; }},
      {{.name = "time_ms",
        .heading = "of the gap (ms)",
        .digits = 3,
        .meaning = "probability times the gap; the rows add up to the gap"},
       [](const ExplainLine& line) { return line.row.time_s; }},
      {{.name = "evidence",
        .wrap = true,
        .meaning = "what the cause predicts, to compare with the measurement"},
       &evidence_text},
      {{.name = "gain",
        .digits = 3,
        .meaning = "measured time over the time without the cause; null: nothing to speed up"},
       [](const ExplainLine& line) { return line.row.gain; }},
      {{.name = "gain_lo",
        .heading = "gain from",
        .digits = 3,
        .rank = 2,
        .meaning = "lower end of its 90 % interval"},
       [](const ExplainLine& line) {
         return line.row.gain ? std::optional(line.row.gain_low) : std::nullopt;
       }},
      {{.name = "gain_hi",
        .heading = "gain to",
        .digits = 3,
        .rank = 2,
        .meaning = "upper end of its 90 % interval"},
       [](const ExplainLine& line) {
         return line.row.gain ? std::optional(line.row.gain_high) : std::nullopt;
       }},
      {{.name = "remedy", .rank = 1, .wrap = true, .meaning = "what tests or removes the cause"},
       &remedy_text},
  };
  return rows;
}

}  // namespace

Table explain_table(const ExplainAnswer& found, bool for_people) {
  Table table(columns_of(explain_fields()));
  for (const ExplainRow& row : found.rows) {
    if (for_people && row.probability < kShownProbability) continue;
    std::vector<Cell> cells(table.columns().size());
    set_cells(explain_fields(), ExplainLine{found, row}, cells);
    table.add_row(std::move(cells));
  }
  return table;
}

std::string explain_text(const ExplainAnswer& found) {
  std::string text = fmt::format(
      "{}, {} on {}, {}, {} {}, batch {}: measured {:.3g} ms, expected {:.3g} ms ({:.3g} to "
      "{:.3g}, {})",
      found.origin.workload, found.origin.kind, found.origin.board, found.mode_text,
      name_of(*found.origin.runtime), name_of(found.precision), found.batch,
      kExplainMs * found.measured_s, kExplainMs * found.expected_s,
      kExplainMs * found.expected_low_s, kExplainMs * found.expected_high_s,
      found.claimed_s ? "the published time" : "modelled, 90 %");
  if (found.measured_power_w) {
    text += fmt::format("; {:.3g} W of {:.3g} W", *found.measured_power_w, found.expected_power_w);
  }
  return text;
}

Json explain_json(const ExplainAnswer& found) {
  Json json;
  add_origin(json, found.origin);
  json.update({{"precision", name_of(found.precision)},
               {"mode", mode_to_json(found.mode)},
               {"batch", found.batch},
               {"measured_ms", kExplainMs * found.measured_s},
               {"expected_ms", kExplainMs * found.expected_s},
               {"expected_lo_ms", kExplainMs * found.expected_low_s},
               {"expected_hi_ms", kExplainMs * found.expected_high_s},
               {"gap_ms", kExplainMs * found.gap_s()},
               {"expected_power_w", found.expected_power_w}});
  if (found.measured_power_w) json["measured_power_w"] = *found.measured_power_w;
  if (found.claimed_s) json["claimed_ms"] = kExplainMs * *found.claimed_s;
  if (!found.widened_by.empty()) json["interval_widened_by"] = found.widened_by;
  add_caveats(found.workload->at(found.batch)->caveats, json);
  Json& rows = json["rows"] = Json::array();
  for (const ExplainRow& row : found.rows) {
    write_json(explain_fields(), ExplainLine{found, row}, rows.emplace_back(Json::object()));
  }
  return json;
}

std::vector<KeyMeaning> explain_keys() {
  return keys_of(explain_fields(), "explain:rows");
}

}  // namespace ridgewatt::report
