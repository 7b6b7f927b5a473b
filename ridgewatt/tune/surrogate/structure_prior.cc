#include "ridgewatt/tune/structure_prior.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/numerics/dense.h"
#include "ridgewatt/numerics/soft_maximum.h"
#include "ridgewatt/predict/workload_groups.h"

namespace ridgewatt::tune {
namespace {

constexpr std::uint64_t kSeed = 20;  // fixed, so that the family is always the same
// Number of points that determine the principal directions.
constexpr std::size_t kCovariancePoints = 1500;

// A board and a workload of the family. Times are shares of the time at the top mode and the
// reference batch. Powers are in units of the board's static power.
struct Draw {
  double compute, memory, launch, load, host;
  double gpu_memory_reach;
  double gpu_overlap, launch_overlap, load_overlap;  // orders of the soft maxima
  double workers, core_exponent, launch_core_exponent, memory_latency, batch_fill;
  double gpu_idle, gpu_dynamic, mem_idle, mem_dynamic, core_idle, cpu_dynamic;
  double voltage_floor, voltage_exponent;
};

enum class Law {
  kLogNormal,  // first: median, second: deviation of the logarithm
  kUniform,    // from first to second
  kCount,      // whole numbers from first to second, equally likely
  kOrder,      // 1, 2, 4 or 8
};

// Distributions of the family: wide enough for any board and workload, without using data. The
// order is that of the random numbers.
struct DrawRow {
  double Draw::*value;
  Law law;
  double first, second;
  const char* why;
};
constexpr DrawRow kFamily[] = {
    {&Draw::compute, Law::kLogNormal, 1.0, 0.9, "the unit of time"},
    {&Draw::memory, Law::kLogNormal, 0.5, 0.9, "bound by compute more often than by memory"},
    {&Draw::launch, Law::kLogNormal, 0.5, 0.9, "eager frameworks: as often as by memory"},
    {&Draw::load, Law::kLogNormal, 0.4, 1.1, "from none to the longest stage"},
    {&Draw::host, Law::kLogNormal, 0.1, 0.8, "per minibatch, overlaps with nothing"},
    {&Draw::gpu_memory_reach, Law::kUniform, 0.1, 0.8,
     "GPU clock, of its highest, that saturates the memory"},
    {&Draw::gpu_overlap, Law::kOrder, 0, 0, "compute and memory: added to hidden"},
    {&Draw::launch_overlap, Law::kOrder, 0, 0, "GPU and launches"},
    {&Draw::load_overlap, Law::kOrder, 0, 0, "both and the loader"},
    {&Draw::workers, Law::kCount, 1, 8, "of the loader"},
    {&Draw::core_exponent, Law::kUniform, 0, 1, "loading by cores: not at all to in proportion"},
    {&Draw::launch_core_exponent, Law::kUniform, 0, 0.4, "launches by cores: a little"},
    {&Draw::memory_latency, Law::kUniform, 0, 0.4, "CPU work by memory clock: a little"},
    {&Draw::batch_fill, Law::kUniform, 0.4, 1, "exponent of work by batch: small ones fill less"},
    {&Draw::gpu_idle, Law::kLogNormal, 0.2, 0.6, "clock power"},
    {&Draw::gpu_dynamic, Law::kLogNormal, 1.3, 0.6, "a busy GPU takes more than the rest idle"},
    {&Draw::mem_idle, Law::kLogNormal, 0.15, 0.6, "clock power"},
    {&Draw::mem_dynamic, Law::kLogNormal, 0.4, 0.6, "traffic"},
    {&Draw::core_idle, Law::kLogNormal, 0.02, 0.7, "a core"},
    {&Draw::cpu_dynamic, Law::kLogNormal, 0.5, 0.7, "a busy core"},
    {&Draw::voltage_floor, Law::kUniform, 0.5, 0.8,
     "voltage at the lowest clocks over the highest"},
    {&Draw::voltage_exponent, Law::kUniform, 1, 3, "linear in the clock to late and steep"},
};
static_assert(sizeof(Draw) == std::size(kFamily) * sizeof(double));

double draw_value(Random& random, const DrawRow& row) {
  static constexpr std::array<double, 4> kOrders = {1, 2, 4, 8};
  switch (row.law) {
    case Law::kLogNormal:
      return row.first * std::exp(row.second * random.normal());
    case Law::kUniform:
      return random.uniform(row.first, row.second);
    case Law::kCount:
      return row.first + static_cast<double>(
                             random.below(static_cast<std::uint64_t>(row.second - row.first) + 1));
    case Law::kOrder:
      return kOrders[random.below(kOrders.size())];
  }
  return 0;
}

Draw draw_model(Random& random) {
  Draw draw{};
  for (const auto& row : kFamily) draw.*row.value = draw_value(random, row);
  return draw;
}

// Knobs as shares of their maxima (1 if absent); cores as a count.
struct Knobs {
  double cores, cpu, gpu, mem, batch;
};

double overlapped(double a, double b, double order) {
  return soft_maximum(a, b, static_cast<int>(order));
}

std::pair<double, double> log_costs_of(const Draw& d, const Knobs& k) {
  const double work = std::pow(k.batch, d.batch_fill);
  const double mem_rate = soft_maximum(1 / k.mem, d.gpu_memory_reach / k.gpu, 4);
  const double compute = d.compute * work / k.gpu;
  const double memory = d.memory * work * mem_rate;
  const double gpu = overlapped(compute, memory, d.gpu_overlap);
  const double slow_memory = 1 + d.memory_latency * (1 / k.mem - 1) * 0.2;
  const double launch =
      d.launch / k.cpu * std::pow(4 / k.cores, d.launch_core_exponent) * slow_memory;
  const double serving = std::pow(std::min(k.cores, d.workers) / 4, d.core_exponent);
  const double load = d.load * k.batch / (k.cpu * serving) * slow_memory;
  const double time =
      d.host / k.cpu + overlapped(overlapped(gpu, launch, d.launch_overlap), load, d.load_overlap);
  const auto voltage2 = [&](double clock) {
    const double v = d.voltage_floor + (1 - d.voltage_floor) * std::pow(clock, d.voltage_exponent);
    return v * v;
  };
  const double gpu_v2 = voltage2(k.gpu);
  const double cpu_v2 = voltage2(k.cpu);
  const double busy_cores = (launch + d.host / k.cpu + load * std::min(k.cores, 4.0) * 0.5) / time;
  const double power = 1 + d.gpu_idle * k.gpu * gpu_v2 +
                       d.gpu_dynamic * gpu_v2 * d.compute * work / time + d.mem_idle * k.mem +
                       d.mem_dynamic * d.memory * work / time +
                       d.core_idle * k.cores * k.cpu * cpu_v2 +
                       d.cpu_dynamic * std::min(busy_cores, k.cores) * k.cpu * cpu_v2;
  return {std::log(time), std::log(power)};
}

Knobs knobs_of(const SearchSpace& space, std::size_t index) {
  const auto share = [&](PointAxis axis, double value) {
    return value > 0 ? value / space.levels(axis).back() : 1.0;
  };
  const auto& [mode, batch] = space[index];
  Knobs knobs{};
  knobs.cores = mode.cpu_cores > 0 ? mode.cpu_cores : 4;
  knobs.cpu = share(PointAxis::kCpuClock, mode.cpu_clock_hz);
  knobs.gpu = share(PointAxis::kGpuClock, mode.gpu_clock_hz);
  knobs.mem = share(PointAxis::kMemClock, mode.mem_clock_hz);
  const auto& batches = space.levels(SearchSpace::kBatchAxis);
  // The shares of a draw apply at the middle of the batches.
  knobs.batch = batches.empty() ? 1 : batch / std::sqrt(batches.front() * batches.back());
  return knobs;
}

// Draws of boards and workloads: ln(time) and ln(power) of each draw (columns) at given points of
// the space (rows), up to a constant.
class Draws {
 public:
  virtual ~Draws() = default;
  virtual void evaluate(std::span<const std::size_t> points, Eigen::MatrixXd& log_time,
                        Eigen::MatrixXd& log_power) const = 0;
};

// Draws from the family of simple accelerators.
class SimpleAccelerators final : public Draws {
 public:
  SimpleAccelerators(const SearchSpace& space, int draws) : space_(space) {
    Random random(kSeed);
    for (int i = 0; i < draws; ++i) family_.push_back(draw_model(random));
  }

