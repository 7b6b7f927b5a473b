// What the parts of `tune` share: its options, the question they are, and the answer in print.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/jobs.h"
#include "ridgewatt/answer/tune_on_board.h"
#include "ridgewatt/answer/tune_request.h"
#include "ridgewatt/campaign/executor.h"
#include "ridgewatt/cli/options/sweep_options.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/measure/in_place.h"

namespace ridgewatt::cli {

// A real or fake board, and the program that is profiled on it.
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

struct TuneOptions : answer::TuneRequest {
  std::string observations;
  bool trace = false;
  LiveOptions live;
  CampaignOptions campaign;
  answer::JobQuestion job;

  answer::TuneQuestion asked(const Context& context) const;
};

// Before anything is profiled: see check_table_options in command.h.
void check_answer_table(const Context& context, const TuneOptions& options);
// Adds how long the modes are held, and prints; NoSolutionError when there is no answer.
void print_answer(const Context& context, const TuneOptions& options, answer::TuneAnswer& found);
// One board or runtime per row, the best first; as JSON the best one's answer, and all of them as
// `boards` or `runtimes`.
void print_ranking(const Context& context, const answer::TuneRanking& ranking);

void add_live_options(CLI::App& command, LiveOptions& options);
// UsageError when one of them was given, since no real or fake board would follow it.
void refuse_live_options(const CLI::App& command);

void add_in_place_options(CLI::App& command, LiveOptions& options);
// UsageError when one of them was given without --in-place.
void refuse_in_place_options(const CLI::App& command);
// On a real or fake board: a start of the program for every point, or with --in-place one program
// that goes on running.
void tune_live(const Context& context, TuneOptions& options, const CLI::App& command);

void add_campaign_options(CLI::App& command, CampaignOptions& options);
// UsageError when one of them was given without --campaign, or one with it that has no effect.
void check_campaign_options(const CLI::App& command, const CampaignOptions& options);
void tune_on_boards(const Context& context, const TuneOptions& options);

void add_job_options(CLI::App& command, answer::JobQuestion& job);
// UsageError when one of them was given that says nothing, or one together with them that has no
// effect.
void check_job_options(const CLI::App& command, const TuneOptions& options);
void tune_job(const Context& context, TuneOptions& options);

}  // namespace ridgewatt::cli
