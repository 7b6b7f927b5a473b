// ridgewatt roofline: roofs and balance points of power modes, and where a model's layers lie.
#include <algorithm>
#include <cmath>
#include <optional>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/answer/local_roofline.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/board_option.h"
#include "ridgewatt/cli/options/figure_files.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/report/caveats_json.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/tune_report.h"
#include "ridgewatt/report/twin_report.h"
#include "ridgewatt/sweep/mode_list.h"
#include "ridgewatt/twin/twin_roofline.h"

namespace ridgewatt::cli {
namespace {

struct RooflineCommand {
  WorkloadOptions workload;
  std::string device;
  std::string modes = "presets";
  std::optional<double> power_cap_w;
  std::vector<std::string> levels;  // NAME=GB/s
  FigureFiles figures;
  LocalRooflineOptions local;
  bool at_hand() const { return device == "local"; }  // measured now
};

// "L2=1040": a cache and its bandwidth in GB/s.
report::RooflineLevel parse_level(const std::string& text) {
  const auto equals = text.rfind('=');
  const auto value =
      equals == std::string::npos ? std::nullopt : parse_double(text.substr(equals + 1));
  if (!value || !(*value > 0) || !std::isfinite(*value) || equals == 0) {
    throw UsageError("--level needs NAME=GB/s", text, "for example --level L2=1000");
  }
  return {text.substr(0, equals), *value * report::kGiga, "given with --level"};
}

std::vector<report::Column> roof_columns(bool shares) {
  std::vector<report::Column> columns = {{.name = "roof", .heading = "class"},
                                         {.name = "arithmetic", .heading = "runs in", .rank = 5}};
  if (shares) {
    columns.push_back({.name = "gpu_share_pct", .heading = "GPU time (%)", .digits = 3, .rank = 1});
  }
  const std::vector<report::Column> roofs = {
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
      {.name = "max_power_w", .heading = "most power (W)", .rank = 2},
      {.name = "uncapped_power_w", .heading = "both roofs at once (W)", .rank = 8},
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

// The ends of what was measured; empty where the ceiling was not.
void add_ends(const std::optional<MeasuredValue>& measured, std::vector<report::Cell>& cells) {
  cells.push_back(measured ? report::Cell(measured->lo / report::kGiga) : report::Cell());
  cells.push_back(measured ? report::Cell(measured->hi / report::kGiga) : report::Cell());
}

void add_power_cells(const roofline::EnergyRoofline& r, double cap_w,
                     std::vector<report::Cell>& cells) {
  const double uncapped_w = r.static_power_w + r.flop_power_w() + r.byte_power_w();
  const bool within = cap_w > r.static_power_w;  // else no kernel keeps the cap
  cells.push_back(within ? report::Cell(r.max_power_w()) : report::Cell());
  cells.emplace_back(uncapped_w);
  cells.push_back(std::isfinite(cap_w) ? report::Cell(cap_w) : report::Cell());
  const bool binds = within && cap_w < uncapped_w;
  cells.push_back(binds ? report::Cell(r.cap_from_intensity()) : report::Cell());
  cells.push_back(binds && std::isfinite(r.cap_to_intensity()) ? report::Cell(r.cap_to_intensity())
                                                               : report::Cell());
}

// Without `ratio` nothing is known of its interval.
void add_roof_cells(const report::ClassRoof& roof,
                    const std::optional<roofline::FittedValue>& ratio, bool shares, double cap_w,
                    std::vector<report::Cell>& cells) {
  const roofline::EnergyRoofline& r = roof.reached;
  cells.emplace_back(roof.name);
  cells.emplace_back(roof.arithmetic);
  if (shares) cells.push_back(roof.share > 0 ? report::Cell(100 * roof.share) : report::Cell());
  for (const double value : {roof.ceiling_flop_per_s, r.peak_flop_per_s,
                             roof.ceiling_bandwidth_bytes_per_s, r.bandwidth_bytes_per_s}) {
    cells.emplace_back(value / report::kGiga);
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
  cells.emplace_back(r.peak_flop_per_j() / report::kGiga);
  if (!ratio) return cells.emplace_back(r.race_to_halt_ratio()), void();
  for (const double value : {ratio->value, ratio->lo, ratio->hi}) cells.emplace_back(value);
  // Claimed only where the whole interval is at most 1.
  cells.emplace_back(std::string(ratio->hi <= 1 ? "holds" : "not shown"));
}

// A row for each mode and class, and one for what was measured in the mode.
report::Table roof_table(const report::RooflineQuestion& question, std::uint64_t seed) {
  const std::vector<PowerMode> modes(question.modes.begin(), question.modes.end());
  const auto knobs = report::knob_columns(modes);
  std::vector<report::Column> columns(knobs.begin(), knobs.end());
  const bool preset = std::any_of(modes.begin(), modes.end(), [&](const PowerMode& mode) {
    return !preset_name(question.board, mode).empty();
  });
  if (preset) columns.push_back({.name = "preset", .rank = 1});
  const bool shares = question.estimator != nullptr;
  for (auto& column : roof_columns(shares)) columns.push_back(std::move(column));
  report::Table table(columns);
  const auto roofs = report::roofs_of(question);
  std::vector<std::vector<roofline::FittedValue>> ratios;
  for (const auto& roof : roofs) {
    ratios.push_back(
        twin::twin_race_to_halt(question.twin, modes, roof.roof, seed, question.precision()));
  }
  const auto add = [&](const PowerMode& mode, const report::ClassRoof& roof,
                       const std::optional<roofline::FittedValue>& ratio) {
    std::vector<report::Cell> cells = report::knob_cells(mode, knobs);
    if (preset) {
      const std::string name = preset_name(question.board, mode);
      cells.push_back(name.empty() ? report::Cell() : report::Cell(name));
    }
    add_roof_cells(roof, ratio, shares, question.cap_w(), cells);
    cells.resize(columns.size());
    table.add_row(std::move(cells));
  };
  for (std::size_t i = 0; i < modes.size(); ++i) {
    for (std::size_t r = 0; r < roofs.size(); ++r) {
      add(modes[i], report::class_roof(question, modes[i], roofs[r]), ratios[r][i]);
    }
    if (const auto measured = report::measured_class_roof(question, modes[i])) {
      add(modes[i], *measured, std::nullopt);
    }
  }
  return table;
}

RowOrigin origin_of(const Board& board, const twin::Twin& twin, const RooflineCommand& command) {
  const bool model = !command.workload.model.empty();
  const std::string kind(name_of(command.workload.kind));
  return {command.workload.model,
          model ? kind : std::string(),
          board.name,
          Provenance::kModelled,
          twin.runtime,
          twin.status};
}

// Without a model there is nothing that these say anything of.
void check(const CLI::App& command, const RooflineCommand& options) {
  if (options.at_hand()) {
    refuse_without_effect(command,
                          {"--modes", "--power-cap", "--runtime", "--workers", "--loader-time"},
                          "with --device local", "the machine is measured as it is set");
  } else {
    LocalRooflineOptions::refuse(command);
  }
  if (options.workload.model.empty()) {
    refuse_without_effect(command,
                          {"--batch", "--training", "--precision", "--runtime", "--optimizer",
                           "--dim", "--workers", "--loader-time"},
                          "without a MODEL");
  }
  if (options.workload.batches.size() > 1) {
    throw UsageError("layers are shown at one batch", "--batch", "give one");
  }
  check_workload_options(command, options.workload);
}

// The model at the batch that layers are shown at, on the twin.
struct PlacedModel {
  twin::TwinModel model;
  int batch = 1;

  PlacedModel(const Context& context, const WorkloadOptions& options, const twin::Twin& twin)
      : model(twin, options.workload(), options.run()) {
    batch = options.batches.empty() ? answer::usual_batch(options.deploy().kind)
                                    : options.batches.front();
    say_caveats(context, estimator().cost().caveats);
  }
  const twin::Estimator& estimator() const { return model.estimator(batch); }
};

void print_json(const Context& context, const RooflineCommand& command,
                const report::RooflineQuestion& question, const report::RooflineReport& report,
                const report::Table& roofs) {
  Json json;
  json["device"] = command.device.empty() ? question.board.name : command.device;
  json["provenance"] = question.twin.provenance();
  report::add_origin(json, origin_of(question.board, question.twin, command));
  json["twin_error"] = report::twin_error_json(question.twin.fit);
  json["ceilings"] = report::ceilings_json(question);
  json["modes"] = roofs.to_json();
  json["levels"] = report::level_table(report).to_json();
  if (question.estimator != nullptr) {
    json["model"] = command.workload.model;
    json["batch"] = question.estimator->cost().batch;
    json["mode"] = report::mode_to_json(question.modes.front());
    report::add_caveats(question.estimator->cost().caveats, json);
    json["layers"] = report::roofline_layer_table(report.layers).to_json();
    json["time_parts"] = report::time_parts_table(report.parts).to_json();
  }
  print(context, json);
}

void print_text(const Context& context, const RooflineCommand& command,
                const report::RooflineQuestion& question, const report::RooflineReport& report,
                const report::Table& roofs) {
  std::cout << escape_terminal(question.twin.provenance()) << '\n';
  for (const auto& line : report.ceilings) std::cout << escape_terminal(line) << '\n';
  std::cout << '\n';
  const bool layers = question.estimator != nullptr;
  layers ? print_aside(context, roofs) : print(context, roofs);
  if (!report.levels.empty()) {
    std::cout << "\nCaches at " << describe(question.modes.front()) << ":\n\n";
    print_aside(context, report::level_table(report));
  }
  if (!layers) return;
  std::cout << '\n'
            << escape_terminal(command.workload.model) << " at " << describe(question.modes.front())
            << ", batch " << question.estimator->cost().batch
            << "; traffic as modelled, time on the GPU:\n\n";
  print(context, report::roofline_layer_table(report.layers), report::kGpuOrder);
  std::cout << "\nWhere the minibatch's time goes:\n\n";
  print_aside(context, report::time_parts_table(report.parts));
}

void run(const Context& context, const RooflineCommand& command) {
  std::vector<report::RooflineLevel> levels;
  for (const auto& level : command.levels) levels.push_back(parse_level(level));
  if (command.at_hand()) {
    return run_local_roofline(context, command.workload, command.local, levels, command.figures);
  }
  const Board board = load_board(board_or_at_hand(context, command.device));
  const twin::Twin twin = twin::load_twin(board);
  const auto modes = select_modes(board, command.modes);
  for (const auto& mode : modes) {
    if (mode.governor.empty()) continue;
    throw UsageError("a roof is of fixed clocks; a governor's follow the load", mode.governor,
                     "`estimate` shows the clocks at which it settles");
  }
  std::optional<PlacedModel> model;
  if (!command.workload.model.empty()) model.emplace(context, command.workload, twin);
  // On the runtime that runs the model.
  const twin::Twin& used = model ? model->estimator().twin() : twin;
  report::RooflineQuestion question{board, used, modes, model ? &model->estimator() : nullptr};
  question.power_cap_w = command.power_cap_w;
  question.levels = levels;
  report::RooflineReport report = report::twin_report(question);
  if (!command.figures.empty()) {
    report::add_observations(question, report);
    command.figures.write([&] { return report::roofline_svg(report); },
                          [&] { return report::roofline_html(report); });
  }
  const report::Table roofs = roof_table(question, context.seed);
  if (context.json()) return print_json(context, command, question, report, roofs);
  if (!context.csv()) return print_text(context, command, question, report, roofs);
  print(context, report::with_origin(model ? report::roofline_layer_table(report.layers) : roofs,
                                     {origin_of(board, used, command)}));
}

}  // namespace

void add_roofline(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, context, "roofline", "Roofs and balance points of power modes; where layers lie",
      "ridgewatt roofline zoo:resnet50 --device agx-orin --modes maxn --batch 16");
  auto options = std::make_shared<RooflineCommand>();
  options->workload.add_to(*command, context);
  command->get_option("MODEL")->required(false);
  command->add_option("--device", options->device,
                      std::string(kBoardHelp) + "; local: this machine, measured now");
  command->add_option("--modes", options->modes, std::string("Default presets; ") + kModesHelp);
  quantity(command->add_option("--power-cap", options->power_cap_w,
                               "Power that no kernel may exceed [the board's limit]"),
           watts().positive());
  command->add_option("--level", options->levels,
                      "A cache and its bandwidth, NAME=GB/s: a further roof; may be repeated");
  options->figures.add_to(*command, "the roofs");
  options->local.add_to(*command);
  command->callback([&context, options, command] {
    check(*command, *options);
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
