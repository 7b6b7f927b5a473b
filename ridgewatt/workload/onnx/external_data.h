// Checks and reads weights stored outside a model's file. Paths in the model are untrusted.
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
  // `folder` is the folder of the model. Empty if the model was read from memory: every location
  // then counts as absent.
  explicit ExternalFolder(std::string folder) : folder_(std::move(folder)) {}

  // Checks that `bytes` bytes at this location lie inside the model's folder, even through symbolic
  // links, and inside the file. Returns false if the file does not exist. Throws InputError if a
  // check fails.
  bool check(const ExternalLocation& where, std::int64_t bytes);
  // Reads the bytes. Use it only for small tensors, and after check() returned true.
  std::string read(const ExternalLocation& where, std::int64_t bytes) const;

 private:
  // Size of the file; empty if it does not exist.
  std::optional<std::int64_t> file_size(const std::string& location) const;

  std::string folder_;
  std::map<std::string, std::optional<std::int64_t>> sizes_;  // by location; filled by check()
};

}  // namespace ridgewatt::workload
