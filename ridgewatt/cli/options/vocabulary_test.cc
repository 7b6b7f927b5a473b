// Tests the options of all commands in the parser: numbers have units and are finite and in range,
// no value is empty, and mistyped names get a hint.
#include "ridgewatt/cli/options/vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/every_command_support.h"
#include "ridgewatt/cli/help/complete.h"
#include "ridgewatt/cli/help/reference.h"
#include "ridgewatt/cli/options/old_spellings.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/program.h"
#include "ridgewatt/platform/fake_board.h"

namespace ridgewatt::cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

// A command and all its subcommands.
std::vector<const CLI::App*> all_commands(const CLI::App& app) {
  std::vector<const CLI::App*> all = {&app};
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    if (command->get_group().empty()) continue;
    const auto below = all_commands(*command);
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

// The whole program, which parses but does not run.
class Program : public ::testing::Test {
 protected:
  struct Place {
    std::vector<std::string> path;  // "schedule", "plan"
    Json option;
  };

  // Every option and argument of this kind in every command.
  std::vector<Place> options(const std::string& kind) const {
    CLI::App app;
    Context context{.commands = every_command()};
    build_program(app, context);
    std::vector<Place> found;
    const std::function<void(const Json&, std::vector<std::string>)> walk =
        [&](const Json& command, const std::vector<std::string>& path) {
          for (const auto& option : command["options"]) {
            if (option["kind"] == kind) found.push_back({path, option});
          }
          for (const auto& next : command["commands"]) {
            auto deeper = path;
            const std::string name = next["name"];
            deeper.push_back(name.substr(name.rfind(' ') + 1));
            walk(next, deeper);
          }
        };
    walk(report::reference_json(reference_of(app)), {});
    return found;
  }

  // The command that the line names, or all commands if it names none.
  static std::span<const CommandEntry> command_of(const std::vector<std::string>& words) {
    const auto all = every_command();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (std::string_view(all[i].name) == words.at(0)) return all.subspan(i, 1);
    }
    return all;
  }

  // The parser's message about a command line; empty if the line is valid.
  static std::string refusal(std::vector<std::string> words) {
    CLI::App app;
    Context context{.commands = command_of(words)};
    build_program(app, context);
    ask_the_impossible(app);
    std::reverse(words.begin(), words.end());
    try {
      app.parse(words);
    } catch (const CLI::RequiredError&) {
      return app.remaining(true).empty() ? "" : usage_message(app, CLI::ExtrasError({}));
    } catch (const CLI::RequiresError&) {
      return "";
    } catch (const CLI::ParseError& error) {
      return usage_message(app, error);
    } catch (const UsageError& error) {  // a value that is not an allowed name
      return error.what();
    }
    return "";
  }

  // Prevents all commands from running: each requires an option that is never given. The parser
  // checks this after the values.
  static void ask_the_impossible(CLI::App& app) {
    app.add_option("--never")->required();
    for (CLI::App* command : app.get_subcommands(nullptr)) ask_the_impossible(*command);
  }

  static std::string refusal_of(const Place& place, const std::string& value) {
    auto words = place.path;
    const std::string name = place.option["names"].back();
    words.push_back(place.option["positional"] ? value : name + "=" + value);
    if (value.empty()) {
      words.back() = name;
      words.push_back("");
    }
    return refusal(words);
  }
};

TEST_F(Program, EveryOptionWithANumberIsAQuantity) {
  for (const auto& place : options("text")) {
    const std::string value = place.option["value"];
    EXPECT_FALSE(value == "FLOAT" || value == "INT" || value == "UINT")
        << ::testing::PrintToString(place.path) << " " << place.option["names"]
        << ": declare it through quantity()";
  }
  EXPECT_GT(options("number").size(), 100u);
}

// label: slow
TEST(OptionAdder, ANumberReachesItsCommandInSiUnitsAndIsShownInThatOfTheHelp) {
  CLI::App app;
  const OptionAdder add(app);
  double age_s = 0, wait_s = 0.2;
  std::vector<double> clocks_hz;
  add.optional("--age", age_s, hours(), "Age");
  add.number("--wait", wait_s, milliseconds(), "Wait");
  add.optional("--clocks", clocks_hz, megahertz(), "Clocks")->delimiter(',');
  EXPECT_EQ(app.get_option("--wait")->get_default_str(), "200");
  app.parse("--age 90d --clocks 612,1.5GHz");
  EXPECT_EQ(age_s, 90 * 86400.0);
  EXPECT_EQ(clocks_hz, (std::vector{612e6, 1.5e9}));
  app.parse("--age 2 --wait 30");
  EXPECT_EQ(age_s, 7200);
  EXPECT_EQ(wait_s, 0.03);
}

