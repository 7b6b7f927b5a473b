#include "ridgewatt/schedule/plan_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"

namespace ridgewatt::schedule {

PlanSpace::PlanSpace(std::vector<Candidate> candidates) : candidates_(std::move(candidates)) {
  if (candidates_.empty()) throw UsageError("a plan needs profiled points");
  std::vector<OperatingPoint> points, modes;
  for (const auto& candidate : candidates_) {
    points.push_back(candidate.point());
    modes.push_back({candidate.mode, 0});
  }
  points_ = std::make_shared<tune::SearchSpace>(points);
  modes_ = std::make_shared<tune::SearchSpace>(modes);
  if (points_->size() != candidates_.size()) {
    throw UsageError(
        "this strategy needs one batch size in each sweep of a training or a non-urgent inference",
        "", "remove the other batches, or use --strategy exhaustive");
  }
  std::sort(candidates_.begin(), candidates_.end(),
            [](const auto& a, const auto& b) { return a.point() < b.point(); });
  for (const auto& candidate : candidates_) mode_of_.push_back(*modes_->find({candidate.mode, 0}));
  if (has_inference()) infer_prior_ = std::make_shared<tune::SurrogatePrior>(*points_);
  if (has_training()) train_prior_ = std::make_shared<tune::SurrogatePrior>(*modes_);
}

Candidate PlanSpace::unprofiled(std::size_t point) const {
  Candidate result;
  const Candidate& known = candidates_[point];
  result.mode = known.mode;
  if (known.inference) result.inference = {.batch = known.inference->batch};
  if (const auto& round = known.background) {
    result.background.emplace();
    result.background->samples = round->samples;
    result.background->required_hz = round->required_hz;
  }
  return result;
}

void PlanSpace::add_reference(const Sweep& sweep, bool is_inference) {
  if (is_inference && has_inference()) infer_prior_->add_reference(*points_, sweep.observations);
  if (is_inference || !has_training()) return;
  std::vector<Observation> rows = sweep.observations;
  for (auto& row : rows) row.point.batch = 0;  // training is modelled by mode only
  train_prior_->add_reference(*modes_, rows);
}

std::span<const PlanStrategy> plan_strategies() {
  static const std::vector<PlanStrategy> rows = {
      {.name = "exhaustive",
       .description = "every point",
       .run = plan_search_exhaustive,
       .every_point = true},
      {.name = "auto",
       .description = "constrained Bayesian optimization through the closed form of the cycle",
       .run = plan_search_auto,
       .uses_prior = true},
      {.name = "gmd",
       .description = "gradient descent in several dimensions, as in Fulcrum",
       .run = plan_search_gmd},
      {.name = "als",
       .description = "active learning of the Pareto front, as in Fulcrum",
       .run = plan_search_als,
       .uses_prior = true,
       .learns_front = true},
      {.name = "nn",
       .description = "points at random and the best plan of what networks predict from them",
       .run = plan_search_nn,
       .learns_front = true},
      {.name = "random", .description = "points at random", .run = plan_search_random},
      {.name = "maxn", .description = "the top mode with each batch", .run = plan_search_maxn}};
  return rows;
}

const std::vector<std::string_view>& plan_strategy_names() {
  static const std::vector<std::string_view> names = tune::names_of(plan_strategies());
  return names;
}

const PlanStrategy& find_plan_strategy(std::string_view name) {
  const auto& all = plan_strategy_names();
  return tune::find_row(plan_strategies(),
                        require_name("strategy", name, {{all.begin(), all.end()}}));
}

ProfilePoint replay(const PlanSpace& space) {
  return [&space](std::size_t point) { return space.candidates()[point]; };
}

namespace {

tune::SearchBudget plan_budget(const PlanSpace& space, const PlanSearchOptions& options) {
  const bool every_point = find_plan_strategy(options.strategy).every_point;
  return {.profiles = every_point ? static_cast<int>(space.points().size()) : options.profiles};
}

}  // namespace

PlanSearch::PlanSearch(const PlanSpace& space, const PlanProblem& problem, ProfilePoint profile,
                       PlanSearchOptions options)
    : BudgetedSearch(space.points(), plan_budget(space, options)),
      plan_space_(space),
      problem_(problem),
      profile_(std::move(profile)),
      options_(std::move(options)) {
  problem_.check(space.has_inference());
  allow_possible_batches();
  for (const std::size_t point : options_.known) {
    if (!tried(point)) add(point, profile_(point));
  }
}

void PlanSearch::allow_possible_batches() {
  const tune::SearchSpace& points = space();
  std::vector<char> possible;
  for (const auto& point : points.points()) possible.push_back(batch_possible(point.batch) ? 1 : 0);
  // For an impossible problem, allow the smallest batch, so that there is a nearest miss.
  if (std::find(possible.begin(), possible.end(), 1) == possible.end()) {
    const int smallest = points.batches().front();
    for (std::size_t i = 0; i < points.size(); ++i) {
      possible[i] = points[i].batch == smallest ? 1 : 0;
    }
  }
  allow(std::move(possible));
}

bool PlanSearch::batch_possible(int batch) const {
  if (batch == 0) return true;
  const double gathered = problem_.bound == Bound::kPublished ? batch : batch - 1;
  return gathered / problem_.arrival_rate_hz < problem_.max_latency_s;
}

std::optional<double> PlanSearch::excess(const Candidate& seen) const {
  const Cycle cycle = make_cycle(seen, problem_.arrival_rate_hz, problem_.bound);
  return violation(seen, cycle, problem_);
}

bool PlanSearch::better(const Candidate& a, const Candidate& b) const {
  const auto cycle = [&](const Candidate& one) {
    return make_cycle(one, problem_.arrival_rate_hz, problem_.bound);
  };
  return better_plan(a, cycle(a), b, cycle(b));
}

PlanSearchSummary PlanSearch::run() {
  return run(find_plan_strategy(options_.strategy));
}

PlanSearchSummary PlanSearch::run(const PlanStrategy& strategy) {
  strategy.run(*this);
  PlanSearchSummary summary;
  summary.strategy = strategy.name;
  summary.stop_reason = stop_reason();
  for (const auto& one : profiled()) summary.profiled.push_back(one.point);
  if (const auto answer = best()) {
    summary.plan = plan_with(*answer, problem_);
  } else if (!seen().empty()) {
    const auto nearest =
        std::min_element(seen().begin(), seen().end(), [&](const Candidate& a, const Candidate& b) {
          return miss_of(a, problem_) < miss_of(b, problem_);
        });
    summary.plan = plan_with(*nearest, problem_);
  }
  return summary;
}

PlanBeliefs::PlanBeliefs(const PlanSearch& search) {
  const PlanSpace& space = search.plan_space();
  if (space.has_inference()) infer_.emplace(space.infer_prior(), search.options().noise);
  if (space.has_training()) train_.emplace(space.train_prior(), search.options().noise);
  mode_learned_.assign(space.modes().size(), 0);
}

void PlanBeliefs::update(const PlanSearch& search) {
  const PlanSpace& space = search.plan_space();
  for (; learned_ < search.seen().size(); ++learned_) {
    const std::size_t point = search.points_seen()[learned_];
    const Candidate& seen = search.seen()[learned_];
    if (infer_) infer_->observe(point, seen.infer().time_s, seen.infer().power_w);
    auto& learned = mode_learned_[space.mode_of(point)];
    if (train_ && learned == 0) {
      train_->observe(space.mode_of(point), seen.train().time_s, seen.train().power_w);
      learned = 1;
    }
  }
  if (infer_) infer_->predict(infer_beliefs_);
  if (train_) train_->predict(train_beliefs_);
}

void PlanBeliefs::draw(const PlanSpace& space, std::size_t point, const double z[4],
                       Candidate& out) const {
  const auto value = [](const std::vector<float>& mean, const std::vector<float>& sd, std::size_t i,
                        double normal) {
    return std::exp(static_cast<double>(mean[i]) + normal * static_cast<double>(sd[i]));
  };
  if (infer_) {
    const auto& b = infer_beliefs_;
    out.inference = {space.points()[point].batch, value(b.time_mean, b.time_sd, point, z[0]),
                     value(b.power_mean, b.power_sd, point, z[1])};
  }
  if (train_) {
    const auto& b = train_beliefs_;
    const std::size_t mode = space.mode_of(point);
    if (!out.background) out.background.emplace();
    Round& round = *out.background;
    round.time_s = value(b.time_mean, b.time_sd, mode, z[2]);
    round.power_w = value(b.power_mean, b.power_sd, mode, z[3]);
    // Estimate the longest minibatch of the round from the number of minibatches.
    const Round& shape = space.candidates()[point].train();
    const auto parts = static_cast<double>(shape.minibatches.size());
    round.blocking_s = round.time_s;
    if (parts > 1) round.blocking_s *= 1.2 / parts;
    round.energy_j = round.time_s * round.power_w;
    round.samples = shape.samples;
    round.required_hz = shape.required_hz;
  }
}

double PlanBeliefs::uncertainty(const PlanSpace& space, std::size_t point) const {
  double sum = 0;
  const auto add = [&](const tune::Beliefs& b, std::size_t i) {
    sum += static_cast<double>(b.time_sd[i]) * b.time_sd[i] +
           static_cast<double>(b.power_sd[i]) * b.power_sd[i];
  };
  if (infer_) add(infer_beliefs_, point);
  if (train_) add(train_beliefs_, space.mode_of(point));
  return std::sqrt(sum);
}

}  // namespace ridgewatt::schedule
