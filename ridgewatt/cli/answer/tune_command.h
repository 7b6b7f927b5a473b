// What the parts of `tune` share: its options, the question they are, and the answer in print.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/tune.h"
#include "ridgewatt/campaign/executor.h"
#include "ridgewatt/cli/options/thermal_options.h"
#include "ridgewatt/cli/options/tune_options.h"
#include "ridgewatt/measure/in_place.h"

namespace ridgewatt::cli {

// A board at hand, and the program that is profiled on it.
struct LiveOptions {
  std::vector<std::string> command, governors;
  std::string store = "tune.db", sysroot;
  measure::ProfileOptions profile;
  platform::JetsonModeControl::Options control;
  // One program that goes on running.
  bool in_place = false, end_program = false;
  std::optional<int> process;
  measure::InPlaceOptions window;
};

// Boards of a campaign, which profile at once.
struct CampaignOptions {
  std::string plan, board_kind;
  int boards = 1;
  campaign::ExecutorKind kind = campaign::ExecutorKind::kSlurm;
  campaign::ExecutorOptions executor;
};

// Goals of a job, of a periodic task or of a day.
struct JobOptions {
  std::optional<double> deadline_s, job_energy_j, period_s, day_energy_j, battery_j;
  std::optional<double> sleep_power_w, sleep_s, sleep_energy_j;
  std::string solar;

  bool asked() const;
};

struct TuneOptions {
  GoalOptions goal;
  answer::TuneQuestion question;  // but for the goal, the seed and the job
  std::string model, device, sweep, samples, workload, observations;
  std::vector<std::string> references;
  std::vector<std::string> dims;  // NAME=VALUE
  WorkloadKind kind = WorkloadKind::kInference;
  workload::Precision precision = workload::Precision::kFp32;
  Runtime runtime = Runtime::kPytorchEager;
  bool all_runtimes = false, precision_given = false;
  std::optional<double> time_budget_s;
  double dataset_size = 0, epochs = 1;
  bool trace = false, keep_outliers = false;
  LiveOptions live;
  CampaignOptions campaign;
  ThermalOptions thermal;
  thermal::HoldQuestion hold;  // but for the power
  JobOptions job;

  answer::TuneQuestion asked(const Context& context) const;
};

// Says for how long the answer is held, where thermal constants are given.
void add_holds(const TuneOptions& options, answer::TuneAnswer& found);
// Prints in the wanted format; throws NoSolutionError when there is no answer.
void print_answer(const Context& context, const answer::TuneAnswer& found, bool trace);
// One board or runtime per row, the best first; as JSON the best one's answer, and all of them as
// `boards` or `runtimes`.
void print_ranking(const Context& context, const answer::TuneRanking& ranking);

void add_live_options(CLI::App& command, LiveOptions& options);
// UsageError when one of them was given, since no board at hand would follow it.
void refuse_live_options(const CLI::App& command);
void tune_live(const Context& context, TuneOptions options);

void add_in_place_options(CLI::App& command, LiveOptions& options);
// UsageError when one of them was given without --in-place.
void refuse_in_place_options(const CLI::App& command);
void tune_in_place(const Context& context, TuneOptions options, const CLI::App& command);

void add_campaign_options(CLI::App& command, CampaignOptions& options);
// UsageError when one of them was given without --campaign, or one with it that has no effect.
void check_campaign_options(const CLI::App& command, const CampaignOptions& options);
void tune_on_boards(const Context& context, const TuneOptions& options);

void add_job_options(CLI::App& command, JobOptions& options);
// UsageError when one of them was given that says nothing, or one beside them that has no effect.
void check_job_options(const CLI::App& command, const TuneOptions& options);
void tune_job(const Context& context, TuneOptions options);

}  // namespace ridgewatt::cli
