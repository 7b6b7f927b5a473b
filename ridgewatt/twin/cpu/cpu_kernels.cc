// The time of one kernel on a processor.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "ridgewatt/twin/cpu/cpu_timing.h"
#include "ridgewatt/twin/cpu_twin.h"
#include "ridgewatt/twin/twin_home.h"
#include "ridgewatt/workload/kernel_fusion.h"

namespace ridgewatt::twin {
namespace {

using C = CpuParam;
using workload::KernelCost;
using workload::OpClass;

// FP32 operations at the processor's peak that an operator computes per element, in addition to
// moving its data. Source: profiles of graphs of single operators, as for the priors.
struct OperatorWork {
  std::string_view ops;
  double per_output;
  double per_input = 0;
};
constexpr OperatorWork kOperatorWork[] = {
    {"Sigmoid|Tanh|QuickGelu|Sqrt|Where|Greater|Less|Equal", 25},
    {"Erf|LayerNormalization|SimplifiedLayerNormalization|GroupNormalization|"
     "InstanceNormalization|SkipLayerNormalization",
     60},
    {"Gelu|FastGelu", 150},
    {"Softmax|LogSoftmax", 40},
    {"Transpose", 40},
    {"QuantizeLinear", 25},
    {"DequantizeLinear", 12},
    {"Log|Elu|Selu|Celu|Sin|Cos|Mish", 380},
    {"Softplus", 2800},
    {"DepthToSpace|SpaceToDepth", 240},
    {"TopK|ArgMax|ArgMin", 0, 450},
    {"CumSum", 0, 500},
    {"NonMaxSuppression|NonZero|ScatterND|ScatterElements|GatherND|GatherElements", 500},
};

constexpr double kRowStart = 24;  // additional row positions per depthwise row

constexpr std::string_view kOneThread =
    "Concat|Split|Slice|Pad|Where|Tile|Cast|Gather|DepthToSpace|SpaceToDepth|BatchNormalization|"
    "InstanceNormalization|CumSum|Expand|Resize|Upsample|Identity|NonMaxSuppression|NonZero|"
    "Reformat|QuickGelu|DequantizeLinear";
// Seen: GRU runs on one thread of a processor with AVX-512, and on all threads with AVX2.
bool divides(const CpuTwin& twin, const workload::KernelCost& kernel) {
  const bool wide = twin.block_channels >= CpuInstructions{}.block_channels;
  return !kernel.strided && !workload::is_among(kernel.op, kOneThread) &&
         !(wide && kernel.op == "GRU");
}

// Factor on the time of a single-threaded kernel if other threads' caches hold part of its data.
constexpr double kFromOthers = 1.25;

// FP32 operations at the peak in kernels of 8-bit numbers. Source: profiles of single operators,
// with instructions for sums of products (VNNI, AVX-512) and without them (AVX2).
struct IntegerWork {
  double per_place;       // per position of the window that is copied before a product
  double per_place_wide;  // the same if the kernel needs no copy
  double per_tap;         // of a depthwise window
  double per_tap_wide;
  double per_sum;          // of a depthwise convolution
  double per_result;       // to scale and round a result
  double unsigned_weight;  // factor if both operands are unsigned
};
constexpr IntegerWork kWithDot = {1500, 1500, 21, 21, 42, 0, 1};
constexpr IntegerWork kWithoutDot = {400, 100, 12, 6.2, 20, 19, 1.5};

// Blocks of channels are computed four at a time. A rest of one to three blocks is less efficient,
// because the multiply-adds of one block wait for each other.
double block_overhead(double channels, double block) {
  constexpr std::array<double, 4> kRest = {0, 1.6, 2.1, 3};
  const double blocks = std::max(1.0, std::ceil(channels / block));
  const double rest = std::fmod(blocks, 4);
  const double cost = blocks - rest + kRest[static_cast<std::size_t>(rest)];
  return cost * block / std::max(channels, 1.0);
}

double weights_of(const workload::WorkloadCost& cost) {
  double bytes = 0;
  for (const auto& kernel : cost.kernels) bytes += kernel.weight_bytes;
  return bytes;
}

class KernelTimer {
 public:
  // `weights_bytes`: weights of the whole model. The weights that fit in the cache stay there for
  // the next run.
  KernelTimer(const CpuTwin& twin, const CpuRates& rates, double weights_bytes)
      : t_(twin),
        rates_(rates),
        weights_bytes_per_s_(stored_bandwidth(twin, rates, weights_bytes)) {}

