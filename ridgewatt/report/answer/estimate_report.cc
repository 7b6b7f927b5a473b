#include "ridgewatt/report/estimate_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/job_text.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::report {
namespace {

// A row with what all of its answer share.
struct Asked {
  const answer::EstimateAnswer& found;
  const answer::EstimateRow& row;
  const answer::HeldRow* held;
  std::array<double, twin::kQuantities.size()> factor;  // of the 90 % intervals

  const answer::EstimateSetting& of() const { return *row.setting; }
  const twin::MinibatchCost& total() const { return row.estimate.total; }
  twin::JobCost job() const { return twin::job_cost(total(), of().batch, found.job_samples); }
};
using AskedField = Field<Asked>;
using AskedFields = std::vector<AskedField>;

Asked row_of(const answer::EstimateAnswer& found, std::size_t i) {
  constexpr double kInterval = 0.9;
  const answer::EstimateRow& row = found.rows[i];
  Asked asked{found, row, found.held.empty() ? nullptr : &found.held[i], {}};
  for (std::size_t q = 0; q < twin::kQuantities.size(); ++q) {
    asked.factor[q] = row.error[q].factor(kInterval);
  }
  return asked;
}

Cell text_cell(std::string_view text) {
  return std::string(text);
}
template <class T>
Cell scaled_cell(const std::optional<T>& value, double scale) {
  return value ? Cell(scale * *value) : Cell();
}

template <Knob kKnob>
Cell knob_cell(const Asked& asked) {
  const PowerMode& clocks = asked.row.estimate.clocks;
  if (!clocks.has(kKnob)) return {};
  if constexpr (kKnob == Knob::kCpuCores) return std::int64_t{clocks.cpu_cores};
  return knob_in_field_unit(clocks, kKnob);
}

// The knobs of `columns`.
void add_knobs(const std::vector<Column>& columns, AskedFields& fields) {
  const std::pair<std::string_view, Cell (*)(const Asked&)> cells[] = {
      {knob_field(Knob::kCpuCores), &knob_cell<Knob::kCpuCores>},
      {knob_field(Knob::kCpuClock), &knob_cell<Knob::kCpuClock>},
      {knob_field(Knob::kGpuClock), &knob_cell<Knob::kGpuClock>},
      {knob_field(Knob::kMemClock), &knob_cell<Knob::kMemClock>},
      {"governor", [](const Asked& asked) {
         const std::string& governor = asked.row.estimate.clocks.governor;
         return governor.empty() ? Cell() : Cell(governor);
       }}};
  for (const auto& column : columns) {
    for (const auto& [name, get] : cells) {
      if (column.name == name) fields.push_back({column, get});
    }
  }
}

// The ends of the interval of `value`, of which `more` may come on top: the upper bound holds with
// it, too.
double lower(const Asked& asked, std::size_t quantity, double value) {
  return value / asked.factor[quantity];
}
double upper(const Asked& asked, std::size_t quantity, double value, double more = 0) {
  return (value + more) * asked.factor[quantity];
}

AskedFields cost_fields() {
  using A = Asked;
  return {{column("time_ms"), [](const A& a) -> Cell { return a.total().period_s * 1e3; }},
          {column("time_lo_ms", 4),
           [](const A& a) -> Cell { return lower(a, twin::kTime, a.total().period_s * 1e3); }},
          // Who calls an engine is not known: the upper bound holds for a Python program, too.
          {column("time_hi_ms", 4),
           [](const A& a) -> Cell {
             return upper(a, twin::kTime, a.total().period_s * 1e3, a.row.python_call_s * 1e3);
           }},
          {column("power_w"), [](const A& a) -> Cell { return a.total().power_w; }},
          {column("power_lo_w", 5),
           [](const A& a) -> Cell { return lower(a, twin::kPower, a.total().power_w); }},
          {column("power_hi_w", 5),
           [](const A& a) -> Cell { return upper(a, twin::kPower, a.total().power_w); }},
          {column("energy_j"), [](const A& a) -> Cell { return a.total().energy_j(); }},
          {column("energy_lo_j", 6),
           [](const A& a) -> Cell { return lower(a, twin::kEnergy, a.total().energy_j()); }},
          {column("energy_hi_j", 6),
           [](const A& a) -> Cell { return upper(a, twin::kEnergy, a.total().energy_j()); }}};
}

AskedFields state_fields() {
  using A = Asked;
  return {
      {{.name = "time_median_ms", .heading = "median time (ms)", .rank = 3},
       [](const A& a) -> Cell { return a.total().median_s * 1e3; }},
      {column("stall_ms", 3), [](const A& a) -> Cell { return a.total().stall_s() * 1e3; }},
      {column("gpu_load_pct", 3), [](const A& a) -> Cell { return 100 * a.row.estimate.gpu_load; }},
      {column("bound", 2),
       [](const A& a) { return text_cell(name_of(a.row.estimate.dominant())); }},
      {column("fits_memory", 1),
       [](const A& a) { return text_cell(a.of().memory.fits() ? "yes" : "no"); }},
      {{.name = "memory_needed_gb", .rank = 7},
       [](const A& a) -> Cell { return a.of().memory.needed_bytes() / kGiga; }},
      {{.name = "memory_free_gb", .rank = 7},
       [](const A& a) -> Cell { return a.of().memory.free_bytes() / kGiga; }}};
}

AskedFields job_fields(bool for_people) {
  using A = Asked;
  if (for_people) {
    return {{{"job_time"}, [](const A& a) { return text_cell(duration_text(a.job().time_s)); }},
            {{"job_energy"}, [](const A& a) { return text_cell(energy_text(a.job().energy_j)); }}};
  }
  return {{{"job_time_s"}, [](const A& a) -> Cell { return a.job().time_s; }},
          {{"job_energy_j"}, [](const A& a) -> Cell { return a.job().energy_j; }},
          {{"job_time_h"}, [](const A& a) -> Cell { return a.job().time_s / kSecondsPerHour; }},
          {{"job_energy_wh"}, [](const A& a) -> Cell { return a.job().energy_j / kJoulesPerWh; }}};
}

AskedFields held_fields() {
  using A = Asked;
  return {{{.name = "held", .heading = "held", .rank = 1, .wrap = true},
           [](const A& a) { return text_cell(thermal::hold_text(a.held->hold)); }},
          {{.name = "holds_s", .heading = "holds for (s)", .rank = 8},
           [](const A& a) { return scaled_cell(a.held->hold.holds_s, 1); }},
          {{.name = "steady_c", .heading = "ends at (°C)", .rank = 4},
           [](const A& a) { return scaled_cell(a.held->hold.steady_celsius, 1); }},
          {{.name = "sustained_w", .heading = "power held for ever (W)", .rank = 4},
           [](const A& a) -> Cell { return a.held->hold.sustained_w; }},
          {{.name = "sustained_time_ms", .heading = "time when throttled (ms)", .rank = 4},
           [](const A& a) { return scaled_cell(a.held->sustained_time_s, 1e3); }}};
}

AskedFields fit_fields() {
  using A = Asked;
  return {{{.name = "unseen_time_error_pct", .heading = "time error (%)", .digits = 3, .rank = 3},
           [](const A& a) { return scaled_cell(a.of().fit.unseen_time_mape, 100); }},
          {{.name = "unseen_power_error_pct", .heading = "power error (%)", .digits = 3, .rank = 3},
           [](const A& a) { return scaled_cell(a.of().fit.unseen_power_mape, 100); }}};
}

// Where a row comes from.
const AskedFields& origin_fields() {
  using A = Asked;
  static const AskedFields fields = {
      {{"workload"}, [](const A& a) { return text_cell(a.found.workload->name()); }},
      {{"kind"}, [](const A& a) { return text_cell(name_of(a.found.workload->options().kind)); }},
      {{"board"}, [](const A& a) { return text_cell(a.of().board); }},
      {{"provenance"}, [](const A&) { return text_cell(name_of(Provenance::kModelled)); }},
      {{"runtime"}, [](const A& a) { return text_cell(name_of(a.of().runtime)); }},
      {{"twin"}, [](const A& a) { return text_cell(a.of().twin); }}};
  return fields;
}

AskedFields estimate_fields(const answer::EstimateAnswer& found, EstimateReader reader) {
  using Over = answer::EstimateAnswer::Over;
  using A = Asked;
  const bool boards = found.over == Over::kBoards, runtimes = found.over == Over::kRuntimes;
  const AskedField precision{column("precision", runtimes ? 0 : 7),
                             [](const A& a) { return text_cell(name_of(a.of().precision)); }};
  std::vector<PowerMode> modes;
  for (const auto& row : found.rows) {
    const PowerMode& clocks = row.estimate.clocks;
    if (modes.empty() || modes.back() != clocks) modes.push_back(clocks);
  }
  AskedFields fields;
  const auto add = [&](const AskedFields& more) {
    fields.insert(fields.end(), more.begin(), more.end());
  };
  if (boards) add({{column("board"), [](const A& a) { return text_cell(a.of().board); }}});
  if (runtimes) {
    add({{column("runtime"), [](const A& a) { return text_cell(name_of(a.of().runtime)); }}});
    add({precision});
  }
  // Where boards are compared, their modes are the lesser question.
  add_knobs(knob_columns(modes, boards || runtimes ? 3 : 0), fields);
  if (std::any_of(found.rows.begin(), found.rows.end(),
                  [](const auto& row) { return !row.preset.empty(); })) {
    add({{column("preset", 1),
          [](const A& a) { return a.row.preset.empty() ? Cell() : Cell(a.row.preset); }}});
  }
  add({{column("batch"), [](const A& a) -> Cell { return std::int64_t{a.of().batch}; }}});
  add(cost_fields());
  add(state_fields());
  if (!runtimes) add({precision});
  if (found.job_samples > 0) add(job_fields(reader == EstimateReader::kPeople));
  if (!found.held.empty()) add(held_fields());
  if (boards || runtimes) {
    add({{{.name = "twin", .rank = 2, .wrap = true},
          [](const A& a) { return text_cell(a.of().twin); }}});
  }
  if (boards) add(fit_fields());
  if (reader != EstimateReader::kCsv) return fields;
  for (const auto& field : origin_fields()) {
    if (std::none_of(fields.begin(), fields.end(),
                     [&](const AskedField& one) { return one.column.name == field.column.name; })) {
      fields.push_back(field);
    }
  }
  return fields;
}

}  // namespace

