// Checks the forms of requests to tune, and the members that exclude each other.
#include <gtest/gtest.h>

#include <algorithm>

#include "ridgewatt/answer/jobs.h"
#include "ridgewatt/answer/tune_request.h"
#include "ridgewatt/base/error.h"

namespace ridgewatt::answer {
namespace {

std::vector<std::string> forms_asked(const TuneRequest& request, const Form& way, Surface surface) {
  std::vector<std::string> whens;
  for (const auto& form : forms_of(request, way, surface)) whens.push_back(form.when);
  return whens;
}

TEST(TuneFormsOfARequest, FollowFromItsMembers) {
  using Ways = TuneForms;
  using Texts = std::vector<std::string>;
  TuneRequest request{.device = "agx-orin"};
  EXPECT_EQ(way_of(request), Ways::kTwin);
  EXPECT_EQ(forms_asked(request, Ways::kTwin, Surface::kPython),
            (Texts{"on a twin", "on a twin without a strategy"}));
  request.question.strategy = "gmd";
  const auto forms = forms_of(request, Ways::kTwin, Surface::kCommandLine);
  EXPECT_TRUE(std::ranges::any_of(forms, [](const AskedForm& form) {
    return form.form == Ways::kNeverStops && form.when == "with --strategy gmd" &&
           form.advice == "it goes with auto";
  }));
  request = {.samples = "points.csv"};
  EXPECT_EQ(way_of(request), Ways::kSamples);
  EXPECT_EQ(forms_asked(request, Ways::kSamples, Surface::kCommandLine),
            (Texts{"with --samples", "with --samples and no --device"}));
  request = {.device = "replay:points.csv"};
  request.use_replay();
  EXPECT_EQ(way_of(request), Ways::kSweep);
  EXPECT_EQ(request.sweep, "points.csv");
  EXPECT_THROW(way_of({.device = "fke:agx-orin"}), UsageError);
  EXPECT_EQ(way_of({.device = "fake:agx-orin"}), Ways::kBoard);
}

// The window of a profile states how many minibatches a point takes.
TEST(TuneFormsOfARequest, MinibatchesHaveNoEffectOnABoard) {
  const TuneRequest request{.device = "fake:agx-orin"};
  const auto idle = [&](const Form& way, Surface surface) {
    return find_idle(tune_parameters(), &request, surface, {"minibatches"},
                     forms_of(request, way, surface));
  };
  const auto python = idle(TuneForms::kBoard, Surface::kPython);
  ASSERT_TRUE(python);
  EXPECT_EQ(python->what, "minibatches has no effect with a program");
  EXPECT_EQ(python->advice, "give window");
  const auto line = idle(TuneForms::kBoard, Surface::kCommandLine);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->what, "--minibatches has no effect on a real or fake board");
  EXPECT_EQ(line->advice, "give --window");
  EXPECT_FALSE(idle(TuneForms::kSweep, Surface::kPython));
}

TEST(TuneFormsOfARequest, RefuseMembersThatExcludeEachOther) {
  using Ways = TuneForms;
  TuneRequest request{.workload = {.model = "zoo:lenet5"}, .device = "all"};
  EXPECT_NO_THROW(check_members(request, Ways::kTwin));
  EXPECT_THROW(check_members(request, Ways::kJob), UsageError);  // one board, and a data set
  request.question.verify = 4;
  EXPECT_THROW(check_members(request, Ways::kTwin), UsageError);
  request.device = "nano";
  EXPECT_NO_THROW(check_members(request, Ways::kTwin));
  request.workload.all_runtimes = true;
  EXPECT_THROW(check_members(request, Ways::kTwin), UsageError);
  EXPECT_THROW(check_members(request, Ways::kSweep), UsageError);
  EXPECT_THROW(check_members({}, Ways::kTwin), UsageError);
}

TEST(JobQuestion, RefusesGoalsThatExcludeEachOther) {
  JobQuestion job;
  EXPECT_NO_THROW(job.check());
  job.idle_power_w = 1;
  EXPECT_THROW(job.check(), UsageError);  // no goal
  job.idle_power_w.reset();
  job.sleep_power_w = 1;
  EXPECT_THROW(job.check(), UsageError);  // no time to suspend
  job.sleep_s = 1;
  EXPECT_THROW(job.check(), UsageError);  // no goal
  job.deadline_s = 9;
  job.job_energy_j = 9;
  EXPECT_NO_THROW(job.check());
  job.period_s = 1;
  EXPECT_THROW(job.check(), UsageError);
  JobQuestion day;
  day.solar = "sun.csv";
  EXPECT_THROW(day.check(), UsageError);  // no battery
  day.battery_j = 9;
  EXPECT_NO_THROW(day.check());
  day.sleep_power_w = day.sleep_s = 1;
  EXPECT_THROW(day.check(), UsageError);
  day.sleep_power_w = day.sleep_s = std::nullopt;
  day.day_energy_j = 9;
  EXPECT_THROW(day.check(), UsageError);  // --battery
  day.battery_j.reset();
  EXPECT_THROW(day.check(), UsageError);  // --solar
}

}  // namespace
}  // namespace ridgewatt::answer
