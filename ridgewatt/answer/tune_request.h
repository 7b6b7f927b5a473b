// The first question as a user writes it: of a twin, of a sweep or of samples.
//
//   TuneRequest asked{.workload = {.model = "zoo:resnet50"}, .device = "agx-orin"};
//   asked.goal.limits.power_w = 30;
//   tune_on_twin(asked.asked(), asked.workload.load(), asked.device);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/held.h"
#include "ridgewatt/answer/parameter.h"
#include "ridgewatt/answer/tune.h"
#include "ridgewatt/answer/tune_in_place.h"
#include "ridgewatt/answer/workload_question.h"

namespace ridgewatt::answer {

// What is wanted, within which limits.
struct GoalQuestion {
  std::optional<tune::Objective> minimize = {};  // nothing: time, or latency at a rate
  tune::Limits limits = {};
  double rate_hz = 0;  // 0: no requests arrive
  double energy_weight = 1, time_weight = 1;

  tune::Goal goal() const;  // checked
};

struct TuneRequest {
  WorkloadQuestion workload = {};
  std::string device = {};
  std::string sweep = {}, samples = {};      // CSV files
  std::string sweep_name = {};               // which sweep of the file
  std::vector<std::string> references = {};  // CSV files
  bool keep_outliers = false;
  GoalQuestion goal = {};
  std::optional<double> dataset_size = {};  // of a job, where its cost is wanted
  double epochs = 1;
  TuneQuestion question = {};  // but for the goal and the job
  HeatQuestion heat = {};

  double job_samples() const { return dataset_size.value_or(0) * epochs; }
  TuneQuestion asked() const;  // the whole
};

// Observations of earlier searches in a sweep file; none where there is no such file.
std::vector<Observation> known_observations(const std::string& path);

// How a program on the board of this machine is measured while it is tuned.
struct ProgramQuestion {
  std::string device = "local", sysroot = {};
  std::string store = "tune.db";
  std::string workload = {};  // its name in the store
  bool training = false;
  std::vector<std::string> governors = {};  // to compare the answer with
  platform::JetsonModeControl::Options control = {};
  measure::ProfileOptions profile = {};  // of a program that starts for every point
  InPlaceQuestion in_place = {};         // of a program that goes on running
};
// Its rows, for Python alone: of a program that starts for every point, and of one that goes on
// running. What is searched for is in search_parameters().
const ParameterTable& program_parameters();
const ParameterTable& in_place_parameters();

}  // namespace ridgewatt::answer
