// An answer that is an error: a status and one line that says why.
#pragma once

#include <stdexcept>
#include <string>

namespace ridgewatt::serve {

class HttpError : public std::runtime_error {
 public:
  HttpError(int status, const std::string& line) : std::runtime_error(line), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

// {"schema": "ridgewatt.error/1", "error": line}
std::string error_json(const std::string& line);

// "Not Found" of 404.
const char* reason_of(int status);

}  // namespace ridgewatt::serve
