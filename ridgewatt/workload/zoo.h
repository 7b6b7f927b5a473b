// Well-known architectures as ONNX models without weights, built in code. "zoo:resnet50" can be
// used instead of a model file. The batch ("batch"), the sequence ("sequence", "past_sequence") and
// the side of a detector's images ("image") are symbols, with default values in the model's
// metadata.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/base/suggest.h"

namespace ridgewatt::workload {

struct ZooEntry {
  std::string_view name;
  std::string_view alias;        // another name; empty: none
  std::string_view description;  // architecture, input and source
  std::string (*build)();        // returns the bytes of an ONNX file
};

// All architectures, in the order in which they are listed.
std::span<const ZooEntry> zoo();

// Content of an architecture's weight file: zeros (a sparse file), or random numbers from -0.05 to
// 0.05. The weights are stored without gaps from the first byte on.
enum class ZooWeights { kZeros, kRandom };
constexpr auto enum_names(ZooWeights) {
  return named<ZooWeights>({{ZooWeights::kZeros, "zeros"}, {ZooWeights::kRandom, "random"}});
}
// Writes the model to the file `model` and its weights to that path with ".data", so that models in
// one folder keep their own weights. Writes no weights if `model` is a stream or a device. Throws
// InputError and writes nothing if the file of the weights exists with another size, unless it has
// the weights of a zoo model that is replaced.
void write_zoo_model(const ZooEntry& entry, const std::string& model,
                     ZooWeights weights = ZooWeights::kZeros, std::uint64_t seed = 1);

// True for "zoo:NAME", whether or not NAME exists.
bool is_zoo_name(std::string_view model);

// Finds the entry of "NAME" or "zoo:NAME". Throws NotFoundError with a suggestion or all names.
const ZooEntry& find_zoo_entry(std::string_view name);
// The names that find_zoo_entry() accepts, without "zoo:".
NameSet zoo_names();

// If `path` does not exist and its file name, without the extension of a model file, is similar to
// one of `names`, throws NotFoundError "cannot read resnet50: .. did you mean zoo:resnet50?".
void suggest_zoo_model(const std::string& path, const NameSet& names);

}  // namespace ridgewatt::workload
