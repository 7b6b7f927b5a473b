// The one family of errors. Every error says what is wrong, where, and what to do about it, in one
// line that a user can act on; its class says which kind of cause it is, and the exit status
// follows from that. Library code throws these and nothing else on bad input.
#pragma once

#include <stdexcept>
#include <string>

#pragma GCC visibility push(default)

namespace ridgewatt {

class Error : public std::runtime_error {
 public:
  // `what`: the fault. `where`: file, row, node or option (may be empty). `hint`: what to do. If
  // `what` begins with a verb ("is cut off"), `where` is its subject ("model.gguf is cut off");
  // otherwise `where` follows ("cannot read: model.gguf").
  explicit Error(const std::string& what, const std::string& where = "",
                 const std::string& hint = "");
  // Exit status of the command line program.
  virtual int exit_status() const { return 1; }
};

// Content that came from outside is malformed, truncated, hostile or inconsistent.
class InputError : public Error {
  using Error::Error;
};
// A file, device or name does not exist.
class NotFoundError : public Error {
  using Error::Error;
};
// The operating system refused: no permission.
class PermissionError : public Error {
  using Error::Error;
};
// Reading or writing failed for another reason (disk full, vanished device).
class IoError : public Error {
  using Error::Error;
};
// The board, sensor or build cannot do this.
class NotSupportedError : public Error {
  using Error::Error;
};
// The command line or an Options struct is wrong.
class UsageError : public Error {
 public:
  using Error::Error;
  int exit_status() const override { return 2; }
};
// The question has no answer within its constraints.
class NoSolutionError : public Error {
 public:
  using Error::Error;
  int exit_status() const override { return 3; }
};

// The error that fits `error_number` (errno): not found, permission or input/output.
[[noreturn]] void throw_errno(int error_number, const std::string& what, const std::string& where);

}  // namespace ridgewatt

#pragma GCC visibility pop
