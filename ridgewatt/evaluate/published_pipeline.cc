#include "ridgewatt/evaluate/published_pipeline.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/pipeline/simulate_pipeline.h"
#include "ridgewatt/twin/calibration_runs.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt {
namespace {

constexpr double kUnchanged = 0.06;
constexpr int kEpochs = 10;
constexpr double kBaseloadW = 7.5;  // of the AGX at MAXN, published

// The twin scaled to the AGX Xavier, with `bandwidth` times the scaled DRAM bandwidth.
Twin agx_twin(double bandwidth) {
  Twin twin = load_twin(load_board("agx-xavier"));
  twin.values[static_cast<std::size_t>(TwinParam::kMemoryBandwidthShare)] *= bandwidth;
  return twin;
}

// The study's training step of a network on the AGX Xavier.
class AgxCompute {
 public:
  AgxCompute(const std::string& model, double bandwidth)
      : eager_(model),
        model_(
            agx_twin(bandwidth),
            [this](int batch) {
              EagerOptions options;
              options.training = true;
              options.batch = batch;
              return eager_.cost(options);
            },
            RunOptions{4, 0.0}, 16) {}
  double seconds(double cpu_mhz = 0, double gpu_mhz = 0, double mem_mhz = 0, int batch = 16) const {
    const PowerMode mode{0, hz_of_mhz(cpu_mhz), hz_of_mhz(gpu_mhz), hz_of_mhz(mem_mhz), ""};
    return model_({mode, batch}).pipe_s;
  }
  // Percent that a step changes when the memory clock doubles.
  double memory_change() const { return 100 * (seconds(0, 0, 2133) / seconds(0, 0, 1066) - 1); }
  double power_w() const { return model_({{}, 16}).power_w; }

 private:
  EagerModel eager_;
  TwinModel model_;
};

PipelineConfig lenet() {
  PipelineConfig config;  // MNIST lies in memory
  config.samples = 60000;
  config.compute_s = 38.4 / 3750;  // measured
  return config;
}

PipelineConfig mobilenet() {
  PipelineConfig config;  // GLD23k
  config.samples = 23080;
  config.sample_bytes = 1.6e6 / 16;
  config.storage = find_storage("nvme");
  config.compute_s = (298 - 13.0) / 1443;  // measured
  config.storage_cv = 1;
  return config;
}

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
  double stall(PipelineConfig config, int workers, int epoch) const {
    config.workers = workers;
    const EpochCost cost = config.storage_cv > 0 ? simulate_epochs(config, epoch, seed_, kEpochs)
                                                 : epoch_cost(config, epoch);
    return cost.start_s + cost.stall_s;  // the study times epochs from end to end
  }
  void fit(const std::string& device, const std::string& network, const std::string& name,
           const std::string& unit, double value) {
    result_.parameters.push_back({device, network, name, unit, value});
  }
  void add(PublishedRow row) { result_.rows.push_back(std::move(row)); }

  // P and h of LeNet on the AGX; the CPUs of the other boards by how long they preprocess.
  void lenet_stalls() {
    lenet_ = lenet();
    lenet_.preprocess_s_per_sample = 22.0 / 60000;
    fit("AGX", "LeNet", "preprocessing of a sample", "ms", lenet_.preprocess_s_per_sample * 1e3);
    add({"AGX", "LeNet", "stall an epoch, w = 0", "s", 22, 22, 22, 22, stall(lenet_, 0, 1),
         "preprocessing"});
    lenet_.hand_over_s = 12.1 / 3750;
    fit("AGX", "LeNet", "hand-over of a minibatch", "ms", lenet_.hand_over_s * 1e3);
    add({"AGX", "LeNet", "stall an epoch, w = 1", "s", 22, 12.1, 12.1, 22, stall(lenet_, 1, 1),
         "hand-over"});
    for (const auto& [device, serial_s, worker_s] :
         {std::tuple{"NX", 33.8, 18.7}, {"Nano", 42.6, 17.2}}) {
      const double speed = 22.0 / serial_s;
      if (std::string(device) == "NX") nx_speed_ = speed;
      fit(device, "LeNet", "CPU speed over the AGX's", "1", speed);
      PipelineConfig config = with_cpu_speed(lenet_, speed);
      config.compute_s = lenet_.compute_s / speed;  // bound by launches, so by the CPU
      const double predicted_s = stall(config, 0, 1);
      add({device, "LeNet", "stall an epoch, w = 0", "s", serial_s, serial_s, serial_s, serial_s,
           predicted_s, "CPU speed"});
      add({device, "LeNet", "stall an epoch, w = 1", "s", serial_s, worker_s, worker_s, predicted_s,
           stall(config, 1, 1), ""});
    }
  }

