// The first question asked of many boards at once: the points that the search asks for are tasks of
// a campaign.
//
//   CampaignAtHand campaign{plan, "agx-orin", *executor, store, {.boards = 8}};
//   const TuneAnswer found = tune_on_campaign(question, campaign);
#pragma once

#include <string>

#include "ridgewatt/answer/tune.h"
#include "ridgewatt/campaign/search_boards.h"

namespace ridgewatt::answer {

// All references outlive the call.
struct CampaignAtHand {
  const campaign::Plan& plan;  // its points of the kind are those that may be chosen
  std::string board_kind;      // empty: the plan's only one
  campaign::Executor& executor;
  store::Store& store;
  campaign::SearchBoardsOptions options;
};

// What the store has of the campaign is known and costs no profile, so a search that was cut off
// goes on. Throws UsageError where the plan has several kinds and none is named, or the strategy
// cannot choose while points are in flight, and what CampaignBoards throws.
TuneAnswer tune_on_campaign(const TuneQuestion& question, const CampaignAtHand& campaign);

}  // namespace ridgewatt::answer
