// Well-known architectures, built by our own code as ONNX models without weights. "zoo:resnet50"
// can be used instead of a model file. Batch ("batch"), sequence ("sequence", "past_sequence") and
// the side of a detector's images ("image") are symbols; the model's metadata contains their
// default values.
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
  std::string_view alias;        // another name, or empty
  std::string_view description;  // architecture, input and source
  std::string (*build)();        // the bytes of an ONNX file
};

// All architectures, in the order in which they are listed.
std::span<const ZooEntry> zoo();

// Contents of an architecture's file of weights: zeros (a sparse file) or random numbers from -0.05
// to 0.05. All weights are stored from the first byte on.
enum class ZooWeights { kZeros, kRandom };
constexpr auto enum_names(ZooWeights) {
  return named<ZooWeights>({{ZooWeights::kZeros, "zeros"}, {ZooWeights::kRandom, "random"}});
}
// Writes NAME.onnx.data, the weights of the entry's model `onnx`, next to the model's file `model`.
// Nothing where that is a stream or a device. A file that is there and long enough stays if zeros
// are asked for; InputError for one that is too short.
void write_zoo_weights(const ZooEntry& entry, const std::string& onnx, const std::string& model,
                       ZooWeights weights = ZooWeights::kZeros, std::uint64_t seed = 1);

// True for "zoo:NAME", whether or not NAME exists.
bool is_zoo_name(std::string_view model);

// The entry of "NAME" or "zoo:NAME". Throws NotFoundError with a suggestion or all names.
const ZooEntry& find_zoo_entry(std::string_view name);
// The names that find_zoo_entry() accepts, without "zoo:".
NameSet zoo_names();

// Throws NotFoundError "cannot read resnet50: .. did you mean zoo:resnet50?" if `path` does not
// exist and its file name, without the extension of a model file, is similar to one of `names`.
void suggest_zoo_model(const std::string& path, const NameSet& names);

}  // namespace ridgewatt::workload
