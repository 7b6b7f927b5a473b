#include "ridgewatt/workload/onnx/external_data.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/input_files.h"

namespace ridgewatt::workload {
namespace {

namespace fs = std::filesystem;

bool lies_in(const fs::path& path, const fs::path& folder) {
  const auto [end, unused] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

[[noreturn]] void throw_outside(const std::string& location) {
  throw InputError("external data is outside the model's folder", escape_terminal(location),
                   "put the data into the folder of the model");
}

}  // namespace

std::optional<std::int64_t> ExternalFolder::file_size(const std::string& location) const {
  const fs::path relative(location);
  if (location.empty() || location.size() > 4096 || location.find('\0') != std::string::npos) {
    throw InputError("the location of external data is not a valid relative path",
                     escape_terminal(location));
  }
  const fs::path normal = relative.lexically_normal();
  if (relative.is_absolute() || *normal.begin() == "..") throw_outside(location);
  if (folder_.empty()) return std::nullopt;
  std::error_code error;
  const fs::path base = fs::canonical(folder_, error);
  if (error) return std::nullopt;
  const fs::path real = fs::weakly_canonical(base / normal, error);
  if (error || !lies_in(real, base)) throw_outside(location);
  const fs::file_status status = fs::status(real, error);
  if (!fs::exists(status)) return std::nullopt;
  if (!fs::is_regular_file(status)) {
    throw InputError("external data is not a regular file", escape_terminal(location));
  }
  const auto size = fs::file_size(real, error);
  if (error) return std::nullopt;
  note_input(real.string());
  return static_cast<std::int64_t>(size);
}

bool ExternalFolder::check(const ExternalLocation& where, std::int64_t bytes) {
  auto found = sizes_.find(where.location);
  if (found == sizes_.end()) {
    found = sizes_.emplace(where.location, file_size(where.location)).first;
  }
  if (where.offset < 0 || (where.length && *where.length != bytes)) {
    throw InputError("the length of external data does not fit its tensor",
                     escape_terminal(where.location));
  }
  if (!found->second) return false;
  if (where.offset > *found->second || bytes > *found->second - where.offset) {
    throw InputError("the file of external data is too short", escape_terminal(where.location),
                     "copy the file again");
  }
  return true;
}

std::string ExternalFolder::read(const ExternalLocation& where, std::int64_t bytes) const {
  std::ifstream file(fs::path(folder_) / where.location, std::ios::binary);
  std::string content(static_cast<std::size_t>(bytes), '\0');
  file.seekg(where.offset);
  file.read(content.data(), bytes);
  if (file.gcount() != bytes) {
    throw InputError("external data cannot be read", escape_terminal(where.location));
  }
  return content;
}

}  // namespace ridgewatt::workload
