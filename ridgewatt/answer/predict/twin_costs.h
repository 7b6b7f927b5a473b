// The estimates of a deployed workload on a board, with the errors that every command states. These
// are the errors of the twin. They are wider if the estimate is slower than that of a Rival, which
// is a deployment that should not be faster.
//
//   const TwinCosts costs(twin, model, workload);
//   costs.at({mode, 8}).within(0.9).time_s.hi
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::answer {

// A deployment that should not be faster than the estimated one: the same runtime in a wider
// precision, or PyTorch in eager mode.
struct Rival {
  std::string text;  // "precision: {} times as long as in fp32"
  std::shared_ptr<const twin::TwinModel> model;
};

// Returns a workload deployed in a runtime and a precision.
using DeployedIn =
    std::function<std::shared_ptr<const workload::DeployedWorkload>(Runtime, workload::Precision)>;
// Returns the rivals of `model`, which is the model of `workload` on the board of `twin`.
std::vector<Rival> rivals_of(const twin::Twin& twin, const twin::TwinModel& model,
                             const workload::DeployedWorkload& workload, const DeployedIn& in);

struct TwinCost {
  twin::Breakdown estimate;
  twin::EstimateError error{};
  // Reasons for a wide interval in this mode, in addition to ErrorModel::widened_by().
  std::vector<std::string> widened_by = {};
  // Additional time per minibatch if Python calls the engine. 0 if the estimate includes it, and in
  // PyTorch.
  double python_call_s = 0;
  bool limit_held = false;  // whether the driver of a graphics card enforces the power limit

  predict::Prediction within(double interval) const {
    return stated_cost(estimate.total, error, python_call_s, interval);
  }
  // For comparison with limits. The interval may exceed the power limit of a module: the limit does
  // not bound the power at these clocks, because a module at its limit lowers the clocks.
  predict::Prediction at_these_clocks(double interval) const;
};

class TwinCosts {
 public:
  // The costs at one batch.
  class AtBatch {
   public:
    // Throws the errors of TwinModel::estimator(). The arguments must outlive this object.
    AtBatch(const twin::TwinModel& model, const std::vector<Rival>& rivals, int batch);
    TwinCost in(const PowerMode& mode) const;

   private:
    struct RivalAtBatch {
      const std::string& text;
      const twin::Estimator& estimator;
    };
    static void compare(const RivalAtBatch& rival, const PowerMode& mode, TwinCost& cost);

    const twin::TwinModel& model_;
    const twin::Estimator& estimator_;
    const twin::ErrorModel& errors_;
    std::vector<RivalAtBatch> rivals_;
  };

  TwinCosts(std::shared_ptr<const twin::TwinModel> model, std::vector<Rival> rivals)
      : model_(std::move(model)), rivals_(std::move(rivals)) {}
  // Includes the rivals of the workload on the board of `twin`.
  TwinCosts(const twin::Twin& twin, std::shared_ptr<const twin::TwinModel> model,
            const std::shared_ptr<const workload::DeployedWorkload>& workload);

  const twin::TwinModel& model() const { return *model_; }
  // Safe to call from several threads.
  const AtBatch& at(int batch) const;
  TwinCost at(const OperatingPoint& point) const { return at(point.batch).in(point.mode); }
  // Every reason for a wide interval at this point.
  std::vector<std::string> widened_by(const OperatingPoint& point) const;

 private:
  std::shared_ptr<const twin::TwinModel> model_;
  std::vector<Rival> rivals_;
  mutable std::mutex mutex_;
  mutable std::map<int, AtBatch> batches_;
};

}  // namespace ridgewatt::answer
