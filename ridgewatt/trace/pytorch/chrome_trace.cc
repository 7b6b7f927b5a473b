#include "ridgewatt/trace/pytorch/chrome_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/trace/pytorch/operator_shape.h"
#include "ridgewatt/trace/text/fields.h"
#include "ridgewatt/trace/text/kernel_line.h"
#include "ridgewatt/trace/text/layer_sums.h"
#include "ridgewatt/trace/text/stated_runs.h"

namespace ridgewatt::trace {
namespace {

constexpr std::size_t kMostEvents = std::size_t{1} << 24;  // kernels, operators or launches
constexpr double kUs = 1e-6;
constexpr std::int64_t kNone = -1;

// "aten::conv2d (32x3x224x224, 64x3x7x7)". An operator on other shapes is another layer.
std::string layer_name(const std::string& op, const Json& args) {
  const Json* dims = find_field(args, "Input Dims");
  if (dims == nullptr || !dims->is_array() || dims->empty()) return op;
  std::string shapes;
  for (const Json& shape : *dims) {
    if (!shape.is_array() || shape.empty()) continue;
    std::string extents;
    for (const auto extent : whole_numbers(&shape)) {
      extents += fmt::format("{}{}", extents.empty() ? "" : "x", extent);
    }
    shapes += (shapes.empty() ? "" : ", ") + extents;
  }
  return shapes.empty() ? op : op + " (" + shapes + ")";
}

// True for a name such as "Memcpy HtoD (Pageable -> Device)".
bool is_host_copy(const std::string& name) {
  return name.find("HtoD") != std::string::npos || name.find("DtoH") != std::string::npos;
}

class ChromeEvents {
 public:
  explicit ChromeEvents(std::string name) : name_(std::move(name)) {}

  void add(const Json& event) {
    if (text_field(event, "ph") != "X") return;
    const std::string category = text_field(event, "cat");
    if (category == "kernel" || category == "Kernel") {
      add_kernel(event, false);
    } else if (category == "gpu_memcpy" || category == "gpu_memset" || category == "Memcpy" ||
               category == "Memset") {
      add_kernel(event, true);
    } else if (category == "cpu_op" || category == "Operator") {
      add_operator(event);
    } else if (category == "cuda_runtime" || category == "cuda_driver" || category == "Runtime") {
      const std::int64_t correlation = id_of(event, "correlation");
      if (correlation == kNone) return;
      bounded(launches_)[correlation] = {duration_us(event), operator_of(event)};
    } else if (category == "user_annotation") {
      const std::string step = text_field(event, "name");
      if (step.starts_with("ProfilerStep#")) bounded(steps_).insert(step);
    }
  }

  LayerTrace finish(const TraceOptions& options) {
    std::sort(kernels_.begin(), kernels_.end(),
              [](const KernelRun& a, const KernelRun& b) { return a.begin_us < b.begin_us; });
    KernelLine line;
    LayerSums sums;
    const double origin_us = kernels_.empty() ? 0 : kernels_.front().begin_us;
    for (const KernelRun& kernel : kernels_) {
      const double begin_s = (kernel.begin_us - origin_us) * kUs;
      const double idle_s = line.add(begin_s, begin_s + kernel.duration_us * kUs);
      if (!kernel.copy) {
        add_up(kernel, idle_s, line, sums);
      } else if (is_host_copy(names_[kernel.name])) {
        line.add_copy(kernel.duration_us * kUs);
      }
    }
    LayerTrace trace;
    trace.source = TraceSource::kPytorch;
    sums.finish(runs_of(options, static_cast<double>(steps_.size())), trace);
    if (trace.layers.empty()) {
      throw InputError("has no CUDA kernels", name_,
                       "record with activities CPU and CUDA, and with record_shapes=True");
    }
    trace.gaps = line.gaps();
    if (orphans_ > 0) {
      trace.remarks.push_back(fmt::format("of no recorded operator and listed by kernel: {}",
                                          counted(orphans_, "kernel")));
    }
    return trace;
  }

 private:
  struct KernelRun {
    double begin_us, duration_us;
    std::int64_t operator_id, correlation;
    std::uint32_t name;
    bool copy;
  };

