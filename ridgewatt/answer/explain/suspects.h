// The table of causes: how often each is the reason of a complaint, and what it predicts.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/answer/explain.h"
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

  const workload::WorkloadCost& cost() const { return model->estimator(batch).cost(); }
  Prognosis in_mode(const PowerMode& other, std::string setting) const;
};

struct Prediction {
  double weight = 1;  // relative to the other predictions of its cause
  Prognosis prognosis;
  double spread = 0;  // standard deviation of ln time that the cause adds to the twin's
};

struct Suspect {
  SlowCause cause;
  double prior;  // relative
  bool misread;  // the number means something else, so that nothing becomes faster
  std::vector<Prediction> (*predict)(const ExplainCase&);  // empty: cannot be the cause
};
std::span<const Suspect> suspects();

}  // namespace ridgewatt::answer
