// Files that clients sent: in memory, of bounded size, number and age, and nowhere else. Whoever
// answers a question gets one as an open descriptor that it cannot change.
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
  std::string id = {};    // 128 random bits: who does not have it cannot name it
  std::string name = {};  // of the client's file, without folders; may be empty
  OwnedFd fd{};           // sealed memory
  std::size_t bytes = 0;
  std::chrono::steady_clock::time_point used = {};

  // The file's name as a word of a command line: "model.onnx", "./-model.onnx"; without a name
  // "upload:ID".
  std::string word() const;
  // The same for titles, errors, JSON and CSV: without characters that mean something there.
  std::string label() const;
};

struct UploadLimits {
  std::size_t each_bytes = std::size_t{64} << 20;
  std::size_t all_bytes = std::size_t{256} << 20;
  std::size_t number = 64;
  double kept_s = 3600;  // since it was last asked for
};

class Uploads {
 public:
  explicit Uploads(UploadLimits limits = {}) : limits_(limits) {}

  // The oldest go where there is no room. Throws HttpError 400 and 413, IoError.
  std::shared_ptr<const Upload> add(std::string_view bytes, std::string_view name = {});
  std::shared_ptr<const Upload> find(const std::string& id);
  std::size_t bytes() const;

 private:
  void forget_old(std::size_t coming_bytes);

  UploadLimits limits_;
  mutable std::mutex mutex_;
  std::list<std::shared_ptr<Upload>> kept_;  // the one used last at the end
  std::size_t bytes_ = 0;
};

}  // namespace ridgewatt::serve
