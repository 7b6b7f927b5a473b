#include "ridgewatt/schedule/plan_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"

namespace ridgewatt {

PlanSpace::PlanSpace(std::vector<Candidate> candidates) : candidates_(std::move(candidates)) {
  if (candidates_.empty()) throw UsageError("there is nothing to plan with");
  std::vector<OperatingPoint> points, modes;
  for (const auto& candidate : candidates_) {
    points.push_back(candidate.point());
    modes.push_back({candidate.mode, 0});
  }
  points_ = std::make_shared<SearchSpace>(points);
  modes_ = std::make_shared<SearchSpace>(modes);
  if (points_->size() != candidates_.size()) {
    throw UsageError("a search needs one batch of each background workload", "",
                     "leave the other batches out of the sweep, or use --strategy exhaustive");
  }
  std::sort(candidates_.begin(), candidates_.end(),
            [](const auto& a, const auto& b) { return a.point() < b.point(); });
  for (const auto& candidate : candidates_) mode_of_.push_back(*modes_->find({candidate.mode, 0}));
  if (has_inference()) infer_prior_ = std::make_shared<SurrogatePrior>(*points_);
  if (has_training()) train_prior_ = std::make_shared<SurrogatePrior>(*modes_);
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
  for (auto& row : rows) row.point.batch = 0;  // training is modelled over modes
  train_prior_->add_reference(*modes_, rows);
}

const std::vector<std::string_view>& plan_strategy_names() {
  static const std::vector<std::string_view> names = {"exhaustive", "auto",   "gmd", "als",
                                                      "nn",         "random", "maxn"};
  return names;
}

ProfilePoint replay(const PlanSpace& space) {
  return [&space](std::size_t point) { return space.candidates()[point]; };
}

PlanSearch::PlanSearch(const PlanSpace& space, const PlanProblem& problem, ProfilePoint profile,
                       PlanSearchOptions options)
    : space_(space), problem_(problem), profile_(std::move(profile)), options_(std::move(options)) {
  const auto& names = plan_strategy_names();
  if (std::find(names.begin(), names.end(), options_.strategy) == names.end()) {
    throw UsageError("unknown strategy", options_.strategy,
                     "use exhaustive, auto, gmd, als, nn, random or maxn");
  }
  if (options_.profiles < 1) throw UsageError("the budget must be at least one profile");
  problem_.check(space_.has_inference());
  seen_.resize(space_.candidates().size());
  for (const auto& candidate : space_.candidates()) {
    allowed_.push_back(batch_possible(candidate.infer().batch) ? 1 : 0);
  }
  // An impossible problem still deserves its nearest miss.
  if (std::find(allowed_.begin(), allowed_.end(), 1) == allowed_.end()) {
    const int smallest = space_.points().batches().front();
    for (std::size_t i = 0; i < allowed_.size(); ++i) {
      allowed_[i] = space_.candidates()[i].infer().batch == smallest ? 1 : 0;
    }
  }
}

bool PlanSearch::batch_possible(int batch) const {
  if (batch == 0) return true;
  const double gathered = problem_.bound == Bound::kPublished ? batch : batch - 1;
  return gathered / problem_.arrival_rate_hz < problem_.max_latency_s;
}

void PlanSearch::observe(std::size_t point, const Candidate& candidate) {
  seen_[point] = candidate;
  order_.push_back(point);
  Plan plan = plan_with(candidate, problem_);
  if (!plan.feasible) {
    if (!nearest_ || plan.violation < nearest_->violation) nearest_ = std::move(plan);
  } else if (!best_ || better_plan(plan.candidate, plan.cycle, best_->candidate, best_->cycle)) {
    best_ = std::move(plan);
  }
}

const Candidate* PlanSearch::profile(std::size_t point) {
  if (!seen_[point]) {
    if (left() <= 0) return nullptr;
    profiled_.push_back(point);
    observe(point, profile_(point));
  }
  return &*seen_[point];
}

PlanSearchSummary PlanSearch::run() {
  for (const std::size_t point : options_.known) {
    if (!seen_[point]) observe(point, profile_(point));
  }
  if (options_.strategy == "exhaustive") {
    options_.profiles = static_cast<int>(seen_.size());
    for (std::size_t i = 0; i < seen_.size(); ++i) profile(i);
  }
  if (options_.strategy == "auto") plan_search_auto(*this);
  if (options_.strategy == "als") plan_search_als(*this);
  if (options_.strategy == "gmd") plan_search_gmd(*this);
  if (options_.strategy == "nn") plan_search_nn(*this);
  if (options_.strategy == "random") plan_search_random(*this);
  if (options_.strategy == "maxn") plan_search_maxn(*this);
  PlanSearchSummary summary;
  summary.strategy = options_.strategy;
  summary.profiled = profiled_;
  if (best_) {
    summary.plan = *best_;
  } else if (nearest_) {
    summary.plan = *nearest_;
  }
  return summary;
}

PlanBeliefs::PlanBeliefs(const PlanSearch& search) {
  const PlanSpace& space = search.space();
  if (space.has_inference()) infer_.emplace(space.infer_prior(), search.options().noise);
  if (space.has_training()) train_.emplace(space.train_prior(), search.options().noise);
  mode_learnt_.assign(space.modes().size(), 0);
}

void PlanBeliefs::update(const PlanSearch& search) {
  const PlanSpace& space = search.space();
  for (; learnt_ < search.order().size(); ++learnt_) {
    const std::size_t point = search.order()[learnt_];
    const Candidate& seen = search.at(point);
    if (infer_) infer_->observe(point, seen.infer().time_s, seen.infer().power_w);
    auto& learnt = mode_learnt_[space.mode_of(point)];
    if (train_ && learnt == 0) {
      train_->observe(space.mode_of(point), seen.train().time_s, seen.train().power_w);
      learnt = 1;
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
    // The longest minibatch of a round keeps its share of the round.
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
  const auto add = [&](const Beliefs& b, std::size_t i) {
    sum += static_cast<double>(b.time_sd[i]) * b.time_sd[i] +
           static_cast<double>(b.power_sd[i]) * b.power_sd[i];
  };
  if (infer_) add(infer_beliefs_, point);
  if (train_) add(train_beliefs_, space.mode_of(point));
  return std::sqrt(sum);
}

}  // namespace ridgewatt
