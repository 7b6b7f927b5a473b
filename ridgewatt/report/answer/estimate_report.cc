#include "ridgewatt/report/estimate_report.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/job_report.h"
#include "ridgewatt/report/keys/key_tables.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/report/tune_report.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::report {
namespace {

using LineFields = Fields<EstimateLine>;

constexpr double kEstimateInterval = 0.9;

const twin::Bounded& bounded_of(const EstimateLine& line, std::size_t quantity) {
  return line.cost[quantity];
}

std::optional<twin::JobCost> job_of(const EstimateLine& line) {
  const double samples = line.found->job_samples;
  if (!(samples > 0)) return std::nullopt;
  return twin::job_cost(line.cost[twin::kTime].value, line.cost[twin::kEnergy].value,
                        line.of().batch, samples);
}

// With a governor, the clocks that it chooses are shown next to the requested mode.
bool is_governed(const EstimateLine& line) {
  return !line.row().mode.governor.empty();
}

const LineFields& mode_fields() {
  static const LineFields fields = {
      {column("mode"), [](const EstimateLine& l) { return l.row().mode; }, kInJson | kInPython},
      {{.name = "clocks", .meaning = "clocks that the governor chooses"},
       [](const EstimateLine& l) { return l.row().estimate.clocks; },
       kInJson,
       is_governed}};
  return fields;
}

// The knobs in tables, as columns of this rank.
LineFields knob_fields(int rank) {
  return {{{.name = "clocks", .rank = rank},
           [](const EstimateLine& l) { return l.row().estimate.clocks; },
           kOnTable}};
}

const LineFields& board_fields() {
  static const LineFields fields = {
      {column("board"), [](const EstimateLine& l) -> std::string_view { return l.of().board; }}};
  return fields;
}

const LineFields& runtime_fields() {
  static const LineFields fields = {
      {column("runtime"), [](const EstimateLine& l) { return name_of(l.of().runtime); }}};
  return fields;
}

LineFields precision_fields(int rank) {
  return {
      {column("precision", rank), [](const EstimateLine& l) { return name_of(l.of().precision); }}};
}

const LineFields& batch_fields() {
  static const LineFields fields = {
      {column("preset", 1),
       [](const EstimateLine& l) -> std::string_view { return l.row().preset; }},
      {column("batch"), [](const EstimateLine& l) { return l.of().batch; }}};
  return fields;
}

const LineFields& cost_fields() {
  static const LineFields fields = {
      {column("time_ms"), [](const EstimateLine& l) { return bounded_of(l, twin::kTime).value; }},
      {column("time_lo_ms", 4),
       [](const EstimateLine& l) { return bounded_of(l, twin::kTime).lo; }},
      {column("time_hi_ms", 4),
       [](const EstimateLine& l) { return bounded_of(l, twin::kTime).hi; }},
      {column("power_w"), [](const EstimateLine& l) { return bounded_of(l, twin::kPower).value; }},
      {column("power_lo_w", 5),
       [](const EstimateLine& l) { return bounded_of(l, twin::kPower).lo; }},
      {column("power_hi_w", 5),
       [](const EstimateLine& l) { return bounded_of(l, twin::kPower).hi; }},
      {column("energy_j"),
       [](const EstimateLine& l) { return bounded_of(l, twin::kEnergy).value; }},
      {column("energy_lo_j", 6),
       [](const EstimateLine& l) { return bounded_of(l, twin::kEnergy).lo; }},
      {column("energy_hi_j", 6),
       [](const EstimateLine& l) { return bounded_of(l, twin::kEnergy).hi; }}};
  return fields;
}

std::vector<std::string_view> widened_by_of(const EstimateLine& line) {
  std::vector<std::string_view> reasons(line.of().widened_by.begin(), line.of().widened_by.end());
  reasons.insert(reasons.end(), line.row().widened_by.begin(), line.row().widened_by.end());
  return reasons;
}

bool is_widened(const EstimateLine& line) {
  return !line.of().widened_by.empty() || !line.row().widened_by.empty();
}

// A figure that a physical limit can cut, as in "power_hi_w: the power limit".
struct Cut {
  std::size_t quantity;
  int end;  // of the interval: -1, 0 (the figure itself) or 1
  const char* text;
};
constexpr std::array kCuts = {Cut{twin::kTime, 0, "time_ms: the roofs or the launches"},
                              Cut{twin::kTime, -1, "time_lo_ms: the roofs or the launches"},
                              Cut{twin::kPower, 0, "power_w: the power limit"},
                              Cut{twin::kPower, -1, "power_lo_w: idle power"},
                              Cut{twin::kPower, 1, "power_hi_w: the power limit"}};

bool is_cut(const EstimateLine& line, const Cut& cut) {
  const twin::Bounded& stated = bounded_of(line, cut.quantity);
  const twin::MinibatchCost& free = line.total();
  const double figure = cut.quantity == twin::kTime ? free.period_s : free.power_w;
  if (!std::isfinite(figure)) return false;  // the power of a CPU is unknown
  if (cut.end == 0) return stated.value != figure;
  const double end = cut.end < 0 ? stated.lo : stated.hi;
  const twin::LogError& error = line.row().error[cut.quantity];
  return end == error.least || end == error.most;
}

bool is_bounded(const EstimateLine& line) {
  return std::any_of(kCuts.begin(), kCuts.end(), [&](const Cut& cut) { return is_cut(line, cut); });
}

std::vector<std::string_view> bounded_by(const EstimateLine& line) {
  std::vector<std::string_view> bounds;
  for (const Cut& cut : kCuts) {
    if (is_cut(line, cut)) bounds.push_back(cut.text);
  }
  return bounds;
}

// Fields on what limits the figures, and on why their bounds are wide.
const LineFields& bound_fields() {
  static const LineFields fields = {
      {{.name = "idle_w", .heading = "idle (W)", .rank = 7, .meaning = "power while nothing runs"},
       [](const EstimateLine& l) {
         return std::isfinite(l.total().power_w) ? std::optional(l.row().error[twin::kPower].least)
                                                 : std::nullopt;
       }},
      {{.name = "bounded_by",
        .meaning =
            "figures that are limited by idle power, the power limit, the roofs or the launches"},
       bounded_by,
       kOnTable | kInJson,
       is_bounded},
      {{.name = "interval_widened_by", .meaning = "reasons why an interval is wider than usual"},
       widened_by_of,
       kOnTable | kInJson,
       is_widened}};
  return fields;
}

const LineFields& state_fields() {
  static const LineFields fields = {
      {{.name = "time_median_ms",
        .heading = "median time (ms)",
        .rank = 3,
        .meaning = "median of timed minibatches"},
       [](const EstimateLine& l) { return l.total().median_s; }},
      {column("stall_ms", 3), [](const EstimateLine& l) { return l.total().stall_s(); },
       kEverywhere, nullptr, "fetch_stall_s"},
      {column("gpu_load_pct", 3), [](const EstimateLine& l) { return l.row().estimate.gpu_load; }},
      {column("bound", 2),
       [](const EstimateLine& l) { return name_of(l.row().estimate.dominant()); }, kEverywhere,
       nullptr, "dominant"},
      {column("fits_memory", 1), [](const EstimateLine& l) { return l.of().memory.fits(); }},
      {{.name = "memory_needed_gb", .rank = 7, .meaning = "memory that the minibatch needs"},
       [](const EstimateLine& l) { return l.of().memory.needed_bytes(); },
       kEverywhere,
       nullptr,
       "memory_bytes"},
      {{.name = "memory_free_gb", .rank = 7, .meaning = "memory that the system leaves"},
       [](const EstimateLine& l) { return l.of().memory.free_bytes(); }}};
  return fields;
}

constexpr char kJobTime[] = "time of the whole job", kJobEnergy[] = "energy of the whole job";

// Texts in tables for people, otherwise numbers.
LineFields job_fields(OutputFormat reader) {
  if (reader == OutputFormat::kTable) {
    return {{{.name = "job_time", .meaning = kJobTime},
             [](const EstimateLine& l) { return duration_text(job_of(l)->time_s); }},
            {{.name = "job_energy", .meaning = kJobEnergy}, [](const EstimateLine& l) -> Cell {
               const double energy_j = job_of(l)->energy_j;
               return std::isfinite(energy_j) ? Cell(energy_text(energy_j)) : Cell();
             }}};
  }
  const auto time_s = [](const EstimateLine& l) {
    const auto job = job_of(l);
    return job ? std::optional(job->time_s) : std::nullopt;
  };
  const auto energy_j = [](const EstimateLine& l) {
    const auto job = job_of(l);
    return job ? std::optional(job->energy_j) : std::nullopt;
  };
  return {{{.name = "job_time_s", .meaning = kJobTime}, time_s},
          {{.name = "job_energy_j", .meaning = kJobEnergy}, energy_j},
          {{.name = "job_time_h", .meaning = kJobTime}, time_s, kOnTable | kInJson},
          {{.name = "job_energy_wh", .meaning = kJobEnergy}, energy_j, kOnTable | kInJson}};
}

const thermal::HoldAnswer* hold_of(const EstimateLine& line) {
  return line.found->held.empty() ? nullptr : &line.found->held[line.number].hold;
}

const LineFields& held_fields() {
  static const LineFields fields = {
      {{.name = "held",
        .heading = "held",
        .rank = 1,
        .wrap = true,
        .meaning = "time until the board throttles, as text"},
       [](const EstimateLine& l) {
         const auto* hold = hold_of(l);
         return hold == nullptr ? std::string() : thermal::hold_text(*hold);
       }},
      {{.name = "holds_s",
        .heading = "holds for (s)",
        .rank = 8,
        .meaning = "time until it throttles; null: it holds"},
       [](const EstimateLine& l) {
         const auto* hold = hold_of(l);
         return hold == nullptr ? std::nullopt : hold->holds_s;
       }},
      {{.name = "steady_c", .heading = "ends at (°C)", .rank = 4, .meaning = "final temperature"},
       [](const EstimateLine& l) {
         const auto* hold = hold_of(l);
         return hold == nullptr ? std::nullopt : hold->steady_celsius;
       }},
      {{.name = "sustained_w",
        .heading = "sustained power (W)",
        .rank = 4,
        .meaning = "highest power at which the board never throttles"},
       [](const EstimateLine& l) {
         const auto* hold = hold_of(l);
         return hold == nullptr ? std::nullopt : std::optional(hold->sustained_w);
       }},
      {{.name = "sustained_time_ms",
        .heading = "time when throttled (ms)",
        .rank = 4,
        .meaning = "time per minibatch once it throttles"},
       [](const EstimateLine& l) {
         return hold_of(l) == nullptr ? std::nullopt : l.found->held[l.number].sustained_time_s;
       }}};
  return fields;
}

const LineFields& fit_fields() {
  static const LineFields fields = {
      {{.name = "unseen_time_error_pct",
        .heading = "time error (%)",
        .digits = 3,
        .rank = 3,
        .meaning = "mean absolute error of time on workloads left out of the twin's fit"},
       [](const EstimateLine& l) { return l.of().fit.unseen_time_mape; }},
      {{.name = "unseen_power_error_pct",
        .heading = "power error (%)",
        .digits = 3,
        .rank = 3,
        .meaning = "mean absolute error of power on workloads left out of the twin's fit"},
       [](const EstimateLine& l) { return l.of().fit.unseen_power_mape; }}};
  return fields;
}

Column twin_column() {
  Column twin = column("twin", 2);
  twin.wrap = true;
  return twin;
}

// Fields that identify the origin of a row.
const LineFields& origin_fields_of_line() {
  static const LineFields fields = {
      {column("workload"),
       [](const EstimateLine& l) -> std::string_view { return l.found->workload->name(); }},
      {column("kind"),
       [](const EstimateLine& l) { return name_of(l.found->workload->options().kind); }},
      board_fields().front(),
      {column("provenance"), [](const EstimateLine&) { return name_of(Provenance::kModelled); }},
      runtime_fields().front(),
      {column("twin"), [](const EstimateLine& l) -> std::string_view { return l.of().twin; }}};
  return fields;
}

// Objects that only JSON contains.
const LineFields& detail_fields() {
  static const LineFields fields = {
      {{.name = "memory_gb", .meaning = "memory of the minibatch, and what the board has"},
       [](const EstimateLine& l) { return memory_json(l.of().memory); },
       kInJson}};
  return fields;
}
const LineFields& error_fields() {
  static const LineFields fields = {
      {{.name = "hold", .meaning = "prediction of throttling"},
       [](const EstimateLine& l) {
         Json hold = hold_json(*hold_of(l));
         const auto& sustained_w = l.found->held[l.number].sustained_power_w;
         hold["sustained_power_w"] = known_json(sustained_w);
         return hold;
       },
       kInJson,
       [](const EstimateLine& l) { return hold_of(l) != nullptr; }},
      {{.name = "twin_error", .meaning = "errors of the twin's fit; null where it was not fitted"},
       [](const EstimateLine& l) { return twin_error_json(l.of().fit); },
       kInJson},
      {{.name = "python_call_ms", .meaning = "time that a call from Python may add"},
       [](const EstimateLine& l) { return l.row().python_call_s; },
       kInJson,
       [](const EstimateLine& l) { return l.row().python_call_s > 0; }}};
  return fields;
}

// Appends only fields that are not in `fields` yet.
void append_new(LineFields& fields, const LineFields& more) {
  for (const auto& field : more) {
    const bool there = std::any_of(fields.begin(), fields.end(), [&](const auto& one) {
      return one.column.name == field.column.name && one.shown == field.shown;
    });
    if (!there) fields.push_back(field);
  }
}

// Returns the columns of tables in their order.
LineFields table_fields(const answer::EstimateAnswer& found, OutputFormat reader) {
  using Over = answer::EstimateAnswer::Over;
  const bool boards = found.over == Over::kBoards, runtimes = found.over == Over::kRuntimes;
  LineFields fields;
  if (boards) append(fields, board_fields());
  if (runtimes) append(fields, runtime_fields());
  if (runtimes) append(fields, precision_fields(0));
  // In comparisons of boards or runtimes, the mode matters less.
  append(fields, knob_fields(boards || runtimes ? 3 : 0));
  append(fields, batch_fields());
  append(fields, cost_fields());
  append(fields, state_fields());
  if (!runtimes) append(fields, precision_fields(7));
  if (found.job_samples > 0) append(fields, job_fields(reader));
  if (!found.held.empty()) append(fields, held_fields());
  if (boards || runtimes)
    fields.push_back(
        {twin_column(), [](const EstimateLine& l) -> std::string_view { return l.of().twin; }});
  if (boards) append(fields, fit_fields());
  bool unnamed = true;
  for (std::size_t i = 0; unnamed && i < found.rows.size(); ++i) {
    unnamed = found.rows.preset(i).empty();
  }
  for (auto& field : fields) {
    if (field.column.name == "preset") field.column.optional = unnamed;
  }
  if (reader == OutputFormat::kCsv) {
    append_new(fields, bound_fields());
    append_new(fields, origin_fields_of_line());
  }
  return fields;
}

LineFields json_fields(const answer::EstimateAnswer& found) {
  LineFields fields = board_fields();
  append(fields, precision_fields(0));
  append(fields, mode_fields());
  append_new(fields, table_fields(found, OutputFormat::kJson));
  append(fields, detail_fields());
  append_new(fields, origin_fields_of_line());
  append(fields, error_fields());
  append(fields, bound_fields());
  return fields;
}

// Refers to `found`, which must outlive the result.
EstimateLine line_of(const answer::EstimateAnswer& found, std::size_t i) {
  return {{std::shared_ptr<void>(), &found}, i};
}

}  // namespace