Rows estimate_rows(const answer::EstimateAnswer& found, EstimateReader reader) {
  return rows_of(estimate_fields(found, reader), found.rows.size(),
                 [&](std::size_t i) { return row_of(found, i); });
}

Table layer_table(const workload::WorkloadCost& cost,
                  const std::vector<twin::LayerEstimate>& layers) {
  Table table({column("layer"),
               column("op"),
               {.name = "phase", .rank = 3},
               column("work_mflop", 4),
               column("traffic_mb", 4),
               {.name = "intensity", .heading = "FLOP per byte of modelled traffic", .rank = 5},
               column("time_ms"),
               column("time_share_pct"),
               column("gpu_ms", 6),
               column("energy_mj", 2),
               column("bound", 1)});
  double total_s = 0;
  for (const auto& layer : layers) total_s += layer.time_s;
  for (const auto& layer : layers) {
    const auto& kernel = cost.kernels[layer.kernel];
    const char* phase = kernel.phase == workload::Phase::kForward    ? "forward"
                        : kernel.phase == workload::Phase::kBackward ? "backward"
                                                                     : "optimizer";
    Cell intensity;
    const double traffic_bytes = layer.effective_traffic_bytes;
    if (traffic_bytes > 0) intensity = kernel.work_flop / traffic_bytes;
    table.add_row({kernel.name, kernel.op, std::string(phase), kernel.work_flop / 1e6,
                   traffic_bytes / 1e6, intensity, layer.time_s * 1e3,
                   total_s > 0 ? 100 * layer.time_s / total_s : 0, layer.gpu_s * 1e3,
                   layer.energy_j * 1e3, std::string(name_of(layer.cause))});
  }
  return table;
}

