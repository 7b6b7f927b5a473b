#include "ridgewatt/predict/workload_groups.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/published.h"
#include "ridgewatt/predict/few_shot/few_shot_candidates.h"

namespace ridgewatt::predict {
namespace {

constexpr std::size_t kFewestMembers = 10;
constexpr int kStarts = 20, kMoves = 50;
constexpr std::uint64_t kGroupSeed = 1;
constexpr double kFitDeviation = 0.03;  // of a twin's rows around its stage models
// Error of a twin on real workloads, as a share of the general priors' deviations.
constexpr double kBeyondTwin = 0.3;

// Parameters of both models, fitted to one workload.
struct FittedWorkload {
  Eigen::VectorXd time, power;
};

FittedWorkload fit_stages(const ModelledWorkload& workload) {
  const auto points = points_of(workload.rows);
  const LogCosts logs = log_costs(workload.rows);
  const ModelInput input{FeatureSpace(points).features(points), logs.time, {}};
  const StageTimeModel time;
  FittedWorkload fitted;
  fitted.time = fit_mean_robustly(time, input, logs.time, kFitDeviation);
  const double top = StageTimeModel::scale_to_top(fitted.time);
  const WorkPowerModel power(top);
  fitted.power = fit_mean_robustly(power, input, logs.power, kFitDeviation);
  return fitted;
}

// Parameters divided by the deviations of their general priors, without the levels.
Eigen::VectorXd place(const FittedWorkload& fitted) {
  const StageTimeModel time;
  const WorkPowerModel power(0);
  Eigen::VectorXd result(fitted.time.size() + fitted.power.size());
  result << fitted.time.cwiseQuotient(time.prior_deviation()),
      fitted.power.cwiseQuotient(power.prior_deviation());
  result[0] = result[fitted.time.size()] = 0;
  return result;
}

// Assigns each column to a group by k-means. Takes the best of several starts without small groups.
// Empty if there is none.
std::vector<std::size_t> cluster(const Eigen::MatrixXd& places, std::size_t groups) {
  const auto count = static_cast<std::size_t>(places.cols());
  Random random(kGroupSeed);
  double least = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> best;
  for (int start = 0; start < kStarts; ++start) {
    const std::vector<std::size_t> first = random.sample(count, groups);
    Eigen::MatrixXd centers = places(Eigen::all, first);
    std::vector<std::size_t> group(count), sizes;
    double cost = 0;
    for (int move = 0; move < kMoves; ++move) {
      cost = 0;
      sizes.assign(groups, 0);
      Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(places.rows(), centers.cols());
      for (std::size_t i = 0; i < count; ++i) {
        const auto column = places.col(static_cast<Eigen::Index>(i));
        Eigen::Index nearest = 0;
        cost += (centers.colwise() - column).colwise().squaredNorm().minCoeff(&nearest);
        group[i] = static_cast<std::size_t>(nearest);
        ++sizes[group[i]];
        sums.col(nearest) += column;
      }
      for (std::size_t g = 0; g < groups; ++g) {
        const auto column = static_cast<Eigen::Index>(g);
        if (sizes[g] > 0) centers.col(column) = sums.col(column) / static_cast<double>(sizes[g]);
      }
    }
    if (*std::min_element(sizes.begin(), sizes.end()) >= kFewestMembers && cost < least) {
      least = cost;
      best = group;
    }
  }
  return best;
}

JointPrior joint_prior(const std::vector<Eigen::VectorXd>& members, const MeanModel& model) {
  const Eigen::Index size = model.size();
  JointPrior prior;
  prior.mean = Eigen::VectorXd::Zero(size);
  for (const auto& member : members) prior.mean += member / static_cast<double>(members.size());
  Eigen::MatrixXd covariance =
      (kBeyondTwin * model.prior_deviation()).cwiseAbs2().asDiagonal().toDenseMatrix();
  for (const auto& member : members) {
    const Eigen::VectorXd apart = member - prior.mean;
    covariance += apart * apart.transpose() / static_cast<double>(members.size() - 1);
  }
  prior.mean[0] = 0;
  covariance.row(0).setZero();
  covariance.col(0).setZero();
  covariance(0, 0) = 1;
  prior.factor = covariance.llt().matrixL();
  prior.factor(0, 0) = 0;
  return prior;
}

// Returns groups without their kinds.
std::vector<WorkloadGroup> groups_of(const std::vector<FittedWorkload>& members,
                                     std::size_t groups) {
  Eigen::MatrixXd places(place(members[0]).size(), members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    places.col(static_cast<Eigen::Index>(i)) = place(members[i]);
  }
  std::size_t count = std::min(groups, members.size() / kFewestMembers);
  std::vector<std::size_t> group = cluster(places, count);
  while (group.empty()) group = cluster(places, --count);
  std::vector<WorkloadGroup> result;
  for (std::size_t g = 0; g < count; ++g) {
    std::vector<Eigen::VectorXd> time, power;
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (group[i] != g) continue;
      time.push_back(members[i].time);
      power.push_back(members[i].power);
    }
    WorkloadGroup one;
    one.members = static_cast<int>(time.size());
    one.time = joint_prior(time, StageTimeModel());
    one.power = joint_prior(power, WorkPowerModel(0));
    result.push_back(std::move(one));
  }
  return result;
}

// Reads the next rows of the file: the parameters of one quantity of one group.
JointPrior read_prior(CsvReader& csv, std::string_view quantity, std::span<const PriorRow> names,
                      bool& more) {
  const auto size = static_cast<Eigen::Index>(names.size());
  JointPrior prior{Eigen::VectorXd::Zero(size), Eigen::MatrixXd::Zero(size, size)};
  for (Eigen::Index i = 0; i < size; ++i) {
    const std::string_view name = names[static_cast<std::size_t>(i)].key;
    if (!more || csv.field(csv.require_column("quantity")) != quantity ||
        csv.field(csv.require_column("parameter")) != name) {
      throw InputError(
          "the rows of " + std::string(quantity) + " lack the parameter " + std::string(name),
          csv.where());
    }
    prior.mean[i] = csv.number(csv.require_column("mean"));
    const auto factors = split(std::string(csv.field(csv.require_column("factor"))), ' ');
    if (static_cast<Eigen::Index>(factors.size()) != i + 1) {
      throw InputError(
          "column factor must have one number for the parameter of the row and one for each before "
          "it",
          csv.where());
    }
    for (Eigen::Index j = 0; j <= i; ++j) {
      const auto value = parse_double(factors[static_cast<std::size_t>(j)]);
      if (!value) throw InputError("column factor must be a list of numbers", csv.where());
      prior.factor(i, j) = *value;
    }
    more = csv.next();
  }
  return prior;
}

}  // namespace