EstimateLine::EstimateLine(std::shared_ptr<const answer::EstimateAnswer> of, std::size_t i)
    : found(std::move(of)), number(i), estimated(found->rows[i]) {
  const auto [time, power, energy] =
      answer::stated_cost(total(), row().error, row().python_call_s, kEstimateInterval);
  cost = {{{time.mean, time.lo, time.hi},
           {power.mean, power.lo, power.hi},
           {energy.mean, energy.lo, energy.hi}}};
}

Rows estimate_rows(const answer::EstimateAnswer& found, OutputFormat reader) {
  Rows rows = rows_of(table_fields(found, reader), found.rows.size(),
                      [&](std::size_t i) { return line_of(found, i); });
  // A board sets the same knobs in every mode, so the clocks of the first row show all of them.
  std::vector<PowerMode> modes = {found.rows.front().estimate.clocks};
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    const PowerMode& mode = found.rows.mode(i);
    if (modes.back() != mode) modes.push_back(mode);
  }
  for (const auto& knob : knob_columns_of(modes)) {
    for (auto& column : rows.columns) {
      if (column.name == knob.name) column.optional = knob.optional;
    }
  }
  return rows;
}

std::function<void(std::size_t, Json&)> estimate_row_json(
    const answer::EstimateAnswer& found,
    std::function<void(std::size_t, const answer::EstimateRow&)> seen) {
  return [&found, fields = json_fields(found), seen = std::move(seen)](std::size_t i, Json& row) {
    const EstimateLine line = line_of(found, i);
    row = Json::object();
    write_json(fields, line, row);
    if (seen) seen(i, line.row());
  };
}

