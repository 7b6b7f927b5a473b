#include "ridgewatt/trace/engine_layers.h"

#include "ridgewatt/base/error.h"
#include "ridgewatt/trace/text/element_reader.h"
#include "ridgewatt/trace/text/fields.h"

namespace ridgewatt::trace {
namespace {

constexpr std::size_t kMostLayers = std::size_t{1} << 20;  // chosen: engines have thousands

std::vector<EngineTensor> tensors_of(const Json& layer, std::string_view key) {
  std::vector<EngineTensor> tensors;
  const Json* list = find_field(layer, key);
  if (list == nullptr || !list->is_array()) return tensors;
  for (const Json& entry : *list) {
    EngineTensor tensor{text_field(entry, "Name"), whole_numbers(find_field(entry, "Dimensions")),
                        text_field(entry, "Format/Datatype")};
    if (tensor.format.empty()) {
      tensor.format = text_field(entry, "Format") + " " + text_field(entry, "Datatype");
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

// "Weights": {"Type": "Half", "Count": 9408}
void read_stored(const Json& layer, std::string_view key, std::string& type, double& count) {
  const Json* stored = find_field(layer, key);
  if (stored == nullptr) return;
  type = text_field(*stored, "Type");
  const double number = number_field(*stored, "Count");
  if (number >= 0 && number < 1e18) count = number;
}

EngineLayer engine_layer(const Json& json) {
  EngineLayer layer;
  layer.name = text_field(json, "Name");
  layer.layer_type = text_field(json, "LayerType");
  layer.parameter_type = text_field(json, "ParameterType");
  layer.inputs = tensors_of(json, "Inputs");
  layer.outputs = tensors_of(json, "Outputs");
  layer.kernel = whole_numbers(find_field(json, "Kernel"));
  layer.window = whole_numbers(find_field(json, "WindowSize"));
  if (const Json* groups = find_field(json, "Groups")) layer.groups = whole_number(*groups, 1);
  if (const Json* maps = find_field(json, "OutMaps")) layer.out_maps = whole_number(*maps, 0);
  read_stored(json, "Weights", layer.weight_type, layer.weight_count);
  read_stored(json, "Bias", layer.bias_type, layer.bias_count);
  layer.tactic = text_field(json, "TacticName");
  layer.metadata = text_field(json, "Metadata");
  return layer;
}

EngineLayers read_from(TraceInput& input) {
  ElementReader reader(input, Quotes::kRaw);
  EngineLayers engine;
  const bool found = reader.for_each("Layers", [&](const Json& json) {
    if (engine.layers.size() >= kMostLayers) {
      throw InputError("has more than a million layers", input.name());
    }
    if (json.is_string()) {
      engine.layers.push_back({.name = json.get<std::string>()});
      return;
    }
    engine.layers.push_back(engine_layer(json));
    if (engine.layers.back().name.empty()) {
      throw InputError("a layer has no \"Name\"", input.name(),
                       "give a file that trtexec --exportLayerInfo wrote");
    }
    engine.detailed = engine.detailed || !engine.layers.back().layer_type.empty();
  });
  if (!found || engine.layers.empty()) {
    throw InputError("has no \"Layers\"", input.name(),
                     "give a file that trtexec --exportLayerInfo wrote");
  }
  return engine;
}

}  // namespace

EngineLayers read_engine_layers(const std::string& path) {
  TraceInput input(path);
  return read_from(input);
}

EngineLayers parse_engine_layers(std::string_view text, const std::string& name) {
  TraceInput input(text, name);
  return read_from(input);
}

}  // namespace ridgewatt::trace
