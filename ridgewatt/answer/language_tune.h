// Finds the best power mode for a language model within limits: one mode for the whole request, or
// one mode for the prompt and another for decoding, including the time to switch.
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
  kEnergy,       // energy of a request, in joules
  kTokenEnergy,  // energy of decoding per output token, in joules
  kTime,         // time of a request, in seconds
  kTokenTime,    // time per output token, in seconds
};
constexpr auto enum_names(LanguageGoal) {
  return named<LanguageGoal>({{LanguageGoal::kEnergy, "energy"},
                              {LanguageGoal::kTokenEnergy, "token-energy"},
                              {LanguageGoal::kTime, "time"},
                              {LanguageGoal::kTokenTime, "token-time"}});
}

struct LanguageLimits {
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  double power_w = kNone;   // maximum power in both phases
  double ttft_s = kNone;    // time to the first token
  double tpot_s = kNone;    // time per output token
  double tokens_per_s = 0;  // minimum, over all sequences
};

struct LanguageTuneQuestion {
  LanguageGoal goal = LanguageGoal::kEnergy;
  LanguageLimits limits;
  // Required probability of meeting each limit; 0.5: the estimate meets it.
  double confidence = 0.5;
  bool phases = false;  // also considers different modes for prompt and decoding
};

// The question as text that a user enters.
struct LanguageTuneRequest {
  // The smallest number of CPU cores in the measurements to which the engines were fitted.
  static constexpr int kCoresOfRuns = 4;
  LanguageRequest language = {.question = {.modes = "all", .min_cores = kCoresOfRuns}};
  LanguageTuneQuestion goal = {};
};

// A request with one mode for prefill and one for decode. Each request needs two switches. The
// switch to `prefill` adds to the time to the first token, the switch to `decode` to the time of
// the later tokens.
struct LanguagePlan {
  PowerMode prefill, decode;
  double switch_s = 0;  // of each switch; 0 with one mode
  llm::Forecast forecast;

  bool one_mode() const { return prefill == decode; }
};

// Returns the sum of published times to change clocks: 1 ms for the CPU, 5 ms for the GPU and 8 ms
// for the memory (docs/guide/llm_mode.md).
double mode_switch_s(const PowerMode& from, const PowerMode& to);

struct NamedLanguagePlan {
  std::string name;  // "MAXN"
  LanguagePlan plan;
};

// The answer for one setting.
struct TunedLanguage {
  std::size_t setting = 0;           // index into LanguageAnswer::settings
  bool fits = true;                  // the model fits the memory; otherwise there is no answer
  std::size_t modes = 0;             // number of compared modes
  std::optional<LanguagePlan> best;  // absent if no plan meets the limits
  std::optional<LanguagePlan> miss;  // if `best` is absent: the single mode nearest to the limits
  std::vector<std::string> broken;   // limits that `miss` exceeds, as text
  std::optional<LanguagePlan> one_mode;  // the best single mode, if `phases` was set
  // Compared modes that are presets of the board.
  std::vector<NamedLanguagePlan> presets;
};

struct LanguageTuneAnswer {
  LanguageTuneQuestion question;
  LanguageAnswer language;              // every compared row
  std::vector<TunedLanguage> settings;  // best first; settings without an answer last
  // If no setting fits: the largest quantization that fits one of the boards. Empty: none fits.
  std::string fitting;

  bool fits() const;  // whether any setting fits the memory
};

// Compares the rows of `asked`. Objectives within kTwinTie of the lowest one count as equal; among
// these the fastest plan is best (tune/choice.h), and a single mode is preferred to two modes.
// Settings that do not fit the memory have no answer. Both modes of a plan have the same number of
// CPU cores, because no time to switch cores is published. Throws UsageError for an invalid limit
// or confidence.
LanguageTuneAnswer tune_language(const LanguageTuneQuestion& question, LanguageAnswer asked);
LanguageTuneAnswer tuned_language(const LanguageTuneRequest& asked);

// Returns the objective in J or s.
double goal_value(LanguageGoal goal, const llm::Forecast& forecast);

}  // namespace ridgewatt::answer

#pragma GCC visibility pop
