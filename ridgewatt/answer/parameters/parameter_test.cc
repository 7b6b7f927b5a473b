// Checks the parameters of all questions: each is complete, and sets only its own member.
#include "ridgewatt/answer/parameter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/answer/roofline.h"
#include "ridgewatt/answer/tune_request.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::answer {
namespace {

using ::testing::HasSubstr;

struct PlacedRow {
  const ParameterTable* table;
  const Part* part;
  const Parameter* row;
};

std::vector<PlacedRow> rows_of(const ParameterTable& table) {
  std::vector<PlacedRow> rows;
  for (const Part& part : table.parts) {
    for (const Parameter& row : part.rows) rows.push_back({&table, &part, &row});
  }
  return rows;
}

std::vector<PlacedRow> all_rows() {
  std::vector<PlacedRow> rows;
  for (ParameterTableOf* const table_of : kParameterTables) {
    const ParameterTable* const table = &table_of();
    for (const PlacedRow& row : rows_of(*table)) rows.push_back(row);
  }
  return rows;
}

// Returns a value that is not the default.
Given another_value(const Parameter& row, const std::string& by_default = "") {
  switch (row.access.input) {
    case Input::kNumber: {
      const Quantity range = row.quantity.in_si();
      return {.numbers = {range.least + (range.most - range.least) / 2}};
    }
    case Input::kRange:
      return {.numbers = {17, 50}};
    case Input::kPair:
      return {.pairs = {{"name", 3}}};
    case Input::kWord: {
      std::string word = "other";
      for (const auto& choice : choices_of(row)) {
        if (choice != by_default) word = choice;
      }
      return {.words = {word}};
    }
    default:
      return {.words = {"other"}};
  }
}

std::vector<std::string> defaults_of(const ParameterTable& table, void* question) {
  std::vector<std::string> texts;
  for (const auto& [of, part, row] : rows_of(table)) {
    texts.push_back(default_of(*row, part->of(question)));
  }
  return texts;
}

TEST(Parameters, AreComplete) {
  for (const auto& [table, part, row] : all_rows()) {
    const std::string name = std::string(table->command) + " " + std::string(row->name);
    EXPECT_FALSE(row->help.empty()) << name;
    EXPECT_FALSE(row->help.ends_with('.')) << name;
    ASSERT_NE(row->access.set, nullptr) << name;
    const Input input = row->access.input;
    const bool composed = input == Input::kPair || input == Input::kRange;
    EXPECT_EQ(input == Input::kNumber || composed, row->quantity.most > row->quantity.least)
        << name;
    EXPECT_EQ(composed, !row->example.empty()) << name;
    const std::string example(row->example);
    if (input == Input::kPair) {
      EXPECT_NO_THROW(parse_pair(*row, example)) << name;
    } else if (input == Input::kRange) {
      EXPECT_NO_THROW(parse_range(*row, example)) << name;
    }
  }
}

TEST(Parameters, HaveNamesOfTheirOwnAndNeedWhatIsThere) {
  for (ParameterTableOf* const table_of : kParameterTables) {
    const ParameterTable* const table = &table_of();
    std::set<std::string> names, arguments;
    for (const auto& [of, part, row] : rows_of(*table)) {
      EXPECT_TRUE(names.insert(std::string(row->name)).second) << row->name;
      EXPECT_TRUE(arguments.insert(python_name(*row)).second) << row->name;
    }
    for (const auto& [of, part, row] : rows_of(*table)) {
      for (const std::string& needed :
           {std::string(row->needs.name), std::string(row->needs.or_name)}) {
        EXPECT_TRUE(needed.empty() || names.contains(needed)) << row->name << ": " << needed;
      }
    }
  }
}

TEST(Parameters, SetTheirOwnMemberAndNoOther) {
  for (const auto& [table, part, row] : all_rows()) {
    if (row->access.get == nullptr || row->access.repeated) continue;
    const auto question = table->make();
    const auto before = defaults_of(*table, question.get());
    const Given given = another_value(*row, default_of(*row, part->of(question.get())));
    row->access.set(part->of(question.get()), *row, given);
    const auto after = defaults_of(*table, question.get());
    const auto rows = rows_of(*table);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool flag = rows[i].row->access.input == Input::kFlag;
      const bool own =
          rows[i].row == row && !flag && given.words != std::vector<std::string>{"all"};
      EXPECT_EQ(before[i] != after[i], own) << row->name << " sets " << rows[i].row->name;
    }
  }
}

