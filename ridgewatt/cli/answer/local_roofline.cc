#include "ridgewatt/cli/answer/local_roofline.h"

#include <fmt/format.h>

#include <optional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/roofline_report.h"
#include "ridgewatt/workload/cost_model.h"

namespace ridgewatt::cli {
namespace {

measure::MicrobenchOptions asked_of(const LocalRooflineOptions& options) {
  measure::MicrobenchOptions asked;
  asked.seconds_per_point = options.seconds;
  asked.threads = options.threads;
  asked.footprint_bytes = static_cast<std::size_t>(options.footprint_mib * 1048576.0);
  return asked;
}

measure::LocalRoofs measure_roofs(const Context& context, const LocalRooflineOptions& options) {
  measure::MicrobenchOptions asked = asked_of(options);
  constexpr std::size_t kOtherKernels = 4;  // about this number in addition to the intensities
  Progress progress("roofs", asked.intensities.size() + kOtherKernels, context.quiet);
  std::size_t started = 0;
  asked.power_start = [&] { progress.update(started++); };
  std::optional<RoofTarget> target;
  if (options.target == LocalTarget::kCpu) target = RoofTarget::kCpu;
  if (options.target == LocalTarget::kCuda) target = RoofTarget::kGpu;
  return measure::measure_local_roofs(target, options.gpu, asked);
}

// The processor's caches as further roofs; a GPU's are not measured.
void add_caches(const Context& context, const LocalRooflineOptions& options,
                report::LocalRoofline& local) {
  if (local.roofs.target != RoofTarget::kCpu) {
    return remark(context, "--caches: a GPU's caches are not measured");
  }
  for (const auto& cache : measure::measure_caches(asked_of(options))) {
    local.levels.push_back(
        {cache.name, cache.bandwidth_bytes_per_s,
         fmt::format("measured: triads over half of {:.4g} KiB", cache.size_bytes / 1024)});
  }
}

// As `analyze` counts it: operators that are usually fused are.
workload::WorkloadCost counted(const answer::RooflineQuestion& question) {
  const workload::DeployOptions deploy = question.workload.deploy();
  using enum workload::Precision;
  if (deploy.precision != kFp32 && deploy.precision != kFp16 && deploy.precision != kMixed) {
    throw NotSupportedError(fmt::format("no microbenchmark measures {}", name_of(deploy.precision)),
                            "--precision", "fp32, or on a GPU fp16");
  }
  workload::Model model = workload::load_workload(question.workload.model);
  workload::CostOptions cost;
  if (question.batch() > 0) cost.batch = question.batch();
  cost.dims = deploy.dims;
  cost.kind = deploy.kind;
  cost.optimizer = deploy.optimizer;
  cost.precision = deploy.precision;
  return workload::workload_cost(model, cost);
}

// What --sort and --columns are about.
report::Table local_table(const report::LocalRoofline& local) {
  return local.model.empty() ? report::local_roof_table(local) : report::local_layer_table(local);
}

void print_local(const Context& context, const report::LocalRoofline& local) {
  const bool layers = !local.model.empty();
  if (context.json()) {
    Json json = report::local_json(local);
    if (layers) report::add_caveats(local.cost.caveats, json);
    return print(context, json);
  }
  if (context.csv()) return print(context, local_table(local));
  for (const auto& line : report::local_lines(local)) std::cout << escape_terminal(line) << '\n';
  std::cout << '\n';
  if (!local.levels.empty()) {
    print_aside(context, report::local_level_table(local));
    std::cout << '\n';
  }
  if (!layers) return print(context, local_table(local));
  print_aside(context, report::local_roof_table(local));
  std::cout << '\n';
  print(context, local_table(local), report::kLeastTimeOrder);
}

}  // namespace

void LocalRooflineOptions::add_to(CLI::App& command) {
  listed_choice(command, "--target", target, "With --device local: what is measured")
      ->capture_default_str();
  quantity(command.add_option("--gpu", gpu, "With --device local: number of the GPU"),
           count().within(0, 1024))
      ->capture_default_str();
  quantity(command.add_option("--threads", threads, "With --device local: threads (0: all)"),
           count().within(0, 1024))
      ->capture_default_str();
  quantity(
      command.add_option("--seconds", seconds, "With --device local: seconds per point, at most"),
      ridgewatt::cli::seconds().positive())
      ->capture_default_str();
  quantity(command.add_option("--footprint", footprint_mib,
                              "With --device local: memory walked through (MiB)"),
           mebibytes().within(1, 1048576))
      ->capture_default_str();
  command.add_flag("--caches", caches, "With --device local: the processor's caches, too");
}

void LocalRooflineOptions::refuse(const CLI::App& command) {
  refuse_without_effect(command,
                        {"--target", "--gpu", "--threads", "--seconds", "--footprint", "--caches"},
                        "without --device local");
}

void run_local_roofline(const Context& context, const answer::RooflineQuestion& question,
                        const LocalRooflineOptions& options, const FigureFiles& figures) {
  report::LocalRoofline local;
  local.levels = question.levels;
  local.model = question.workload.model;
  // The model first: a file that cannot be read is reported before anything is measured.
  if (!local.model.empty()) {
    local.cost = counted(question);
    say_caveats(context, local.cost.caveats);
  }
  check_table_options(context, local_table(local));
  local.roofs = measure_roofs(context, options);
  if (options.caches) add_caches(context, options, local);
  if (!local.model.empty()) local.layers = roofline::place_kernels(local.cost, local.roofs.fit);
  print_local(context, local);
  figures.write([&] { return report::local_roofline_svg(local); },
                [&] { return report::local_roofline_html(local); });
}

}  // namespace ridgewatt::cli
