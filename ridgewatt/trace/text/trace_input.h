// Reads a trace (a plain or gzip file, or memory) as a stream that never holds the whole trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

struct gzFile_s;

namespace ridgewatt::trace {

// Limit of the decompressed size (chosen, far above the traces of long recordings).
inline constexpr std::uint64_t kMostTraceBytes = std::uint64_t{16} << 30;

class TraceInput {
 public:
  // Throws NotFoundError, PermissionError or IoError, and InputError for a folder.
  explicit TraceInput(const std::string& path);
  TraceInput(std::string_view text, std::string name);  // `text` must outlive this
  ~TraceInput();
  TraceInput(const TraceInput&) = delete;
  TraceInput& operator=(const TraceInput&) = delete;

  // Returns the number of bytes read; 0 at the end. Throws InputError if compressed data is
  // damaged, truncated or too large.
  std::size_t read(char* buffer, std::size_t size);
  const std::string& name() const { return name_; }

 private:
  gzFile_s* file_ = nullptr;
  std::string_view text_;
  std::string name_;
  std::uint64_t total_ = 0;
};

}  // namespace ridgewatt::trace
