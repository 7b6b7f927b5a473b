#include "ridgewatt/trace/text/trace_input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/fd.h"
#include "ridgewatt/io/input_files.h"

namespace ridgewatt::trace {

TraceInput::TraceInput(const std::string& path) : name_(path) {
  OwnedFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) throw_errno(errno, "cannot read the file", path);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) throw_errno(errno, "cannot read the file", path);
  if (S_ISDIR(status.st_mode)) throw InputError("is a folder, not a file", path);
  note_input(fd.get());
  const int own = ::dup(fd.get());  // gzclose closes it
  if (own < 0) throw_errno(errno, "cannot read the file", path);
  file_ = gzdopen(own, "rb");  // also reads uncompressed data
  if (file_ == nullptr) {
    ::close(own);
    throw IoError("cannot read the file", path);
  }
}

TraceInput::TraceInput(std::string_view text, std::string name)
    : text_(text), name_(std::move(name)) {}

TraceInput::~TraceInput() {
  if (file_ != nullptr) gzclose(file_);
}

std::size_t TraceInput::read(char* buffer, std::size_t size) {
  if (file_ == nullptr) {
    const std::size_t count = std::min(size, text_.size());
    std::memcpy(buffer, text_.data(), count);
    text_.remove_prefix(count);
    return count;
  }
  const int count = gzread(file_, buffer, static_cast<unsigned>(size));
  int code = Z_OK;
  gzerror(file_, &code);
  if (count < 0 || (count == 0 && code != Z_OK && code != Z_STREAM_END)) {
    if (code == Z_ERRNO) throw_errno(errno, "cannot read the file", name_);
    throw InputError("the compressed file is damaged or cut off", name_);
  }
  total_ += static_cast<std::uint64_t>(count);
  if (total_ > kMostTraceBytes) throw InputError("is larger than 16 GiB", name_);
  return static_cast<std::size_t>(count);
}

}  // namespace ridgewatt::trace
