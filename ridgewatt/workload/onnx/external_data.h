// Weights of a model outside its file: paths in the model are untrusted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ridgewatt::workload {

// The entries of TensorProto.external_data.
struct ExternalLocation {
  std::string location;  // path relative to the model's folder
  std::int64_t offset = 0;
  std::optional<std::int64_t> length;
};

class ExternalFolder {
 public:
  // `folder`: that of the model; empty if the model was read from memory: then every location
  // counts as absent.
  explicit ExternalFolder(std::string folder) : folder_(std::move(folder)) {}

  // Checks that `bytes` at that place are inside the model's folder, also through symbolic links,
  // and inside the file if there is one. Returns false if there is no file. Throws InputError.
  bool check(const ExternalLocation& where, std::int64_t bytes);
  // The bytes themselves; only for small tensors, after check() returned true.
  std::string read(const ExternalLocation& where, std::int64_t bytes) const;

 private:
  // Size of the file; empty if it is absent.
  std::optional<std::int64_t> file_size(const std::string& location) const;

  std::string folder_;
  std::map<std::string, std::optional<std::int64_t>> sizes_;  // by location, once checked
};

}  // namespace ridgewatt::workload