TEST(Parameters, DefaultsLieInTheirRange) {
  for (const auto& [table, part, row] : all_rows()) {
    const auto question = table->make();
    const std::string text = default_of(*row, part->of(question.get()));
    if (row->access.input != Input::kNumber || text.empty()) continue;
    for (const std::string& one : split(text, ',')) {
      EXPECT_NO_THROW(read_quantity(one, row->quantity)) << row->name << " " << text;
    }
  }
}

TEST(Parameters, AreReadInSi) {
  EstimateQuestion question;
  for (const auto& [table, part, row] : rows_of(estimate_parameters())) {
    void* const at = part->of(&question);
    if (row->name == "loader-time") row->access.set(at, *row, {.numbers = {0.002}});
    if (row->name == "batch") row->access.set(at, *row, {.numbers = {1, 16}});
    if (row->name == "runtime") row->access.set(at, *row, {.words = {"TensorRT"}});
    if (row->name == "dim") row->access.set(at, *row, {.pairs = {{"sequence", 128}}});
    if (row->name != "loader-time") continue;
    EXPECT_EQ(default_of(*row, at), "2");  // ms
    EXPECT_EQ(python_name(*row), "loader_s_per_sample");
  }
  EXPECT_EQ(question.run.loader_s_per_sample, 0.002);
  EXPECT_EQ(question.batches, (std::vector{1, 16}));
  EXPECT_EQ(question.workload.runtime, Runtime::kTensorRt);
  EXPECT_EQ(question.workload.dims.at("sequence"), 128);
}

// The message about the first of `names` that has no effect, if all of them are given.
std::string idle_of(const ParameterTable& table, const GivenNames& names, Surface surface) {
  const auto question = table.make();
  const auto idle = find_idle(table, question.get(), surface, names);
  return idle ? idle->what : "";
}

TEST(Parameters, WithoutEffectAreSaidAsTheSurfaceCallsThem) {
  const ParameterTable& estimate = estimate_parameters();
  const ParameterTable& roofline = roofline_parameters();
  EXPECT_EQ(idle_of(estimate, {"model", "epochs"}, Surface::kCommandLine),
            "--epochs has no effect without --dataset-size");
  EXPECT_EQ(idle_of(estimate, {"model", "epochs"}, Surface::kPython),
            "epochs has no effect without dataset_size");
  EXPECT_EQ(idle_of(estimate, {"model", "optimizer"}, Surface::kPython),
            "optimizer has no effect without training=True");
  EXPECT_EQ(idle_of(estimate, {"model", "python-caller", "runtime"}, Surface::kCommandLine),
            "--python-caller has no effect without an engine's --runtime");
  EXPECT_EQ(idle_of(estimate, {"model", "epochs", "dataset-size"}, Surface::kPython), "");
  EXPECT_EQ(idle_of(plan_parameters(), {"device"}, Surface::kCommandLine),
            "--device has no effect without --inference or --training");
  EXPECT_EQ(idle_of(plan_parameters(), {"device", "training"}, Surface::kCommandLine), "");
  for (const char* name : {"arrival-rate", "max-latency", "bound"}) {
    EXPECT_EQ(idle_of(plan_parameters(), {"training-sweep", name}, Surface::kCommandLine),
              "--" + std::string(name) + " has no effect without --inference-sweep or --inference");
    EXPECT_EQ(idle_of(plan_parameters(), {"inference", name}, Surface::kCommandLine), "");
    EXPECT_EQ(idle_of(plan_parameters(), {"inference-sweep", name}, Surface::kPython), "");
  }
  EXPECT_EQ(idle_of(plan_parameters(), {"training-sweep", "bound"}, Surface::kPython),
            "bound has no effect without inference or inference_model");
  EXPECT_EQ(idle_of(plan_parameters(), {"non-urgent-rate"}, Surface::kCommandLine),
            "--non-urgent-rate has no effect without --non-urgent");
  EXPECT_EQ(idle_of(simulate_parameters(), {"burst-dwell"}, Surface::kCommandLine),
            "--burst-dwell has no effect without --arrivals bursty");
  EXPECT_EQ(idle_of(suggest_parameters(), {"budgets"}, Surface::kPython),
            "budgets_w has no effect without samples");
  EXPECT_EQ(idle_of(roofline, {"device", "batch"}, Surface::kCommandLine),
            "--batch has no effect without a MODEL");
  EXPECT_EQ(idle_of(roofline, {"device", "loader-time"}, Surface::kPython),
            "loader_s_per_sample has no effect without a model");
}

std::string idle_in_form(const Form& form, const char* name, Surface surface) {
  const ParameterTable& table = tune_parameters();
  const AskedForm asked(form, surface);
  const auto idle = find_idle(table, table.make().get(), surface, {name}, {&asked, 1});
  return idle ? idle->what : "";
}