  // P from epoch 0 without workers on NVMe, h from later epochs.
  void mobilenet_on_agx() {
    mobilenet_ = mobilenet();
    const double minibatches = epoch_cost(mobilenet_, 0).minibatches;
    mobilenet_.preprocess_s_per_sample =
        306 / minibatches / 16 - mobilenet_.storage.read_s(mobilenet_.sample_bytes);
    fit("AGX", "MobileNet", "preprocessing of a sample", "ms",
        mobilenet_.preprocess_s_per_sample * 1e3);
    PipelineConfig steady = mobilenet_;
    steady.storage_cv = 0;
    add({"AGX", "MobileNet", "stall of epoch 0 on NVMe, w = 0", "s", 306, 306, 306, 306,
         stall(steady, 0, 0), "preprocessing"});
    for (const auto& [name, published_s] : {std::pair{"sd", 485.0}, {"hdd", 741.0}}) {
      PipelineConfig config = steady;
      config.storage = find_storage(name);
      add({"AGX", "MobileNet", std::string("stall of epoch 0, w = 0, on ") + name, "s", 306,
           published_s, published_s, stall(steady, 0, 0), stall(config, 0, 0), ""});
    }
    mobilenet_.hand_over_s = 13.0 / minibatches;
    fit("AGX", "MobileNet", "hand-over of a minibatch", "ms", mobilenet_.hand_over_s * 1e3);
    // What a worker takes over the main process, from the NX with one worker (below).
    PipelineConfig nx = on_nx();
    double lo = 1;
    double hi = 4;
    for (int i = 0; i < 30; ++i) {
      nx.worker_slowdown = 0.5 * (lo + hi);
      (stall(nx, 1, 0) < 456 ? lo : hi) = nx.worker_slowdown;
    }
    mobilenet_.worker_slowdown = nx.worker_slowdown;
    const double first_s = stall(mobilenet_, 4, 0);
    const double later_s = stall(mobilenet_, 4, 1);
    add({"AGX", "MobileNet", "stall of later epochs on NVMe, w = 4", "s", 46.4, 13, 13, first_s,
         later_s, "hand-over"});
    for (const auto& [name, published_s] : {std::pair{"sd", 13.1}, {"hdd", 12.9}}) {
      PipelineConfig config = mobilenet_;
      config.storage = find_storage(name);
      add({"AGX", "MobileNet", std::string("stall of later epochs, w = 4, on ") + name, "s", 13,
           published_s, published_s, later_s, stall(config, 4, 1), ""});
    }
    add({"AGX", "MobileNet", "stall of epoch 0 on NVMe, w = 4", "s", 12.9, 46.4, 46.4, later_s,
         first_s, ""});
    PipelineConfig dropped = mobilenet_;
    dropped.cache_bytes = 0;
    add({"AGX", "MobileNet", "stall of later epochs, w = 4, cache dropped", "s", 12.9, 49.9, 49.9,
         later_s, stall(dropped, 4, 1), ""});
  }

  // The NX computes 555 s an epoch (measured) and caches less than 6 % of the data.
  PipelineConfig on_nx() const {
    PipelineConfig nx = with_cpu_speed(mobilenet_, nx_speed_);
    nx.compute_s = (576 - 21.0) / 1443;
    nx.cores = 6;
    nx.cache_bytes = 0.06 * nx.samples * nx.sample_bytes;
    return nx;
  }

  void mobilenet_on_nx() {
    PipelineConfig nx = on_nx();
    nx.worker_slowdown = mobilenet_.worker_slowdown;
    fit("NX", "MobileNet", "time of a worker over the main process", "1", nx.worker_slowdown);
    const double one_s = stall(nx, 1, 1);
    const double two_s = stall(nx, 2, 1);
    const double compute_s = epoch_cost(nx, 1).compute_s;
    add({"NX", "MobileNet", "stall an epoch, w = 1", "s", 456, 456, 456, 456, one_s,
         "worker time"});
    add({"NX", "MobileNet", "stall, w = 1 to 2", "%", 0, -67.3, -67.3, 0, 100 * (two_s / one_s - 1),
         ""});
    add({"NX", "MobileNet", "end-to-end, w = 1 to 2", "%", 0, -30.5, -30.5, 0,
         100 * ((two_s + compute_s) / (one_s + compute_s) - 1), ""});
    for (const int workers : {4, 8}) {
      add({"NX", "MobileNet", "stall an epoch, w = " + std::to_string(workers), "s", 149, 21, 21,
           two_s, stall(nx, workers, 1), ""});
    }
    PipelineConfig without = nx;
    without.cache_bytes = 0;
    add({"NX", "MobileNet", "later epochs with the page cache that is left, w = 1", "s", 456, 456,
         456, stall(without, 1, 1), one_s, ""});
  }

