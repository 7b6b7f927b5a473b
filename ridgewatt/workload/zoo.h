// Well-known architectures, built by our own code as ONNX models without weights. "zoo:resnet50"
// can be used instead of a model file. Batch ("batch"), sequence ("sequence", "past_sequence") and
// the side of a detector's images ("image") are symbols; the model's metadata contains their
// default values.
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
// Next to the file `model`, which holds `onnx`: the file of weights that runtimes want, a hole of
// zeros. Nothing where the model is a stream or a device. InputError: a shorter file is there.
void write_zoo_weights(const ZooEntry& entry, const std::string& onnx, const std::string& model);
// The names that find_zoo_entry() accepts, without "zoo:".
NameSet zoo_names();

// Throws NotFoundError "cannot read resnet50: .. did you mean zoo:resnet50?" if `path` does not
// exist and its file name, without the extension of a model file, is similar to one of `names`.
void suggest_zoo_model(const std::string& path, const NameSet& names);

}  // namespace ridgewatt::workload
