// A file's bytes without reading them: pages that nobody looks at are never loaded.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ridgewatt::workload {

class MappedFile {
 public:
  // Maps the file read-only. What cannot be mapped (a pipe) is read whole. Throws NotFoundError,
  // PermissionError, IoError, or InputError for a folder.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return bytes_; }

 private:
  void* mapping_ = nullptr;
  std::string content_;  // when not mapped
  std::string_view bytes_;
};

}  // namespace ridgewatt::workload
