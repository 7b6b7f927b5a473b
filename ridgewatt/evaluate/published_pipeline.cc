#include "ridgewatt/evaluate/published_pipeline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/evaluate/finding/setting.h"
#include "ridgewatt/io/published.h"
#include "ridgewatt/pipeline/simulate_pipeline.h"
#include "ridgewatt/pipeline/twin_pipeline.h"
#include "ridgewatt/twin/twin_model.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::evaluate {
namespace {

constexpr int kEpochs = 10;
constexpr double kNear = 0.25;
constexpr auto kTime = &pipeline::EpochCost::time_s;
constexpr auto kEnergy = &pipeline::EpochCost::energy_j;

// A mode of the study on the AGX Xavier, "a" to "n".
PowerMode mode_of_study(const std::string& name) {
  static const twin::Twin kTwin = twin::load_twin(load_board("agx-xavier"));
  Setting setting;
  setting.board = kTwin.board;
  set_word(setting, "mode", name, [](const std::string&) -> const twin::Twin& { return kTwin; });
  return setting.mode;
}

// The study's training step of a network on the twin of a board, in the mode of the study.
class StudyStep {
 public:
  StudyStep(const std::string& board, const PowerMode& mode, const std::string& model)
      : mode_(mode),
        model_(twin::load_twin(load_board(board)),
               std::make_shared<const workload::DeployedWorkload>(
                   model, workload::DeployOptions{.kind = WorkloadKind::kTraining}),
               twin::RunOptions{4, 0.0}, 16) {}
  double seconds(const PowerMode& mode, int batch = 16) const {
    return model_({mode, batch}).pipe_s;
  }
  double seconds(int batch) const { return seconds(mode_, batch); }
  // Change of the step time between two modes of the study, in percent.
  double change(const char* from, const char* to) const {
    return 100 * (seconds(mode_of_study(to)) / seconds(mode_of_study(from)) - 1);
  }
  double power_w() const { return model_({mode_, 16}).power_w; }
  // Share of a step during which kernels run.
  double gpu_busy(int batch) const {
    const twin::Breakdown at = model_.estimator(batch).breakdown(mode_);
    return at.gpu_load * at.total.period_s / at.total.pipe_s;
  }
  // Adds the power of the board to `config`.
  pipeline::PipelineConfig with_power(pipeline::PipelineConfig config) const {
    const pipeline::PipelineConfig known = pipeline::on_twin(config, model_, mode_);
    config.base_w = known.base_w;
    config.compute_w = known.compute_w;
    config.core_w = known.core_w;
    return config;
  }

 private:
  PowerMode mode_;
  twin::TwinModel model_;
};

// The published figures of the study by key.
class PublishedFigures {
 public:
  PublishedFigures() {
    CsvReader csv = open_published("training_pipeline.csv");
    const auto text = [&](const char* name) {
      return std::string(csv.field(csv.require_column(name)));
    };
    const auto number = [&](const char* name) { return csv.number(csv.require_column(name)); };
    while (csv.next()) {
      figures_[text("key")] = {text("device"),
                               text("network"),
                               text("quantity"),
                               text("knob"),
                               text("what"),
                               text("unit"),
                               text("before").empty() ? 0 : number("before"),
                               number("lo"),
                               number("hi"),
                               text("twin") == "yes"};
    }
  }
  const PublishedFigure& operator[](const std::string& key) const {
    const auto found = figures_.find(key);
    if (found == figures_.end())
      throw NotFoundError("the file of published figures has no figure of this name", key);
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
    pipelining();
    score();
    return result_;
  }