  Work of(const KernelCost& kernel) const {
    switch (workload::contraction_of(kernel.op_class)) {
      case workload::Contraction::kConvolution:
      case workload::Contraction::kDepthwise:
        return convolution(kernel);
      case workload::Contraction::kProduct:
        return kernel.op_class == OpClass::kRecurrent ? recurrent(kernel) : product(kernel);
      case workload::Contraction::kNone:
        break;
    }
    return vector(kernel);
  }

 private:
  static bool is_integer(const KernelCost& kernel) { return kernel.work_int_op > kernel.work_flop; }
  static bool fills(double channels, double vector) {
    return channels > 0 && std::fmod(channels, vector) == 0;
  }
  const IntegerWork& integer_work() const { return t_.int8_products ? kWithDot : kWithoutDot; }
  double compute_s(const KernelCost& kernel, C param, double overhead) const {
    return overhead * 2 * kernel.macs / (t_[param] * rates_.flop_per_s);
  }
  // Scales the results of an 8-bit product. Activations are unsigned, and so are the weights of
  // most dynamically quantized models.
  double integer_product_s(const KernelCost& kernel) const {
    const bool both_unsigned = !(kernel.weight_bytes > 0) || kernel.op == "MatMulInteger";
    return compute_s(kernel, C::kInteger, both_unsigned ? integer_work().unsigned_weight : 1) +
           integer_work().per_result * kernel.output_elements / rates_.flop_per_s;
  }
  double weights_s(const KernelCost& kernel) const {
    return kernel.weight_bytes / (t_[C::kWeights] * weights_bytes_per_s_);
  }
  static double activations(const KernelCost& kernel) {
    return kernel.traffic_bytes() - kernel.weight_bytes;
  }
  double moved_s(double bytes, C param) const {
    return bytes / (t_[param] * mixed_bandwidth(rates_));
  }
  double blocks_s(const KernelCost& kernel) const {
    const double bytes = activations(kernel);
    return bytes / (t_[C::kBlocks] * bandwidth_of(rates_, bytes));
  }

  Work convolution(const KernelCost& kernel) const {
    constexpr double kShort = 10;  // additional multiply-adds per sum
    const double sum = std::max(kernel.reduction_length, 1.0);
    if (is_integer(kernel)) return integer_convolution(kernel);
    if (!kernel.blocks) return plain(kernel);
    const double memory = weights_s(kernel) + blocks_s(kernel);
    if (kernel.groups > 1 && kernel.output_channels <= 1) {
      const double row = std::max(kernel.row_length, 1.0);
      const double overhead = (1 + kRowStart / row) * padded(kernel.groups, t_.block_channels);
      return {compute_s(kernel, C::kDepthwise, overhead), memory};
    }
    const double channels = sum / std::max(kernel.window, 1.0);
    const double read =
        channels < t_.block_channels ? (sum + kShort) / sum : padded(channels, t_.block_channels);
    return {compute_s(kernel, C::kConvolution,
                      read * block_overhead(kernel.output_channels, t_.block_channels)),
            memory};
  }

  // ONNX Runtime reads the window in place if the channels fill its vectors. If not, it copies the
  // window, position by position and group by group, then multiplies.
  Work integer_convolution(const KernelCost& kernel) const {
    constexpr double kRead = 4, kWritten = 16;  // channels that fill vectors
    const IntegerWork& work = integer_work();
    const double memory = weights_s(kernel) + moved_s(activations(kernel), C::kVector);
    if (kernel.groups > 1 && kernel.output_channels <= 1) {
      const double tap = fills(kernel.groups, kWritten) ? work.per_tap_wide : work.per_tap;
      const double operations = kernel.output_elements * (work.per_sum + tap * kernel.window);
      return {operations / rates_.flop_per_s, memory};
    }
    const double channels = kernel.reduction_length / std::max(kernel.window, 1.0);
    const bool in_place =
        kernel.groups <= 1 && fills(channels, kRead) && fills(kernel.output_channels, kWritten);
    const double places = kernel.output_elements / std::max(kernel.output_channels, 1.0);
    const double place = in_place ? work.per_place_wide : work.per_place;
    const double unrolling = kernel.window > 1 ? places * kernel.window * place : 0;
    const double operations = unrolling + work.per_result * kernel.output_elements;
    return {compute_s(kernel, C::kInteger, 1) + operations / rates_.flop_per_s, memory};
  }

