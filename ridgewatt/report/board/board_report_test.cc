#include "ridgewatt/report/board_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/csv.h"
#include "ridgewatt/report/measure_report.h"

namespace ridgewatt::report {
namespace {

TEST(BoardReport, EveryNumberHasItsSource) {
  for (const auto& name : list_boards()) {
    const Table facts = board_fact_table(load_board(name));
    for (const auto& row : facts.rows()) {
      const auto* value = std::get_if<std::string>(&row[1]);
      if (value == nullptr) continue;  // unknown
      EXPECT_TRUE(std::holds_alternative<std::string>(row[2])) << name << ' ' << *value;
    }
  }
}

// An earlier `device show` omitted FP8 and FP4.
TEST(BoardReport, EveryNumberOfTheGpuThatHasASourceIsShown) {
  for (const auto& name : list_boards()) {
    const Board board = load_board(name);
    const std::string facts = board_fact_table(board).csv();
    for (const Fact& fact : board.facts) {
      if (!fact.key.starts_with("gpu.")) continue;
      EXPECT_NE(facts.find("\n" + fact.key + ","), std::string::npos) << name << ' ' << fact.key;
    }
  }
}

// The number of modes equals the length of the list, including power limits.
TEST(BoardReport, ModesAreThoseThatAreListed) {
  for (const auto& name : list_boards()) {
    const Board board = load_board(name);
    const auto listed = static_cast<std::int64_t>(mode_space(board).size());
    EXPECT_EQ(std::get<std::int64_t>(board_list_table({board}).rows()[0][2]), listed) << name;
    if (!board.discrete_gpu) continue;
    const Json json = board_to_json(board, true);
    EXPECT_EQ(json["bsps"][0]["modes"], listed) << name;
    EXPECT_EQ(json["modes"].size(), static_cast<std::size_t>(listed)) << name;
    EXPECT_EQ(board_result(board, true).table.rows().size(), static_cast<std::size_t>(listed));
  }
}

TEST(BoardReport, TheTwinShowsWhatItWasFittedTo) {
  Board board = load_board("agx-orin");
  board.twin.texts["status"] = "fitted to fake rows";
  board.twin.texts["origin"] = "56 fake rows of ex.csv";
  board.twin.numbers["fit.time_mape"] = 0.0608;
  board.twin.numbers["fit.power_mape"] = 0.05;
  EXPECT_NE(board_fact_table(board).csv().find(
                "\ntwin.fit_error,\"6.1 % time, 5.0 % power\",fitted to fake rows,56 fake rows"),
            std::string::npos)
      << board_fact_table(board).csv();
  board.twin = {};  // scaled from another board
  EXPECT_EQ(board_fact_table(board).csv().find("twin"), std::string::npos);
}

TEST(BoardReport, WhatIsNotKnownIsEmpty) {
  const std::string csv = board_fact_table(load_board("tx2")).csv();
  EXPECT_NE(csv.find("\npower.limit_w,,"), std::string::npos) << csv;
  for (const auto& name : list_boards()) {
    const std::string facts = board_fact_table(load_board(name)).csv();
    EXPECT_EQ(facts.find(",not known,"), std::string::npos) << name;
    EXPECT_EQ(facts.find(",not stated,"), std::string::npos) << name;
  }
}

// A processor has neither a GPU nor clocks that can be set: nothing is shown about them.
// Two steps of 30 s. In the second, marks state 0.6 s per minibatch, but only 2 of 50 arrived.
TEST(GovernReport, AProgramThatDoesNotKeepUpIsSaid) {
  answer::GovernAnswer found;
  found.goal = {.end_s = 600, .minibatches = 600};
  found.provenance = Provenance::kFake;
  found.end_s = 60;
  found.steps.resize(2);
  found.steps[0].seen = {.duration_s = 27, .minibatches = 45};
  found.steps[0].minibatches = 48;
  found.steps[1].begin_s = 30;
  found.steps[1].seen = {.duration_s = 1.2, .minibatches = 2};
  found.steps[1].minibatches = 50;
  EXPECT_THAT(pace_remark(found), ::testing::HasSubstr("completed 50 of the 100 minibatches"));
  found.steps[1].minibatches = 96;
  EXPECT_EQ(pace_remark(found), "");
  found.steps[1].minibatches = 50;
  found.provenance = Provenance::kMeasured;  // a program on a board has its own pauses
  EXPECT_EQ(pace_remark(found), "");
}

TEST(GovernReport, APlanWithinTheToleranceIsReachable) {
  const govern::Goal job{.end_s = 600, .minibatches = 600};
  govern::Decision plan{.end_s = 605, .reachable = false};
  EXPECT_EQ(unreachable_text(job, plan), "");
  plan.end_s = 8700;
  EXPECT_THAT(unreachable_text(job, plan), ::testing::HasSubstr("after 2 h 25 min, not 10 min"));
  plan.reachable = true;
  EXPECT_EQ(unreachable_text(job, plan), "");
}

TEST(BoardReport, OfAProcessorNothingIsSaidAboutAGpu) {
  const Board board = parse_board(
      "name = \"here\"\ntitle = \"A processor\"\nsoc = \"processor\"\ndefault_bsp = \"linux\"\n"
      "[cpu]\ntype = \"A processor\"\ncores = 2\n[memory]\nsize_gib = 8\n"
      "[[bsp]]\nname = \"linux\"\ntitle = \"Linux\"\ndefault_preset = 0\n"
      "presets = [{ id = 0, name = \"MAXN\", cpu_cores = 2 }]\n"
      "[provenance]\n\"cpu\" = \"seen: here\"\n\"memory\" = \"seen: here\"\n\"bsp\" = \"seen: "
      "here\"\n",
      "here.toml");
  for (const bool modes : {false, true}) {
    const Result result = board_result(board, modes);
    std::string text = result.table.csv() + result.json.dump();
    for (const auto& more : result.after) text += more.table ? more.table->csv() : "";
    for (const char* word : {"gpu.", "\"gpu\"", "sms", "tflops", ".mem_mhz"}) {
      EXPECT_EQ(text.find(word), std::string::npos) << word << '\n' << text;
    }
    EXPECT_NE(text.find("cpu_cores"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace ridgewatt::report
