// The question of tune.h asked of a real or fake board: points are set, measured and stored. Asked
// of many boards at once, the points of the search are tasks of a campaign.
//
//   LiveBoard board{sysfs, control, store, profile};
//   const TuneAnswer found = tune_on_board(question, board);
//   RunningCampaign campaign{plan, "agx-orin", *executor, store, {.boards = 8}};
//   const TuneAnswer other = tune_on_campaign(question, campaign);
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/answer/tune.h"
#include "ridgewatt/campaign/search_boards.h"
#include "ridgewatt/measure/live_profiler.h"

namespace ridgewatt::answer {

// A real or fake board, and how a program is profiled on it. All references outlive the call.
struct LiveBoard {
  platform::Sysfs& sysfs;
  platform::JetsonModeControl& control;
  store::Store& store;
  measure::ProfileOptions profile;     // its series names workload, kind, board and provenance
  std::vector<std::string> governors;  // that the answer is compared with, at its batch
  // Called before each point with the number of points profiled so far.
  std::function<void(std::size_t, const OperatingPoint&)> progress = {};
  // For `question.verify`: what the program runs, and the board whose twin is asked.
  std::shared_ptr<const workload::DeployedWorkload> workload = {};
  std::string twin_board = {};
};
// Every point that the search asks for is set, measured and stored. The board's first state comes
// back before the answer.
TuneAnswer tune_on_board(const TuneQuestion& question, LiveBoard& board);

// All references outlive the call.
struct RunningCampaign {
  const campaign::Plan& plan;  // its points of the kind are those that may be chosen
  std::string board_kind;      // empty: the plan's only one
  campaign::Executor& executor;
  store::Store& store;
  campaign::SearchBoardsOptions options;
};

// What the store has of the campaign is known and costs no profile, so a search that was cut off
// goes on. Throws UsageError where the plan has several kinds and none is named, or the strategy
// cannot choose while points are in flight, and what CampaignBoards throws.
TuneAnswer tune_on_campaign(const TuneQuestion& question, const RunningCampaign& campaign);

}  // namespace ridgewatt::answer