 private:
  void evaluate(std::span<const std::size_t> points, Eigen::MatrixXd& log_time,
                Eigen::MatrixXd& log_power) const override {
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Knobs knobs = knobs_of(space_, points[i]);
      for (std::size_t s = 0; s < family_.size(); ++s) {
        const auto row = static_cast<Eigen::Index>(i), column = static_cast<Eigen::Index>(s);
        std::tie(log_time(row, column), log_power(row, column)) = log_costs_of(family_[s], knobs);
      }
    }
  }

  const SearchSpace& space_;
  std::vector<Draw> family_;
};

// Draws from groups of real networks.
class UsualWorkloads final : public Draws {
 public:
  UsualWorkloads(const SearchSpace& space, std::span<const predict::WorkloadGroup> groups,
                 int draws)
      : space_(space), workloads_(groups, space.points(), static_cast<std::size_t>(draws), kSeed) {}

 private:
  void evaluate(std::span<const std::size_t> points, Eigen::MatrixXd& log_time,
                Eigen::MatrixXd& log_power) const override {
    std::vector<OperatingPoint> at;
    for (const std::size_t point : points) at.push_back(space_[point]);
    workloads_.evaluate(at, log_time, log_power);
  }

  const SearchSpace& space_;
  predict::DrawnWorkloads workloads_;
};

// If the batch varies, the simple accelerators lead to better answers (docs/results/search.md).
std::unique_ptr<const Draws> make_draws(const SearchSpace& space,
                                        std::span<const predict::WorkloadGroup> groups, int draws) {
  std::vector<predict::WorkloadGroup> usual;
  if (predict::batches_of(space.points()) == predict::Batches::kOne) {
    std::copy_if(groups.begin(), groups.end(), std::back_inserter(usual),
                 [](const auto& group) { return group.batches == predict::Batches::kOne; });
  }
  if (usual.empty()) return std::make_unique<SimpleAccelerators>(space, draws);
  return std::make_unique<UsualWorkloads>(space, usual, draws);
}

// Principal directions of the draws over a sample of points (rows).
struct Basis {
  Eigen::VectorXd level;       // average of each draw over the sample
  Eigen::MatrixXd directions;  // draws x rank
};

Basis make_basis(const Eigen::MatrixXd& values, int rank) {
  Basis basis;
  basis.level = values.colwise().mean().transpose();
  Eigen::MatrixXd centered = values.rowwise() - basis.level.transpose();
  centered.colwise() -= centered.rowwise().mean().eval();
  const Eigen::MatrixXd gram = centered.transpose() * centered;
  const EigenPairs pairs = symmetric_eigen(gram);
  const auto draws = static_cast<double>(values.cols());
  basis.directions = pairs.vectors.rightCols(rank).rowwise().reverse() / std::sqrt(draws);
  return basis;
}

void resize(FunctionPrior& prior, std::size_t points, int rank) {
  prior.mean.resize(points);
  prior.features.assign(static_cast<std::size_t>(rank), std::vector<float>(points));
}

void project(const Basis& basis, const Eigen::VectorXd& values, std::size_t index,
             FunctionPrior& prior) {
  Eigen::VectorXd centered = values - basis.level;
  const double mean = centered.mean();
  prior.mean[index] = static_cast<float>(mean);
  centered.array() -= mean;
  const Eigen::VectorXd features = basis.directions.transpose() * centered;
  for (std::size_t f = 0; f < prior.features.size(); ++f) {
    prior.features[f][index] = static_cast<float>(features[static_cast<Eigen::Index>(f)]);
  }
}

}  // namespace

