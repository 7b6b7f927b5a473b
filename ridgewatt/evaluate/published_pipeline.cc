#include "ridgewatt/evaluate/published_pipeline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/published.h"
#include "ridgewatt/pipeline/simulate_pipeline.h"
#include "ridgewatt/twin/twin_model.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::evaluate {
namespace {

constexpr double kUnchanged = 0.06;
constexpr int kEpochs = 10;

// The twin scaled to the AGX Xavier, with `bandwidth` times the scaled DRAM bandwidth.
twin::Twin agx_twin(double bandwidth) {
  twin::Twin twin = twin::load_twin(load_board("agx-xavier"));
  twin.values[static_cast<std::size_t>(twin::TwinParam::kMemoryBandwidthShare)] *= bandwidth;
  return twin;
}

// The study's training step of a network on the AGX Xavier.
class AgxCompute {
 public:
  AgxCompute(const std::string& model, double bandwidth)
      : model_(agx_twin(bandwidth),
               std::make_shared<const workload::DeployedWorkload>(
                   model, workload::DeployOptions{.kind = WorkloadKind::kTraining}),
               twin::RunOptions{4, 0.0}, 16) {}
  double seconds(double cpu_mhz = 0, double gpu_mhz = 0, double mem_mhz = 0, int batch = 16) const {
    const PowerMode mode{0, hz_of_mhz(cpu_mhz), hz_of_mhz(gpu_mhz), hz_of_mhz(mem_mhz), ""};
    return model_({mode, batch}).pipe_s;
  }
  // Percent that a step changes when the memory clock doubles.
  double memory_change() const { return 100 * (seconds(0, 0, 2133) / seconds(0, 0, 1066) - 1); }
  double power_w() const { return model_({{}, 16}).power_w; }

 private:
  twin::TwinModel model_;
};

// The figures of the study by key.
class PublishedFigures {
 public:
  PublishedFigures() {
    CsvReader csv = open_published("training_pipeline.csv");
    const std::size_t key = csv.require_column("key"), device = csv.require_column("device"),
                      network = csv.require_column("network"), what = csv.require_column("what"),
                      unit = csv.require_column("unit"), before = csv.require_column("before"),
                      lo = csv.require_column("lo"), hi = csv.require_column("hi");
    const auto text = [&](std::size_t column) { return std::string(csv.field(column)); };
    while (csv.next()) {
      figures_[text(key)] = {text(device),
                             text(network),
                             text(what),
                             text(unit),
                             csv.field(before).empty() ? 0 : csv.number(before),
                             csv.number(lo),
                             csv.number(hi)};
    }
  }
  const PublishedFigure& operator[](const std::string& key) const {
    const auto found = figures_.find(key);
    if (found == figures_.end()) throw NotFoundError("no such published figure", key);
    return found->second;
  }
  double value(const std::string& key) const { return (*this)[key].lo; }
  double before(const std::string& key) const { return (*this)[key].before; }

 private:
  std::map<std::string, PublishedFigure> figures_;
};

class Evaluation {
 public:
  explicit Evaluation(std::uint64_t seed) : seed_(seed) {}

  PublishedPipeline run() {
    lenet_stalls();
    mobilenet_on_agx();
    mobilenet_on_nx();
    cpu_and_cores();
    compute_and_clocks();
    for (const auto& row : result_.rows) {
      if (!row.fitted.empty()) continue;
      ++result_.predicted;
      result_.direction_right += row.direction_right() ? 1 : 0;
      result_.within_quarter += row.error() <= 0.25 ? 1 : 0;
    }
    return result_;
  }

 private:
  double stall(pipeline::PipelineConfig config, int workers, int epoch) const {
    config.workers = workers;
    const pipeline::EpochCost cost = config.storage_cv > 0
                                         ? pipeline::simulate_epochs(config, epoch, seed_, kEpochs)
                                         : pipeline::epoch_cost(config, epoch);
    return cost.start_s + cost.stall_s;  // the study times epochs from end to end
  }
  void fit(const std::string& device, const std::string& network, const std::string& name,
           const std::string& unit, double value) {
    result_.parameters.push_back({device, network, name, unit, value});
  }
  // The row of a key; what it is a change from is published as `before`, here `predicted_before`.
  void add(const std::string& key, double predicted_before, double predicted,
           const std::string& fitted = "") {
    result_.rows.push_back({figures_[key], predicted_before, predicted, fitted});
  }
  void add(const std::string& key, double predicted, const std::string& fitted = "") {
    add(key, figures_.before(key), predicted, fitted);
  }

