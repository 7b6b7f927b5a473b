// The table of causes: how often each is the reason of a complaint, and what it predicts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/answer/explain.h"
#include "ridgewatt/answer/explain/weigh.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::answer {

// The case to explain: what was asked, on the twin.
struct ExplainCase {
  const ExplainQuestion& question;
  Board board;
  twin::Twin twin;
  std::shared_ptr<const workload::DeployedWorkload> workload;
  std::shared_ptr<const twin::TwinModel> model;
  PowerMode mode;
  int batch = 1;
  twin::Breakdown expected;  // in that mode
  std::optional<ProfiledLayers> profile = {};

  const workload::WorkloadCost& cost() const { return model->estimator(batch).cost(); }
  Prognosis in_mode(const PowerMode& other, std::string setting) const;
  // The layers of a fault that a profile shows; null: none, or no profile shows it.
  const FaultyLayers* faulty(LayerFault fault) const;
};

// Every cause of the table, with what it predicts.
std::vector<WeighedCause> causes_of(const ExplainCase& of);

}  // namespace ridgewatt::answer
