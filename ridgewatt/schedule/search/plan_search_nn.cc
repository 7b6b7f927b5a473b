// The neural baseline: random points, one network each for time and power of both workloads, and
// the best plan by their predictions. The last profile verifies this plan.
#include <algorithm>

#include "ridgewatt/base/random.h"
#include "ridgewatt/predict/nn_predictor.h"
#include "ridgewatt/schedule/plan_search.h"
#include "ridgewatt/tune/search_steps.h"

namespace ridgewatt::schedule {

std::vector<Candidate> predict_with_networks(const PlanSearch& search) {
  const PlanSpace& space = search.plan_space();
  std::vector<Observation> infer_rows, train_rows;
  for (const Candidate& seen : search.seen()) {
    infer_rows.push_back({seen.point(), seen.infer().time_s, seen.infer().power_w});
    train_rows.push_back({{seen.mode, 0}, seen.train().time_s, seen.train().power_w});
  }
  const auto predict = [&](const std::vector<Observation>& rows, const tune::SearchSpace& points) {
    predict::NnOptions options;
    options.seed = search.options().seed;
    options.threads = 1;  // searches run in parallel
    predict::NnPredictor predictor(options);
    predictor.fit(rows);
    return predictor.predict(points.points());
  };
  std::vector<Candidate> result;
  for (std::size_t i = 0; i < space.candidates().size(); ++i) {
    result.push_back(space.unprofiled(i));
  }
  if (space.has_inference()) {
    const auto infer = predict(infer_rows, space.points());
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i].inference->time_s = infer[i].time_s;
      result[i].inference->power_w = infer[i].power_w;
    }
  }
  if (space.has_training()) {
    const auto train = predict(train_rows, space.modes());
    for (std::size_t i = 0; i < result.size(); ++i) {
      const Observation& of_mode = train[space.mode_of(i)];
      Round& round = *result[i].background;
      round.time_s = round.blocking_s = of_mode.time_s;
      round.power_w = of_mode.power_w;
      round.energy_j = of_mode.time_s * of_mode.power_w;
    }
  }
  return result;
}

void plan_search_nn(PlanSearch& search) {
  const tune::SearchSpace& points = search.space();
  const auto order = Random(search.options().seed).sample(points.size(), points.size());
  tune::profile_in_order(search, order, "drawn at random", 1);
  if (search.seen().empty()) return;
  const Plan plan = PlanTable(predict_with_networks(search)).best(search.problem());
  search.look(*points.find(plan.candidate.point()), "best of the predictions");
}

}  // namespace ridgewatt::schedule