Batches batches_of(std::span<const OperatingPoint> points) {
  const bool one = std::all_of(points.begin(), points.end(), [&](const OperatingPoint& point) {
    return point.batch == points.front().batch;
  });
  return one ? Batches::kOne : Batches::kSeveral;
}

std::vector<WorkloadGroup> read_workload_groups(CsvReader csv) {
  std::vector<WorkloadGroup> groups;
  for (bool more = csv.next(); more;) {
    WorkloadGroup group;
    group.kind = csv.named<WorkloadKind>(csv.require_column("kind"));
    group.batches = csv.named<Batches>(csv.require_column("batches"));
    group.members = static_cast<int>(csv.number(csv.require_column("members")));
    group.time = read_prior(csv, "time", stage_time_priors(), more);
    group.power = read_prior(csv, "power", work_power_priors(), more);
    groups.push_back(std::move(group));
  }
  if (groups.empty())
    throw InputError("the file has no groups of workloads", csv.source(),
                     "give the file that `ridgewatt evaluate groups` wrote");
  return groups;
}

std::vector<WorkloadGroup> read_workload_groups(const std::string& path) {
  const std::string text = read_file(path);
  return read_workload_groups(CsvReader(text, path));
}

std::span<const WorkloadGroup> workload_groups() {
  static const auto groups = read_workload_groups(open_published("workload_groups.csv"));
  return groups;
}

std::vector<WorkloadGroup> group_workloads(std::span<const ModelledWorkload> workloads,
                                           std::size_t groups) {
  std::vector<FittedWorkload> fitted(workloads.size());
  parallel_for(workloads.size(), [&](std::size_t i) { fitted[i] = fit_stages(workloads[i]); });
  std::map<std::pair<WorkloadKind, Batches>, std::vector<std::size_t>> sets;
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    sets[{workloads[i].kind, batches_of(points_of(workloads[i].rows))}].push_back(i);
  }
  std::vector<WorkloadGroup> result;
  for (const auto& [set, members] : sets) {
    if (members.size() < kFewestMembers) continue;
    std::vector<FittedWorkload> own;
    for (const auto i : members) own.push_back(fitted[i]);
    for (auto& group : groups_of(own, groups)) {
      group.kind = set.first;
      group.batches = set.second;
      result.push_back(std::move(group));
    }
  }
  return result;
}

DrawnWorkloads::DrawnWorkloads(std::span<const WorkloadGroup> groups,
                               std::span<const OperatingPoint> space, std::size_t draws,
                               std::uint64_t seed)
    : space_(space) {
  std::uint64_t members = 0;
  for (const auto& group : groups) members += static_cast<std::uint64_t>(group.members);
  Random random(seed);
  const auto draw = [&](const JointPrior& prior) -> Eigen::VectorXd {
    Eigen::VectorXd normal(prior.mean.size());
    for (double& value : normal) value = random.normal();
    return prior.mean + prior.factor.triangularView<Eigen::Lower>() * normal;
  };
  for (std::size_t i = 0; i < draws; ++i) {
    std::uint64_t member = random.below(members);
    const WorkloadGroup* group = groups.data();
    while (member >= static_cast<std::uint64_t>(group->members)) {
      member -= static_cast<std::uint64_t>(group++->members);
    }
    Drawn one{draw(group->time), draw(group->power)};
    StageTimeModel::scale_to_top(one.time);
    one.time[0] = 0;
    drawn_.push_back(std::move(one));
  }
}

void DrawnWorkloads::evaluate(std::span<const OperatingPoint> points,
                              Eigen::Ref<Eigen::MatrixXd> log_time,
                              Eigen::Ref<Eigen::MatrixXd> log_power) const {
  const FeatureMatrix x = space_.features(points);
  const StageTimeModel time;
  const WorkPowerModel power(0);
  Eigen::VectorXd value, log_times;
  for (std::size_t i = 0; i < drawn_.size(); ++i) {
    time.evaluate(drawn_[i].time, x, {}, log_times, nullptr);
    power.evaluate(drawn_[i].power, x, log_times, value, nullptr);
    log_time.col(static_cast<Eigen::Index>(i)) = log_times;
    log_power.col(static_cast<Eigen::Index>(i)) = value;
  }
}

}  // namespace ridgewatt::predict