  struct Launch {
    double duration_us;
    std::int64_t operator_id;
  };
  struct Operator {
    std::uint32_t layer;
    bool seen;  // one of its kernels was already counted
  };

  void add_up(const KernelRun& kernel, double idle_s, KernelLine& line, LayerSums& sums) {
    const auto launch = launches_.find(kernel.correlation);
    const bool launched = launch != launches_.end();
    // The launching call states the operator of a kernel. Depending on PyTorch's version, the
    // kernel's own id is that of the same operator, of another one or missing.
    auto op = operators_.find(launched ? launch->second.operator_id : kNone);
    if (op == operators_.end()) op = operators_.find(kernel.operator_id);
    const bool orphan = op == operators_.end();
    orphans_ += orphan;
    TracedLayer& layer = sums.of(names_[orphan ? kernel.name : op->second.layer]);
    if (!orphan && !op->second.seen) {
      if (layer.kernels == 0) layer.shape = shapes_[op->second.layer];
      layer.calls += layer.kernels > 0 ? 1 : 0;
      op->second.seen = true;
    }
    layer.time_s += kernel.duration_us * kUs;
    layer.kernels += 1;
    layer.gap_s += idle_s;
    if (!launched) return;
    layer.launch_s += launch->second.duration_us * kUs;
    line.add_launch(launch->second.duration_us * kUs);
  }

  template <class Events>
  Events& bounded(Events& events) const {
    if (events.size() >= kMostEvents) {
      throw InputError("has more than 16 million events of one kind", name_, "record fewer steps");
    }
    return events;
  }

  double sound_us(const Json& event, std::string_view field) const {
    const double us = number_field(event, field);
    if (!(us >= 0) || us > 1e18) {
      throw InputError("an event has no valid \"ts\" and \"dur\"", name_);
    }
    return us;
  }
  double duration_us(const Json& event) const { return sound_us(event, "dur"); }

  static std::int64_t id_of(const Json& event, std::string_view name) {
    const Json* args = find_field(event, "args");
    const Json* id = args == nullptr ? nullptr : find_field(*args, name);
    return id == nullptr ? kNone : whole_number(*id, kNone);
  }
  static std::int64_t operator_of(const Json& event) {
    const std::int64_t id = id_of(event, "External id");
    return id != kNone ? id : id_of(event, "external id");  // older traces
  }

  std::uint32_t intern(const std::string& text) {
    const auto [found, fresh] = known_.emplace(text, static_cast<std::uint32_t>(names_.size()));
    if (fresh) {
      if (names_.size() >= kMostNames)
        throw InputError("has too many different names of kernels", name_);
      names_.push_back(text);
      shapes_.emplace_back();
    }
    return found->second;
  }

  void add_kernel(const Json& event, bool copy) {
    bounded(kernels_).push_back({sound_us(event, "ts"), duration_us(event), operator_of(event),
                                 id_of(event, "correlation"), intern(text_field(event, "name")),
                                 copy});
  }

  void add_operator(const Json& event) {
    const std::int64_t id = operator_of(event);
    if (id == kNone) return;
    const std::string op = text_field(event, "name");
    const Json* args = find_field(event, "args");
    const std::uint32_t layer = intern(layer_name(op, *args));
    if (!shapes_[layer]) shapes_[layer] = operator_shape(op, *args);
    bounded(operators_)[id] = {layer, false};
  }

  static constexpr std::size_t kMostNames = std::size_t{1} << 20;
  std::string name_;
  std::vector<KernelRun> kernels_;
  std::unordered_map<std::int64_t, Operator> operators_;
  std::unordered_map<std::int64_t, Launch> launches_;  // by correlation
  std::set<std::string> steps_;
  std::size_t orphans_ = 0;
  std::vector<std::string> names_;
  std::vector<std::optional<EngineLayer>> shapes_;
  std::unordered_map<std::string, std::uint32_t> known_;
};

}  // namespace

LayerTrace read_chrome_trace(ElementReader& reader, const std::string& name,
                             const TraceOptions& options) {
  ChromeEvents events(name);
  if (!reader.for_each("traceEvents", [&](const Json& event) { events.add(event); })) {
    throw InputError("has no \"traceEvents\"", name,
                     "give layer information of an engine with --layers, not with --profile");
  }
  return events.finish(options);
}

}  // namespace ridgewatt::trace
