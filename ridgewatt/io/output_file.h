// Collects a result in parts and writes it like write_output() of file.h:
//
//   OutputFile file("rows.csv");
//   file.append("mode,time_ms\n");
//   file.finish();
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "ridgewatt/base/fd.h"

namespace ridgewatt {

// A large result goes to an unnamed file in the target folder, which limits the memory that it
// needs. Only finish() writes or replaces the target.
class OutputFile {
 public:
  explicit OutputFile(std::string path) : path_(std::move(path)) {}
  void append(std::string_view text);  // a failure is thrown by finish()
  void finish();                       // throws like write_output()

 private:
  void spill();
  std::string path_, text_;
  OwnedFd file_;  // the unnamed file, once it is open
  bool spills_ = true;
  std::exception_ptr failure_;
};

// Throws the error that write_output() of file.h would throw for this destination, without changing
// it. Call it before long work whose result goes there.
void check_output(const std::string& path);

}  // namespace ridgewatt
