// Keeps the last lines that a command prints, and passes everything on to our standard error.
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
  // Throws IoError without descriptors.
  OutputTail();
  ~OutputTail();
  OutputTail(const OutputTail&) = delete;
  OutputTail& operator=(const OutputTail&) = delete;

  // For the command to write to.
  int descriptor() const { return output_.write_end.get(); }
  // The last lines, at most 20 and 2,000 bytes of them, without control characters. Does not wait
  // for a process that the command left behind.
  std::string end();

 private:
  void pass_on();
  bool pass_block();

  Pipe output_, stop_;
  std::string kept_;
  std::thread thread_;
};

}  // namespace ridgewatt::measure