  pipeline::PipelineConfig lenet() const {
    pipeline::PipelineConfig config;  // MNIST lies in memory
    config.samples = figures_.value("lenet_samples");
    config.compute_s = figures_.before("lenet_gpu") / minibatches_of(config);
    return config;
  }
  pipeline::PipelineConfig mobilenet() const {
    pipeline::PipelineConfig config;  // GLD23k
    config.samples = figures_.value("mobilenet_samples");
    config.sample_bytes = figures_.value("mobilenet_bytes") / config.batch;
    config.storage = pipeline::find_storage("nvme");
    config.compute_s =
        (figures_.value("mobilenet_epoch") - figures_.value("mobilenet_later_nvme_w4")) /
        minibatches_of(config);
    config.storage_cv = 1;
    return config;
  }
  // The NX caches less than 6 % of the data.
  pipeline::PipelineConfig on_nx() const {
    pipeline::PipelineConfig nx = pipeline::with_cpu_speed(mobilenet_, nx_speed_);
    nx.compute_s = (figures_.value("mobilenet_nx_epoch") - figures_.value("mobilenet_nx_w8")) /
                   minibatches_of(nx);
    nx.cores = 6;
    nx.cache_bytes = figures_.value("mobilenet_nx_cached") * nx.samples * nx.sample_bytes;
    return nx;
  }
  static double minibatches_of(const pipeline::PipelineConfig& config) {
    return std::ceil(config.samples / config.batch);
  }

  // P and h of LeNet on the AGX; the CPUs of the other boards by how long they preprocess.
  void lenet_stalls() {
    lenet_ = lenet();
    lenet_.preprocess_s_per_sample = figures_.value("lenet_agx_w0") / lenet_.samples;
    fit("AGX", "LeNet", "preprocessing of a sample", "ms", lenet_.preprocess_s_per_sample * 1e3);
    add("lenet_agx_w0", stall(lenet_, 0, 1), "preprocessing");
    lenet_.hand_over_s = figures_.value("lenet_agx_w1") / minibatches_of(lenet_);
    fit("AGX", "LeNet", "hand-over of a minibatch", "ms", lenet_.hand_over_s * 1e3);
    add("lenet_agx_w1", stall(lenet_, 1, 1), "hand-over");
    for (const auto& [device, key] :
         {std::pair<std::string, std::string>{"NX", "lenet_nx"}, {"Nano", "lenet_nano"}}) {
      const double speed = figures_.value("lenet_agx_w0") / figures_.value(key + "_w0");
      if (device == "NX") nx_speed_ = speed;
      fit(device, "LeNet", "CPU speed over the AGX's", "1", speed);
      pipeline::PipelineConfig config = pipeline::with_cpu_speed(lenet_, speed);
      config.compute_s = lenet_.compute_s / speed;  // bound by launches, so by the CPU
      const double predicted_s = stall(config, 0, 1);
      add(key + "_w0", predicted_s, "CPU speed");
      add(key + "_w1", predicted_s, stall(config, 1, 1));
    }
  }

  // P from epoch 0 without workers on NVMe, h from later epochs.
  void mobilenet_on_agx() {
    mobilenet_ = mobilenet();
    const double minibatches = pipeline::epoch_cost(mobilenet_, 0).minibatches;
    mobilenet_.preprocess_s_per_sample =
        figures_.value("mobilenet_first_nvme_w0") / minibatches / mobilenet_.batch -
        mobilenet_.storage.read_s(mobilenet_.sample_bytes);
    fit("AGX", "MobileNet", "preprocessing of a sample", "ms",
        mobilenet_.preprocess_s_per_sample * 1e3);
    pipeline::PipelineConfig steady = mobilenet_;
    steady.storage_cv = 0;
    add("mobilenet_first_nvme_w0", stall(steady, 0, 0), "preprocessing");
    for (const std::string storage : {"sd", "hdd"}) {
      pipeline::PipelineConfig config = steady;
      config.storage = pipeline::find_storage(storage);
      add("mobilenet_first_" + storage + "_w0", stall(steady, 0, 0), stall(config, 0, 0));
    }
    mobilenet_.hand_over_s = figures_.value("mobilenet_later_nvme_w4") / minibatches;
    fit("AGX", "MobileNet", "hand-over of a minibatch", "ms", mobilenet_.hand_over_s * 1e3);
    mobilenet_.worker_slowdown = worker_slowdown_on_nx();
    const double first_s = stall(mobilenet_, 4, 0);
    const double later_s = stall(mobilenet_, 4, 1);
    add("mobilenet_later_nvme_w4", first_s, later_s, "hand-over");
    for (const std::string storage : {"sd", "hdd"}) {
      pipeline::PipelineConfig config = mobilenet_;
      config.storage = pipeline::find_storage(storage);
      add("mobilenet_later_" + storage + "_w4", later_s, stall(config, 4, 1));
    }
    add("mobilenet_first_nvme_w4", later_s, first_s);
    pipeline::PipelineConfig dropped = mobilenet_;
    dropped.cache_bytes = 0;
    add("mobilenet_dropped_w4", later_s, stall(dropped, 4, 1));
  }

  // What a worker takes over the main process, from the NX with one worker.
  double worker_slowdown_on_nx() const {
    pipeline::PipelineConfig nx = on_nx();
    double lo = 1;
    double hi = 4;
    for (int i = 0; i < 30; ++i) {
      nx.worker_slowdown = 0.5 * (lo + hi);
      (stall(nx, 1, 0) < figures_.value("mobilenet_nx_w1") ? lo : hi) = nx.worker_slowdown;
    }
    return nx.worker_slowdown;
  }

