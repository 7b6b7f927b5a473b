// The question of answer/tune.h as text and numbers that a user enters, and its answer.
//
//   TuneRequest asked{.workload = {.model = "zoo:resnet50"}, .device = "agx-orin"};
//   asked.goal.limits.power_w = 30;
//   answer_request(asked, [](const std::string& line) { std::cerr << line; }).answer.outcome.best;
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/held.h"
#include "ridgewatt/answer/parameter.h"
#include "ridgewatt/answer/tune.h"
#include "ridgewatt/answer/tune_in_place.h"
#include "ridgewatt/answer/workload_question.h"

namespace ridgewatt::answer {

// Objective and limits.
struct GoalQuestion {
  std::optional<tune::Objective> minimize = {};  // absent: time, or latency if `rate_hz` is set
  tune::Limits limits = {};
  double rate_hz = 0;  // arrival rate of requests; 0: none
  double energy_weight = 1, time_weight = 1;

  tune::Goal goal() const;  // checks the members
};

// At most one of `sweep` and `samples` is set. If neither is set, the answer comes from a twin.
struct TuneRequest {
  WorkloadQuestion workload = {};
  std::string device = {};                   // board or board file
  std::string sweep = {}, samples = {};      // CSV files; empty: none
  std::string sweep_name = {};               // which workload of the file; empty: the only one
  std::vector<std::string> references = {};  // CSV files
  std::string observations = {};  // CSV file of earlier searches of the sweep; empty: none
  bool keep_outliers = false;     // keeps the rows that the quality check flags
  GoalQuestion goal = {};
  std::optional<double> dataset_size = {};  // of a job; absent: no cost of a job
  double epochs = 1;
  TuneQuestion question = {};  // its goal and job are set from the other members
  HeatQuestion heat = {};

  double job_samples() const { return dataset_size.value_or(0) * epochs; }
  TuneQuestion asked() const;  // combines all members into a TuneQuestion
  // If the device is replay:FILE.csv, moves FILE.csv to `sweep`.
  void use_replay();
};

// Forms of the question in which some parameters have no effect.
struct TuneForms {
  static constexpr Form kTwin{1 << 0, "on a twin", "", "it goes with a sweep or samples"};
  static constexpr Form kEveryPoint{1 << 1, "on a twin without --strategy",
                                    "on a twin without a strategy",
                                    "every point is estimated, none is profiled"};
  static constexpr Form kTwinSearch{1 << 2, "with --strategy", "with a strategy",
                                    "without it every point counts with its interval"};
  static constexpr Form kVerification{1 << 3, "with --verify", "with verify",
                                      "it profiles what the twin's answer needs"};
  static constexpr Form kSweep{1 << 4, "with --sweep", "with a sweep"};
  static constexpr Form kSamples{1 << 5, "with --samples", "with samples", "nothing is profiled"};
  static constexpr Form kRowsAlone{1 << 6, "with rows and no --device", "without device",
                                   "name the board, whose twin is to be a reference"};
  static constexpr Form kBoard{1 << 7, "on a real or fake board"};
  static constexpr Form kProgram{1 << 8, "on a real or fake board without --verify", "",
                                 "it states how the twin's model runs"};
  static constexpr Form kInPlace{1 << 9, "with --in-place", "in place",
                                 "the program is not started for every point"};
  static constexpr Form kCampaign{1 << 10, "with --campaign", "",
                                  "the plan states what is measured, and how"};
  static constexpr Form kJob{1 << 11, "with a goal for a job"};
  static constexpr Form kPeriod{1 << 12, "with a goal for a period"};
  static constexpr Form kDay{1 << 13, "with a goal for a day"};
  static constexpr Form kEveryBoard{1 << 14, "with --device all", "with device all",
                                    "only the answers are ranked; name one"};
  static constexpr Form kEveryRuntime{1 << 15, "with --runtime all", "with runtime all",
                                      "only the answers are ranked; name one"};
  // Forms of a search by a strategy. forms_of() adds the name of the strategy.
  static constexpr Form kForgets{1 << 16}, kWithoutPrior{1 << 17}, kNeverStops{1 << 18},
      kExhaustive{1 << 19};
  // Each point is measured over a window of minibatches.
  static constexpr Form kWindows{1 << 20, "on a real or fake board", "with a program"};
  static constexpr Forms kJobs = kJob | kPeriod | kDay;
  static constexpr Forms kNoSearch = kEveryPoint | kSamples | kJobs;
};
// Returns what answers the request: kBoard, kSweep, kSamples or kTwin. Throws UsageError for a
// device such as "fke:agx-orin".
const Form& way_of(const TuneRequest& request);
// Returns all forms that apply to a request which is answered in the way `way`, in the order in
// which parameters without effect are reported. Throws UsageError for an unknown strategy.
std::vector<AskedForm> forms_of(const TuneRequest& request, const Form& way, Surface surface);
// Throws UsageError if members exclude each other or a member is missing. The message uses the
// words of the command line.
void check_members(const TuneRequest& request, const Form& way);

// Reads the observations of earlier searches from a sweep file. Returns none if the file does not
// exist.
std::vector<Observation> known_observations(const std::string& path);

struct TuneReply {
  TuneAnswer answer = {};
  std::optional<TuneRanking> ranking = {};  // of all boards or all runtimes, in place of `answer`

  // Caveats of the estimated model; absent: no model was estimated.
  std::optional<workload::CostCaveats> caveats() const;
};
// Reads the files and models that the request names. Computes the answer from the sweep, the
// samples or a twin, and adds how long the modes can be held. Appends the points that a search of a
// sweep profiled to `observations`. `say` gets a line for each file with left-out rows.
TuneReply answer_request(const TuneRequest& request,
                         const std::function<void(const std::string&)>& say);
// Answers on the twin of one board, of all boards or in all runtimes.
TuneReply answer_on_twin(const TuneRequest& request,
                         const std::shared_ptr<const workload::DeployedWorkload>& workload);
// Answers from rows that are already read.
enum class RowsOf { kSweep, kSamples };
TuneAnswer answer_from_rows(const TuneRequest& request, const ProfiledRows& rows, RowsOf of);

// How to measure a program while it is tuned on the board of this machine.
struct ProgramQuestion {
  std::string device = "local", sysroot = {};
  std::string store = "tune.db";
  std::string workload = {};  // name in the store
  bool training = false;
  std::vector<std::string> governors = {};  // governors to compare with the answer
  platform::JetsonModeControl::Options control = {};
  measure::ProfileOptions profile = {};  // for a program that starts for each point
  InPlaceQuestion in_place = {};         // for a program that keeps running
};
// Parameters of ProgramQuestion in Python: for a program that starts for each point, and for one
// that keeps running. Goal and search are in search_parameters().
const ParameterTable& program_parameters();
const ParameterTable& in_place_parameters();

}  // namespace ridgewatt::answer
