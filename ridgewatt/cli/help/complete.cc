#include "ridgewatt/cli/help/complete.h"

#include "ridgewatt/cli/help/reference.h"
#include "ridgewatt/cli/program.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/llm/language_model.h"
#include "ridgewatt/workload/zoo.h"

namespace ridgewatt::cli {
namespace {

// Where the words before the last one lead: a command, and the option that waits for its value.
struct Place {
  const CLI::App* command;
  const CLI::Option* waiting = nullptr;
};

Place place_of(const CLI::App& app, const std::vector<std::string>& words) {
  Place place{&app};
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

void add_boards(std::vector<Completion>& all, bool live) {
  for (const auto& name : list_boards()) {
    all.push_back({name, "board"});
    if (live) all.push_back({"fake:" + name, "fake board"});
  }
  if (live) all.push_back({"local", "this machine"});
}

void add_values(std::vector<Completion>& all, const CLI::App& command, const CLI::Option& option) {
  for (const auto& choice : choices_of(option)) all.push_back({choice, ""});
  const std::string name = option.get_name();
  if (name == "--device") add_boards(all, command.get_option_no_throw("--sysroot") != nullptr);
  if (name == "BOARD") add_boards(all, false);
  if ((command.get_name() == "fits" || command.get_name() == "llm") && name == "MODEL") {
    for (const auto& entry : llm::language_zoo()) {
      all.push_back({"zoo:" + std::string(entry.name), std::string(entry.source)});
    }
  } else if (name == "MODEL" || name == "--model") {
    for (const auto& entry : workload::zoo()) {
      all.push_back({"zoo:" + std::string(entry.name), std::string(entry.description)});
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
  if (place.waiting != nullptr) {
    add_values(all, *place.command, *place.waiting);
  } else if (start.starts_with('-')) {
    for (const CLI::Option* option : place.command->get_options()) {
      for (const auto& name : option->get_lnames()) {
        all.push_back({"--" + name, option->get_description()});
      }
    }
  } else {
    for (const CLI::App* command : place.command->get_subcommands(nullptr)) {
      if (command->get_group().empty()) continue;
      all.push_back({command->get_name(), command->get_description()});
    }
    for (const CLI::Option* option : place.command->get_options()) {
      if (option->get_positional()) add_values(all, *place.command, *option);
    }
  }
  std::erase_if(all, [&](const auto& candidate) { return !candidate.word.starts_with(start); });
  return all;
}

}  // namespace ridgewatt::cli
