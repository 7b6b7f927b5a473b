#include "ridgewatt/cli/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "ridgewatt/answer/parameter.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/version.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/companion.h"
#include "ridgewatt/cli/result_files.h"

namespace ridgewatt::cli {
namespace {

void refuse_empty_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    // The word to complete may be empty.
    if (is_flag(*option) || option->get_name() == "WORDS") continue;
    option->check(CLI::Validator(
        [](std::string& text) {
          return std::string(text.empty() ? "the value is empty: omit the option" : "");
        },
        "", "not empty"));
  }
  for (CLI::App* command : app.get_subcommands(nullptr)) refuse_empty_values(*command);
}

// Adds -o to each command that does not declare it itself.
void add_output_options(CLI::App& app, Context& context) {
  const auto commands = app.get_subcommands(nullptr);
  for (CLI::App* command : commands) add_output_options(*command, context);
  if (!commands.empty() || app.get_group().empty()) return;
  if (app.get_option_no_throw("--output") != nullptr) return;
  add_output_option(app, context);
}

// Does nothing the second time: a command with a description already has its options.
void fill(const CommandEntry& entry, CLI::App& command, CLI::App& app, Context& context) {
  if (!command.get_description().empty()) return;
  if (entry.program != nullptr) {
    command.description(entry.description);
    return;
  }
  entry.add(app, context);
  add_output_options(command, context);
  refuse_empty_values(command);
}

// If `word` is a file and the command takes files by options, returns the command lines that would
// accept it; otherwise empty.
std::string line_with_option(const CLI::App& command, const std::string& word) {
  std::error_code failed;
  if (!std::filesystem::exists(word, failed)) return "";
  std::string line;
  for (const char* name : {"--sweep", "--samples", "--training-sweep", "--profile", "--results"}) {
    const CLI::Option* option = command.get_option_no_throw(name);
    if (option == nullptr || value_name(*option) != "FILE") continue;
    line += (line.empty() ? "" : "' or '") + full_name(command) + ' ' + name + ' ' + word;
  }
  return line;
}

// Returns the commands whose names occur in the command line, because each command costs start
// time. Returns all if no name occurs, or if the help of the others may be shown.
std::vector<const CommandEntry*> meant_commands(const Context& context) {
  std::vector<const CommandEntry*> all, named;
  bool shows_others = std::ranges::find(context.line, "--help") != context.line.end() ||
                      std::ranges::find(context.line, "-h") != context.line.end();
  for (const auto& entry : context.commands) {
    all.push_back(&entry);
    if (std::ranges::find(context.line, entry.name) == context.line.end()) continue;
    named.push_back(&entry);
    shows_others |= entry.group == std::string_view(kHelp) || *entry.group == '\0';
  }
  return named.empty() || shows_others ? all : named;
}

void hand_over(const CommandEntry& entry, const Context& context) {
  if (entry.program == nullptr) return;
  become(entry.program, context.line,
         fmt::format("it holds '{}'; build or install it", entry.name));
}

// Returns the first positional argument. If the command also has subcommands, a misspelled
// subcommand was read as this argument.
std::optional<std::string> first_argument(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() && option->count() > 0) return option->results().front();
  }
  return std::nullopt;
}

std::string unknown_word(const CLI::App& command, const std::string& word) {
  const std::string help = "see '" + full_name(command) + " --help'";
  if (word.size() > 1 && word[0] == '-') {
    const std::string name = word.substr(0, word.find('='));
    const auto options = option_names(command);
    return fmt::format("unknown option: {}: {}", name,
                       did_you_mean(name, {options, answer::option_synonyms(options)}, help));
  }
  const auto commands = subcommand_names(command);
  const auto first = first_argument(command);
  std::error_code ignored;
  if (!commands.empty() && !(first && std::filesystem::exists(*first, ignored))) {
    const std::string name = first.value_or(word);
    return fmt::format("unknown command: {}: {}", name, did_you_mean(name, {commands}, help));
  }
  const std::string line = line_with_option(command, word);
  return fmt::format("unexpected argument: {}: {}", word,
                     line.empty() ? help : "did you mean '" + line + "'?");
}

void add_name(const CommandEntry& entry, CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(entry.name)->group(entry.group);
  command->preparse_callback([&, command](std::size_t) {
    hand_over(entry, context);
    fill(entry, *command, app, context);
  });
}

struct LastOption {
  const CLI::Option* option = nullptr;
  std::size_t values = 0;  // number of words after it, plus 1 if its own word has a value
};

