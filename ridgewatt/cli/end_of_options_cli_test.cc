// Tests that "--" ends the options of every command, after any option.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/every_command_support.h"
#include "ridgewatt/cli/help/reference.h"
#include "ridgewatt/cli/program.h"

namespace ridgewatt::cli {
namespace {

using ::testing::ElementsAre;

// Collects the names ("schedule", "plan") of all commands that take a program after --.
void collect_takers(const CLI::App& app, std::vector<std::vector<std::string>>& takers,
                    std::vector<std::string> path = {}) {
  const CLI::Option* command = app.get_option_no_throw("COMMAND");
  if (command != nullptr && command->get_description().find("after --") != std::string::npos) {
    takers.push_back(path);
  }
  for (const CLI::App* next : app.get_subcommands(nullptr)) {
    auto deeper = path;
    deeper.push_back(next->get_name());
    collect_takers(*next, takers, deeper);
  }
}

CLI::App& find(CLI::App& app, const std::vector<std::string>& path) {
  CLI::App* command = &app;
  for (const auto& name : path) command = command->get_subcommand(name);
  return *command;
}

std::string some_value(const CLI::Option& option) {
  if (takes_quantity(option)) return "1";
  const auto choices = choices_of(option);
  return choices.empty() ? "x" : choices.front();
}

// The value of COMMAND for a line that ends in "OPTION VALUE -- ls -l --help".
std::vector<std::string> command_after(const std::vector<std::string>& path,
                                       const std::string& option) {
  CLI::App app;
  Context context{.commands = every_command()};
  build_program(app, context);
  struct Parsed {};
  app.parse_complete_callback([] { throw Parsed(); });  // before the command runs
  CLI::App& command = find(app, path);
  for (CLI::Option* one : command.get_options()) one->required(false);
  const CLI::Option& last = *command.get_option(option);
  std::vector<std::string> words = path;
  for (const CLI::Option* one : command.get_options()) {
    if (one->get_positional() && one->get_name() != "COMMAND") words.emplace_back("x");
  }
  words.push_back(option);
  if (!is_flag(last)) words.push_back(some_value(last));
  for (const char* word : {"--", "ls", "-l", "--help"}) words.emplace_back(word);
  end_options(app, context, words);
  std::reverse(words.begin(), words.end());
  try {
    app.parse(words);
  } catch (const Parsed&) {
  } catch (const CLI::ValidationError&) {  // from the invalid value, after all words are assigned
  } catch (const CLI::ConversionError&) {
  } catch (const UsageError&) {
  }
  return command.get_option("COMMAND")->results();
}

// label: slow
TEST(EndOfOptions, IsKeptBehindEveryOptionOfEveryCommand) {
  CLI::App app;
  Context context{.commands = every_command()};
  build_program(app, context);
  std::vector<std::vector<std::string>> takers;
  collect_takers(app, takers);
  EXPECT_THAT(takers, ::testing::Contains(ElementsAre("measure")));
  EXPECT_THAT(takers, ::testing::Contains(ElementsAre("campaign", "plan")));
  EXPECT_GE(takers.size(), 6u);
  for (const auto& path : takers) {
    for (const CLI::Option* option : find(app, path).get_options()) {
      if (option->get_positional() || option->get_lnames().empty()) continue;
      const std::string name = "--" + option->get_lnames().front();
      if (name == "--help") continue;
      EXPECT_THAT(command_after(path, name), ElementsAre("ls", "-l", "--help"))
          << path.front() << ' ' << name;
    }
  }
}

TEST(EndOfOptions, IsNotTheValueOfAnOption) {
  CLI::App app;
  Context context{.commands = every_command()};
  prepare_program(app, context);
  std::vector<std::string> words = {"measure", "--residency", "--", "ls"};
  EXPECT_THROW(end_options(app, context, words), UsageError);
}

}  // namespace
}  // namespace ridgewatt::cli