TEST(Parameters, WithoutEffectInAFormAreSaidAsTheSurfaceCallsThem) {
  using Ways = TuneForms;
  EXPECT_EQ(idle_in_form(Ways::kInPlace, "min-gain", Surface::kCommandLine),
            "--min-gain has no effect with --in-place");
  EXPECT_EQ(idle_in_form(Ways::kInPlace, "min-gain", Surface::kPython),
            "min_gain has no effect in place");
  EXPECT_EQ(idle_in_form(Ways::kInPlace, "confidence", Surface::kCommandLine),
            "--confidence has no effect with --in-place");
  EXPECT_EQ(idle_in_form(Ways::kCampaign, "model", Surface::kCommandLine),
            "MODEL has no effect with --campaign");
  EXPECT_EQ(idle_in_form(Ways::kSweep, "training", Surface::kPython),
            "training has no effect with a sweep");
  EXPECT_EQ(idle_in_form(Ways::kSweep, "profiles", Surface::kPython), "");
  EXPECT_EQ(idle_in_form(Ways::kDay, "time-budget", Surface::kCommandLine),
            "--time-budget has no effect with a goal for a day");
}

// In every form, some parameters have no effect; otherwise, it would not be a form of its own.
TEST(Parameters, EachWayToTuneHasParametersWithoutEffectAndABitOfItsOwn) {
  using Ways = TuneForms;
  unsigned bits = 0;
  for (const Form& form :
       {Ways::kTwin, Ways::kEveryPoint, Ways::kTwinSearch, Ways::kVerification, Ways::kSweep,
        Ways::kSamples, Ways::kRowsAlone, Ways::kBoard, Ways::kProgram, Ways::kInPlace,
        Ways::kCampaign, Ways::kJob, Ways::kPeriod, Ways::kDay, Ways::kWithoutPrior,
        Ways::kNeverStops, Ways::kExhaustive}) {
    EXPECT_EQ(bits & form.bit, 0u) << form.when;
    bits |= form.bit;
    const auto rows = rows_of(tune_parameters());
    EXPECT_TRUE(std::ranges::any_of(rows, [&](const auto& at) {
      return (at.part->idle_in | at.row->idle_in).has(form);
    })) << form.bit;
  }
}

TEST(Parameters, RangesSayHowTheyAreWritten) {
  for (const auto& [table, part, row] : rows_of(predict_parameters())) {
    if (row->access.input != Input::kRange) continue;
    EXPECT_EQ(parse_range(*row, "17:50"), std::pair(17.0, 50.0));
    EXPECT_EQ(parse_range(*row, "30W"), std::pair(30.0, 30.0));
    for (const char* text : {"", ":", "17-50", "1:2:3", "0:10", "1:nan"}) {
      try {
        parse_range(*row, text);
        ADD_FAILURE() << "takes " << text;
      } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), HasSubstr("give LEAST:MOST in W, for example 17:50"));
      }
    }
  }
}

TEST(Parameters, PairsSayHowTheyAreWritten) {
  for (const auto& [table, part, row] : all_rows()) {
    if (row->access.input != Input::kPair) continue;
    for (const char* text : {"", "x", "=3", "x=", "x=y", "x=-1", "x=1e400"}) {
      try {
        parse_pair(*row, text);
        ADD_FAILURE() << row->name << " takes " << text;
      } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), HasSubstr("for example --" + std::string(row->name)));
      }
    }
  }
}

TEST(Parameters, WhatWasSeenHasUnits) {
  const ParameterTable& table = explain_parameters();
  const Parameter* seen = nullptr;
  for (const auto& [of, part, row] : rows_of(table)) {
    if (row->name == "seen") seen = row;
  }
  ASSERT_NE(seen, nullptr);
  for (const auto& [text, value] :
       {std::pair{"gpu_mhz=306", 306.0}, std::pair{"gpu_mhz=0.306GHz", 306.0},
        std::pair{"gpu_load=50%", 0.5}, std::pair{"gpu_load=0.5", 0.5},
        std::pair{"marked_ms=0.1s", 100.0}, std::pair{"storage_bytes_per_s=3MB/s", 3e6},
        std::pair{"other_cores=2.5", 2.5}}) {
    EXPECT_DOUBLE_EQ(parse_pair(*seen, text).second, value) << text;
  }
  for (const char* text : {"gpu_mhz=50%", "gpu_load=3GHz", "other_cores=2ms", "marked_ms=5W"}) {
    EXPECT_THROW(parse_pair(*seen, text), UsageError) << text;
  }
}

}  // namespace
}  // namespace ridgewatt::answer
