// Shared by the parts of `tune`: options, the question that they form, and printing of the answer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/jobs.h"
#include "ridgewatt/answer/tune_on_board.h"
#include "ridgewatt/answer/tune_request.h"
#include "ridgewatt/campaign/executor.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/measure/in_place.h"

namespace ridgewatt::cli {

// A real or fake board, and the program that is profiled on it.
struct LiveOptions {
  std::vector<std::string> command, governors;
  std::string store = "tune.db", sysroot;
  measure::ProfileOptions profile;
  platform::JetsonModeControl::Options control;
  // For tuning one program while it runs (--in-place).
  bool in_place = false, end_program = false;
  std::optional<int> process;
  measure::InPlaceOptions window;
};

// Boards of a campaign that profile in parallel.
struct CampaignOptions {
  std::string plan, board_kind;
  int boards = 1;
  campaign::ExecutorKind kind = campaign::ExecutorKind::kSlurm;
  campaign::ExecutorOptions executor;
};

struct TuneOptions : answer::TuneRequest {
  bool trace = false;
  LiveOptions live;
  CampaignOptions campaign;
  answer::JobQuestion job;
};

// Throws UsageError for an option that was given but has no effect in this way to tune.
void check_form(const CLI::App& command, const answer::Form& form);
// Call this before profiling; see check_table_options() in command.h.
void check_answer_table(const Context& context, const TuneOptions& options);
// Throws NoSolutionError if no point meets the limits.
void print_answer(const Context& context, const TuneOptions& options,
                  const answer::TuneAnswer& found);
// Writes the observations, and prints the answer, or a row per board or runtime, the best first.
// JSON then contains the best answer, and all answers as `boards` or `runtimes`.
void print_reply(const Context& context, const TuneOptions& options,
                 const answer::TuneReply& reply);

void add_live_options(CLI::App& command, LiveOptions& options);
// Throws UsageError if one of these options was given without a real or fake board.
void refuse_live_options(const CLI::App& command);

void add_in_place_options(CLI::App& command, LiveOptions& options);
// Throws UsageError if one of these options was given without --in-place.
void refuse_in_place_options(const CLI::App& command);
// Tunes on a real or fake board. Starts the program for each point or, with --in-place, tunes one
// running program.
void tune_live(const Context& context, TuneOptions& options, const CLI::App& command);

void add_campaign_options(CLI::App& command, CampaignOptions& options);
// Throws UsageError if one of these options was given without --campaign, or an option that has no
// effect with it.
void check_campaign_options(const CLI::App& command, const CampaignOptions& options);
void tune_on_boards(const Context& context, const TuneOptions& options);

// Throws UsageError if one of these options has no effect, or an option that has no effect with
// them.
void check_job_options(const CLI::App& command, const TuneOptions& options);
void tune_job(const Context& context, TuneOptions& options);

}  // namespace ridgewatt::cli
