#include "ridgewatt/cli/answer/local_roofline.h"

#include "ridgewatt/base/progress.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/workload_options.h"

namespace ridgewatt::cli {
namespace {

measure::LocalRoofs measure_roofs(const Context& context, const answer::LocalRoofsQuestion& asked) {
  constexpr std::size_t kOtherKernels = 4;  // about this number in addition to the intensities
  Progress progress("roofs", measure::MicrobenchOptions{}.intensities.size() + kOtherKernels,
                    context.quiet);
  std::size_t started = 0;
  return answer::measure_roofs(asked, [&] { progress.update(started++); });
}

}  // namespace

void add_local_options(const OptionAdder& add, answer::LocalRoofsQuestion& asked) {
  add.choice("--target", asked.target, "With --device local: processor to measure");
  add.number("--gpu", asked.gpu, count().within(0, 1024), "With --device local: number of the GPU");
  add.number("--threads", asked.threads, count().within(0, 1024),
             "With --device local: number of threads (0: all)");
  add.number("--seconds", asked.seconds_per_point, seconds().positive(),
             "With --device local: maximum time per point");
  add.number("--footprint", asked.footprint_mib, mebibytes().within(1, 1048576),
             "With --device local: size of the memory that is read and written (MiB)");
  add.flag("--caches", asked.caches, "With --device local: also measure the processor's caches");
}

void refuse_local_options(const CLI::App& command) {
  refuse_without_effect(command,
                        {"--target", "--gpu", "--threads", "--seconds", "--footprint", "--caches"},
                        "without --device local");
}

void run_local_roofline(const Context& context, const answer::RooflineQuestion& question,
                        const answer::LocalRoofsQuestion& options, const FigureFiles& figures) {
  report::LocalRoofline local;
  local.levels = question.levels;
  local.model = question.workload.model;
  // The model first: a file that cannot be read is reported before anything is measured.
  if (!local.model.empty()) {
    local.cost = answer::counted_cost(question);
    say_caveats(context, local.cost.caveats);
  }
  check_table_options(context, local.model.empty() ? report::local_roof_table(local)
                                                   : report::local_layer_table(local));
  local.roofs = measure_roofs(context, options);
  if (options.caches && local.roofs.target != RoofTarget::kCpu) {
    remark(context, "--caches has no effect, because caches of a GPU cannot be measured");
  } else if (options.caches) {
    for (auto& level : answer::measure_cache_levels(options)) local.levels.push_back(level);
  }
  if (!local.model.empty()) local.layers = roofline::place_kernels(local.cost, local.roofs.fit);
  print(context, report::local_result(local));
  figures.write([&] { return report::local_roofline_svg(local); },
                [&] { return report::local_roofline_html(local); });
}

}  // namespace ridgewatt::cli
