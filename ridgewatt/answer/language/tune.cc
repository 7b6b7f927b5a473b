// The best mode, or the best pair of modes, for a language model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ridgewatt/answer/language_tune.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/sort.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/llm/fits.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::answer {
namespace {

using llm::Forecast;
using llm::PredictedValue;

void check_goal(const LanguageTuneQuestion& question) {
  const LanguageLimits& limits = question.limits;
  for (const double limit : {limits.power_w, limits.ttft_s, limits.tpot_s}) {
    if (!(limit > 0)) throw UsageError("each limit of a language model must be above 0");
  }
  if (!(limits.tokens_per_s >= 0) || !std::isfinite(limits.tokens_per_s)) {
    throw UsageError("the least tokens per second must be 0 or more");
  }
  if (!(question.confidence >= 0.5 && question.confidence < 1)) {
    throw UsageError("the confidence must be at least 0.5 and below 1");
  }
}

void check_power(const LanguageTuneQuestion& question, const LanguageAnswer& asked) {
  const bool of_energy =
      question.goal == LanguageGoal::kEnergy || question.goal == LanguageGoal::kTokenEnergy;
  if (!of_energy && question.limits.power_w >= LanguageLimits::kNone) return;
  for (const LanguageRow& row : asked.rows) {
    if (row.forecast.power_known()) continue;
    throw NotSupportedError("the power of this board is not modelled", asked.board_of(row).name,
                            "tune for time (--minimize time), without --max-power");
  }
}

// The quantile of a figure at this probability. The logarithm of the figure is normal, and its
// interval ends at the 5 % and 95 % quantiles.
double quantile_of(const PredictedValue& figure, double probability) {
  if (probability == 0.5) return figure.value;
  const double end = probability > 0.5 ? figure.high : figure.low;
  if (!(end > 0) || !(figure.value > 0)) return end;
  const double deviations = std::abs(normal_quantile(probability)) / normal_quantile(0.95);
  return figure.value * std::pow(end / figure.value, deviations);
}

// A limit and the value of a plan that is compared with it.
struct Stand {
  const char* what;
  double value = 0, bound = 0;
  double scale = 1;
  const char* unit = "";
  bool least = false;  // the bound is a minimum
  double excess() const { return least ? bound / value - 1 : value / bound - 1; }
};

std::vector<Stand> stands_of(const LanguageTuneQuestion& question, const Forecast& forecast) {
  const LanguageLimits& limits = question.limits;
  const double sure = question.confidence;
  std::vector<Stand> stands;
  if (limits.power_w < LanguageLimits::kNone) {
    stands.push_back({"power of the prompt", quantile_of(forecast.prefill_power_w, sure),
                      limits.power_w, 1, "W"});
    stands.push_back(
        {"power of decoding", quantile_of(forecast.decode_power_w, sure), limits.power_w, 1, "W"});
  }
  if (limits.ttft_s < LanguageLimits::kNone) {
    stands.push_back(
        {"time to first token", quantile_of(forecast.ttft_s, sure), limits.ttft_s, 1e3, "ms"});
  }
  if (limits.tpot_s < LanguageLimits::kNone) {
    stands.push_back(
        {"time per token", quantile_of(forecast.tpot_s, sure), limits.tpot_s, 1e3, "ms"});
  }
  if (limits.tokens_per_s > 0) {
    stands.push_back({"tokens per second", quantile_of(forecast.tokens_per_s, 1 - sure),
                      limits.tokens_per_s, 1, "1/s", true});
  }
  return stands;
}

double worst_excess_of(const LanguageTuneQuestion& question, const Forecast& forecast) {
  double worst = -LanguageLimits::kNone;
  for (const Stand& stand : stands_of(question, forecast)) {
    worst = std::max(worst, stand.excess());
  }
  return worst;
}

std::vector<std::string> broken_limits(const LanguageTuneQuestion& question,
                                       const Forecast& forecast) {
  std::vector<std::string> broken;
  for (const Stand& stand : stands_of(question, forecast)) {
    if (!(stand.excess() > 0)) continue;
    const double ratio = stand.value / stand.bound;
    constexpr double kMostPercent = 10;  // as a ratio; a factor is easier to read above it
    const std::string by =
        ratio >= kMostPercent
            ? sentence("{:.3g} times", ratio)
            : sentence("{:.3g} % {}", 100 * std::abs(ratio - 1), stand.least ? "below" : "over");
    broken.push_back(sentence("{} {:.4g} {} is {} the limit of {:.4g} {}", stand.what,
                              stand.value * stand.scale, stand.unit, by, stand.bound * stand.scale,
                              stand.unit));
  }
  return broken;
}

// Tokens of a sequence after its first.
double further_tokens(const llm::Request& request) {
  return static_cast<double>(request.generated_tokens - 1);
}

PredictedValue plus(const PredictedValue& a, const PredictedValue& b) {
  return {a.value + b.value, a.low + b.low, a.high + b.high};
}
PredictedValue later(const PredictedValue& a, double seconds) {
  return plus(a, {seconds, seconds, seconds});
}

// The part of a request's energy that its prompt uses. Its interval is as wide as that of the
// request.
PredictedValue prefill_joules(const Forecast& forecast, const llm::Request& request) {
  const double joules = std::max(
      0.0, forecast.request_j.value - forecast.joules_per_token.value * further_tokens(request));
  return forecast.request_j * (joules / forecast.request_j.value);
}

LanguagePlan plan_of(const LanguageRow& prefill, const LanguageRow& decode,
                     const llm::Request& request) {
  LanguagePlan plan{prefill.mode, decode.mode, mode_switch_s(prefill.mode, decode.mode),
                    decode.forecast};
  if (plan.one_mode()) return plan;
  const Forecast &first = prefill.forecast, &further = decode.forecast;
  Forecast& whole = plan.forecast;
  whole.ttft_s = first.ttft_s;
  whole.prefill_power_w = first.prefill_power_w;
  whole.request_s = first.ttft_s.value + further.tpot_s.value * further_tokens(request);
  whole.request_j =
      plus(prefill_joules(first, request), further.joules_per_token * further_tokens(request));
  if (plan.switch_s == 0) return plan;
  const double away_s = plan.switch_s;
  whole.ttft_s = later(whole.ttft_s, away_s);
  const double steps = std::max(1.0, further_tokens(request));
  whole.tpot_s = later(whole.tpot_s, away_s / steps);
  const auto sequences = static_cast<double>(request.concurrency);
  whole.tokens_per_s = {sequences / whole.tpot_s.value, sequences / whole.tpot_s.high,
                        sequences / whole.tpot_s.low};
  whole.request_s += 2 * away_s;
  // While clocks change, the board draws at most the higher of both powers, for all sequences
  // together.
  const PredictedValue& power = first.prefill_power_w.value > further.decode_power_w.value
                                    ? first.prefill_power_w
                                    : further.decode_power_w;
  whole.request_j = plus(whole.request_j, power * (2 * away_s / sequences));
  return plan;
}

// All rows of one setting.
struct Candidates {
  std::vector<const LanguageRow*> rows;
  const llm::Request* request = nullptr;
};

// The plan with the least value. Among plans that cannot be distinguished from it, the one with the
// shortest request.
class Best {
 public:
  explicit Best(double bound) : bound_(bound) {}
  void offer(double value, const LanguagePlan& plan) {
    if (value > bound_) return;
    const bool shorter = !plan_ || plan.forecast.request_s < plan_->forecast.request_s;
    if (shorter) plan_ = plan;
  }
  const std::optional<LanguagePlan>& plan() const { return plan_; }