 private:
  // Cost of a complete epoch, including the start, as measured in the study.
  pipeline::EpochCost epoch_of(pipeline::PipelineConfig config, int workers, int epoch) const {
    config.workers = workers;
    pipeline::EpochCost cost = config.storage_cv > 0
                                   ? pipeline::simulate_epochs(config, epoch, seed_, kEpochs)
                                   : pipeline::epoch_cost(config, epoch);
    cost.time_s += cost.start_s;
    cost.stall_s += cost.start_s;
    cost.energy_j += config.base_w * cost.start_s;
    return cost;
  }
  double stall(const pipeline::PipelineConfig& config, int workers, int epoch) const {
    return epoch_of(config, workers, epoch).stall_s;
  }
  void fit(const std::string& device, const std::string& network, const std::string& name,
           const std::string& unit, double value) {
    result_.parameters.push_back({device, network, name, unit, value});
  }
  // Adds a row. If the figure is a change, `before` is the published start value and
  // `predicted_before` the predicted one.
  void add(const std::string& key, double predicted_before, double predicted,
           const std::string& fitted = "") {
    result_.rows.push_back({figures_[key], predicted_before, predicted, fitted});
  }
  void add(const std::string& key, double predicted, const std::string& fitted = "") {
    add(key, figures_.before(key), predicted, fitted);
  }

