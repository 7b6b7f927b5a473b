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
  // The header Allow or Retry-After. If its name is empty, the reply has the default header of the
  // status, if there is one.
  const Header& header() const { return header_; }

 private:
  int status_;
  Header header_;
};

}  // namespace ridgewatt::serve
