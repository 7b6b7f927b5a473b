// `roofline --device local`: the roofs of this machine, measured, and a model on them.
#pragma once

#include "ridgewatt/answer/roofline.h"
#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/cli/options/figure_files.h"
#include "ridgewatt/report/roofline_report.h"

namespace ridgewatt::cli {

enum class LocalTarget { kAuto, kCpu, kCuda };
constexpr auto enum_names(LocalTarget) {
  return named<LocalTarget>(
      {{LocalTarget::kAuto, "auto"}, {LocalTarget::kCpu, "cpu"}, {LocalTarget::kCuda, "cuda"}});
}

struct LocalRooflineOptions {
  LocalTarget target = LocalTarget::kAuto;
  int gpu = 0;
  int threads = 0;
  double seconds = 1;
  double footprint_mib = 512;
  bool caches = false;

  void add_to(CLI::App& command);
  // UsageError for the first of them that was given for another device.
  static void refuse(const CLI::App& command);
};

// Measures, places the model where one is given, prints and draws. Errors as of microbenchmarks and
// models; NotSupportedError for a precision that no roof was measured in.
void run_local_roofline(const Context& context, const answer::RooflineQuestion& question,
                        const LocalRooflineOptions& options, const FigureFiles& figures);

}  // namespace ridgewatt::cli