TEST_F(Program, NumbersAreFiniteAndInTheirRange) {
  for (const auto& place : options("number")) {
    const std::string name = place.option["names"].back();
    const char* below = name == "--ambient" ? "-274" : "-1";  // only temperatures go below zero
    for (const char* value :
         {"nan", "inf", "-inf", below, "1e400", "", "abc", "30furlongs", "0x1p4"}) {
      const std::string said = refusal_of(place, value);
      EXPECT_THAT(said, AllOf(HasSubstr(name), Not(HasSubstr("\n")), Not(HasSubstr("1.79769"))))
          << ::testing::PrintToString(place.path) << " '" << value << "'";
    }
  }
}

// label: slow
TEST_F(Program, UnitsMayBeWritten) {
  for (const auto& place : options("number")) {
    const std::string unit = place.option["value"];
    if (unit == "N" || unit == "X") continue;
    const auto said = refusal_of(place, "1" + unit);
    EXPECT_TRUE(said.empty() || said.find("must be") != std::string::npos) << said;
  }
}

// label: slow
TEST_F(Program, NothingMayBeEmpty) {
  for (const auto& place : options("text")) {
    EXPECT_THAT(refusal_of(place, ""), Not(IsEmpty()))
        << ::testing::PrintToString(place.path) << " " << place.option["names"];
  }
}

TEST_F(Program, SlipsOfTheFingerGetAHint) {
  EXPECT_THAT(refusal({"tune", "--devise", "x"}), HasSubstr("did you mean --device?"));
  CLI::App app;
  Context context{.commands = every_command()};
  build_program(app, context);
  try {
    app.parse(std::vector<std::string>{"estimte"});
    FAIL();
  } catch (const CLI::ParseError& error) {
    EXPECT_THAT(usage_message(app, error), HasSubstr("did you mean estimate?"));
  }
  EXPECT_THROW(find_command(app, {"schedule", "pln"}), UsageError);
}

TEST_F(Program, BeforeAProgramTheFaultyOptionIsNamed) {
  for (const char* command :
       {"measure", "profile", "soak", "explain zoo:lenet5", "tune zoo:lenet5"}) {
    const auto wrong = testing::run_program(std::string(command) + " --foo 1 -- ridgewatt x");
    EXPECT_EQ(wrong.status, 2) << wrong.output;
    EXPECT_THAT(wrong.output, HasSubstr("unknown option: --foo")) << command;
  }
  const auto missing =
      testing::run_program("campaign plan x --boards fake:agx-orin --sample 1 -- true");
  EXPECT_THAT(missing.output, HasSubstr("--store is required"));
}

TEST_F(Program, AStartNamesTheCommandsOfItsLineAndAMessageKnowsAll) {
  const auto named = [](const std::vector<std::string>& line) {
    CLI::App app;
    Context context{.commands = every_command(), .line = line};
    prepare_program(app, context);
    return subcommand_names(app);
  };
  const auto all = named({});
  EXPECT_GT(all.size(), 30u);
  EXPECT_EQ(named({"tune", "zoo:lenet5"}), std::vector<std::string>{"tune"});
  EXPECT_EQ(named({"--format", "json", "fits", "--columns", "tune"}),
            (std::vector<std::string>{"tune", "fits"}));
  for (const char* shows : {"help", "man", "completion", "--help", "-h", "--version"}) {
    EXPECT_EQ(named({shows}), all) << shows;
  }
  EXPECT_EQ(named({"help", "tune"}), all);  // in the order of the help
  CLI::App app;
  Context context{.commands = every_command(), .line = {"estimat", "--columns", "report"}};
  prepare_program(app, context);
  try {
    app.parse(std::vector<std::string>(context.line.rbegin(), context.line.rend()));
    FAIL();
  } catch (const CLI::ParseError& error) {
    name_commands(app, context);
    EXPECT_THAT(usage_message(app, error), HasSubstr("did you mean estimate?"));
  }
}