 private:
  double bound_;
  std::optional<LanguagePlan> plan_;
};

std::optional<LanguagePlan> best_single(const LanguageTuneQuestion& question,
                                        const Candidates& all) {
  double least = LanguageLimits::kNone;
  std::vector<LanguagePlan> kept;
  for (const LanguageRow* row : all.rows) {
    LanguagePlan plan = plan_of(*row, *row, *all.request);
    if (worst_excess_of(question, plan.forecast) > 0) continue;
    least = std::min(least, goal_value(question.goal, plan.forecast));
    kept.push_back(std::move(plan));
  }
  Best best(least * (1 + twin::kTwinTie));
  for (const LanguagePlan& plan : kept) best.offer(goal_value(question.goal, plan.forecast), plan);
  return best.plan();
}

// A mode and its part of the goal, for the prompt or for decoding.
struct PhaseCost {
  const LanguageRow* row;
  double value;
};

std::pair<double, double> parts_of_goal(LanguageGoal goal, const Forecast& forecast,
                                        const llm::Request& request) {
  switch (goal) {
    case LanguageGoal::kEnergy:
      return {prefill_joules(forecast, request).value,
              forecast.joules_per_token.value * further_tokens(request)};
    case LanguageGoal::kTokenEnergy:
      return {0, forecast.joules_per_token.value};
    case LanguageGoal::kTime:
      return {forecast.ttft_s.value, forecast.tpot_s.value * further_tokens(request)};
    case LanguageGoal::kTokenTime:
      return {0, forecast.tpot_s.value};
  }
  return {0, 0};
}

// The modes that meet the limits of a phase, sorted by their part of the goal.
std::vector<PhaseCost> phase_costs(const LanguageTuneQuestion& question, const Candidates& all,
                                   bool of_prompt) {
  LanguageTuneQuestion phase = question;
  std::vector<PhaseCost> kept;
  for (const LanguageRow* row : all.rows) {
    Forecast judged = row->forecast;
    if (of_prompt) {
      judged.decode_power_w = judged.prefill_power_w;
      phase.limits.tpot_s = LanguageLimits::kNone;
      phase.limits.tokens_per_s = 0;
    } else {
      judged.prefill_power_w = judged.decode_power_w;
      phase.limits.ttft_s = LanguageLimits::kNone;
    }
    if (worst_excess_of(phase, judged) > 0) continue;
    const auto [first, further] = parts_of_goal(question.goal, row->forecast, *all.request);
    kept.push_back({row, of_prompt ? first : further});
  }
  sort_stably(kept, [](const auto& a, const auto& b) { return a.value < b.value; });
  return kept;
}

// Calls `body` for every pair with the same number of cores whose parts sum to at most bound(). The
// bound may fall between calls.
template <typename Bound, typename Body>
void for_pairs(const std::vector<PhaseCost>& prompts,
               const std::map<int, std::vector<PhaseCost>>& decodes, const Bound& bound,
               const Body& body) {
  for (const PhaseCost& prompt : prompts) {
    const auto same_cores = decodes.find(prompt.row->mode.cpu_cores);
    if (same_cores == decodes.end()) continue;
    for (const PhaseCost& decode : same_cores->second) {
      if (prompt.value + decode.value > bound()) break;
      body(*prompt.row, *decode.row);
    }
  }
}

std::optional<LanguagePlan> best_pair(const LanguageTuneQuestion& question, const Candidates& all,
                                      const std::optional<LanguagePlan>& single) {
  const auto prompts = phase_costs(question, all, true);
  std::map<int, std::vector<PhaseCost>> decodes;  // by cores
  for (const auto& one : phase_costs(question, all, false)) {
    decodes[one.row->mode.cpu_cores].push_back(one);
  }
  double least = single ? goal_value(question.goal, single->forecast) : LanguageLimits::kNone;
  for_pairs(
      prompts, decodes, [&] { return least; },
      [&](const LanguageRow& prompt, const LanguageRow& decode) {
        const LanguagePlan plan = plan_of(prompt, decode, *all.request);
        const double value = goal_value(question.goal, plan.forecast);
        if (value < least && !(worst_excess_of(question, plan.forecast) > 0)) least = value;
      });
  if (least == LanguageLimits::kNone) return std::nullopt;
  const double bound = least * (1 + twin::kTwinTie);
  // A single mode that cannot be distinguished from the best pair is better, because it needs no
  // switch.
  if (single && goal_value(question.goal, single->forecast) <= bound) return single;
  Best best(bound);
  for_pairs(
      prompts, decodes, [&] { return bound; },
      [&](const LanguageRow& prompt, const LanguageRow& decode) {
        const LanguagePlan plan = plan_of(prompt, decode, *all.request);
        if (worst_excess_of(question, plan.forecast) > 0) return;
        best.offer(goal_value(question.goal, plan.forecast), plan);
      });
  return best.plan();
}

void find_miss(const LanguageTuneQuestion& question, const Candidates& all, TunedLanguage& tuned) {
  double least = LanguageLimits::kNone;
  for (const LanguageRow* row : all.rows) {
    const double excess = worst_excess_of(question, row->forecast);
    if (!(excess < least)) continue;
    least = excess;
    tuned.miss = plan_of(*row, *row, *all.request);
  }
  if (tuned.miss) tuned.broken = broken_limits(question, tuned.miss->forecast);
}

std::string largest_that_fits(const LanguageAnswer& asked) {
  const LanguageQuestion& question = asked.question;
  llm::FitsOptions options;
  options.quantizations = quantizations_named(asked.model, "all");
  options.context = question.request.prompt_tokens + question.request.generated_tokens;
  options.batch = question.request.concurrency;
  options.kv_type = question.kv_type;
  options.reserve_bytes = question.reserve_bytes;
  std::string largest;
  double most_bytes = 0;
  for (const llm::Fit& fit : llm::fits(asked.model, asked.boards, options)) {
    if (!fit.fits() || fit.weights_bytes <= most_bytes) continue;
    most_bytes = fit.weights_bytes;
    largest = fit.quantization;
  }
  return largest;
}

void add_presets(const LanguageAnswer& asked, const Candidates& all, TunedLanguage& tuned) {
  const Board& board = asked.boards[asked.settings[tuned.setting].board];
  for (const Preset& preset : presets(board)) {
    const auto found = std::find_if(all.rows.begin(), all.rows.end(), [&](const LanguageRow* row) {
      return row->mode == preset.mode;
    });
    if (found == all.rows.end()) continue;
    tuned.presets.push_back({preset.name, plan_of(**found, **found, *all.request)});
  }
}

}  // namespace

