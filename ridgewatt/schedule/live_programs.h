// Reads the file that lists the programs of a live schedule (docs/reference/programs_file.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/workload_kind.h"

namespace ridgewatt::schedule {

struct LiveProgramEntry {
  WorkloadKind kind = WorkloadKind::kInference;
  std::string name;
  std::string sweep;         // path, relative to the folder of the programs file
  std::string model;         // instead of a sweep: a model, evaluated with the twin of `board`
  std::vector<int> batches;  // batches of `model`
  double max_latency_s = 0;  // inference only
  double rate_hz = 0;        // inference only: initial rate
  std::vector<std::string> command;  // empty: the program starts by other means
};

struct LivePrograms {
  std::string board;  // board whose twin estimates the models
  std::vector<LiveProgramEntry> inference, training;
};

// Throws InputError with `source` and the fault.
LivePrograms parse_live_programs(std::string_view text, const std::string& source);
// Makes the paths of sweeps relative to the working folder. Throws InputError, and the exceptions
// of read_file().
LivePrograms read_live_programs(const std::string& path);

}  // namespace ridgewatt::schedule