const LineFields& estimate_fields() {
  static const LineFields all = [] {
    LineFields fields = board_fields();
    for (const auto& more :
         {runtime_fields(), precision_fields(0), mode_fields(), batch_fields(), cost_fields(),
          state_fields(), job_fields(OutputFormat::kJson), held_fields(), fit_fields(),
          origin_fields_of_line(), detail_fields(), error_fields(), bound_fields()}) {
      append_new(fields, more);
    }
    return fields;
  }();
  return all;
}

const DeclaredKeys kEstimateKeys([] { return keys_of(estimate_fields()); });

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
    const double work = kernel.work_flop + kernel.work_int_op;
    if (traffic_bytes > 0) intensity = work / traffic_bytes;
    table.add_row({kernel.name, kernel.op, std::string(phase), work / 1e6, traffic_bytes / 1e6,
                   intensity, layer.time_s * 1e3, total_s > 0 ? 100 * layer.time_s / total_s : 0,
                   layer.gpu_s * 1e3, layer.energy_j * 1e3, std::string(name_of(layer.cause))});
  }
  return table;
}

namespace {

bool uses_gpu(const twin::MemoryFootprint& memory) {
  return memory.context_bytes > 0;
}

// In GB; the name of the object contains the unit.
const Fields<twin::MemoryFootprint>& memory_fields() {
  using M = twin::MemoryFootprint;
  static const Fields<M> fields = {
      {{.name = "tensors", .meaning = "weights, activations and gradients"},
       [](const M& m) { return m.tensors_bytes / kGiga; }},
      {{.name = "workspace", .meaning = "scratch memory of the kernels"},
       [](const M& m) { return m.workspace_bytes / kGiga; }},
      {{.name = "framework", .meaning = "the framework's code and data"},
       [](const M& m) { return m.framework_bytes / kGiga; }},
      {{.name = "cuda_context", .meaning = "the CUDA context"},
       [](const M& m) { return m.context_bytes / kGiga; },
       kEverywhere,
       &uses_gpu},
      {{.name = "cudnn", .meaning = "libraries of kernels"},
       [](const M& m) { return m.cudnn_bytes / kGiga; },
       kEverywhere,
       &uses_gpu},
      {{.name = "loader", .meaning = "worker processes of the data loader"},
       [](const M& m) { return m.loader_bytes / kGiga; }},
      {{.name = "needed", .meaning = "all that the minibatch needs"},
       [](const M& m) { return m.needed_bytes() / kGiga; }},
      {{.name = "board", .meaning = "memory of the board that programs can see"},
       [](const M& m) { return m.board_bytes / kGiga; }},
      {{.name = "system", .meaning = "memory that the system takes"},
       [](const M& m) { return m.system_bytes / kGiga; }},
      {{.name = "free", .meaning = "memory that the system leaves"},
       [](const M& m) { return m.free_bytes() / kGiga; }}};
  return fields;
}

}  // namespace

