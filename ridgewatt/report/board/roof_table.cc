// The roofs of power modes as a table, and the JSON of `roofline`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/tune_report.h"
#include "ridgewatt/report/twin_report.h"

namespace ridgewatt::report {
namespace {

std::vector<Column> roof_columns(bool shares) {
  std::vector<Column> columns = {{.name = "roof", .heading = "class"},
                                 {.name = "arithmetic", .heading = "runs in", .rank = 5}};
  if (shares) {
    columns.push_back({.name = "gpu_share_pct", .heading = "GPU time (%)", .digits = 3, .rank = 1});
  }
  const std::vector<Column> roofs = {
      {"ceiling_gflop_per_s"},
      {"reached_gflop_per_s"},
      {.name = "ceiling_gb_per_s", .rank = 1},
      {.name = "reached_gb_per_s", .rank = 1},
      {.name = "compute_ceiling_from", .heading = "ceiling of compute", .rank = 9},
      {.name = "bandwidth_ceiling_from", .heading = "ceiling of bandwidth", .rank = 9},
      {.name = "ceiling_gflop_per_s_lo", .heading = "from (GFLOP/s)", .rank = 9},
      {.name = "ceiling_gflop_per_s_hi", .heading = "to (GFLOP/s)", .rank = 9},
      {.name = "ceiling_gb_per_s_lo", .heading = "from (GB/s)", .rank = 9},
      {.name = "ceiling_gb_per_s_hi", .heading = "to (GB/s)", .rank = 9},
      {.name = "time_balance", .heading = "time balance (FLOP/byte)"},
      {.name = "energy_per_flop_pj", .rank = 6},
      {.name = "energy_per_byte_pj", .rank = 6},
      {.name = "static_power_w", .rank = 4},
      {.name = "eta", .rank = 8},
      {.name = "energy_balance", .heading = "energy balance (FLOP/byte)", .rank = 5},
      {.name = "half_peak_intensity", .heading = "half peak at (FLOP/byte)", .rank = 6},
      {.name = "max_power_w", .heading = "maximum power (W)", .rank = 2},
      {.name = "uncapped_power_w", .heading = "both roofs (W)", .rank = 8},
      {.name = "power_cap_w", .rank = 8},
      {.name = "capped_from", .heading = "cap binds from (FLOP/byte)", .rank = 9},
      {.name = "capped_to", .heading = "to (FLOP/byte)", .rank = 9},
      {.name = "peak_gflop_per_j", .rank = 5},
      {.name = "race_to_halt_ratio", .rank = 7},
      {.name = "race_to_halt_ratio_lo", .rank = 7},
      {.name = "race_to_halt_ratio_hi", .rank = 7},
      {.name = "race_to_halt", .rank = 2}};
  columns.insert(columns.end(), roofs.begin(), roofs.end());
  return columns;
}

// The ends of the interval of a measured ceiling. Empty if the ceiling was not measured.
void add_ends(const std::optional<MeasuredValue>& measured, std::vector<Cell>& cells) {
  cells.push_back(measured ? Cell(measured->lo / kGiga) : Cell());
  cells.push_back(measured ? Cell(measured->hi / kGiga) : Cell());
}

void add_power_cells(const roofline::EnergyRoofline& r, double cap_w, std::vector<Cell>& cells) {
  const double uncapped_w = r.static_power_w + r.flop_power_w() + r.byte_power_w();
  const bool within = cap_w > r.static_power_w;  // otherwise no kernel can meet the cap
  cells.push_back(within ? Cell(r.max_power_w()) : Cell());
  cells.emplace_back(uncapped_w);
  cells.push_back(std::isfinite(cap_w) ? Cell(cap_w) : Cell());
  const bool binds = within && cap_w < uncapped_w;
  cells.push_back(binds ? Cell(r.cap_from_intensity()) : Cell());
  cells.push_back(binds && std::isfinite(r.cap_to_intensity()) ? Cell(r.cap_to_intensity())
                                                               : Cell());
}

// Without `ratio`, the interval of the race-to-halt ratio is unknown.
void add_roof_cells(const ClassRoof& roof, const roofline::FittedValue* ratio, bool shares,
                    double cap_w, std::vector<Cell>& cells) {
  const roofline::EnergyRoofline& r = roof.reached;
  cells.emplace_back(roof.name);
  cells.emplace_back(roof.arithmetic);
  if (shares) cells.push_back(roof.share > 0 ? Cell(100 * roof.share) : Cell());
  for (const double value : {roof.ceiling_flop_per_s, r.peak_flop_per_s,
                             roof.ceiling_bandwidth_bytes_per_s, r.bandwidth_bytes_per_s}) {
    cells.emplace_back(value / kGiga);
  }
  cells.emplace_back(roof.compute_from);
  cells.emplace_back(roof.bandwidth_from);
  add_ends(roof.measured_flop_per_s, cells);
  add_ends(roof.measured_bytes_per_s, cells);
  cells.emplace_back(r.time_balance());
  if (roof.time_only()) return;
  for (const double value :
       {r.energy_per_flop_j * 1e12, r.energy_per_byte_j * 1e12, r.static_power_w,
        r.dynamic_fraction(), r.energy_balance_dynamic(), r.half_peak_intensity()}) {
    cells.emplace_back(value);
  }
  add_power_cells(r, cap_w, cells);
  cells.emplace_back(r.peak_flop_per_j() / kGiga);
  if (!ratio) return cells.emplace_back(r.race_to_halt_ratio()), void();
  for (const double value : {ratio->value, ratio->lo, ratio->hi}) cells.emplace_back(value);
  // The claim needs the whole interval to be at most 1.
  cells.emplace_back(std::string(ratio->hi <= 1 ? "holds" : "not shown"));
}

}  // namespace

namespace {

// The data from which the rows are filled.
struct RoofRows {
  const answer::RooflineAnswer& found;
  std::vector<Column> knobs;
  std::vector<SharedRoof> roofs;
  std::vector<std::vector<roofline::FittedValue>> ratios;             // by roof and mode
  std::vector<std::array<double, twin::kRoofClasses.size()>> shares;  // by mode
  std::size_t width = 0;                                              // number of columns
  // Mode and roof class of each row. An index after the last class means the microbenchmarks.
  std::vector<std::pair<std::size_t, std::size_t>> rows;