TEST_F(Program, CommandsAreGroupedAndDescribed) {
  CLI::App app;
  Context context{.commands = every_command()};
  build_program(app, context);
  const Json all = report::reference_json(reference_of(app));
  const std::vector<std::string> groups = {
      "Models", "Boards", "Answers",    "On a board", "Scheduling and pipelines",
      "Fleet",  "Data",   "Laboratory", "Help"};
  for (const auto& command : all["commands"]) {
    EXPECT_THAT(groups, Contains(command["group"].get<std::string>()));
    EXPECT_NE(command["description"], "") << command["name"];
    for (const auto& option : command["options"]) EXPECT_NE(option["description"], "");
  }
}

TEST_F(Program, CompletionKnowsCommandsOptionsAndNames) {
  CLI::App app;
  Context context{.commands = every_command()};
  build_program(app, context);
  const auto word = [](const std::string& text) { return Field(&Completion::word, text); };
  EXPECT_THAT(completions(app, {"sch"}), Contains(word("schedule")));
  EXPECT_THAT(completions(app, {"schedule", ""}), Contains(word("plan")));
  EXPECT_THAT(completions(app, {"tune", "--max-p"}), Contains(word("--max-power")));
  EXPECT_THAT(completions(app, {"tune", "--device", "agx"}), Contains(word("agx-orin")));
  EXPECT_THAT(completions(app, {"estimate", "zoo:lenet5", "--device", "orin-nano-8gb@"}),
              Contains(word("orin-nano-8gb@super")));
  EXPECT_THAT(completions(app, {"estimate", "zoo:resnet5"}), Contains(word("zoo:resnet50")));
  EXPECT_THAT(completions(app, {"tune", "--format", "j"}), Contains(word("json")));
  EXPECT_THAT(completions(app, {""}), Not(Contains(word("complete"))));
}

// For every command and option: complete closed lists, and boards, models and commands by name.
TEST_F(Program, CompletionOffersEveryNamedValue) {
  CLI::App app;
  Context context{.commands = every_command()};
  build_program(app, context);
  const auto offered = [&](std::vector<std::string> words) {
    std::set<std::string> found;
    for (const auto& candidate : completions(app, words)) found.insert(candidate.word);
    return found;
  };
  for (const CLI::App* command : all_commands(app)) {
    std::vector<std::string> path = split(full_name(*command), ' ');
    path.erase(path.begin());
    const auto offered_after = [&](std::initializer_list<std::string> more) {
      std::vector<std::string> words = path;
      words.insert(words.end(), more);
      return offered(words);
    };
    for (const std::string& name : subcommand_names(*command)) {
      EXPECT_THAT(offered_after({name.substr(0, 1)}), Contains(name)) << full_name(*command);
      std::vector<std::string> help = {"help"};
      help.insert(help.end(), path.begin(), path.end());
      help.push_back(name.substr(0, 2));
      EXPECT_THAT(offered(help), Contains(name));
    }
    for (const CLI::Option* option : command->get_options()) {
      if (is_flag(*option)) continue;
      const std::string name = option->get_name(), where = full_name(*command) + " " + name;
      const bool positional = option->get_positional();
      const auto values = positional ? offered_after({""}) : offered_after({name, ""});
      for (const auto& choice : choices_of(*option)) {
        EXPECT_THAT(values, Contains(choice)) << where;
        if (positional) continue;
        EXPECT_THAT(offered_after({name + "=" + choice}), Contains(name + "=" + choice)) << where;
      }
      const std::string& help = option->get_description();
      const auto offers = [&](const char* words, const std::string& value) {
        if (help.find(words) != std::string::npos) EXPECT_THAT(values, Contains(value)) << where;
      };
      offers("fake:BOARD", "fake:agx-orin");
      offers("Board or board file", "agx-orin");
      offers("Board, board file", "agx-orin");
      offers("names of presets", "MAXN");
      if (name != "--phase-mode") offers("a preset", "MAXN");  // PHASE=MAXN, below
      offers("zoo:NAME",
             name == "MODEL" && (!path.empty() && (path.back() == "llm" || path.back() == "fits"))
                 ? "zoo:llama-3.1-8b"
                 : "zoo:resnet50");
    }
  }
  EXPECT_THAT(offered({"llm", "x", "--quantization", "q4"}), Contains("q4_k_m"));
  EXPECT_THAT(offered({"llm", "x", "--quantization", "f16,q4"}), Contains("f16,q4_k_m"));
  EXPECT_THAT(offered({"measure", "--device", "fake:agx"}), Contains("fake:agx-orin"));
  EXPECT_THAT(offered({"estimate", "x", "--device", "fake:"}), IsEmpty());  // no fake boards
  EXPECT_THAT(offered({"study", "b"}), IsSupersetOf({"batch", "baseload"}));
  EXPECT_THAT(offered({"help", "sched"}), ElementsAre("schedule"));
  EXPECT_THAT(offered({"man", "schedule", "pl"}), Contains("plan"));
  EXPECT_THAT(offered({"estimate", "x", "--modes", "MODE"}), Contains("MODE_30W"));
  const auto nano = offered({"estimate", "x", "--device", "orin-nano-8gb", "--modes", ""});
  EXPECT_THAT(nano, Contains("15W"));
  EXPECT_THAT(nano, Not(Contains("MODE_50W")));
  EXPECT_THAT(offered({"mode", "apply", "MODE_3"}), Contains("MODE_30W"));
  EXPECT_THAT(offered({"profile", "x", "--modes", ""}), IsEmpty());  // a file
  EXPECT_THAT(offered({"estimate", "x", "--device=agx-or"}), Contains("--device=agx-orin"));
  for (const auto& name : platform::fake_board_names()) {
    std::set<std::string> presets;
    const auto spec = platform::fake_board_spec(name);
    for (const auto& preset : spec.presets) presets.insert(preset.name);
    EXPECT_EQ(offered({"mode", "apply", "--device", "fake:" + name, ""}), presets) << name;
    EXPECT_EQ(offered({"mode", "apply", "--device=fake:" + name, ""}), presets) << name;
  }
  EXPECT_THAT(offered({"mode", "apply", "--device", "fake:agx-orin", "MODE_1"}),
              ElementsAre("MODE_15W"));
  EXPECT_THAT(offered({"govern", "--phase-mode", "prefill=MA"}), Contains("prefill=MAXN"));
  EXPECT_THAT(offered({"zoo", "write", "x", "--quantization", ""}),
              AllOf(Contains("q4_k_m"), Not(Contains("gptq"))));
}

