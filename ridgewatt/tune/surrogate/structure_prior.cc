#include "ridgewatt/tune/structure_prior.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>

#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/random.h"

namespace ridgewatt {
namespace {

constexpr std::uint64_t kSeed = 20;              // the family is the same everywhere
constexpr std::size_t kCovariancePoints = 1500;  // points that the principal directions come from

// A board and a workload of the family. Times are shares of the time at the top mode and the
// reference batch, powers are in units of the board's static power.
struct Draw {
  // time
  double compute, memory, launch, load, host;
  double gpu_memory_reach;  // GPU clock (of its maximum) that saturates the memory, relative
  int gpu_overlap, launch_overlap, load_overlap;  // orders of the soft maxima
  double workers, core_exponent, launch_core_exponent, memory_latency, batch_fill;
  // power
  double gpu_idle, gpu_dynamic, mem_idle, mem_dynamic, core_idle, cpu_dynamic, voltage_floor,
      voltage_exponent;
};

double lognormal(Random& random, double median, double sigma) {
  return median * std::exp(sigma * random.normal());
}

int overlap_order(Random& random) {
  static constexpr std::array<int, 4> kOrders = {1, 2, 4, 8};
  return kOrders[random.below(kOrders.size())];
}

Draw draw_model(Random& random) {
  Draw d{};
  d.compute = lognormal(random, 1.0, 0.9);
  d.memory = lognormal(random, 0.5, 0.9);
  d.launch = lognormal(random, 0.5, 0.9);
  d.load = lognormal(random, 0.4, 1.1);
  d.host = lognormal(random, 0.1, 0.8);
  d.gpu_memory_reach = random.uniform(0.1, 0.8);
  d.gpu_overlap = overlap_order(random);
  d.launch_overlap = overlap_order(random);
  d.load_overlap = overlap_order(random);
  d.workers = static_cast<double>(1 + random.below(8));
  d.core_exponent = random.uniform(0, 1);
  d.launch_core_exponent = random.uniform(0, 0.4);
  d.memory_latency = random.uniform(0, 0.4);
  d.batch_fill = random.uniform(0.4, 1);
  d.gpu_idle = lognormal(random, 0.2, 0.6);
  d.gpu_dynamic = lognormal(random, 1.3, 0.6);
  d.mem_idle = lognormal(random, 0.15, 0.6);
  d.mem_dynamic = lognormal(random, 0.4, 0.6);
  d.core_idle = lognormal(random, 0.02, 0.7);
  d.cpu_dynamic = lognormal(random, 0.5, 0.7);
  d.voltage_floor = random.uniform(0.5, 0.8);
  d.voltage_exponent = random.uniform(1, 3);
  return d;
}

// (a^q + b^q)^(1/q) for q = 1, 2, 4; the maximum for 8.
double soft_max(double a, double b, int order) {
  switch (order) {
    case 1:
      return a + b;
    case 2:
      return std::sqrt(a * a + b * b);
    case 4:
      return std::sqrt(std::sqrt(a * a * a * a + b * b * b * b));
    default:
      return std::max(a, b);
  }
}

// Knobs as shares of their maxima (1 where absent), cores as they are.
struct Knobs {
  double cores, cpu, gpu, mem, batch;
};

std::pair<double, double> evaluate(const Draw& d, const Knobs& k) {
  const double work = std::pow(k.batch, d.batch_fill);
  const double mem_rate = soft_max(1 / k.mem, d.gpu_memory_reach / k.gpu, 4);
  const double compute = d.compute * work / k.gpu;
  const double memory = d.memory * work * mem_rate;
  const double gpu = soft_max(compute, memory, d.gpu_overlap);
  const double slow_memory = 1 + d.memory_latency * (1 / k.mem - 1) * 0.2;
  const double launch =
      d.launch / k.cpu * std::pow(4 / k.cores, d.launch_core_exponent) * slow_memory;
  const double serving = std::pow(std::min(k.cores, d.workers) / 4, d.core_exponent);
  const double load = d.load * k.batch / (k.cpu * serving) * slow_memory;
  const double time =
      d.host / k.cpu + soft_max(soft_max(gpu, launch, d.launch_overlap), load, d.load_overlap);
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
  // The shares of a draw hold at the middle of the batches.
  knobs.batch = batches.empty() ? 1 : batch / std::sqrt(batches.front() * batches.back());
  return knobs;
}

// Log time of every draw at a point, then log power of every draw.
void evaluate_all(const std::vector<Draw>& draws, const Knobs& knobs, Eigen::VectorXd& time,
                  Eigen::VectorXd& power) {
  for (std::size_t s = 0; s < draws.size(); ++s) {
    const auto [t, p] = evaluate(draws[s], knobs);
    time[static_cast<Eigen::Index>(s)] = t;
    power[static_cast<Eigen::Index>(s)] = p;
  }
}

// Principal directions of the draws over a sample of points (rows).
struct Basis {
  Eigen::VectorXd level;       // average of each draw over the sample
  Eigen::MatrixXd directions;  // draws x rank
};

Basis make_basis(const Eigen::MatrixXd& values, int rank) {
  Basis basis;
  basis.level = values.colwise().mean().transpose();
  Eigen::MatrixXd centred = values.rowwise() - basis.level.transpose();
  centred.colwise() -= centred.rowwise().mean().eval();
  const Eigen::MatrixXd gram = centred.transpose() * centred;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram);
  const auto draws = static_cast<double>(values.cols());
  basis.directions = solver.eigenvectors().rightCols(rank).rowwise().reverse() / std::sqrt(draws);
  return basis;
}

void resize(FunctionPrior& prior, std::size_t points, int rank) {
  prior.mean.resize(points);
  prior.features.assign(static_cast<std::size_t>(rank), std::vector<float>(points));
}

void project(const Basis& basis, const Eigen::VectorXd& values, std::size_t index,
             FunctionPrior& prior) {
  Eigen::VectorXd centred = values - basis.level;
  const double mean = centred.mean();
  prior.mean[index] = static_cast<float>(mean);
  centred.array() -= mean;
  const Eigen::VectorXd features = basis.directions.transpose() * centred;
  for (std::size_t f = 0; f < prior.features.size(); ++f) {
    prior.features[f][index] = static_cast<float>(features[static_cast<Eigen::Index>(f)]);
  }
}

}  // namespace

