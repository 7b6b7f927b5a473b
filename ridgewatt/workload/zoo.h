// Well-known architectures, built by our own code as ONNX models without weights. A model may be
// named "zoo:resnet50" wherever a model file may be given. Batch ("batch"), sequence
// ("sequence", "past_sequence") and the side of a detector's images ("image") are symbols; the
// model's metadata holds the values that they take when nobody binds them.
#pragma once

#include <span>
#include <string>
#include <string_view>

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

// True for "zoo:NAME", whether or not NAME exists.
bool is_zoo_name(std::string_view model);

// The entry of "NAME" or "zoo:NAME". Throws NotFoundError with a suggestion or all names.
const ZooEntry& find_zoo_entry(std::string_view name);
// What find_zoo_entry() understands, without "zoo:".
NameSet zoo_names();

// Throws NotFoundError "cannot read resnet50: .. did you mean zoo:resnet50?" where `path` does not
// exist and its file name, without the ending of a model file, is close to one of `names`.
void suggest_zoo_model(const std::string& path, const NameSet& names);

}  // namespace ridgewatt::workload