  void mobilenet_on_nx() {
    pipeline::PipelineConfig nx = on_nx();
    nx.worker_slowdown = mobilenet_.worker_slowdown;
    fit("NX", "MobileNet", "time of a worker over the main process", "1", nx.worker_slowdown);
    const double one_s = stall(nx, 1, 1);
    const double two_s = stall(nx, 2, 1);
    const double compute_s = pipeline::epoch_cost(nx, 1).compute_s;
    add("mobilenet_nx_w1", one_s, "worker time");
    add("mobilenet_nx_stall_w2", 100 * (two_s / one_s - 1));
    add("mobilenet_nx_end_w2", 100 * ((two_s + compute_s) / (one_s + compute_s) - 1));
    add("mobilenet_nx_w4", two_s, stall(nx, 4, 1));
    add("mobilenet_nx_w8", two_s, stall(nx, 8, 1));
    pipeline::PipelineConfig without = nx;
    without.cache_bytes = 0;
    add("mobilenet_nx_cache", stall(without, 1, 1), one_s);
  }

  void cpu_and_cores() {
    const auto change = [&](const pipeline::PipelineConfig& from,
                            const pipeline::PipelineConfig& to) {
      return 100 * (stall(to, 4, 1) / stall(from, 4, 1) - 1);
    };
    const auto cpu = [&](const pipeline::PipelineConfig& config) {
      return change(pipeline::with_cpu_speed(config, 1.2 / 2.1), config);
    };
    add("stall_cpu", 0.5 * (cpu(lenet_) + cpu(mobilenet_)));
    const auto two_cores = [&](pipeline::PipelineConfig config) {
      const pipeline::PipelineConfig eight = config;
      config.cores = 2;
      return change(eight, config);
    };
    add("lenet_cores", two_cores(lenet_));
    add("mobilenet_cores", two_cores(mobilenet_));
  }

  void compute_and_clocks() {
    const double resnet_change = figures_.value("resnet18_memory");
    double lo = 0.1;
    double hi = 1;
    for (int i = 0; i < 20; ++i) {
      const double middle = 0.5 * (lo + hi);
      (AgxCompute("zoo:resnet18_cifar", middle).memory_change() < resnet_change ? lo : hi) = middle;
    }
    fit("AGX", "ResNet-18", "DRAM bandwidth over the scaled twin's", "1", lo);
    const AgxCompute lenet("zoo:lenet5", lo);
    const AgxCompute resnet("zoo:resnet18_cifar", lo);
    const AgxCompute mobilenet("zoo:mobilenet_v3_gld", lo);
    const std::array<std::pair<std::string, const AgxCompute*>, 3> networks = {
        {{"lenet", &lenet}, {"resnet18", &resnet}, {"mobilenet", &mobilenet}}};
    for (const auto& [key, compute] : networks) {
      const double slow_s = figures_.before(key + "_gpu");
      add(key + "_gpu", slow_s * compute->seconds(0, 900) / compute->seconds(0, 670));
    }
    add("lenet_cpu", 100 * (lenet.seconds(2100) / lenet.seconds(1200) - 1));
    for (const auto& [key, compute] : networks) {
      add(key + "_memory", compute->memory_change(), compute == &resnet ? "DRAM bandwidth" : "");
    }
    const auto batch = [&](int b) { return mobilenet.seconds(0, 0, 0, b); };
    add("mobilenet_batch_8", batch(8) / batch(1));
    add("mobilenet_batch_16", batch(16) / batch(1));
    add("mobilenet_batch_32", batch(32) / batch(16));
    add("mobilenet_batch_128", batch(128) / batch(64));
    for (const auto& [key, compute] : networks) {
      add(key + "_baseload", 100 * figures_.value("baseload") / compute->power_w());
    }
  }

  std::uint64_t seed_;
  PublishedFigures figures_;
  double nx_speed_ = 1;
  pipeline::PipelineConfig lenet_;
  pipeline::PipelineConfig mobilenet_;
  PublishedPipeline result_;
};

int direction(double before, double after, const std::string& unit) {
  const double change = unit == "%" ? (after - before) / 100 : after / before - 1;
  return change > kUnchanged ? 1 : change < -kUnchanged ? -1 : 0;
}

}  // namespace

double PublishedRow::error() const {
  const double nearest = std::clamp(predicted, published.lo, published.hi);
  return std::abs(predicted - nearest) / std::abs(nearest);
}

bool PublishedRow::direction_right() const {
  const double value = 0.5 * (published.lo + published.hi);
  return direction(published.before, value, published.unit) ==
         direction(predicted_before, predicted, published.unit);
}

PublishedPipeline evaluate_published_pipeline(std::uint64_t seed) {
  return Evaluation(seed).run();
}

}  // namespace ridgewatt::evaluate