TEST_F(Program, OldSpellingsNameOptionsOfToday) {
  CLI::App app;
  Context context{.commands = every_command()};
  build_program(app, context);
  for (const auto& old : old_spellings()) {
    const CLI::App* command = &find_command(app, words_of(old.command));
    const auto subcommands = command->get_subcommands(nullptr);
    std::vector<const CLI::App*> commands(subcommands.begin(), subcommands.end());
    commands.push_back(command);
    for (const CLI::App* one : commands) {
      EXPECT_EQ(one->get_option_no_throw(old.old), nullptr) << old.command << old.old;
    }
    EXPECT_TRUE(std::any_of(
        commands.begin(), commands.end(),
        [&](const CLI::App* one) { return one->get_option_no_throw(old.now) != nullptr; }))
        << old.command << old.now;
  }
}

TEST(OldSpellings, AreThoseOfTheirCommand) {
  std::vector<std::string> remarks;
  const auto now = [&](const std::string& line) {
    std::string text;
    for (const auto& word : with_current_spellings(words_of(line), remarks)) {
      text += (text.empty() ? "" : " ") + word;
    }
    return text;
  };
  EXPECT_EQ(now("--format json tune --rate 30"), "--format json tune --arrival-rate 30");
  EXPECT_EQ(now("schedule plan --rate=30/s"), "schedule plan --arrival-rate=30/s");
  EXPECT_EQ(now("measure --rate 9 -- fio --rate 5"), "measure --sampling-hz 9 -- fio --rate 5");
  EXPECT_EQ(now("roofline --svg plot"), "roofline --figures svg:plot");
  EXPECT_EQ(remarks.size(), 4U);
  EXPECT_EQ(remarks.front(), "--rate is now --arrival-rate");
  EXPECT_EQ(now("predict --interval 0.9 --rate 3"), "predict --interval 0.9 --rate 3");
  EXPECT_EQ(remarks.size(), 4U);
}

