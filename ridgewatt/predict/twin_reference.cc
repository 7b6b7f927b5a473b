#include "ridgewatt/predict/twin_reference.h"

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "ridgewatt/device/board.h"
#include "ridgewatt/roofline/estimate.h"

namespace ridgewatt {
namespace {

// One estimator a batch size, made when it is first asked for.
class TwinView {
 public:
  TwinView(const std::string& board, CostFunction costs)
      : twin_(load_twin(load_board(board))), costs_(std::move(costs)) {}

  std::vector<Observation> at(std::span<const OperatingPoint> points) {
    std::vector<Observation> result;
    result.reserve(points.size());
    for (const auto& point : points) {
      const TimePower estimate = estimator(point.batch)(point.mode);
      result.push_back({point, estimate.time_s, estimate.power_w});
    }
    return result;
  }

 private:
  const Estimator& estimator(int batch) {
    const std::lock_guard lock(mutex_);
    auto& place = estimators_[batch];
    if (!place) place = std::make_unique<Estimator>(twin_, costs_(batch));
    return *place;
  }

  Twin twin_;
  CostFunction costs_;
  std::mutex mutex_;
  std::map<int, std::unique_ptr<Estimator>> estimators_;
};

}  // namespace

Reference twin_reference(const std::string& board, CostFunction costs,
                         std::vector<OperatingPoint> points) {
  const auto view = std::make_shared<TwinView>(board, std::move(costs));
  Reference reference;
  reference.name = board + " twin";
  reference.points = std::move(points);
  reference.at = [view](std::span<const OperatingPoint> asked) { return view->at(asked); };
  return reference;
}

}  // namespace ridgewatt
