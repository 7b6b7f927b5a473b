// An answer that is an error: a status, one line with the reason, and possibly a header.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace ridgewatt::serve {

using Header = std::pair<std::string, std::string>;

class HttpError : public std::runtime_error {
 public:
  HttpError(int status, const std::string& line, Header header = {})
      : std::runtime_error(line), status_(status), header_(std::move(header)) {}
  int status() const { return status_; }
  // Allow or Retry-After. Without a name: no header, or the default header of the status.
  const Header& header() const { return header_; }

 private:
  int status_;
  Header header_;
};

}  // namespace ridgewatt::serve
