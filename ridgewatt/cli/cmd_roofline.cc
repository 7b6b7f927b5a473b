// ridgewatt roofline: roofs and balance points of power modes, and where a model's layers lie.
#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/board_option.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/option_rules.h"
#include "ridgewatt/cli/vocabulary.h"
#include "ridgewatt/cli/workload_options.h"
#include "ridgewatt/report/caveats_json.h"
#include "ridgewatt/report/estimate_report.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/tune_report.h"
#include "ridgewatt/report/twin_report.h"
#include "ridgewatt/roofline/twin_roofline.h"
#include "ridgewatt/sweep/mode_list.h"

namespace ridgewatt::cli {
namespace {

struct RooflineCommand {
  WorkloadOptions workload;
  std::string device;
  std::string modes = "presets";
  std::string svg;
  std::string html;
};

Table roof_table(const Board& board, const Twin& twin, const std::vector<PowerMode>& modes,
                 std::uint64_t seed) {
  const auto knobs = knob_columns(modes);
  std::vector<Column> columns(knobs.begin(), knobs.end());
  const bool preset = std::any_of(modes.begin(), modes.end(), [&](const PowerMode& mode) {
    return !preset_name(board, mode).empty();
  });
  if (preset) columns.push_back({.name = "preset", .rank = 1});
  const std::vector<Column> roofs = {
      {"conv_gflop_per_s"},
      {"product_gflop_per_s"},
      {"bandwidth_gb_per_s"},
      {.name = "time_balance", .heading = "time balance (FLOP/byte)"},
      {.name = "energy_per_flop_pj", .rank = 6},
      {.name = "energy_per_byte_pj", .rank = 6},
      {.name = "static_power_w", .rank = 3},
      {.name = "eta", .rank = 8},
      {.name = "energy_balance", .heading = "energy balance (FLOP/byte)", .rank = 4},
      {.name = "half_peak_intensity", .heading = "half peak at (FLOP/byte)", .rank = 5},
      {.name = "max_power_w", .heading = "most power (W)", .rank = 1},
      {.name = "peak_gflop_per_j", .rank = 4},
      {.name = "race_to_halt_ratio", .rank = 7},
      {.name = "race_to_halt_ratio_lo", .rank = 7},
      {.name = "race_to_halt_ratio_hi", .rank = 7},
      {.name = "race_to_halt", .rank = 2}};
  columns.insert(columns.end(), roofs.begin(), roofs.end());
  Table table(columns);
  const auto ratios = twin_race_to_halt(twin, modes, OpClass::kConv, seed);
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const PowerMode& mode = modes[i];
    const FittedValue& ratio = ratios[i];
    const EnergyRoofline r = twin_roofline(twin, mode);
    std::vector<Cell> cells = knob_cells(mode, knobs);
    if (preset) {
      const std::string name = preset_name(board, mode);
      cells.push_back(name.empty() ? Cell() : Cell(name));
    }
    for (const double value :
         {r.peak_flop_per_s / 1e9, twin_roofline(twin, mode, OpClass::kGemm).peak_flop_per_s / 1e9,
          r.bandwidth_bytes_per_s / 1e9, r.time_balance(), r.energy_per_flop_j * 1e12,
          r.energy_per_byte_j * 1e12, r.static_power_w, r.dynamic_fraction(),
          r.energy_balance_dynamic(), r.half_peak_intensity(), r.max_power_w(),
          r.peak_flop_per_j() / 1e9, ratio.value, ratio.lo, ratio.hi}) {
      cells.emplace_back(value);
    }
    // Claimed only where the whole interval is at most 1.
    cells.emplace_back(std::string(ratio.hi <= 1 ? "holds" : "not shown"));
    table.add_row(std::move(cells));
  }
  return table;
}

// Layers of one mode: what the roof allows at their intensity and what the twin gives them.
Table position_table(const Estimator& estimator, const PowerMode& mode) {
  Table table({{"layer"},
               {.name = "op", .heading = "operator", .rank = 1},
               {.name = "intensity", .heading = "intensity (FLOP/byte)"},
               {.name = "attainable_gflop_per_s", .rank = 2},
               {.name = "modelled_gflop_per_s", .rank = 2},
               {.name = "attainable_gflop_per_j", .rank = 4},
               {.name = "power_line_w", .rank = 4},
               {"time_ms"},
               {.name = "time_share_pct", .heading = "share (%)", .digits = 3},
               {.name = "bound", .heading = "bound by", .rank = 3}});
  const auto layers = estimator.layers(mode);
  double total_s = 0;
  for (const auto& layer : layers) total_s += layer.time_s;
  for (const auto& layer : layers) {
    const auto& kernel = estimator.cost().kernels[layer.kernel];
    if (!(kernel.work_flop > 0) || !(layer.effective_traffic_bytes > 0)) continue;
    const EnergyRoofline r = twin_roofline(estimator.twin(), mode, kernel.op_class);
    const double intensity = kernel.work_flop / layer.effective_traffic_bytes;
    table.add_row({kernel.name, kernel.op, intensity, r.attainable_flop_per_s(intensity) / 1e9,
                   kernel.work_flop / layer.gpu_s / 1e9, r.attainable_flop_per_j(intensity) / 1e9,
                   r.power_at_w(intensity), layer.time_s * 1e3, 100 * layer.time_s / total_s,
                   std::string(cause_name(layer.cause))});
  }
  return table;
}

RowOrigin origin_of(const Board& board, const Twin& twin, const RooflineCommand& command) {
  const bool model = !command.workload.model.empty();
  const char* kind = command.workload.training ? "training" : "inference";
  return {command.workload.model, model ? kind : "", board.name,
          Provenance::kModelled,  kModelledRuntime,  twin.status};
}

// Without a model there is nothing that these say anything of.
void check(const CLI::App& command, const RooflineCommand& options) {
  if (options.workload.model.empty()) {
    refuse_without_effect(command,
                          {"--batch", "--training", "--precision", "--optimizer", "--dim",
                           "--workers", "--loader-ms"},
                          "without a MODEL");
  }
  if (options.workload.batches.size() > 1) {
    throw UsageError("layers are shown at one batch", "--batch", "give one");
  }
  check_workload_options(command, options.workload);
}

void run(const Context& context, const RooflineCommand& command) {
  const Board board = load_board(board_or_at_hand(context, command.device));
  const Twin twin = load_twin(board);
  const auto modes = select_modes(board, command.modes);
  for (const auto& mode : modes) {
    if (mode.governor.empty()) continue;
    throw UsageError("a roof is of fixed clocks; a governor's follow the load", mode.governor,
                     "`estimate` shows the clocks at which it settles");
  }
  const Table roofs = roof_table(board, twin, modes, context.seed);
  std::unique_ptr<EagerModel> eager;
  std::unique_ptr<TwinModel> model;
  std::unique_ptr<Table> layers;
  int batch = 0;
  if (!command.workload.model.empty()) {
    batch = command.workload.batches.empty() ? (command.workload.training ? 16 : 1)
                                             : command.workload.batches.front();
    eager = std::make_unique<EagerModel>(command.workload.model);
    model = command.workload.on(twin, *eager);
    say_caveats(context, model->estimator(batch).cost().caveats);
    layers = std::make_unique<Table>(position_table(model->estimator(batch), modes.front()));
  }
  if (!command.svg.empty() || !command.html.empty()) {
    const RooflineReport report =
        twin_report(board, twin, modes, model ? &model->estimator(batch) : nullptr);
    if (!command.svg.empty()) write_output(command.svg, roofline_svg(report));
    if (!command.html.empty()) write_output(command.html, roofline_html(report));
  }
  if (context.json()) {
    Json json;
    json["device"] = command.device.empty() ? board.name : command.device;
    json["provenance"] = twin.provenance();
    add_origin(json, origin_of(board, twin, command));
    json["twin_error"] = twin_error_json(twin.fit);
    json["modes"] = roofs.to_json();
    if (layers) {
      json["model"] = command.workload.model;
      json["batch"] = batch;
      json["mode"] = mode_to_json(modes.front());
      add_caveats(model->estimator(batch).cost().caveats, json);
      json["layers"] = layers->to_json();
    }
    return print(json);
  }
  if (context.csv()) {
    return print(context, with_origin(layers ? *layers : roofs, {origin_of(board, twin, command)}));
  }
  std::cout << escape_terminal(twin.provenance()) << "\n\n";
  if (!layers) return print(context, roofs);
  print_aside(context, roofs);
  std::cout << '\n'
            << escape_terminal(command.workload.model) << " at " << describe(modes.front())
            << ", batch " << batch << ":\n\n";
  print(context, *layers, kLayerOrder);
}

}  // namespace

void add_roofline(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, context, "roofline", "Roofs and balance points of power modes; where layers lie",
      "ridgewatt roofline zoo:resnet50 --device agx-orin --modes maxn --batch 16");
  auto options = std::make_shared<RooflineCommand>();
  options->workload.add_to(*command, context);
  command->get_option("MODEL")->required(false);
  command->add_option("--device", options->device, kBoardHelp);
  command->add_option("--modes", options->modes, std::string("Default presets; ") + kModesHelp);
  output_file(command->add_option("--svg", options->svg, "Write the figures to this SVG file"));
  output_file(
      command->add_option("--html", options->html, "Write figures and tables to this HTML file"));
  command->callback([&context, options, command] {
    check(*command, *options);
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
