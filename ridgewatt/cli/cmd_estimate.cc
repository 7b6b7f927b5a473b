// ridgewatt estimate: time, power and energy on any mode, from the twin.
#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/vocabulary.h"
#include "ridgewatt/cli/workload_options.h"
#include "ridgewatt/report/caveats_json.h"
#include "ridgewatt/report/estimate_report.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/sweep/mode_list.h"

namespace ridgewatt::cli {
namespace {

struct EstimateOptions {
  WorkloadOptions workload;
  std::string device = "agx-orin";
  std::string modes;
  bool per_layer = false;
  double dataset_size = 0;
  double epochs = 1;
};

void add_rows(const TwinModel& model, const Board& board, const std::vector<PowerMode>& modes,
              const std::vector<int>& batches, std::vector<EstimateRow>& rows) {
  for (const auto& mode : modes) {
    for (const int batch : batches) {
      rows.push_back({board.name, mode, batch, model.estimator(batch).breakdown(mode),
                      model.twin().fit, model.fits_memory(batch)});
    }
  }
}

Json rows_to_json(const std::vector<EstimateRow>& rows, const Table& table) {
  Json list = table.to_json();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Json row;
    row["board"] = rows[i].board;
    row["mode"] = mode_to_json(rows[i].mode);
    for (auto& [key, value] : list[i].items()) {
      if (!key.starts_with("cpu_") && !key.starts_with("gpu_") && !key.starts_with("mem_")) {
        row[key] = value;
      }
    }
    row["fits_memory"] = rows[i].fits_memory;
    list[i] = row;
  }
  return list;
}

void print_result(const Context& context, const EstimateOptions& options,
                  const std::vector<EstimateRow>& rows, const TwinModel& model, bool several) {
  const Table table = estimate_table(rows, several, options.dataset_size * options.epochs);
  if (context.csv() && !options.per_layer) return print(context, table);
  const EstimateRow& first = rows.front();
  const Estimator& estimator = model.estimator(first.batch);
  const Table layers = layer_table(estimator.cost(), estimator.layers(first.mode));
  if (context.csv()) return print(context, layers);
  if (context.json()) {
    Json json;
    json["model"] = options.workload.model;
    json["kind"] = options.workload.training ? "training" : "inference";
    json["precision"] = std::string(precision_name(options.workload.precision));
    json["provenance"] = model.provenance();
    json["fit"] = {{"time_mape", model.twin().fit.time_mape},
                   {"power_mape", model.twin().fit.power_mape},
                   {"unseen_time_mape", model.twin().fit.unseen_time_mape},
                   {"unseen_power_mape", model.twin().fit.unseen_power_mape}};
    add_caveats(estimator.cost().caveats, json);
    json["estimates"] = rows_to_json(rows, table);
    if (options.per_layer) {
      json["layers"] = layers.to_json();
      json["by_operator"] = layer_sums(layers).by_operator.to_json();
      json["by_block"] = layer_sums(layers).by_block.to_json();
      json["causes"] = cause_table(first.estimate).to_json();
    }
    return print(json);
  }
  std::cout << escape_terminal(options.workload.model)
            << (options.workload.training ? " training" : " inference") << ": "
            << escape_terminal(model.provenance())
            << (estimator.cost().caveats.uncounted.empty() ? "; bounds hold 90 %\n" : "\n");
  if (options.workload.precision != Precision::kFp32) {
    std::cout << precision_name(options.workload.precision) << " by peak ratios: not validated\n";
  }
  std::cout << '\n';
  if (!options.per_layer) return print(context, table);
  print_aside(context, table);
  std::cout << "\nLayers at " << describe(first.mode) << ", batch " << first.batch << ":\n\n";
  print(context, layers, kLayerOrder);
  const LayerSums sums = layer_sums(layers);
  std::cout << "\nBy operator:\n\n";
  print_aside(context, sums.by_operator);
  if (!sums.by_block.rows().empty()) {
    std::cout << "\nBy block:\n\n";
    print_aside(context, sums.by_block);
  }
  std::cout << "\nBy cause:\n\n";
  print_aside(context, cause_table(first.estimate));
}

void run(const Context& context, EstimateOptions options) {
  EagerModel eager(options.workload.model);
  if (options.workload.batches.empty()) {
    options.workload.batches = {options.workload.training ? 16 : 1};
  }
  const bool several = options.device == "all";
  std::vector<EstimateRow> rows;
  std::unique_ptr<TwinModel> model;
  std::string why_not;
  for (const auto& name : several ? list_boards() : std::vector<std::string>{options.device}) {
    const Board board = load_board(name);
    auto of_board = options.workload.on(load_twin(board), eager);
    const std::string modes =
        options.modes.empty() ? (several ? "maxn" : "presets") : options.modes;
    try {
      add_rows(*of_board, board, select_modes(board, modes), options.workload.batches, rows);
    } catch (const NotSupportedError& error) {
      if (!several) throw;
      why_not = error.what();
      if (!context.json()) remark(context, "left out: " + name + ": " + why_not);
      continue;
    }
    if (!model || name == "agx-orin") model = std::move(of_board);
  }
  if (several) {
    std::stable_sort(rows.begin(), rows.end(), [](const EstimateRow& a, const EstimateRow& b) {
      if (a.fits_memory != b.fits_memory) return a.fits_memory;
      return a.estimate.total.time_s / a.batch < b.estimate.total.time_s / b.batch;
    });
  }
  if (!model) throw NotSupportedError("no board can do this", "--device all", why_not);
  say_caveats(context, model->estimator(options.workload.batches.front()).cost().caveats);
  print_result(context, options, rows, *model, several);
  if (std::none_of(rows.begin(), rows.end(), [](const auto& row) { return row.fits_memory; })) {
    throw NoSolutionError("no minibatch fits the board's memory", options.workload.model,
                          "take a smaller batch or a board with more memory");
  }
}

}  // namespace

void add_estimate(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, context, "estimate", "Time, power and energy on any power mode, without profiling",
      "ridgewatt estimate zoo:resnet50 --device agx-orin --modes presets --batch 1,16");
  auto options = std::make_shared<EstimateOptions>();
  options->workload.add_to(*command, context);
  command->add_option("--device", options->device, "Board, board file, or all (ranks the boards)");
  command->add_option("--modes", options->modes,
                      "all, presets (default), maxn, a preset, or a CSV file of modes");
  command->add_flag("--per-layer", options->per_layer,
                    "Also the layers of the first mode and batch");
  quantity(command->add_option("--dataset-size", options->dataset_size,
                               "Samples an epoch: time of the job"),
           count().within(1, 1e12));
  quantity(command->add_option("--epochs", options->epochs, "Epochs of the job"),
           number().positive());
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
