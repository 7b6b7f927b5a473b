// All exceptions of Ridgewatt. The message says in one line what is wrong, where, and what to do.
// The class states the kind of cause and determines the exit status. For invalid input, library
// code throws only these classes.
#pragma once

#include <stdexcept>
#include <string_view>

#pragma GCC visibility push(default)

namespace ridgewatt {

class Error : public std::runtime_error {
 public:
  // `what`: the fault. `where`: file, row, node or option; may be empty. `hint`: what to do; may be
  // empty. If `what` begins with a verb ("is cut off"), `where` is its subject: "model.gguf is cut
  // off". Otherwise `where` comes last: "cannot read: model.gguf".
  explicit Error(std::string_view what, std::string_view where = {}, std::string_view hint = {});
  // Returns the exit status of the command line program.
  virtual int exit_status() const { return 1; }
};

// External content is malformed, truncated, hostile or inconsistent.
class InputError : public Error {
  using Error::Error;
};
// A file, device or name does not exist.
class NotFoundError : public Error {
  using Error::Error;
};
// The operating system denied access, or the file system is read-only.
class PermissionError : public Error {
  using Error::Error;
};
// Reading or writing failed for another reason, such as a full disk or a removed device.
class IoError : public Error {
  using Error::Error;
};
// The board, sensor or build does not support the request.
class NotSupportedError : public Error {
  using Error::Error;
};
// The command line or an options struct is invalid.
class UsageError : public Error {
 public:
  using Error::Error;
  int exit_status() const override { return 2; }
};
// No solution satisfies the constraints.
class NoSolutionError : public Error {
 public:
  using Error::Error;
  int exit_status() const override { return 3; }
};

// Throws NotFoundError, PermissionError or IoError, depending on `error_number` (errno).
[[noreturn]] void throw_errno(int error_number, std::string_view what, std::string_view where);

}  // namespace ridgewatt

#pragma GCC visibility pop
