// The file that lists the programs of a live schedule (docs/reference/programs_file.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/workload_kind.h"

namespace ridgewatt::schedule {

struct LiveProgramEntry {
  WorkloadKind kind = WorkloadKind::kInference;
  std::string name;
  std::string sweep;                 // a file, from the folder of the file that names it
  std::string model;                 // or a model, for the twin of a board
  std::vector<int> batches;          // of the model
  double max_latency_s = 0;          // inference
  double rate_hz = 0;                // inference: to begin with
  std::vector<std::string> command;  // empty: started by somebody else
};

struct LivePrograms {
  std::string board;  // whose twin says what models cost
  std::vector<LiveProgramEntry> inference, training;
};

// Throws InputError that names `source` and what is wrong.
LivePrograms parse_live_programs(std::string_view text, const std::string& source);
// Paths of sweeps become those from the working folder. Throws also what read_file throws.
LivePrograms read_live_programs(const std::string& path);

}  // namespace ridgewatt::schedule
