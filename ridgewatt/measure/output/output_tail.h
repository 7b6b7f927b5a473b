// Stores the last lines that a command prints and copies everything to standard error.
//
//   OutputTail tail;
//   run_marked_command(command, watch, tail.descriptor(), tail.descriptor());
//   const std::string lines = tail.end();
#pragma once

#include <string>
#include <thread>

#include "ridgewatt/base/fd.h"

namespace ridgewatt::measure {

class OutputTail {
 public:
  // Throws IoError if no descriptor is available.
  OutputTail();
  ~OutputTail();
  OutputTail(const OutputTail&) = delete;
  OutputTail& operator=(const OutputTail&) = delete;

  // The descriptor to which the command should write.
  int descriptor() const { return output_.write_end.get(); }
  // The last lines, at most 20 lines and 2,000 bytes, without control characters. Does not wait for
  // background processes of the command.
  std::string end();

 private:
  void pass_on();
  bool pass_block();

  Pipe output_, stop_;
  std::string kept_;
  std::thread thread_;
};

}  // namespace ridgewatt::measure