  // Unrolls the window, then multiplies, group by group.
  Work plain(const KernelCost& kernel) const {
    // A group of one channel is computed without vectors. Factor on the operations of eight
    // channels.
    constexpr double kAlone = 1.25, kEight = 8;
    if (kernel.groups > 1 && kernel.output_channels < t_.block_channels) {
      const double row = std::max(kernel.row_length, 1.0);
      const double overhead = kernel.output_channels <= 1
                                  ? kAlone * t_.block_channels / kEight * (1 + kRowStart / row)
                                  : 1;
      return {compute_s(kernel, C::kPlain, overhead),
              weights_s(kernel) + moved_s(activations(kernel), C::kVector)};
    }
    const double sum = std::max(kernel.reduction_length, 1.0);
    const double places = kernel.output_elements / std::max(kernel.output_channels, 1.0);
    const double unrolled = kernel.window > 1 ? 2 * kFloatBytes * sum * places : 0;
    // The unrolled part of the window stays in the cache.
    return {compute_s(kernel, C::kProduct, padded(places, t_.block_channels)),
            weights_s(kernel) + moved_s(activations(kernel), C::kVector) +
                unrolled / rates_.cache_bytes_per_s};
  }

  Work product(const KernelCost& kernel) const {
    constexpr double kShort = 12;
    constexpr double kPack = 60;  // FP32 operations to pack an operand, per element read
    const double sum = std::max(kernel.reduction_length, 1.0);
    const double rows = kernel.output_elements / std::max(kernel.output_channels, 1.0);
    if (kernel.weight_bytes > 0 && rows <= 1) {  // a single row waits for its weights
      return {0, weights_s(kernel) + moved_s(activations(kernel), C::kVector)};
    }
    double compute =
        is_integer(kernel)
            ? integer_product_s(kernel)
            : compute_s(kernel, C::kProduct,
                        (1 + kShort / sum) * padded(kernel.output_channels, t_.block_channels));
    if (!(kernel.weight_bytes > 0)) {
      compute += kPack * kernel.read_bytes / kFloatBytes / rates_.flop_per_s;
    }
    return {compute, weights_s(kernel) + blocks_s(kernel)};
  }

  // Reads the recurrent half of the weights again in each step, then applies the gates.
  Work recurrent(const KernelCost& kernel) const {
    constexpr double kGruGates = 3, kLstmGates = 4;
    constexpr double kPerGruGate = 380, kPerLstmGate = 160;  // FP32 operations per element
    double gates = 0;
    if (kernel.op == "GRU") gates = kGruGates * kPerGruGate;
    if (kernel.op == "LSTM") gates = kLstmGates * kPerLstmGate;
    const double gates_s = gates * kernel.output_elements / rates_.flop_per_s;
    const double steps = std::max(kernel.launches - 1, 1);  // of all directions
    const double step_bytes = kernel.weight_bytes / 2 / std::max(kernel.groups, 1.0);
    const double read = steps * step_bytes / (t_[C::kRecurrent] * bandwidth_of(rates_, step_bytes));
    const double compute = compute_s(kernel, C::kProduct, 1);
    const double both = std::hypot(read, compute);
    const double share = both > 0 ? squared(compute / both) : 0;
    return {both * share + gates_s, both * (1 - share)};
  }

  Work vector(const KernelCost& kernel) const {
    double operations = 0;
    for (const auto& row : kOperatorWork) {
      if (!workload::is_among(kernel.op, row.ops)) continue;
      operations =
          row.per_output * kernel.output_elements + row.per_input * kernel.read_bytes / kFloatBytes;
    }
    constexpr double kPerInteger = 15;
    if (is_integer(kernel)) operations = std::max(operations, kPerInteger * kernel.output_elements);
    if (kernel.op_class == OpClass::kPooling) {
      constexpr double kPerPlace = 5;
      operations = kPerPlace * kernel.window * kernel.output_elements;
    }
    if (kernel.op == "Resize" && kernel.work_flop > 0) operations = 280 * kernel.output_elements;
    if (kernel.strided) operations = 1900 * kernel.output_elements;
    if (kernel.op == "Pow" && !(kernel.weight_bytes > 0)) operations = 850 * kernel.output_elements;
    return {t_[C::kOperator] * operations / rates_.flop_per_s,
            moved_s(kernel.traffic_bytes(), C::kVector)};
  }