  pipeline::PipelineConfig lenet() const {
    pipeline::PipelineConfig config;  // MNIST is in memory
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
  static double minibatches_of(const pipeline::PipelineConfig& config) {
    return std::ceil(config.samples / config.batch);
  }

  // Fits preprocessing and hand-over of LeNet on the AGX, and the CPU speeds of the other boards
  // from their preprocessing. A hand-over consists of wake-ups and system calls, which depend more
  // on the clock than on the width of the core.
  void lenet_stalls() {
    lenet_ = lenet();
    lenet_.preprocess_s_per_sample = figures_.value("lenet_agx_w0") / lenet_.samples;
    fit("AGX", "LeNet", "preprocessing of a sample", "ms", lenet_.preprocess_s_per_sample * 1e3);
    add("lenet_agx_w0", stall(lenet_, 0, 1), "preprocessing");
    lenet_.hand_over_s = figures_.value("lenet_agx_w1") / minibatches_of(lenet_);
    fit("AGX", "LeNet", "hand-over of a minibatch", "ms", lenet_.hand_over_s * 1e3);
    add("lenet_agx_w1", stall(lenet_, 1, 1), "hand-over");
    for (const auto& [device, key, board] : {std::tuple{"NX", "lenet_nx", &nx_board_},
                                             std::tuple{"Nano", "lenet_nano", &nano_board_}}) {
      const std::string name = key;
      const double speed = figures_.value("lenet_agx_w0") / figures_.value(name + "_w0");
      fit(device, "LeNet", "CPU speed over the AGX's", "1", speed);
      pipeline::PipelineConfig config = pipeline::with_cpu_speed(lenet_, speed);
      config.hand_over_s =
          lenet_.hand_over_s * agx_board_.mode.cpu_clock_hz / board->mode.cpu_clock_hz;
      config.compute_s = lenet_.compute_s / speed;  // limited by launches, so by the CPU
      config.cores = board->mode.cpu_cores;
      const double predicted_s = stall(config, 0, 1);
      add(name + "_w0", predicted_s, "CPU speed");
      add(name + "_w1", predicted_s, stall(config, 1, 1));
      config = StudyStep(board->name, board->mode, "zoo:lenet5").with_power(config);
      add(name + "_energy_w4", change_by_workers(config, 4, kEnergy));
      boards_end_change_ += change_by_workers(config, 1, kTime) / 3;
    }
  }

  // Fits preprocessing to epoch 0 without workers on NVMe, and the hand-over to later epochs.
  void mobilenet_on_agx() {
    mobilenet_ = mobilenet();
    const double minibatches = minibatches_of(mobilenet_);
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
    const double first_s = stall(mobilenet_, 4, 0);
    const double later_s = stall(mobilenet_, 4, 1);
    add("mobilenet_later_nvme_w4", first_s, later_s, "hand-over");
    for (const std::string storage : {"sd", "hdd"}) {
      pipeline::PipelineConfig config = mobilenet_;
      config.storage = pipeline::find_storage(storage);
      add("mobilenet_later_" + storage + "_w4", later_s, stall(config, 4, 1));
    }
    // The study examined the page cache with the hard disk.
    pipeline::PipelineConfig cold = mobilenet_;
    cold.storage = pipeline::find_storage("hdd");
    add("mobilenet_cold_hdd_w4", later_s, stall(cold, 4, 0));
    cold.cache_bytes = 0;
    add("mobilenet_dropped_hdd_w4", later_s, stall(cold, 4, 1));
  }

  // Fits preprocessing of MobileNet on the NX with one worker. There, each epoch reads the data
  // again.
  void mobilenet_on_nx() {
    pipeline::PipelineConfig nx = mobilenet_;
    nx.storage = pipeline::find_storage("hdd");
    nx.hand_over_s *= agx_board_.mode.cpu_clock_hz / nx_board_.mode.cpu_clock_hz;
    nx.compute_s = (figures_.value("mobilenet_nx_epoch") - figures_.value("mobilenet_nx_w8")) /
                   minibatches_of(nx);
    nx.cores = nx_board_.mode.cpu_cores;
    nx.cache_bytes = figures_.value("mobilenet_nx_cached") * nx.samples * nx.sample_bytes;
    double lo = 0.5 * mobilenet_.preprocess_s_per_sample;
    double hi = 16 * lo;
    for (int i = 0; i < 30; ++i) {
      nx.preprocess_s_per_sample = 0.5 * (lo + hi);
      (stall(nx, 1, 1) < figures_.value("mobilenet_nx_w1") ? lo : hi) = nx.preprocess_s_per_sample;
    }
    fit("NX", "MobileNet", "preprocessing of a sample", "ms", nx.preprocess_s_per_sample * 1e3);
    const pipeline::EpochCost one = epoch_of(nx, 1, 1);
    const pipeline::EpochCost two = epoch_of(nx, 2, 1);
    add("mobilenet_nx_w1", one.stall_s, "preprocessing");
    add("mobilenet_nx_stall_w2", 100 * (two.stall_s / one.stall_s - 1));
    add("mobilenet_nx_end_w2", 100 * (two.time_s / one.time_s - 1));
    add("mobilenet_nx_w4", two.stall_s, stall(nx, 4, 1));
    add("mobilenet_nx_w8", two.stall_s, stall(nx, 8, 1));
    add("mobilenet_nx_end_w1", change_by_workers(nx, 1, kTime));
    nx = StudyStep(nx_board_.name, nx_board_.mode, "zoo:mobilenet_v3_gld").with_power(nx);
    add("mobilenet_nx_energy_w4", change_by_workers(nx, 4, kEnergy));
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
    for (const auto& [key, config] : {std::pair{"lenet_cores", lenet_},
                                      {"mobilenet_cores", mobilenet_},
                                      {"resnet18_cores", resnet()}}) {
      pipeline::PipelineConfig two = config;
      two.cores = 2;
      add(key, change(config, two));
    }
  }

  void compute_and_clocks() {
    const StudyStep lenet = on_agx("zoo:lenet5");
    const StudyStep resnet = on_agx("zoo:resnet18_cifar");
    const StudyStep mobilenet = on_agx("zoo:mobilenet_v3_gld");
    const std::array<std::pair<std::string, const StudyStep*>, 3> networks = {
        {{"lenet", &lenet}, {"resnet18", &resnet}, {"mobilenet", &mobilenet}}};
    for (const auto& [key, step] : networks) {
      add(key + "_gpu", figures_.before(key + "_gpu") * (1 + step->change("b", "c") / 100));
    }
    add("lenet_cpu", lenet.change("d", "e"));
    add("lenet_cores_compute", lenet.change("e", "f"));
    for (const auto& [key, step] : networks) add(key + "_memory", step->change("h", "g"));
    const auto ratio = [&](int from, int to) {
      return mobilenet.seconds(to) / mobilenet.seconds(from);
    };
    add("mobilenet_batch_8", ratio(1, 8));
    add("mobilenet_batch_16", ratio(1, 16));
    add("mobilenet_batch_32", ratio(16, 32));
    add("mobilenet_batch_128", ratio(64, 128));
    add("lenet_busy", 100 * lenet.gpu_busy(128));
    add("mobilenet_busy", 100 * mobilenet.gpu_busy(16));
    for (const auto& [key, step] : networks) {
      add(key + "_baseload", 100 * figures_.value("baseload") / step->power_w());
    }
  }

  // Figure 2: energy with four workers. The number of workers for the times is not published; one
  // is assumed.
  void pipelining() {
    add("resnet18_end_w1", change_by_workers(resnet(), 1, kTime));
    add("lenet_end_w1", boards_end_change_ + change_by_workers(lenet_, 1, kTime) / 3);
    pipeline::PipelineConfig mobilenet = on_agx("zoo:mobilenet_v3_gld").with_power(mobilenet_);
    mobilenet.storage = pipeline::find_storage("hdd");
    add("mobilenet_end_w1", change_by_workers(mobilenet, 1, kTime));
    add("lenet_energy_w4", change_by_workers(on_agx("zoo:lenet5").with_power(lenet_), 4, kEnergy));
    add("mobilenet_energy_w4", change_by_workers(mobilenet, 4, kEnergy));
  }
  // Change of a later epoch from no workers to `workers`, in percent.
  double change_by_workers(const pipeline::PipelineConfig& config, int workers,
                           double pipeline::EpochCost::*what) const {
    return 100 * (epoch_of(config, workers, 1).*what / (epoch_of(config, 0, 1).*what) - 1);
  }
  // ResNet-18 on CIFAR-10. The images are as small as LeNet's and are loaded in the same way.
  pipeline::PipelineConfig resnet() const {
    pipeline::PipelineConfig config = lenet_;
    config.samples = figures_.value("resnet18_samples");
    config.compute_s =
        figures_.value("resnet18_epoch") / minibatches_of(config) - config.hand_over_s;
    return config;
  }

  void score() {
    result_.scores = {score_of("all")};
    for (const auto& row : result_.rows) {
      const auto same = [&](const auto& score) { return score.quantity == row.published.quantity; };
      if (std::none_of(result_.scores.begin(), result_.scores.end(), same)) {
        result_.scores.push_back(score_of(row.published.quantity));
      }
    }
  }
  PipelineScore score_of(const std::string& quantity) const {
    PipelineScore score{quantity};
    std::vector<double> errors;
    for (const auto& row : result_.rows) {
      if (!row.scored() || (quantity != "all" && row.published.quantity != quantity)) continue;
      errors.push_back(row.error());
      score.within_quarter += row.error() <= kNear ? 1 : 0;
      score.outcome_within_quarter += row.outcome_error() <= kNear ? 1 : 0;
    }
    score.rows = static_cast<int>(errors.size());
    if (errors.empty()) return score;
    score.median_error = median(errors);
    score.worst_error = *std::max_element(errors.begin(), errors.end());
    return score;
  }

  struct StudyBoard {
    std::string name;
    PowerMode mode;
  };
  static StudyBoard board_in(const std::string& name, const std::string& preset) {
    return {name, find_preset(load_board(name), preset).mode};
  }
  StudyStep on_agx(const std::string& model) const {
    return StudyStep(agx_board_.name, agx_board_.mode, model);
  }

  std::uint64_t seed_;
  PublishedFigures figures_;
  // The highest modes with all cores.
  StudyBoard agx_board_ = board_in("agx-xavier", "MAXN");
  StudyBoard nx_board_ = board_in("xavier-nx", "MODE_15W_6CORE");
  StudyBoard nano_board_ = board_in("nano", "MAXN");
  pipeline::PipelineConfig lenet_;
  pipeline::PipelineConfig mobilenet_;
  double boards_end_change_ = 0;  // change of LeNet's epoch by one worker, mean of three boards
  PublishedPipeline result_;
};

}  // namespace

double PublishedRow::miss() const {
  return predicted - std::clamp(predicted, published.lo, published.hi);
}

double PublishedRow::error() const {
  return std::abs(miss() / std::clamp(predicted, published.lo, published.hi));
}

double PublishedRow::outcome_error() const {
  if (published.unit != "%" || published.quantity == "GPU busy" || published.knob.empty()) {
    return error();  // shares, not changes
  }
  const double nearest = std::clamp(predicted, published.lo, published.hi);
  return std::abs((100 + predicted) / (100 + nearest) - 1);
}

PublishedPipeline evaluate_published_pipeline(std::uint64_t seed) {
  return Evaluation(seed).run();
}

}  // namespace ridgewatt::evaluate
