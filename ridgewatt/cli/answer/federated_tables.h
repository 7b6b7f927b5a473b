// A round of federated learning as tables and JSON.
#pragma once

#include "ridgewatt/answer/federated.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::cli {

// One row per board: its mode, its time with bounds, its wait, its energy, whether it straggles.
report::Table federated_board_table(const answer::FederatedAnswer& found);
// The rounds that are compared: within the deadline, least energy, fastest, all in their highest
// modes, all in those that they ship with; time and energy, and both over the highest modes'.
report::Table federated_round_table(const answer::FederatedAnswer& found);
// Energy over time: the rounds that cost less than every faster one.
report::Table federated_front_table(const answer::FederatedAnswer& found);
// The contract of `federate --format json`: provenance, rounds, boards, stragglers,
// without_stragglers_s, front.
Json federated_json(const answer::FederatedAnswer& found);
// "A, C take longest: without them the round could end after 12 s"; empty: no board is alone.
std::string straggler_text(const answer::FederatedAnswer& found);

}  // namespace ridgewatt::cli