  const CpuTwin& t_;
  const CpuRates& rates_;
  double weights_bytes_per_s_ = 0;
};

}  // namespace

std::vector<CpuKernelTime> cpu_kernel_times(const CpuTwin& twin, const workload::WorkloadCost& cost,
                                            int threads) {
  const double weights_bytes = weights_of(cost);
  const bool tflite = cost.runtime == Runtime::kTfliteCpu;
  const auto work = [&](const KernelCost& kernel, int count) {
    const CpuRates& rates = twin.at(count);
    return tflite ? tflite_work(twin, rates, weights_bytes, kernel)
                  : KernelTimer(twin, rates, weights_bytes).of(kernel);
  };
  const double node_s = twin[tflite ? C::kTfliteNode : C::kNode];
  const double sync_s = twin[tflite ? C::kTfliteSync : C::kSync];
  std::vector<CpuKernelTime> times;
  times.reserve(cost.kernels.size());
  for (const auto& kernel : cost.kernels) {
    const Work alone = work(kernel, 1);
    CpuKernelTime time{alone.compute_s, alone.memory_s, node_s};
    const bool shares = tflite ? tflite_shares(kernel) : divides(twin, kernel);
    if (threads > 1 && !shares) {
      time.compute_s *= kFromOthers;
      time.memory_s *= kFromOthers;
    } else if (threads > 1) {
      const Work shared = work(kernel, threads);
      if (shared.sum() + sync_s < alone.sum()) {
        time = {shared.compute_s, shared.memory_s, node_s + sync_s};
      }
    }
    times.push_back(time);
  }
  return times;
}

double cpu_fixed_s(const CpuTwin& twin, Runtime runtime) {
  return twin[runtime == Runtime::kTfliteCpu ? C::kTfliteRun : C::kRun];
}

double cpu_run_s(const CpuTwin& twin, const workload::WorkloadCost& cost, int threads) {
  double total_s = cpu_fixed_s(twin, cost.runtime);
  for (const auto& time : cpu_kernel_times(twin, cost, threads)) total_s += time.total_s();
  return total_s;
}

double parameter_variance(const CpuTwin& twin, const CpuModel& modelled_s) {
  constexpr double kStep = 0.02;  // of a logarithm
  const double middle = std::log(modelled_s(twin));
  double variance = 0;
  CpuTwin moved = twin;
  for (std::size_t i = 0; i < kCpuParamCount; ++i) {
    moved.values[i] = twin.values[i] * std::exp(kStep);
    const double slope = (std::log(modelled_s(moved)) - middle) / kStep;
    variance += squared(slope * twin.log_sd[i]);
    moved.values[i] = twin.values[i];
  }
  return variance + squared(memory_sd(twin, modelled_s));
}

double memory_sd(const CpuTwin& twin, const CpuModel& modelled_s) {
  CpuTwin moved = twin;
  for (CpuRates& rates : moved.rates) rates.memory_bytes_per_s *= std::exp(-rates.memory_log_sd);
  return std::log(modelled_s(moved) / modelled_s(twin));
}

double cpu_variance(const CpuTwin& twin, const workload::WorkloadCost& cost, int threads) {
  const bool tflite = cost.runtime == Runtime::kTfliteCpu;
  return squared(tflite ? twin.error_tflite_time : twin.error_time) +
         parameter_variance(twin,
                            [&](const CpuTwin& moved) { return cpu_run_s(moved, cost, threads); });
}

CpuRun cpu_run(std::shared_ptr<const workload::WorkloadCost> cost, int threads, double time_s) {
  CpuRun run{cost->name, time_s, {}};
  run.modelled_s = [cost = std::move(cost), threads](const CpuTwin& twin) {
    return cpu_run_s(twin, *cost, threads);
  };
  return run;
}

}  // namespace ridgewatt::twin
