#include "ridgewatt/cli/help/complete.h"

#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/help/reference.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/program.h"

namespace ridgewatt::cli {
namespace {

// The command that the words before the last one name, and the option that still needs a value.
struct Place {
  const CLI::App& root;
  const std::vector<std::string>& words;
  const CLI::App* command;
  const CLI::Option* waiting = nullptr;
};

Place place_of(const CLI::App& app, const std::vector<std::string>& words) {
  Place place{app, words, &app};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (place.waiting != nullptr) {
      place.waiting = nullptr;
    } else if (words[i].size() > 1 && words[i][0] == '-') {
      const CLI::Option* option = place.command->get_option_no_throw(words[i]);
      if (option != nullptr && !is_flag(*option)) place.waiting = option;
    } else if (const CLI::App* next = subcommand(*place.command, words[i])) {
      place.command = next;
    }
  }
  return place;
}

using Completions = std::vector<Completion>;

// After `help` or `man`, adds the subcommands of the command that the next words name.
void add_described_commands(const Place& place, Completions& all) {
  if (place.command->get_group() != kHelp) return;
  const CLI::App* below = &place.root;
  for (std::size_t i = 1; i + 1 < place.words.size() && below != nullptr; ++i) {
    if (!place.words[i].starts_with('-')) below = subcommand(*below, place.words[i]);
  }
  if (below == nullptr) return;
  for (const CLI::App* command : below->get_subcommands(nullptr)) {
    if (command->get_group().empty()) continue;
    all.push_back({command->get_name(), command->get_description()});
  }
}

// Returns the value of --device; empty: none.
std::string device_of(const Place& place) {
  constexpr std::string_view kJoined = "--device=";
  std::string device;
  for (std::size_t i = 0; i + 1 < place.words.size(); ++i) {
    const std::string& word = place.words[i];
    if (word.starts_with(kJoined)) device = word.substr(kJoined.size());
    if (word + '=' == kJoined && i + 2 < place.words.size()) device = place.words[i + 1];
  }
  return device;
}

// Adds the values of `option` that begin with `start`.
void add_values(const Place& place, const CLI::Option& option, const std::string& start,
                Completions& all) {
  Completions values;
  for (const auto& choice : choices_of(option)) values.push_back({choice, ""});
  for (auto& word : proposed_by(option, device_of(place))) values.push_back(std::move(word));
  if (option.get_name() == "COMMAND") add_described_commands(place, values);
  const bool list = takes_list(option);
  const auto comma = list ? start.rfind(',') : std::string::npos;
  const std::string head = comma == std::string::npos ? "" : start.substr(0, comma + 1);
  for (auto& value : values) {
    value.word.insert(0, head);
    if (value.word.starts_with(start)) all.push_back(std::move(value));
  }
}

void add_options(const CLI::App& command, const std::string& start, Completions& all) {
  for (const CLI::Option* option : command.get_options()) {
    for (const auto& name : option->get_lnames()) {
      Completion candidate{"--" + name, option->get_description()};
      if (candidate.word.starts_with(start)) all.push_back(std::move(candidate));
    }
  }
}

}  // namespace

const CLI::App& completed_command(const CLI::App& app, const std::vector<std::string>& words) {
  return *place_of(app, words).command;
}

std::vector<Completion> completions(const CLI::App& app, const std::vector<std::string>& words) {
  const std::string start = words.empty() ? "" : words.back();
  const Place place = place_of(app, words);
  std::vector<Completion> all;
  const auto equals = start.find('=');
  if (place.waiting != nullptr) {
    add_values(place, *place.waiting, start, all);
  } else if (start.starts_with("--") && equals != std::string::npos) {  // --device=agx
    const CLI::Option* option = place.command->get_option_no_throw(start.substr(0, equals));
    if (option != nullptr) add_values(place, *option, start.substr(equals + 1), all);
    for (auto& candidate : all) candidate.word.insert(0, start.substr(0, equals + 1));
  } else if (start.starts_with('-')) {
    add_options(*place.command, start, all);
  } else {
    for (const CLI::App* command : place.command->get_subcommands(nullptr)) {
      if (command->get_group().empty() || !command->get_name().starts_with(start)) continue;
      all.push_back({command->get_name(), command->get_description()});
    }
    for (const CLI::Option* option : place.command->get_options()) {
      if (option->get_positional()) add_values(place, *option, start, all);
    }
  }
  return all;
}

}  // namespace ridgewatt::cli
