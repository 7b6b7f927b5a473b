#include "ridgewatt/answer/layers/layer_roofs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "ridgewatt/answer/layers/power_mean.h"
#include "ridgewatt/answer/layers/varying_clocks.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/sweep/mode_list.h"
#include "ridgewatt/twin/cpu_twin.h"
#include "ridgewatt/twin/runtime_twin.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::answer {
namespace {

constexpr double kBeyondPeak = 1.05;  // chosen: above the scatter of a layer's time

PowerMode one_mode(const Board& board, const std::string& text) {
  const auto modes = select_modes(board, text);
  if (modes.size() != 1) {
    throw UsageError("--mode must name exactly one power mode", text, "for example maxn");
  }
  if (!modes.front().governor.empty()) throw varying_clocks(modes.front());
  return modes.front();
}

// The twin of the trace's runtime. PyTorch eager if the trace does not name one, because power per
// operation and byte depends on the hardware alone.
twin::Twin runtime_twin(const Board& board, std::optional<Runtime> runtime) {
  const twin::Twin twin = twin::load_twin(board);
  return runtime ? twin::on_runtime(twin, *runtime, WorkloadKind::kInference) : twin;
}

// Whether the twin has fitted efficiencies for kernels of this runtime.
bool is_fitted(const Board& board, std::optional<Runtime> runtime) {
  if (!runtime) return false;
  if (is_eager(*runtime)) return true;
  const auto runtimes = twin::load_runtime_twins(board);
  return std::any_of(runtimes.begin(), runtimes.end(), [&](const twin::RuntimeTwin& known) {
    return known.runtime == *runtime && known.fitted();
  });
}

// Unknown work excludes a layer only if work may limit it: a contraction or an unknown class. All
// other layers are bound by memory.
bool has_roof(const MeasuredLayer& layer) {
  if (layer.kind == LayerKind::kNothing || !layer.traffic_bytes || !(layer.time_s > 0)) {
    return false;
  }
  const bool memory = layer.op_class != workload::OpClass::kOther &&
                      twin::roof_class_of(layer.op_class) == twin::RoofClass::kVector;
  return layer.work || layer.kind == LayerKind::kReformat || memory;
}

double flop_of(const MeasuredLayer& layer) {
  return layer.work ? layer.work->work_flop : 0;
}

// Activations may be in caches. No kernel exceeds the cache bandwidth or the measured FP32 peak.
twin::RoofCeiling processor_ceiling(const twin::CpuRates& rates, workload::Precision precision) {
  if (workload::arithmetic_of(precision) != Arithmetic::kFp32) {
    throw NotSupportedError("on a CPU only the FP32 roof is measured", "",
                            "use a layer trace in fp32");
  }
  return {Arithmetic::kFp32, rates.flop_per_s, rates.cache_bytes_per_s};
}

void add_ceiling(const twin::RoofCeiling& ceiling, LayersAnswer& answer) {
  const bool known =
      std::any_of(answer.ceilings.begin(), answer.ceilings.end(),
                  [&](const auto& other) { return other.arithmetic == ceiling.arithmetic; });
  if (!known) answer.ceilings.push_back(ceiling);
}

}  // namespace

void add_roofs(const LayersQuestion& question, LayersAnswer& answer) {
  if (question.device.empty()) return;
  const Board board = load_board(question.device);
  answer.board = board.name;
  answer.mode = one_mode(board, question.mode);
  const std::optional<twin::CpuTwin> processor =
      board.has_gpu() ? std::nullopt : std::optional(twin::read_cpu_twin(board));
  const bool reached = !processor && is_fitted(board, answer.runtime);
  const twin::Twin twin = processor ? twin::Twin{} : runtime_twin(board, answer.runtime);
  std::set<std::string> without;
  std::size_t faster = 0;                      // layers above the peak compute rate
  std::map<std::string, std::size_t> assumed;  // layers by a precision that no file states
  for (auto& layer : answer.layers) {
    if (!has_roof(layer)) continue;
    const twin::RoofClass roof = twin::roof_class_of(layer.op_class);
    try {
      const auto ceiling =
          processor ? processor_ceiling(processor->at(answer.mode.cpu_cores), layer.precision)
                    : twin::roof_ceiling(board, answer.mode, roof, layer.precision);
      add_ceiling(ceiling, answer);
      const double flop = flop_of(layer), bytes = *layer.traffic_bytes;
      layer.roof.emplace();
      if (flop > 0 && !layer.precision_known) ++assumed[std::string(name_of(layer.precision))];
      faster += flop > kBeyondPeak * ceiling.flop_per_s * layer.time_s;
      layer.roof->ceiling_s =
          std::max(flop / ceiling.flop_per_s, bytes / ceiling.bandwidth_bytes_per_s);
      if (flop > 0 && bytes > 0) {
        layer.roof->ceiling_flop_per_s = ceiling.attainable_flop_per_s(flop / bytes);
      }
      if (reached && flop + bytes > 0) {
        layer.roof->reached_s =
            twin::twin_roofline(twin, answer.mode, roof, layer.precision).time_s(flop, bytes);
      }
    } catch (const NotSupportedError&) {
      without.insert(std::string(name_of(layer.precision)));
    }
  }
  if (faster > 0) {
    answer.remarks.push_back(
        fmt::format("faster than the peak of {} in this mode: {}; check the board and the mode of "
                    "the profile",
                    board.name, counted(faster, "layer")));
  }
  for (const auto& [precision, layers] : assumed) {
    answer.remarks.push_back(
        fmt::format("the profile does not state the precision of {}, so the ceilings assume {}; "
                    "for TensorRT, --layers states it",
                    counted(layers, "layer"), precision));
  }
  for (const auto& precision : without) {
    answer.remarks.push_back(
        fmt::format("the peak rate of {} is not known for {}, so such layers have no roof",
                    board.name, precision));
  }
}

void add_energy(const LayersQuestion& question, LayersAnswer& answer) {
  if (!question.power.empty()) {
    answer.power_w = mean_power_w(question.power, question.power_channel);
    for (auto& layer : answer.layers) layer.energy_j = *answer.power_w * layer.time_s;
    answer.energy_provenance = Provenance::kMeasured;
    answer.remarks.push_back(
        "the energy of a layer is its time multiplied by the mean power of the run, because power "
        "samples are too slow to separate layers");
    return;
  }
  if (question.device.empty()) return;
  const Board board = load_board(question.device);
  if (!board.has_gpu()) return;  // the power of a processor is unknown
  const twin::Twin twin = runtime_twin(board, answer.runtime);
  answer.energy_provenance = Provenance::kModelled;
  for (auto& layer : answer.layers) {
    if (!layer.roof) continue;
    const auto roof = twin::twin_roofline(twin, answer.mode, twin::roof_class_of(layer.op_class),
                                          layer.precision);
    layer.energy_j = flop_of(layer) * roof.energy_per_flop_j +
                     *layer.traffic_bytes * roof.energy_per_byte_j +
                     layer.time_s * roof.static_power_w;
  }
  answer.remarks.push_back(
      "the energy of a layer is modelled: its measured time multiplied by the twin's power for its "
      "work and traffic; give measured power with --power");
}

}  // namespace ridgewatt::answer
