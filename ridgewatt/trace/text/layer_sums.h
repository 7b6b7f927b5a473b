// Adds up kernels by the layer to which they belong.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/trace/layer_trace.h"

namespace ridgewatt::trace {

class LayerSums {
 public:
  // Returns the layer of this name, created at its first kernel. The reference is valid until the
  // next call. Throws InputError for more than a million layers.
  TracedLayer& of(const std::string& name) {
    const auto [found, fresh] = index_.emplace(name, layers_.size());
    if (fresh) {
      if (layers_.size() >= kMostLayers) throw InputError("has more than a million layers", name);
      layers_.push_back({.name = name});
    }
    return layers_[found->second];
  }
  // Divides all sums by the number of runs and moves the layers and their total into `trace`.
  void finish(double runs, LayerTrace& trace) {
    trace.runs = runs;
    for (TracedLayer& layer : layers_) {
      for (double* sum :
           {&layer.time_s, &layer.calls, &layer.kernels, &layer.launch_s, &layer.gap_s}) {
        *sum /= runs;
      }
      trace.total_s += layer.time_s;
    }
    trace.layers = std::move(layers_);
  }

 private:
  static constexpr std::size_t kMostLayers = std::size_t{1} << 20;
  std::vector<TracedLayer> layers_;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace ridgewatt::trace
