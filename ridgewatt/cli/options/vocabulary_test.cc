// The options of all commands, as the parser has them: numbers with units, nothing empty, nothing
// that is not a finite number in its range, and a hint for what was mistyped.
#include "ridgewatt/cli/options/vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/help/complete.h"
#include "ridgewatt/cli/help/reference.h"
#include "ridgewatt/cli/options/old_spellings.h"
#include "ridgewatt/cli/program.h"

namespace ridgewatt::cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

double value_of(const std::string& text, const Quantity& quantity) {
  return parse_double(read_quantity(text, quantity)).value();
}

TEST(Quantity, UnitsAreMultiplesOfTheBareOne) {
  for (const char* text : {"30", "30W", "30 W", " 30 w ", "+30", "0.03kW", "30000mW", "3e1"}) {
    EXPECT_DOUBLE_EQ(value_of(text, watts()), 30) << text;
  }
  EXPECT_DOUBLE_EQ(value_of("10min", seconds()), 600);
  EXPECT_DOUBLE_EQ(value_of("1h", milliseconds()), 3.6e6);
  EXPECT_DOUBLE_EQ(value_of("500us", milliseconds()), 0.5);
  EXPECT_DOUBLE_EQ(value_of("2 GB", bytes()), 2e9);
  EXPECT_DOUBLE_EQ(value_of("1GiB", mebibytes()), 1024);
  EXPECT_DOUBLE_EQ(value_of("1.3GHz", megahertz()), 1300);
  EXPECT_DOUBLE_EQ(value_of("120/min", hertz()), 2);
  EXPECT_DOUBLE_EQ(value_of("1Wh", joules()), 3600);
  EXPECT_DOUBLE_EQ(value_of("5%", share()), 0.05);
  EXPECT_DOUBLE_EQ(value_of("5", percent()), 5);
}

TEST(Quantity, WholeNumbersKeepAllTheirDigits) {
  EXPECT_EQ(read_quantity("18446744073709551615", count().within(0, 2e19)), "18446744073709551615");
  EXPECT_EQ(read_quantity("1e6", count()), "1000000");
  EXPECT_EQ(read_quantity("64KiB", bytes().whole()), "65536");
  EXPECT_THROW(read_quantity("1.5", count()), UsageError);
}

TEST(Quantity, WhatIsNotANumberOfTheKindIsRefused) {
  for (const char* text : {"", " ", "nan", "-nan", "inf", "-inf", "1e400", "-1e400", "-1", "W",
                           "30X", "30WW", "0x10", "1,5", "30 30", "--", "30\xC2\xB5W"}) {
    EXPECT_THROW(read_quantity(text, watts()), UsageError) << text;
  }
  EXPECT_THROW(read_quantity("0", watts().positive()), UsageError);
  EXPECT_NO_THROW(read_quantity("0", watts()));
  EXPECT_THROW(read_quantity("30Hz", seconds()), UsageError);
  EXPECT_THROW(read_quantity("101%", share()), UsageError);
}

// The whole program, parsed and not run.
class Program : public ::testing::Test {
 protected:
  struct Place {
    std::vector<std::string> path;  // "schedule", "plan"
    Json option;
  };

  // Every option and argument of every command that is of this kind.
  std::vector<Place> options(const std::string& kind) const {
    CLI::App app;
    Context context;
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
    walk(reference_json(app), {});
    return found;
  }

  // What the parser says of a command line; empty when it has nothing against it.
  static std::string refusal(std::vector<std::string> words) {
    CLI::App app;
    Context context;
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
    } catch (const UsageError& error) {  // of a value that is none of its names
      return error.what();
    }
    return "";
  }

  // No command runs: each requires an option that is never given, which is seen after the values.
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
  Context context;
  build_program(app, context);
  try {
    app.parse(std::vector<std::string>{"estimte"});
    FAIL();
  } catch (const CLI::ParseError& error) {
    EXPECT_THAT(usage_message(app, error), HasSubstr("did you mean estimate?"));
  }
  EXPECT_THROW(find_command(app, {"schedule", "pln"}), UsageError);
}

TEST_F(Program, CommandsAreGroupedAndDescribed) {
  CLI::App app;
  Context context;
  build_program(app, context);
  const Json all = reference_json(app);
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
  Context context;
  build_program(app, context);
  const auto word = [](const std::string& text) { return Field(&Completion::word, text); };
  EXPECT_THAT(completions(app, {"sch"}), Contains(word("schedule")));
  EXPECT_THAT(completions(app, {"schedule", ""}), Contains(word("plan")));
  EXPECT_THAT(completions(app, {"tune", "--max-p"}), Contains(word("--max-power")));
  EXPECT_THAT(completions(app, {"tune", "--device", "agx"}), Contains(word("agx-orin")));
  EXPECT_THAT(completions(app, {"estimate", "zoo:resnet5"}), Contains(word("zoo:resnet50")));
  EXPECT_THAT(completions(app, {"tune", "--format", "j"}), Contains(word("json")));
  EXPECT_THAT(completions(app, {""}), Not(Contains(word("complete"))));
}

TEST_F(Program, OldSpellingsNameOptionsOfToday) {
  CLI::App app;
  Context context;
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
  Context context;
  build_program(app, context);
  const auto pages = manual_pages(app);
  EXPECT_TRUE(pages.contains("ridgewatt.1"));
  EXPECT_TRUE(pages.contains("ridgewatt-schedule-plan.1"));
  for (const auto& [name, text] : pages) {
    EXPECT_THAT(text,
                AllOf(HasSubstr(".SH NAME"), HasSubstr(".SH SYNOPSIS"), HasSubstr(".SH OPTIONS")))
        << name;
  }
}

}  // namespace
}  // namespace ridgewatt::cli
