#include "ridgewatt/campaign/engine/last_line.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "ridgewatt/base/fd.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::campaign {

std::string last_line(const std::string& path) {
  constexpr off_t kEnd = 4096;
  const OwnedFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return "";
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  char block[kEnd];
  const ssize_t count = ::pread(file.get(), block, sizeof block, std::max<off_t>(0, size - kEnd));
  if (count <= 0) return "";
  const auto text = trim({block, static_cast<std::size_t>(count)});
  const auto begin = text.rfind('\n');
  return std::string(
      trim(begin == std::string_view::npos ? text : text.substr(begin + 1)).substr(0, 300));
}

}  // namespace ridgewatt::campaign
