// Answers the question of answer/tune.h by measurements on a real or fake board, or on many boards
// at the same time as tasks of a campaign. Measured points are stored.
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

// A real or fake board, and how to profile a program on it. Referenced objects must outlive the
// call.
struct LiveBoard {
  platform::Sysfs& sysfs;
  platform::JetsonModeControl& control;
  store::Store& store;
  // Its series has the workload, its kind, the board and the provenance.
  measure::ProfileOptions profile;
  // Governors to compare with the answer, at the batch of the answer.
  std::vector<std::string> governors;
  // Called before each point with the number of points profiled so far.
  std::function<void(std::size_t, const OperatingPoint&)> progress = {};
  // Used with `question.verify`: the workload of the program, and the board of the twin.
  std::shared_ptr<const workload::DeployedWorkload> workload = {};
  std::string twin_board = {};
};
// Sets, measures and stores every point of the search. Restores the original mode of the board
// before it returns. Throws UsageError for an unknown governor, and Error if no point could be
// profiled.
TuneAnswer tune_on_board(const TuneQuestion& question, LiveBoard& board);

// A campaign that profiles the points. Referenced objects must outlive the call.
struct RunningCampaign {
  const campaign::Plan& plan;  // its points are the candidates
  std::string board_kind;      // empty: the only kind of the plan
  campaign::Executor& executor;
  store::Store& store;
  campaign::SearchBoardsOptions options;
};

// Searches the points of one kind of board. Points that are already in the store are not profiled
// again, so an interrupted search can resume. Throws UsageError if the plan has several kinds and
// `board_kind` is empty, or if the strategy cannot choose points while others are being profiled.
// Throws the errors of CampaignBoards.
TuneAnswer tune_on_campaign(const TuneQuestion& question, const RunningCampaign& campaign);

}  // namespace ridgewatt::answer
