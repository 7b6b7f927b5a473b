#include "ridgewatt/cli/options/old_spellings.h"

#include <algorithm>
#include <iterator>

namespace ridgewatt::cli {
namespace {

// clang-format off
constexpr OldSpelling kOldSpellings[] = {
    {"analyze", "--cache", "--cache-size"},
    {"compare", "--rate", "--sampling-hz"},
    {"device show", "--modes", "--list-modes"},
    {"estimate", "--loader-ms", "--loader-time"},
    {"evaluate predictors", "--html", "--figures", "html:"},
    {"evaluate predictors", "--svg", "--figures", "svg:"},
    {"evaluate predictors", "--tolerance", "--power-tolerance"},
    {"evaluate predictors", "--twin", "--device"},
    {"evaluate schedules", "--infer", "--inference-sweep"},
    {"evaluate schedules", "--train", "--training-sweep"},
    {"evaluate strategies", "--board", "--device"},
    {"evaluate strategies", "--html", "--figures", "html:"},
    {"evaluate strategies", "--inference", "--inference-sweep"},
    {"evaluate strategies", "--svg", "--figures", "svg:"},
    {"evaluate strategies", "--training", "--training-sweep"},
    {"llm", "--html", "--figures", "html:"},
    {"loadbench", "--sample-bytes", "--sample-size"},
    {"measure", "--minibatches", "--minibatches-csv"},
    {"measure", "--rate", "--sampling-hz"},
    {"measure", "--series", "--series-csv"},
    {"pipeline", "--base-w", "--base-power"},
    {"pipeline", "--cache-gb", "--cache-size"},
    {"pipeline", "--compute-ms", "--compute-time"},
    {"pipeline", "--compute-w", "--compute-power"},
    {"pipeline", "--core-w", "--core-power"},
    {"pipeline", "--hand-over-ms", "--hand-over-time"},
    {"pipeline", "--preprocess-ms", "--preprocess-time"},
    {"pipeline", "--sample-kb", "--sample-size"},
    {"pipeline", "--samples", "--dataset-size"},
    {"predict", "--minibatch-ms", "--minibatch-time"},
    {"profile", "--rate", "--sampling-hz"},
    {"roofline", "--html", "--figures", "html:"},
    {"roofline", "--loader-ms", "--loader-time"},
    {"roofline", "--svg", "--figures", "svg:"},
    {"schedule", "--infer", "--inference-sweep"},
    {"schedule", "--rate", "--arrival-rate"},
    {"schedule", "--train", "--training-sweep"},
    {"schedule dynamic", "--dwell", "--burst-dwell"},
    {"schedule dynamic", "--head-room", "--headroom"},
    {"schedule dynamic", "--rates", "--burst-rates"},
    {"schedule plan", "--infer-reference", "--inference-reference"},
    {"schedule plan", "--train-reference", "--training-reference"},
    {"schedule run", "--infer-time", "--inference-time"},
    {"schedule run", "--train-time", "--training-time"},
    {"sensors", "--interval", "--every"},
    {"store", "--board", "--device"},
    {"study", "--html", "--figures", "html:"},
    {"study", "--rate", "--sampling-hz"},
    {"study", "--replay", "--sweep"},
    {"sweep example", "--modes", "--mode-count"},
    {"tune", "--rate", "--arrival-rate"},
};
// clang-format on

bool is_within(const std::string& command, const std::string& of) {
  return command == of || command.starts_with(of + ' ');
}

// Returns whether the table has options of `command` or of its subcommands.
bool names_commands(const std::string& command) {
  return std::any_of(std::begin(kOldSpellings), std::end(kOldSpellings),
                     [&](const auto& old) { return is_within(old.command, command); });
}

const OldSpelling* find_old(const std::string& command, const std::string& option) {
  const auto found = std::find_if(
      std::begin(kOldSpellings), std::end(kOldSpellings),
      [&](const auto& old) { return option == old.old && is_within(command, old.command); });
  return found == std::end(kOldSpellings) ? nullptr : found;
}

}  // namespace

std::span<const OldSpelling> old_spellings() {
  return kOldSpellings;
}

std::vector<std::string> with_current_spellings(std::vector<std::string> words,
                                                std::vector<std::string>& remarks) {
  std::string command;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string deeper = command.empty() ? words[i] : command + ' ' + words[i];
    if (names_commands(deeper)) {
      command = deeper;
      continue;
    }
    const std::size_t equals = words[i].find('=');
    const OldSpelling* old = find_old(command, words[i].substr(0, equals));
    if (old == nullptr) continue;
    remarks.push_back(std::string(old->old) + " is now " + old->now);
    if (equals != std::string::npos) {
      words[i] = old->now + ("=" + (old->before_value + words[i].substr(equals + 1)));
      continue;
    }
    words[i] = old->now;
    if (i + 1 < words.size()) words[i + 1] = old->before_value + words[i + 1];
  }
  return words;
}

}  // namespace ridgewatt::cli