bool LanguageTuneAnswer::fits() const {
  return std::any_of(settings.begin(), settings.end(),
                     [](const TunedLanguage& tuned) { return tuned.fits; });
}

double mode_switch_s(const PowerMode& from, const PowerMode& to) {
  constexpr double kCpuS = 1e-3, kGpuS = 5e-3, kMemoryS = 8e-3;
  double seconds = 0;
  if (from.cpu_clock_hz != to.cpu_clock_hz) seconds += kCpuS;
  if (from.gpu_clock_hz != to.gpu_clock_hz) seconds += kGpuS;
  if (from.mem_clock_hz != to.mem_clock_hz) seconds += kMemoryS;
  return seconds;
}

double goal_value(LanguageGoal goal, const Forecast& forecast) {
  switch (goal) {
    case LanguageGoal::kEnergy:
      return forecast.request_j.value;
    case LanguageGoal::kTokenEnergy:
      return forecast.joules_per_token.value;
    case LanguageGoal::kTime:
      return forecast.request_s;
    case LanguageGoal::kTokenTime:
      return forecast.tpot_s.value;
  }
  return 0;
}

LanguageTuneAnswer tuned_language(const LanguageTuneRequest& asked) {
  return tune_language(asked.goal, ask_language(asked.language));
}

LanguageTuneAnswer tune_language(const LanguageTuneQuestion& question, LanguageAnswer asked) {
  check_goal(question);
  check_power(question, asked);
  LanguageTuneAnswer found{question, std::move(asked), {}, {}};
  const LanguageAnswer& language = found.language;
  std::vector<Candidates> of_settings(language.settings.size());
  for (const LanguageRow& row : language.rows) of_settings[row.setting].rows.push_back(&row);
  for (std::size_t s = 0; s < of_settings.size(); ++s) {
    Candidates& all = of_settings[s];
    all.request = &language.question.request;
    TunedLanguage tuned;
    tuned.setting = s;
    tuned.modes = all.rows.size();
    tuned.fits = language.memory[language.settings[s].memory].fit.fits();
    if (tuned.fits) {
      tuned.best = best_single(question, all);
      if (question.phases) {
        tuned.one_mode = tuned.best;
        tuned.best = best_pair(question, all, tuned.one_mode);
      }
      if (!tuned.best) find_miss(question, all, tuned);
      add_presets(language, all, tuned);
    }
    found.settings.push_back(std::move(tuned));
  }
  if (!found.fits()) found.fitting = largest_that_fits(language);
  sort_stably(found.settings, [&](const TunedLanguage& a, const TunedLanguage& b) {
    if (a.best.has_value() != b.best.has_value()) return a.best.has_value();
    if (!a.best) return false;
    return goal_value(question.goal, a.best->forecast) <
           goal_value(question.goal, b.best->forecast);
  });
  return found;
}

}  // namespace ridgewatt::answer