Json memory_json(const twin::MemoryFootprint& memory) {
  Json json;
  write_json(memory_fields(), memory, json);
  return json;
}

const DeclaredKeys kMemoryKeys([] { return keys_of(memory_fields(), "memory_gb"); });

Json memory_sources_json(const Board& board, Runtime runtime) {
  Json sources = Json::object();
  for (const auto& constant : twin::runtime_memory(runtime)) {
    if (constant.bytes == 0 && is_on_cpu(runtime)) continue;  // the constant applies only to GPUs
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

std::string mixed_power_note(const std::vector<std::string>& boards) {
  bool card = false, module = false;
  for (const auto& board : boards) (load_board(board).discrete_gpu ? card : module) = true;
  return card && module ? "the power and energy of a graphics card are those of the card alone, "
                          "without its host; those of a Jetson are of the whole module"
                        : "";
}

namespace {

// Lists what would help if kernel launches limit the speed.
std::string remedies_text(const std::vector<answer::Remedy>& remedies) {
  std::string list;
  for (const auto& remedy : remedies) {
    list += sentence("{}{} {:.3g} times ({:.3g} ms per sample)", list.empty() ? "" : ", ",
                     remedy.what, remedy.times_faster, 1e3 * remedy.s_per_sample);
  }
  return "limited by launches; faster alternatives, as modelled: " + list;
}

std::string estimate_heading(const answer::EstimateQuestion& question,
                             const answer::EstimateAnswer& found, bool all_counted) {
  std::string text = fmt::format(
      "{} {}: {}{}\n", escape_terminal(question.workload.model), name_of(question.workload.kind),
      escape_terminal(estimate_ground(found)), all_counted ? "; 90 % intervals" : "");
  const auto precision = question.workload.deploy().precision;
  if (precision != workload::Precision::kFp32 && !found.model->twin().changed_by) {
    text += fmt::format("{} by ratios of peak rates: not validated\n", name_of(precision));
  }
  return text + '\n';
}

// Names the board or the runtime of a row if rows differ in it: ", on agx-orin".
std::string row_source(const answer::EstimateAnswer& found, const answer::EstimateSetting& row) {
  using Over = answer::EstimateAnswer::Over;
  if (found.over == Over::kBoards) return ", on " + escape_terminal(row.board);
  if (found.over == Over::kModes) return "";
  return fmt::format(", {} in {}", name_of(row.runtime), name_of(row.precision));
}

void note_estimate(const answer::EstimateAnswer& found, Result& result) {
  const auto [preset, envelope, waits, mixed, caller, wide] = estimate_remarks(found);
  if (!preset.empty()) result.text_after('\n' + escape_terminal(preset) + '\n');
  if (!found.remedies.empty()) result.notes.push_back(remedies_text(found.remedies));
  for (const auto& remark : {envelope, waits, mixed, caller, wide}) {
    if (!remark.empty()) result.notes.push_back(remark);
  }
}

}  // namespace

Result estimate_result(const answer::EstimateQuestion& question,
                       const answer::EstimateAnswer& found, OutputFormat format) {
  const answer::EstimateRow& first = found.rows.front();
  Result result;
  if (!found.fits_memory()) {
    result.none = {"no minibatch fits the board's memory", question.workload.model,
                   "use a smaller batch or a board with more memory"};
  }
  if (format == OutputFormat::kJson) {
    result.streamed = estimate_json(found, question.per_layer);
    return result;
  }
  const twin::Estimator& estimator = found.model->estimator(first.setting->batch);
  if (question.per_layer)
    result.table = layer_table(estimator.cost(), estimator.layers(first.mode));
  if (format == OutputFormat::kCsv) {
    if (question.per_layer)
      result.data = with_origin(result.table, {found.origin(first)});
    else
      result.stream = estimate_rows(found, format);
    return result;
  }
  Table table = estimate_rows(found, format).table();
  std::string heading =
      estimate_heading(question, found, estimator.cost().caveats.uncounted.empty());
  if (question.per_layer) {
    result.before = {{std::move(heading), std::move(table)}};
    heading = fmt::format("\nLayers at {}, batch {}{}:\n\n", describe(first.estimate.clocks),
                          first.setting->batch, row_source(found, *first.setting));
    result.order = kLayerOrder;
    result.add_sums(layer_sums(result.table));
    result.add("By cause:", cause_table(first.estimate));
  } else {
    result.table = std::move(table);
    result.stream = estimate_rows(found, OutputFormat::kCsv);
  }
  result.before.push_back({std::move(heading)});
  note_estimate(found, result);
  return result;
}

}  // namespace ridgewatt::report
