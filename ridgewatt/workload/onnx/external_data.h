// Where a model keeps weights outside its file: paths from the model are not trusted.
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
  // `folder`: of the model; empty when the model has none (it came from memory): then every
  // location counts as absent.
  explicit ExternalFolder(std::string folder) : folder_(std::move(folder)) {}

  // Checks that `bytes` at that place lie inside the model's folder, also through symbolic links,
  // and in the file if there is one. Returns false when there is no file. Throws InputError.
  bool check(const ExternalLocation& where, std::int64_t bytes);
  // The bytes themselves; only for small tensors, after check() said true.
  std::string read(const ExternalLocation& where, std::int64_t bytes) const;

 private:
  // Size of the file, or nothing when it is absent.
  std::optional<std::int64_t> file_size(const std::string& location) const;

  std::string folder_;
  std::map<std::string, std::optional<std::int64_t>> sizes_;  // by location, once checked
};

}  // namespace ridgewatt::workload
