// A sweep: measured operating points of one workload, and its CSV file
//   workload,kind,batch,cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,time_ms,power_w
// (a knob that was not varied has no column; a file may hold several workloads and kinds).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ridgewatt/base/csv.h"
#include "ridgewatt/device/knob_space.h"
#include "ridgewatt/sweep/observation.h"

namespace ridgewatt {

struct Sweep {
  std::string source;    // file, for messages
  std::string workload;  // for example "resnet18"
  std::string kind;      // "inference", "training", or a phase such as "forward"
  std::vector<Observation> observations;
  std::vector<std::size_t> lines;  // line in the file of each observation

  std::vector<OperatingPoint> points() const;
  std::vector<int> batches() const;  // ascending
  KnobSpace space() const;           // the modes that occur
};

// The workloads of a sweep file in order of appearance. Throws InputError naming file, line and
// column on anything that is not a finite positive number.
std::vector<Sweep> read_sweeps(const std::string& path);
std::vector<Sweep> sweeps_of(const CsvTable& table);
// The only workload of a file; InputError when it holds several.
Sweep read_sweep(const std::string& path);

std::string write_sweep_csv(const std::vector<Sweep>& sweeps);

}  // namespace ridgewatt