// Returns the last option in the words [word, end), which also name the command of the option.
LastOption last_option(CLI::App& app, Context& context, std::vector<std::string>::iterator word,
                       std::vector<std::string>::iterator end) {
  CLI::App* command = &app;
  LastOption last;
  for (; word != end; ++word) {
    const auto next =
        command->get_subcommands([&](CLI::App* one) { return one->get_name() == *word; });
    if (!next.empty()) {
      command = next.front();
      for (const auto& entry : context.commands) {
        if (command->get_parent() == &app && *word == entry.name)
          fill(entry, *command, app, context);
      }
      continue;
    }
    const bool is_long = word->starts_with("--");
    const std::string name = word->substr(0, is_long ? word->find('=') : 2);
    const CLI::Option* option =
        name.starts_with('-') ? command->get_option_no_throw(name) : nullptr;
    if (option != nullptr)
      last = {option, name.size() < word->size() ? 1u : 0u};
    else
      ++last.values;
  }
  return last;
}

// Returns the unparsed word that a message names: the first unknown option, because it is the
// reason for the words after it, or else the first word. "--" itself is always expected. Null:
// none.
const std::string* unexpected_word(const std::vector<std::string>& words, bool before_end) {
  const std::string* first = nullptr;
  for (const auto& word : words) {
    if (word == "--") {
      if (before_end) break;
    } else if (word.size() > 1 && word[0] == '-') {
      return &word;
    } else if (first == nullptr) {
      first = &word;
    }
  }
  return first;
}

}  // namespace

void prepare_program(CLI::App& app, Context& context) {
  app.name("ridgewatt");
  app.description("Time, power and energy of deep neural networks on edge accelerators");
  app.set_version_flag("--version", std::string("ridgewatt ") + version());
  app.require_subcommand(1);
  context.program = &app;
  add_global_options(app, context);
  refuse_empty_values(app);
  for (const CommandEntry* entry : meant_commands(context)) add_name(*entry, app, context);
  app.footer(
      "'ridgewatt help COMMAND' explains a command, for example 'ridgewatt help tune'.\n"
      "Example:\n"
      "  ridgewatt tune zoo:resnet50 --device agx-orin --max-power 30 --minimize time");
  app.parse_complete_callback([&context] {
    check_table_options(context);
    check_results(innermost(*context.program));
    for (const auto& text : context.remarks) remark(context, text);
    context.output.begin();
  });
  app.final_callback([&context] { context.output.finish(); });
}

void build_program(CLI::App& app, Context& context) {
  prepare_program(app, context);
  name_commands(app, context);
  for (const auto& entry : context.commands) {
    fill(entry, *app.get_subcommand(entry.name), app, context);
  }
}

void end_options(CLI::App& app, Context& context, std::vector<std::string>& words) {
  const auto end = std::find(words.begin(), words.end(), "--");
  if (end == words.end()) return;
  const auto [option, values] = last_option(app, context, words.begin(), end);
  if (option == nullptr || is_flag(*option)) return;
  if (values == 0) {
    throw UsageError("the option has no value", option->get_name(false, false),
                     "write the value before --");
  }
  if (option->get_allow_extra_args())
    words.insert(end, "--");  // CLI11 takes the first as the end of the list
}

void complete_program(CLI::App& app, const Context& context) {
  static Context defaults;  // not `context`, whose values were parsed
  for (const auto& entry : context.commands) {
    if (subcommand(app, entry.name) == nullptr) continue;
    fill(entry, *app.get_subcommand(entry.name), app, defaults);
  }
}

void name_commands(CLI::App& app, Context& context) {
  for (const auto& entry : context.commands) {
    if (subcommand(app, entry.name) == nullptr) add_name(entry, app, context);
  }
}

void hand_over(const std::string& name, const Context& context) {
  for (const auto& entry : context.commands) {
    if (entry.name == name) hand_over(entry, context);
  }
}

std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = innermost(app);
  const bool required = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (required || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const auto words = app.remaining(true);
    const std::string* word = unexpected_word(words, required);
    if (word != nullptr) return unknown_word(command, *word);
  }
  return fmt::format("{}: see '{} --help'", error.what(), full_name(command));
}

const CLI::App& innermost(const CLI::App& app) {
  const auto used = app.get_subcommands();
  return used.empty() ? app : innermost(*used.back());
}

std::string full_name(const CLI::App& app) {
  const std::string name = app.get_name();
  return app.get_parent() == nullptr ? name : full_name(*app.get_parent()) + ' ' + name;
}

bool is_flag(const CLI::Option& option) {
  return option.get_type_size() == 0 || option.get_expected_max() == 0;
}

std::string value_name(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

const CLI::App* subcommand(const CLI::App& app, const std::string& name) {
  const auto found =
      app.get_subcommands([&](const CLI::App* command) { return command->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

const CLI::App& find_command(const CLI::App& app, const std::vector<std::string>& path) {
  const CLI::App* command = &app;
  for (const auto& name : path) {
    const CLI::App* next = subcommand(*command, name);
    if (next == nullptr) throw UsageError(unknown_word(*command, name));
    command = next;
  }
  return *command;
}

}  // namespace ridgewatt::cli
