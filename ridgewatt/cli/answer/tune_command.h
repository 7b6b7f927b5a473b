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

// Headings of options in the help.
inline constexpr char kLiveGroup[] = "Real or fake board (--device local or fake:BOARD)";
inline constexpr char kInPlaceGroup[] = "A running program (--in-place)";
inline constexpr char kCampaignGroup[] = "Boards of a campaign (--campaign PLAN)";

struct TuneOptions : answer::TuneRequest {
  bool trace = false;
  LiveOptions live;
  CampaignOptions campaign;
  answer::JobQuestion job;
};

// Throws UsageError for a given option that has no effect in the form `way`, and for options that
// exclude each other.
void check_tune(const Context& context, const CLI::App& command, const TuneOptions& options,
                const answer::Form& way);
// Call this before profiling; see check_table_options() in command.h.
void check_answer_table(const Context& context, const TuneOptions& options);
void add_live_options(CLI::App& command, LiveOptions& options);
// Tunes on a real or fake board. Starts the program for each point or, with --in-place, tunes one
// running program.
void tune_live(const Context& context, TuneOptions& options, const CLI::App& command);

void add_campaign_options(CLI::App& command, CampaignOptions& options);
void tune_on_boards(const Context& context, const TuneOptions& options);

void tune_job(const Context& context, const TuneOptions& options);

}  // namespace ridgewatt::cli
