// Describes the results of a study in words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/study/study_analysis.h"

namespace ridgewatt::study {
namespace {

// Returns ", 10.2 to 14.0", multiplied by `scale`, or nothing for a single value, which has no
// interval.
std::string range_words(const MeanInterval& interval, double scale) {
  if (interval.count < 2) return "";
  return fmt::format(", {:.1f} to {:.1f}", scale * interval.lo, scale * interval.hi);
}

// "cuts energy by 12.1 %, 10.2 to 14.0"
std::string change_words(const std::string& what, double ratio, double lo, double hi) {
  if (ratio >= 2) {
    return fmt::format("multiplies {} by {:.3g}, {:.3g} to {:.3g}", what, ratio, lo, hi);
  }
  if (ratio < 1) {
    return fmt::format("cuts {} by {:.1f} %, {:.1f} to {:.1f}", what, 100 * (1 - ratio),
                       100 * (1 - hi), 100 * (1 - lo));
  }
  return fmt::format("raises {} by {:.1f} %, {:.1f} to {:.1f}", what, 100 * (ratio - 1),
                     100 * (lo - 1), 100 * (hi - 1));
}

// The level is a median over groups and the saving is a mean over groups, so each has its own
// clause.
std::string optimum_words(const StudyOptimum& optimum) {
  const double more_time = 100 * optimum.slowdown.mean;
  const auto groups = static_cast<std::int64_t>(optimum.groups.size());
  return fmt::format(
      "{} is least at {} {:g} (median of {}; inside the range in {}, at the highest level in {}); "
      "the best level of each group takes {:.1f} % less than the highest{}, with {:.1f} % {} time "
      "(means)",
      response_words(optimum.response), optimum.factor, optimum.median_level,
      counted(groups, "group"), optimum.interior, optimum.highest, 100 * optimum.saving.mean,
      range_words(optimum.saving, 100), std::abs(more_time), more_time < 0 ? "less" : "more");
}

}  // namespace

bool is_numeric(const StudyFactor& factor) {
  return std::all_of(factor.levels.begin(), factor.levels.end(),
                     [](const auto& level) { return parse_double(level).has_value(); });
}

std::string response_words(const std::string& response) {
  static const std::map<std::string, std::string> kWords = {
      {"sample_energy_j", "energy per sample"},
      {"sample_s", "time per sample"},
      {"sample_stall_s", "fetch stall per sample"},
      {"sample_compute_s", "compute per sample"},
      {"minibatch_energy_j", "energy per minibatch"},
      {"energy_j", "energy"},
      {"minibatch_s", "time per minibatch"},
      {"time_s", "time"},
      {"power_w", "power"},
      {"stall_s", "fetch stall"},
      {"compute_s", "compute"},
      {"cpu_s", "CPU time"},
      {"peak_memory_bytes", "peak memory"},
      {"cpu_load", "CPU load"},
      {"gpu_load", "GPU load"},
      {"memory_used_bytes", "used memory"},
      {"cpu_clock_hz", "the CPU's mean clock"},
      {"gpu_clock_hz", "the GPU's mean clock"}};
  const auto found = kWords.find(response);
  return found == kWords.end() ? response : found->second;
}

std::vector<std::string> study_findings(const Study& study, const StudyAnalysis& analysis) {
  std::vector<std::string> findings;
  for (const auto& effect : analysis.effects) {
    const auto& factor = *std::find_if(study.factors.begin(), study.factors.end(),
                                       [&](const auto& f) { return f.name == effect.factor; });
    const bool rises = is_numeric(factor) && *parse_double(effect.to) > *parse_double(effect.from);
    const std::string change =
        is_numeric(factor)
            ? fmt::format("{} {} from {} to {}", rises ? "raising" : "lowering", effect.factor,
                          effect.from, effect.to)
            : fmt::format("{} {} instead of {}", effect.factor, effect.to, effect.from);
    const std::string what = response_words(effect.response);
    if (effect.blocks < 2) {
      findings.push_back(
          fmt::format("{}: {} is {:.3g} times as high in the one block; an interval "
                      "needs two",
                      change, what, effect.ratio));
      continue;
    }
    // An interval over a factor of 100 is not informative. With two blocks, it can span 1e20.
    if (!effect.shown() && effect.hi > 100 * effect.lo) {
      findings.push_back(fmt::format("{}: {} varies too much between {} blocks to tell", change,
                                     what, effect.blocks));
      continue;
    }
    findings.push_back(
        effect.shown()
            ? fmt::format("{} {}", change, change_words(what, effect.ratio, effect.lo, effect.hi))
            : fmt::format("{}: no difference in {} is shown ({:+.1f} to {:+.1f} %)", change, what,
                          100 * (effect.lo - 1), 100 * (effect.hi - 1)));
  }
  for (const auto& optimum : analysis.optima) findings.push_back(optimum_words(optimum));
  for (const auto& best : analysis.best) {
    findings.push_back(fmt::format(
        "the best setting takes {:.1f} % less {} than the highest of all{}; most often {}",
        100 * best.saving.mean, response_words(best.response), range_words(best.saving, 100),
        best.most_often));
  }
  for (const auto& interaction : analysis.interactions) {
    if (!interaction.shown()) continue;
    findings.push_back(
        fmt::format("the effect of {} on {} depends on {}: its ratio is {:.2f} times as high at "
                    "the last level, {:.2f} to {:.2f}",
                    interaction.factor, response_words(interaction.response), interaction.other,
                    interaction.ratio, interaction.lo, interaction.hi));
  }
  for (const auto& spread : analysis.spreads) {
    findings.push_back(fmt::format("{} varies by {:.1f} % between runs, {:.1f} to {:.1f}",
                                   response_words(spread.response), 100 * spread.cv,
                                   100 * spread.lo, 100 * spread.hi));
  }
  return findings;
}

}  // namespace ridgewatt::study
