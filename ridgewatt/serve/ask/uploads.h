// Files that clients sent. They are kept only in memory, with limits on size, number and age. A
// command gets an upload as an open descriptor that it cannot modify.
//
//   const auto upload = uploads.add(bytes, "model.onnx");  // upload->id
//   uploads.find(id);                        // null when it is gone
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "ridgewatt/base/fd.h"

namespace ridgewatt::serve {

struct Upload {
  std::string id = {};    // 128 random bits, so that it cannot be guessed
  std::string name = {};  // Name of the client's file, without folders. May be empty.
  OwnedFd fd{};           // sealed memory
  std::size_t bytes = 0;
  // Time of the last use.
  std::chrono::steady_clock::time_point used = {};

  // The file's name as a word of a command line: "model.onnx", "./-model.onnx"; "upload:ID" without
  // a name.
  std::string word() const;
  // The name for titles, errors, JSON and CSV, without characters that have a meaning there.
  std::string label() const;
};

struct UploadLimits {
  std::size_t each_bytes = std::size_t{64} << 20;
  std::size_t all_bytes = std::size_t{256} << 20;
  std::size_t number = 64;
  double kept_s = 3600;  // time since the last use
};

class Uploads {
 public:
  explicit Uploads(UploadLimits limits = {}) : limits_(limits) {}

  // Removes the least recently used uploads if there is no space. Throws HttpError 400 for an
  // invalid name or empty content, HttpError 413 for content that is too large, and IoError.
  std::shared_ptr<const Upload> add(std::string_view bytes, std::string_view name = {});
  // Returns null if the upload does not exist any more.
  std::shared_ptr<const Upload> find(const std::string& id);
  std::size_t bytes() const;

 private:
  void forget_old(std::size_t coming_bytes);

  UploadLimits limits_;
  mutable std::mutex mutex_;
  std::list<std::shared_ptr<Upload>> kept_;  // most recently used upload last
  std::size_t bytes_ = 0;
};

}  // namespace ridgewatt::serve
