// ridgewatt estimate: time, power and energy on any mode, from the twin.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/board_option.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/report/caveats_json.h"
#include "ridgewatt/report/estimate_report.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/tune_report.h"
#include "ridgewatt/report/twin_report.h"
#include "ridgewatt/sweep/mode_list.h"

namespace ridgewatt::cli {
namespace {

struct EstimateOptions {
  WorkloadOptions workload;
  std::string device;
  std::string modes;
  bool per_layer = false;
  double dataset_size = 0;
  double epochs = 1;
  bool all_runtimes = false;
  bool precision_given = false;
};

std::vector<RowOrigin> origins_of(const EstimateOptions& options,
                                  const std::vector<answer::EstimateRow>& rows) {
  std::vector<RowOrigin> origins;
  for (const auto& row : rows) {
    origins.push_back({options.workload.model, std::string(name_of(options.workload.kind)),
                       row.board, Provenance::kModelled, row.runtime, row.twin});
  }
  return origins;
}

// Whether a column is part of the mode.
bool of_mode(const std::string& key) {
  return key == "governor" || std::any_of(kKnobs.begin(), kKnobs.end(),
                                          [&](Knob knob) { return key == knob_field(knob); });
}

Json rows_to_json(const std::vector<answer::EstimateRow>& rows, const report::Table& table,
                  const std::vector<RowOrigin>& origins) {
  Json list = table.to_json();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Json row;
    row["board"] = rows[i].board;
    row["precision"] = std::string(name_of(rows[i].precision));
    row["mode"] = report::mode_to_json(rows[i].mode);
    if (!rows[i].mode.governor.empty())
      row["clocks"] = report::mode_to_json(rows[i].estimate.clocks);
    for (auto& [key, value] : list[i].items()) {
      if (!of_mode(key)) row[key] = value;
    }
    row["fits_memory"] = rows[i].memory.fits();
    row["memory_gb"] = report::memory_json(rows[i].memory);
    report::add_origin(row, origins[i]);
    row["twin_error"] = report::twin_error_json(rows[i].fit);
    if (rows[i].python_call_s > 0) row["python_call_ms"] = 1e3 * rows[i].python_call_s;
    if (!rows[i].widened_by.empty()) row["interval_widened_by"] = rows[i].widened_by;
    list[i] = row;
  }
  return list;
}

std::string preset_note_of(const std::vector<answer::EstimateRow>& rows) {
  std::vector<std::string> names;
  std::vector<double> drawn_w;
  for (const auto& row : rows) {
    names.push_back(row.preset);
    drawn_w.push_back(row.estimate.total.power_w);
  }
  return report::preset_note(names, drawn_w);
}

// What the figures rest on; of several boards each row says which twin it is of.
std::string ground(const twin::TwinModel& model, bool several, bool all_runtimes) {
  if (all_runtimes) return "modelled with the " + model.twin().board + " twin, in each runtime";
  return several ? fmt::format("modelled for {}, each row with the twin of its board",
                               name_of(model.twin().runtime))
                 : model.provenance();
}

// What a user would ask next where the time goes to launches.
void say_remedies(const Context& context, const std::vector<answer::Remedy>& remedies) {
  if (remedies.empty()) return;
  std::string list;
  for (const auto& remedy : remedies) {
    list += fmt::format("{}{} {:.3g} times ({:.3g} ms per sample)", list.empty() ? "" : ", ",
                        remedy.what, remedy.times_faster, 1e3 * remedy.s_per_sample);
  }
  remark(context, "bound by launches; faster, as modelled: " + list);
}

Json remedies_json(const std::vector<answer::Remedy>& remedies) {
  Json list = Json::array();
  for (const auto& remedy : remedies) {
    list.push_back({{"what", remedy.what},
                    {"ms_per_sample", 1e3 * remedy.s_per_sample},
                    {"times_faster", remedy.times_faster}});
  }
  return list;
}

void print_json(const Context& context, const EstimateOptions& options,
                const answer::EstimateAnswer& found, const std::vector<answer::Remedy>& remedies) {
  const auto& rows = found.rows;
  const twin::TwinModel& model = *found.model;
  const bool several = options.device == "all";
  const twin::Estimator& estimator = model.estimator(rows.front().batch);
  Json json;
  json["model"] = options.workload.model;
  json["kind"] = std::string(name_of(options.workload.kind));
  const auto shared = [&](std::string_view name) {
    return options.all_runtimes ? std::string("all") : std::string(name);
  };
  json["precision"] = options.precision_given || !options.all_runtimes
                          ? std::string(name_of(options.workload.precision))
                          : "usual";
  json["provenance"] = ground(model, several, options.all_runtimes);
  json["runtime"] = shared(name_of(model.twin().runtime));
  if (!several && !options.all_runtimes) {
    json["twin"] = model.twin().status;
    json["fit"] = report::twin_error_json(model.twin().fit);
    if (model.twin().changed_by) json["runtime_fit"] = report::runtime_fit_json(model.twin());
    json["memory_sources"] =
        report::memory_sources_json(load_board(options.device), model.twin().runtime);
  }
  report::add_caveats(estimator.cost().caveats, json);
  const report::Table table = report::estimate_table(
      rows, {several, options.all_runtimes, options.dataset_size * options.epochs, false});
  json["estimates"] = rows_to_json(rows, table, origins_of(options, rows));
  for (const auto& [name, reason] : found.left_out) {
    json["left_out"].push_back({{"name", name}, {"reason", reason}});
  }
  const std::string note = preset_note_of(rows);
  if (!note.empty()) json["preset_note"] = note;
  if (!remedies.empty()) json["remedies"] = remedies_json(remedies);
  if (options.per_layer) {
    const report::Table layers =
        report::layer_table(estimator.cost(), estimator.layers(rows.front().mode));
    json["layers"] = layers.to_json();
    const report::LayerSums sums = report::layer_sums(layers);
    json["by_operator"] = sums.by_operator.to_json();
    json["by_block"] = sums.by_block.to_json();
    json["causes"] = report::cause_table(rows.front().estimate).to_json();
  }
  print(context, json);
}

void print_result(const Context& context, const EstimateOptions& options,
                  const answer::EstimateAnswer& found,
                  const std::vector<answer::Remedy>& remedies) {
  if (context.json()) return print_json(context, options, found, remedies);
  const auto& rows = found.rows;
  const twin::TwinModel& model = *found.model;
  const bool several = options.device == "all";
  const report::Table table = report::estimate_table(
      rows, {several, options.all_runtimes, options.dataset_size * options.epochs, !context.csv()});
  const auto origins = origins_of(options, rows);
  if (context.csv() && !options.per_layer)
    return print(context, report::with_origin(table, origins));
  const answer::EstimateRow& first = rows.front();
  const twin::Estimator& estimator = model.estimator(first.batch);
  const report::Table layers = report::layer_table(estimator.cost(), estimator.layers(first.mode));
  if (context.csv()) return print(context, report::with_origin(layers, {origins.front()}));
  std::cout << escape_terminal(options.workload.model) << ' ' << name_of(options.workload.kind)
            << ": " << escape_terminal(ground(model, several, options.all_runtimes))
            << (estimator.cost().caveats.uncounted.empty() ? "; bounds hold 90 %\n" : "\n");
  if (options.workload.precision != workload::Precision::kFp32 && !model.twin().changed_by) {
    std::cout << name_of(options.workload.precision) << " by peak ratios: not validated\n";
  }
  std::cout << '\n';
  if (options.per_layer) {
    print_aside(context, table);
    std::cout << "\nLayers at " << describe(first.estimate.clocks) << ", batch " << first.batch;
    if (several) std::cout << ", on " << escape_terminal(first.board);
    std::cout << ":\n\n";
    print(context, layers, report::kLayerOrder);
    print_sums(context, report::layer_sums(layers));
    std::cout << "\nBy cause:\n\n";
    print_aside(context, report::cause_table(first.estimate));
  } else {
    print(context, table);
  }
  const std::string note = preset_note_of(rows);
  if (!note.empty()) std::cout << '\n' << escape_terminal(note) << '\n';
  say_remedies(context, remedies);
  if (first.python_call_s > 0) {
    remark(context, fmt::format("time of the engine called from C++; a Python program adds about "
                                "{:.2g} ms per run (--python-caller)",
                                1e3 * first.python_call_s));
  }
  if (!first.widened_by.empty()) {
    remark(context,
           "the interval is wide: " + fmt::format("{}", fmt::join(first.widened_by, "; ")));
  }
}

void check(const CLI::App& command, const EstimateOptions& options) {
  check_workload_options(command, options.workload);
  if (!(options.dataset_size > 0)) {
    refuse_without_effect(command, {"--epochs"}, "without --dataset-size");
  }
}

answer::EstimateAnswer estimate(const EstimateOptions& options,
                                const answer::EstimateQuestion& question,
                                const std::shared_ptr<const workload::DeployedWorkload>& workload) {
  if (options.device == "all") return answer::estimate_over_boards(question, workload);
  if (!options.all_runtimes) return answer::estimate_on_board(question, workload, options.device);
  std::vector<workload::Precision> precisions;
  if (options.precision_given) precisions = {options.workload.precision};
  return answer::estimate_over_runtimes(question, workload, options.device, precisions);
}

void run(const Context& context, EstimateOptions options) {
  options.device = board_or_at_hand(context, options.device);
  const bool several = options.device == "all";
  const answer::EstimateQuestion question{options.modes, options.workload.batches,
                                          options.workload.run()};
  const auto workload = options.workload.workload();
  if (several && options.all_runtimes) {
    throw UsageError("boards and runtimes cannot both be all", "",
                     "name a board with --device, or a runtime with --runtime");
  }
  const answer::EstimateAnswer found = estimate(options, question, workload);
  for (const auto& [name, reason] : found.left_out) {
    if (!context.json()) remark(context, "left out: " + name + ": " + reason);
  }
  if (found.rows.empty()) {
    throw NotSupportedError(several ? "no board can do this" : "no runtime can do this",
                            several ? "--device all" : "--runtime all",
                            found.left_out.empty() ? "" : found.left_out.back().reason);
  }
  const auto& batches = options.workload.batches;
  say_caveats(context,
              found.model->estimator(batches.empty() ? 0 : batches.front()).cost().caveats);
  const auto remedies =
      several || options.all_runtimes
          ? std::vector<answer::Remedy>{}
          : answer::launch_remedies(question, workload, options.device, found.rows.front());
  print_result(context, options, found, remedies);
  if (!found.fits_memory()) {
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
  options->workload.add_to(*command, context, &options->all_runtimes);
  command->add_option("--device", options->device,
                      "Board, board file, or all (ranks the boards); without it the board at hand");
  command->add_option("--modes", options->modes, std::string("Default presets; ") + kModesHelp);
  command->add_flag("--per-layer", options->per_layer,
                    "Also the layers of the first mode and batch");
  quantity(command->add_option("--dataset-size", options->dataset_size,
                               "Samples per epoch: time of the job"),
           count().within(1, 1e12));
  quantity(command->add_option("--epochs", options->epochs, "Epochs of the job"),
           number().positive());
  command->callback([&context, options, command] {
    options->precision_given = command->count("--precision") > 0;
    check(*command, *options);
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