StructurePrior make_structure_prior(const SearchSpace& space,
                                    std::span<const predict::WorkloadGroup> groups, int draws,
                                    int rank) {
  const auto drawn = make_draws(space, groups, draws);
  const auto evaluated = [&](std::span<const std::size_t> points) {
    const auto rows = static_cast<Eigen::Index>(points.size());
    std::pair<Eigen::MatrixXd, Eigen::MatrixXd> values{{rows, draws}, {rows, draws}};
    drawn->evaluate(points, values.first, values.second);
    return values;
  };
  std::vector<std::size_t> sample(std::min(kCovariancePoints, space.size()));
  for (std::size_t i = 0; i < sample.size(); ++i) sample[i] = i * space.size() / sample.size();
  const auto [times, powers] = evaluated(sample);
  const Basis time_basis = make_basis(times, rank);
  const Basis power_basis = make_basis(powers, rank);

  StructurePrior prior;
  resize(prior.log_time, space.size(), rank);
  resize(prior.log_power, space.size(), rank);
  constexpr std::size_t kBlock = 256;
  parallel_for((space.size() + kBlock - 1) / kBlock, [&](std::size_t block) {
    std::vector<std::size_t> points(std::min(kBlock, space.size() - block * kBlock));
    std::iota(points.begin(), points.end(), block * kBlock);
    const auto [time, power] = evaluated(points);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      project(time_basis, time.row(row), points[i], prior.log_time);
      project(power_basis, power.row(row), points[i], prior.log_power);
    }
  });
  return prior;
}

}  // namespace ridgewatt::tune
