// Maps a file into memory. A page is loaded only when it is used.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ridgewatt::workload {

class MappedFile {
 public:
  // Maps the file read-only. A file that cannot be mapped (a pipe) is read completely. Throws
  // NotFoundError, PermissionError or IoError, and InputError for a folder.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return bytes_; }

 private:
  void* mapping_ = nullptr;
  std::string content_;  // used if the file is not mapped
  std::string_view bytes_;
};

}  // namespace ridgewatt::workload
