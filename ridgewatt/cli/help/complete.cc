#include "ridgewatt/cli/help/complete.h"

#include <array>
#include <set>

#include "ridgewatt/answer/explain.h"
#include "ridgewatt/base/workload_kind.h"
#include "ridgewatt/cli/help/reference.h"
#include "ridgewatt/cli/program.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/device/board_names.h"
#include "ridgewatt/device/runtime.h"
#include "ridgewatt/llm/engine_facts.h"
#include "ridgewatt/llm/language_model.h"
#include "ridgewatt/llm/recipe.h"
#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/study/study.h"
#include "ridgewatt/workload/precision.h"
#include "ridgewatt/workload/zoo.h"

namespace ridgewatt::cli {
namespace {

// Where the words before the last one lead: a command, and the option that waits for its value.
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

void no_names(const Place&, Completions&) {}

void boards(const Place&, Completions& all) {
  for (const auto& name : list_boards()) all.push_back({name, "board"});
}

void fake_boards(const Place&, Completions& all) {
  for (const auto& name : platform::fake_board_names()) all.push_back({name, "fake board"});
}

// What a command that uses a real or fake board takes.
void live_boards(const Place&, Completions& all) {
  std::set<std::string> names;  // with a release, and without one
  for (const auto& name : platform::fake_board_names()) {
    names.insert({name, platform::fake_board_spec(name).board});
  }
  for (const auto& name : names) all.push_back({"fake:" + name, "fake board"});
  all.push_back({"local", "this machine"});
}

void boards_or_local(const Place& place, Completions& all) {
  boards(place, all);
  all.push_back({"local", "this machine"});
}

// Of a command with --sysroot a real or fake one, of another a twin.
void devices(const Place& place, Completions& all) {
  if (place.command->get_option_no_throw("--sysroot") != nullptr)
    live_boards(place, all);
  else
    boards(place, all);
}

void ranked_boards(const Place& place, Completions& all) {
  boards(place, all);
  all.push_back({"all", "ranks the boards"});
}

void any_board(const Place& place, Completions& all) {
  boards(place, all);
  live_boards(place, all);
}

void tuned_boards(const Place& place, Completions& all) {
  ranked_boards(place, all);
  live_boards(place, all);
}

void models(const Place&, Completions& all) {
  for (const auto& entry : workload::zoo()) {
    all.push_back({"zoo:" + std::string(entry.name), std::string(entry.description)});
  }
}

void language_models(const Place&, Completions& all) {
  for (const auto& entry : llm::language_zoo()) {
    all.push_back({"zoo:" + std::string(entry.name), std::string(entry.source)});
  }
}

void all_models(const Place& place, Completions& all) {
  models(place, all);
  language_models(place, all);
}

void model_names(const Place&, Completions& all) {
  for (const auto& entry : workload::zoo()) {
    all.push_back({std::string(entry.name), std::string(entry.description)});
  }
}

void all_model_names(const Place& place, Completions& all) {
  model_names(place, all);
  for (const auto& entry : llm::language_zoo()) {
    all.push_back({std::string(entry.name), std::string(entry.source)});
  }
}

// Presets of the board that the line names, or of all boards.
void presets(const Place& place, Completions& all) {
  std::vector<std::string> names = list_boards();
  for (std::size_t i = 0; i + 2 < place.words.size(); ++i) {
    if (place.words[i] != "--device") continue;
    const std::string& word = place.words[i + 1];
    const auto name = find_meant(word.substr(word.find(':') + 1), board_names());
    if (name) names = {*name};
  }
  std::set<std::string> known;
  for (const auto& name : names) {
    for (const auto& preset : ridgewatt::presets(load_board(name))) {
      if (known.insert(preset.name).second) all.push_back({preset.name, "preset"});
    }
  }
}

void modes(const Place& place, Completions& all) {
  all.insert(all.end(), {{"all", "every mode"}, {"presets", "every preset"}, {"maxn", "no limit"}});
  presets(place, all);
}

void recipes(const Place&, Completions& all) {
  for (const auto& recipe : llm::recipes()) all.push_back({std::string(recipe.name), ""});
}

void quantizations(const Place& place, Completions& all) {
  all.insert(all.end(), {{"stored", "as in the file"}, {"all", "every one"}});
  recipes(place, all);
}

void engines(const Place&, Completions& all) {
  for (const auto& engine : llm::engine_facts()) all.push_back({engine.name, "engine"});
}

template <class E>
void names_of(const Place&, Completions& all) {
  for (const auto& name : names<E>()) all.push_back({std::string(name), ""});
}

void studies(const Place&, Completions& all) {
  for (const auto& name : study::list_studies()) all.push_back({name, "study"});
}

void seen_names(const Place&, Completions& all) {
  for (const auto& value : answer::seen_values())
    all.push_back({std::string(value.name) + "=", ""});
}

// The commands below those that the words after `help` name.
void commands(const Place& place, Completions& all) {
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

// Values that the parser does not list, since others are accepted too: names, files, lists.
struct NamedValues {
  std::string_view command;  // empty: every command that has no row of its own for the option
  std::string_view option;
  void (*add)(const Place&, Completions&);
  bool list = false;  // names separated by commas
};
constexpr std::array kNamedValues = std::to_array<NamedValues>({
    {"calibrate", "--device", &boards_or_local},
    {"campaign plan", "--boards", &any_board},
    {"campaign rerun", "--board", &no_names},  // its serial number
    {"compare", "--mode-a", &presets},
    {"compare", "--mode-b", &presets},
    {"estimate", "--device", &ranked_boards},
    {"explain", "--device", &any_board},
    {"explain", "--seen", &seen_names},
    {"explain", "MODEL", &all_models},
    {"fake-board", "BOARD", &fake_boards},
    {"federate", "--device", &no_names},  // NAME=DEVICE,samples=N
    {"fits", "--device", &ranked_boards},
    {"fits", "MODEL", &language_models},
    {"govern", "--precision", &names_of<workload::Precision>},
    {"govern", "--runtime", &names_of<Runtime>},
    {"help", "COMMAND", &commands},
    {"llm", "--device", &ranked_boards},
    {"llm", "MODEL", &language_models},
    {"man", "COMMAND", &commands},
    {"measure", "--model", &no_names},  // the server's
    {"measure", "--quantization", &recipes},
    {"measure", "--runtime", &engines},
    {"mode apply", "PRESET", &presets},
    {"pipeline", "--device", &boards_or_local},
    {"profile", "--model", &no_names},
    {"roofline", "--device", &boards_or_local},
    {"soak", "--mode", &presets},
    {"study", "STUDY", &studies},
    {"sweep example", "--workload", &model_names},
    {"tune", "--device", &tuned_boards},
    {"tune llm", "--device", &ranked_boards},
    {"tune llm", "MODEL", &language_models},
    {"zoo write", "--quantization", &recipes},
    {"zoo write", "NAME", &all_model_names},
    {"", "--board", &boards},
    {"", "--board-kind", &boards},
    {"", "--device", &devices},
    {"", "--inference", &models},
    {"", "--kind", &names_of<WorkloadKind>},
    {"", "--mode", &modes, true},
    {"", "--model", &models},
    {"", "--modes", &modes, true},
    {"", "--quantization", &quantizations, true},
    {"", "--training", &models},
    {"", "BOARD", &boards},
    {"", "MODEL", &models},
});

const NamedValues* named_values(const CLI::App& command, const std::string& option) {
  const std::string name = full_name(command);
  for (const NamedValues& row : kNamedValues) {
    const bool here = row.command.empty() || name == "ridgewatt " + std::string(row.command);
    if (here && row.option == option) return &row;
  }
  return nullptr;
}

// Adds the values of `option` that continue `start`.
void add_values(const Place& place, const CLI::Option& option, const std::string& start,
                Completions& all) {
  Completions values;
  for (const auto& choice : choices_of(option)) values.push_back({choice, ""});
  const NamedValues* named = named_values(*place.command, option.get_name());
  if (named != nullptr) named->add(place, values);
  const bool list = option.get_delimiter() == ',' || (named != nullptr && named->list);
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
