#include "ridgewatt/pipeline/process_io.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <string>

namespace ridgewatt::pipeline {

ProcessIo& operator+=(ProcessIo& total, const ProcessIo& part) {
  total.read_calls += part.read_calls;
  total.read_bytes += part.read_bytes;
  total.write_calls += part.write_calls;
  total.written_bytes += part.written_bytes;
  total.storage_read_bytes += part.storage_read_bytes;
  total.storage_written_bytes += part.storage_written_bytes;
  return total;
}

ProcessIo operator-(const ProcessIo& after, const ProcessIo& before) {
  return {after.read_calls - before.read_calls,
          after.read_bytes - before.read_bytes,
          after.write_calls - before.write_calls,
          after.written_bytes - before.written_bytes,
          after.storage_read_bytes - before.storage_read_bytes,
          after.storage_written_bytes - before.storage_written_bytes};
}

std::optional<ProcessIo> read_process_io(pid_t process) {
  ProcessIo io;
  const std::map<std::string, double*> fields = {{"rchar:", &io.read_bytes},
                                                 {"wchar:", &io.written_bytes},
                                                 {"syscr:", &io.read_calls},
                                                 {"syscw:", &io.write_calls},
                                                 {"read_bytes:", &io.storage_read_bytes},
                                                 {"write_bytes:", &io.storage_written_bytes}};
  std::ifstream in(fmt::format("/proc/{}/io", process));
  std::string key;
  double value = 0;
  std::size_t found = 0;
  while (in >> key >> value) {
    const auto field = fields.find(key);
    if (field == fields.end()) continue;
    *field->second = value;
    ++found;
  }
  return found == fields.size() ? std::optional(io) : std::nullopt;
}

ProcessIo own_io() {
  return read_process_io(::getpid()).value_or(ProcessIo());
}

}  // namespace ridgewatt::pipeline