  void fill(std::size_t row, std::vector<Cell>& cells) const {
    const std::size_t m = rows[row].first, r = rows[row].second;
    const PowerMode& mode = found.modes[m];
    cells = knob_cells(mode, knobs);
    const std::string name = preset_name(found.board, mode);
    cells.push_back(name.empty() ? Cell() : Cell(name));
    const bool modelled = r < roofs.size();
    const auto modelled_roof = [&] {
      const twin::RoofClass of = roofs[r].roof;
      return class_roof(found, mode, {of, shares[m][static_cast<std::size_t>(of)]});
    };
    const ClassRoof roof = modelled ? modelled_roof() : *measured_class_roof(found, mode);
    const roofline::FittedValue* ratio = modelled ? &ratios[r][m] : nullptr;
    add_roof_cells(roof, ratio, found.estimator() != nullptr, found.cap_w(), cells);
    cells.resize(width);
  }
};

}  // namespace

Rows roof_rows(const answer::RooflineAnswer& found) {
  const auto& modes = found.modes;
  RoofRows of{found, knob_columns_of(modes), roofs_of(found), {}, {}, 0, {}};
  Rows rows{of.knobs, 0, {}};
  rows.columns.push_back(column("preset", 1));
  rows.columns.back().optional =
      std::all_of(modes.begin(), modes.end(),
                  [&](const PowerMode& mode) { return preset_name(found.board, mode).empty(); });
  append(rows.columns, roof_columns(found.estimator() != nullptr));
  for (const auto& roof : of.roofs) {
    of.ratios.push_back(
        twin::twin_race_to_halt(found.twin, modes, roof.roof, found.seed, found.precision()));
  }
  of.shares.resize(modes.size());
  parallel_for(modes.size(), [&](std::size_t m) { of.shares[m] = shares_in(found, modes[m]); });
  for (std::size_t m = 0; m < modes.size(); ++m) {
    const std::size_t classes = of.roofs.size() + (measured_class_roof(found, modes[m]) ? 1 : 0);
    for (std::size_t r = 0; r < classes; ++r) of.rows.emplace_back(m, r);
  }
  rows.count = of.rows.size();
  of.width = rows.columns.size();
  rows.fill = [of = std::move(of)](std::size_t row, std::vector<Cell>& cells) {
    of.fill(row, cells);
  };
  return rows;
}

StreamedJson roofline_json(const answer::RooflineAnswer& found, const RooflineReport& report) {
  Json json;
  json["device"] = found.device;
  json["provenance"] = name_of(found.origin.provenance);
  json["ground"] = found.twin.provenance();
  add_origin(json, found.origin);
  json["twin_error"] = twin_error_json(found.twin.fit);
  json["ceilings"] = ceilings_json(found);
  json["modes"] = nullptr;  // placeholder; the rows are added while writing
  json["levels"] = level_table(report).to_json();
  if (const twin::Estimator* const estimator = found.estimator()) {
    json["model"] = found.origin.workload;
    json["batch"] = estimator->cost().batch;
    json["mode"] = mode_to_json(found.modes.front());
    add_caveats(estimator->cost().caveats, json);
    json["layers"] = roofline_layer_table(report.layers).to_json();
    json["time_parts"] = time_parts_table(report.parts).to_json();
  }
  return streamed(std::move(json), "modes", roof_rows(found));
}

Result roofline_result(const answer::RooflineAnswer& found, const RooflineReport& report,
                       OutputFormat format) {
  Result result;
  if (format == OutputFormat::kJson) {
    result.streamed = roofline_json(found, report);
    return result;
  }
  result.table = found.model ? roofline_layer_table(report.layers) : roof_rows(found).table();
  result.data = with_origin(result.table, {found.origin});
  result.lines_before({found.twin.provenance()});
  result.lines_before(report.ceilings);
  result.lines_before({""});
  const std::string mode = describe(found.modes.front());
  const auto add_levels = [&](std::vector<Result::Piece>& pieces) {
    if (report.levels.empty()) return;
    pieces.push_back({"\nCaches at " + mode + ":\n\n", level_table(report)});
  };
  if (!found.model) {
    add_levels(result.after);
    return result;
  }
  result.order = kGpuOrder;
  if (format != OutputFormat::kCsv) result.before.back().table = roof_rows(found).table();
  add_levels(result.before);
  result.before.push_back(
      {fmt::format("\n{} at {}, batch {}; traffic as modelled, time on the GPU:\n\n",
                   escape_terminal(found.origin.workload), mode, found.estimator()->cost().batch)});
  result.after.push_back(
      {"\nWhere the minibatch's time goes:\n\n", time_parts_table(report.parts)});
  return result;
}

}  // namespace ridgewatt::report
