// The best power mode for a language model within limits: one mode for a whole request, or one for
// the prompt and one for decoding, with the time of the switch between them.
//
//   LanguageTuneQuestion goal{.limits = {.power_w = 20, .ttft_s = 0.5}, .phases = true};
//   const auto found = tune_language(goal, ask_language({.modes = "all"}, model, {board}));
//   if (found.settings.front().best) describe(found.settings.front().best->decode);
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/language.h"
#include "ridgewatt/base/enum_names.h"

#pragma GCC visibility push(default)

namespace ridgewatt::answer {

enum class LanguageGoal {
  kEnergy,       // joules of a request, from the prompt to its last token
  kTokenEnergy,  // joules of decoding per output token
  kTime,         // seconds of a request
  kTokenTime,    // seconds per output token
};
constexpr auto enum_names(LanguageGoal) {
  return named<LanguageGoal>({{LanguageGoal::kEnergy, "energy"},
                              {LanguageGoal::kTokenEnergy, "token-energy"},
                              {LanguageGoal::kTime, "time"},
                              {LanguageGoal::kTokenTime, "token-time"}});
}

struct LanguageLimits {
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  double power_w = kNone;  // of both phases
  double ttft_s = kNone;
  double tpot_s = kNone;
  double tokens_per_s = 0;  // at least, of all sequences
};

struct LanguageTuneQuestion {
  LanguageGoal goal = LanguageGoal::kEnergy;
  LanguageLimits limits;
  double confidence = 0.5;  // probability of meeting each limit; 0.5: the mean meets it
  bool phases = false;      // a mode for the prompt and one for decoding
};

// The question as a user writes it.
struct LanguageTuneRequest {
  // The smallest number of cores in the runs that the engines were fitted to.
  static constexpr int kCoresOfRuns = 4;
  LanguageRequest language = {.question = {.modes = "all", .min_cores = kCoresOfRuns}};
  LanguageTuneQuestion goal = {};
};

// A request in a mode for its prompt and one for its further tokens. The board switches between
// them twice: the switch to the prompt's mode counts toward the first token, the switch back toward
// the others.
struct LanguagePlan {
  PowerMode prefill, decode;
  double switch_s = 0;  // of each switch; 0: one mode
  llm::Forecast forecast;

  bool one_mode() const { return prefill == decode; }
};

// Published times to change clocks: 1 ms for the CPU, 5 ms for the GPU and 8 ms for the memory, one
// after the other (docs/guide/llm_mode.md).
double mode_switch_s(const PowerMode& from, const PowerMode& to);

struct NamedLanguagePlan {
  std::string name;  // "MAXN"
  LanguagePlan plan;
};

// The answer of one setting.
struct TunedLanguage {
  std::size_t setting = 0;
  bool fits = true;
  std::size_t modes = 0;  // that were compared
  std::optional<LanguagePlan> best;
  std::optional<LanguagePlan> miss;      // if there is none: the single mode nearest to the limits
  std::vector<std::string> broken;       // the limits that `miss` breaks, in words
  std::optional<LanguagePlan> one_mode;  // with `phases`: the best single mode
  std::vector<NamedLanguagePlan> presets;  // of the compared modes: the board's presets
};

struct LanguageTuneAnswer {
  LanguageTuneQuestion question;
  LanguageAnswer language;              // all that was compared
  std::vector<TunedLanguage> settings;  // the best first; those without an answer last
};

// Compares the rows of `asked`. Modes within kTwinTie of the lowest objective cannot be
// distinguished: the fastest of them is best (tune/choice.h), and a single mode comes before two.
// Settings that do not fit have no answer. The two modes of a plan have the same cores, because the
// time to switch cores is not published. Throws UsageError for an invalid limit or confidence.
LanguageTuneAnswer tune_language(const LanguageTuneQuestion& question, LanguageAnswer asked);

// The objective of the goal, in SI units.
double goal_value(LanguageGoal goal, const llm::Forecast& forecast);

}  // namespace ridgewatt::answer

#pragma GCC visibility pop