  void cpu_and_cores() {
    const auto change = [&](const PipelineConfig& from, const PipelineConfig& to) {
      return 100 * (stall(to, 4, 1) / stall(from, 4, 1) - 1);
    };
    const auto cpu = [&](const PipelineConfig& config) {
      return change(with_cpu_speed(config, 1.2 / 2.1), config);
    };
    add({"AGX", "all", "stall, CPU 1.2 to 2.1 GHz", "%", 0, -38.7, -31, 0,
         0.5 * (cpu(lenet_) + cpu(mobilenet_)), ""});
    const auto two_cores = [&](PipelineConfig config) {
      const PipelineConfig eight = config;
      config.cores = 2;
      return change(eight, config);
    };
    add({"AGX", "LeNet", "stall, 8 to 2 cores", "%", 0, 54.4, 54.4, 0, two_cores(lenet_), ""});
    add({"AGX", "MobileNet", "stall, 8 to 2 cores", "%", 0, 47, 47, 0, two_cores(mobilenet_), ""});
  }

  void compute_and_clocks() {
    static constexpr double kResnetMemoryChange = -25.8;
    double lo = 0.1;
    double hi = 1;
    for (int i = 0; i < 20; ++i) {
      const double middle = 0.5 * (lo + hi);
      (AgxCompute("zoo:resnet18", middle).memory_change() < kResnetMemoryChange ? lo : hi) = middle;
    }
    fit("AGX", "ResNet-18", "DRAM bandwidth over the scaled twin's", "1", lo);
    const AgxCompute lenet("zoo:lenet5", lo);
    const AgxCompute resnet("zoo:resnet18", lo);
    const AgxCompute mobilenet("zoo:mobilenet_v3_large", lo);
    for (const auto& [compute, network, slow_s, fast_s] :
         {std::tuple{&lenet, "LeNet", 38.4, 40.5},
          {&resnet, "ResNet-18", 632.0, 491.0},
          {&mobilenet, "MobileNet", 505.0, 441.0}}) {
      add({"AGX", network, "compute an epoch, GPU 670 to 900 MHz", "s", slow_s, fast_s, fast_s,
           slow_s, slow_s * compute->seconds(0, 900) / compute->seconds(0, 670), ""});
    }
    add({"AGX", "LeNet", "compute, CPU 1.2 to 2.1 GHz", "%", 0, -36.8, -36.8, 0,
         100 * (lenet.seconds(2100) / lenet.seconds(1200) - 1), ""});
    for (const auto& [compute, network, published] : {std::tuple{&lenet, "LeNet", -33.4},
                                                      {&resnet, "ResNet-18", kResnetMemoryChange},
                                                      {&mobilenet, "MobileNet", -28.0}}) {
      add({"AGX", network, "compute, memory 1066 to 2133 MHz", "%", 0, published, published, 0,
           compute->memory_change(), compute == &resnet ? "DRAM bandwidth" : ""});
    }
    const auto batch = [&](int b) { return mobilenet.seconds(0, 0, 0, b); };
    add({"AGX", "MobileNet", "compute of a minibatch, batch 1 to 8", "x", 1, 1.4, 1.4, 1,
         batch(8) / batch(1), ""});
    add({"AGX", "MobileNet", "compute of a minibatch, batch 1 to 16", "x", 1, 1.56, 1.56, 1,
         batch(16) / batch(1), ""});
    add({"AGX", "MobileNet", "compute of a minibatch, batch 16 to 32", "x", 1, 2, 2, 1,
         batch(32) / batch(16), ""});
    add({"AGX", "MobileNet", "compute of a minibatch, batch 64 to 128", "x", 1, 2, 2, 1,
         batch(128) / batch(64), ""});
    add({"AGX", "LeNet", "baseload's share of energy", "%", 0, 65, 80, 0,
         100 * kBaseloadW / lenet.power_w(), ""});
    add({"AGX", "ResNet-18", "baseload's share of energy", "%", 0, 20, 45, 0,
         100 * kBaseloadW / resnet.power_w(), ""});
    add({"AGX", "MobileNet", "baseload's share of energy", "%", 0, 20, 45, 0,
         100 * kBaseloadW / mobilenet.power_w(), ""});
  }

  std::uint64_t seed_;
  double nx_speed_ = 1;
  PipelineConfig lenet_;
  PipelineConfig mobilenet_;
  PublishedPipeline result_;
};

int direction(double before, double after, const std::string& unit) {
  const double change = unit == "%" ? (after - before) / 100 : after / before - 1;
  return change > kUnchanged ? 1 : change < -kUnchanged ? -1 : 0;
}

}  // namespace

double PublishedRow::error() const {
  const double nearest = std::clamp(predicted, lo, hi);
  return std::abs(predicted - nearest) / std::abs(nearest);
}

bool PublishedRow::direction_right() const {
  return direction(before, 0.5 * (lo + hi), unit) == direction(predicted_before, predicted, unit);
}

PublishedPipeline evaluate_published_pipeline(std::uint64_t seed) {
  return Evaluation(seed).run();
}

}  // namespace ridgewatt