TEST_F(Program, EveryShownCommandHasAManualPage) {
  CLI::App app;
  Context context{.commands = every_command()};
  build_program(app, context);
  const auto pages = report::manual_pages(reference_of(app));
  EXPECT_TRUE(pages.contains("ridgewatt.1"));
  EXPECT_TRUE(pages.contains("ridgewatt-schedule-plan.1"));
  for (const auto& [name, text] : pages) {
    EXPECT_THAT(text,
                AllOf(HasSubstr(".SH NAME"), HasSubstr(".SH SYNOPSIS"), HasSubstr(".SH OPTIONS")))
        << name;
  }
}

// Options that only the command line has: what is printed and drawn, and what is measured on this
// machine. Other commands have none.
const std::map<std::string, std::set<std::string>> kOwnOptions = {
    {"estimate", {"--strict"}},
    {"roofline",
     {"--strict", "--figures", "--target", "--gpu", "--threads", "--seconds", "--footprint",
      "--caches"}},
    {"llm", {"--figures"}},
    {"tune", {"--strict", "--model", "--observations", "--trace"}},
    {"analyze", {"--strict"}},
    {"predict",
     {"--strict", "--output", "--train-reference", "--advise", "--minibatch-time",
      "--training-hours", "--trainings", "--workloads"}},
    {"pareto", {"--strict", "SWEEP"}},
    {"explain", {"--strict", "--pid", "--then", "--apply", "--for", "COMMAND"}},
    {"layers", {"--figures"}},
    {"schedule simulate", {"--power-csv", "--timeline-csv", "--figures", "--arrivals-csv"}}};

class QuestionOptions : public ::testing::Test {
 protected:
  QuestionOptions() { build_program(app_, context_); }

  const CLI::App& command_of(const answer::ParameterTable& table) const {
    return find_command(app_, split(std::string(table.command), ' '));
  }

  CLI::App app_;
  Context context_{.commands = every_command()};
};

void expect_option_of(const answer::Parameter& row, const CLI::Option& option,
                      const std::string& where) {
  EXPECT_EQ(takes_quantity(option), row.access.input == answer::Input::kNumber) << where;
  EXPECT_EQ(is_flag(option), row.access.input == answer::Input::kFlag) << where;
  EXPECT_EQ(choices_of(option), choices_of(row)) << where;
  EXPECT_EQ(option.get_required(), row.presence == answer::Presence::kRequired) << where;
  EXPECT_EQ(value_name(option) == "FILE", answer::reads_file(row.access.input)) << where;
  EXPECT_THAT(option.get_description(), ::testing::StartsWith(std::string(row.help))) << where;
}

TEST_F(QuestionOptions, AreTheRowsOfTheQuestion) {
  for (answer::ParameterTableOf* const table_of : answer::kParameterTables) {
    const answer::ParameterTable* const table = &table_of();
    const CLI::App& command = command_of(*table);
    for (const answer::Part& part : table->parts) {
      for (const answer::Parameter& row : part.rows) {
        const CLI::Option* option = command.get_option_no_throw(option_name(row));
        const std::string where = std::string(table->command) + " " + option_name(row);
        if (row.only == answer::Surface::kPython) continue;
        ASSERT_NE(option, nullptr) << where;
        expect_option_of(row, *option, where);
      }
    }
  }
}

TEST_F(QuestionOptions, OthersAreNotAboutTheQuestion) {
  for (answer::ParameterTableOf* const table_of : answer::kParameterTables) {
    const answer::ParameterTable* const table = &table_of();
    const auto own = kOwnOptions.find(std::string(table->command));
    std::set<std::string> known = own == kOwnOptions.end() ? std::set<std::string>{} : own->second;
    for (const answer::Part& part : table->parts) {
      for (const answer::Parameter& row : part.rows) known.insert(option_name(row));
    }
    for (const CLI::Option* option : command_of(*table).get_options()) {
      // Option groups are for other tasks of a command: a real or fake board, a campaign, goals of
      // a job.
      if (option->get_group() != "Options" || option->get_name() == "--help") continue;
      EXPECT_TRUE(known.contains(option->get_name(option->get_positional(), false)))
          << table->command << " " << option->get_name() << " is no row";
    }
  }
}

}  // namespace
}  // namespace ridgewatt::cli