StructurePrior make_structure_prior(const SearchSpace& space, int draws, int rank) {
  Random random(kSeed);
  std::vector<Draw> family;
  for (int s = 0; s < draws; ++s) family.push_back(draw_model(random));

  const std::size_t sample = std::min(kCovariancePoints, space.size());
  Eigen::MatrixXd times(static_cast<Eigen::Index>(sample), draws);
  Eigen::MatrixXd powers(static_cast<Eigen::Index>(sample), draws);
  parallel_for(sample, [&](std::size_t i) {
    Eigen::VectorXd time(draws), power(draws);
    evaluate_all(family, knobs_of(space, i * space.size() / sample), time, power);
    times.row(static_cast<Eigen::Index>(i)) = time;
    powers.row(static_cast<Eigen::Index>(i)) = power;
  });
  const Basis time_basis = make_basis(times, rank);
  const Basis power_basis = make_basis(powers, rank);

  StructurePrior prior;
  resize(prior.log_time, space.size(), rank);
  resize(prior.log_power, space.size(), rank);
  constexpr std::size_t kBlock = 256;
  parallel_for((space.size() + kBlock - 1) / kBlock, [&](std::size_t block) {
    Eigen::VectorXd time(draws), power(draws);
    const std::size_t end = std::min(space.size(), (block + 1) * kBlock);
    for (std::size_t i = block * kBlock; i < end; ++i) {
      evaluate_all(family, knobs_of(space, i), time, power);
      project(time_basis, time, i, prior.log_time);
      project(power_basis, power, i, prior.log_power);
    }
  });
  return prior;
}

}  // namespace ridgewatt