Json memory_json(const twin::MemoryFootprint& memory) {
  return {
      {"tensors", memory.tensors_bytes / kGiga},     {"workspace", memory.workspace_bytes / kGiga},
      {"framework", memory.framework_bytes / kGiga}, {"cuda_context", memory.context_bytes / kGiga},
      {"cudnn", memory.cudnn_bytes / kGiga},         {"loader", memory.loader_bytes / kGiga},
      {"needed", memory.needed_bytes() / kGiga},     {"board", memory.board_bytes / kGiga},
      {"system", memory.system_bytes / kGiga},       {"free", memory.free_bytes() / kGiga}};
}

Json memory_sources_json(const Board& board, Runtime runtime) {
  Json sources = Json::object();
  for (const auto& constant : twin::runtime_memory(runtime)) {
    sources[std::string(constant.name)] = std::string(constant.source);
  }
  for (const auto& [name, key] :
       {std::pair{"system", "memory.system_mib"}, std::pair{"board", "memory.visible_mib"}}) {
    if (const Fact* fact = find_fact(board, key))
      sources[name] = fact->status + ": " + fact->source;
  }
  return sources;
}

Table cause_table(const twin::Breakdown& breakdown) {
  Table table({{"cause"},
               column("time_ms"),
               {.name = "time_share", .heading = "time share (%)", .digits = 3, .scale = 100},
               column("energy_j"),
               {.name = "energy_share", .heading = "energy share (%)", .digits = 3, .scale = 100}});
  const twin::MinibatchCost& total = breakdown.total;
  for (std::size_t i = 0; i < twin::kCauseCount; ++i) {
    table.add_row({std::string(name_of(static_cast<twin::Cause>(i))), breakdown.time_s[i] * 1e3,
                   breakdown.time_s[i] / total.period_s, breakdown.energy_j[i],
                   breakdown.energy_j[i] / total.energy_j()});
  }
  table.add_row({std::string("static"), Cell(), Cell(), breakdown.static_j,
                 breakdown.static_j / total.energy_j()});
  return table;
}

LayerSums layer_sums(const Table& layers) {
  const std::vector<std::string> summed = {"time_ms", "time_share_pct", "energy_mj", "work_mflop",
                                           "traffic_mb"};
  return {sums_by_operator(layers, summed, kLayerOrder),
          sums_by_block(layers, summed, kLayerOrder)};
}

}  // namespace ridgewatt::report
