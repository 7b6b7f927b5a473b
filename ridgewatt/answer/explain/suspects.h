// The causes of slow runs, each with its frequency and its predictions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/answer/explain.h"
#include "ridgewatt/answer/explain/weigh.h"
#include "ridgewatt/answer/predict/twin_costs.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::answer {

// The question and the board's twin.
struct ExplainCase {
  const ExplainQuestion& question;
  Board board;
  twin::Twin twin;
  std::shared_ptr<const workload::DeployedWorkload> workload;
  std::shared_ptr<const twin::TwinModel> model;
  PowerMode mode;
  int batch = 1;
  twin::Breakdown expected;  // in `mode`
  twin::EstimateError error{};
  double python_call_s = 0;                  // time that a call from Python may add
  std::vector<std::string> widened_by = {};  // why the interval is wide
  std::optional<ProfiledLayers> profile = {};

  const workload::WorkloadCost& cost() const { return model->estimator(batch).cost(); }
  // Converts a time that does not depend on a claimed time to the scale of the estimate, because
  // the claim multiplies every prediction.
  double unclaimed(double seconds) const {
    return question.claimed_s ? seconds * expected.total.period_s / *question.claimed_s : seconds;
  }
  // The number of multiprocessors that the intended mode leaves on. A lower clock or a core less
  // switches no other on.
  int sms() const { return twin.sms_in(mode); }
  Prognosis in_mode(const PowerMode& other, std::string setting, int sms) const;
  // Returns the layers with this fault in the profile; null if there are none or the profile cannot
  // show the fault.
  const FaultyLayers* faulty(LayerFault fault) const;
};

// Returns every cause with its predictions.
std::vector<WeighedCause> causes_of(const ExplainCase& of);

}  // namespace ridgewatt::answer
