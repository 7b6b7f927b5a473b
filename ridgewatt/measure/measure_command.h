// Runs a program and measures its cost: time, and energy and power of every rail, over the whole
// run and over each minibatch and phase that the program marks (marks.h). Idle power of the board
// in the same mode is measured before the run.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/measure/energy.h"
#include "ridgewatt/measure/machine_series.h"
#include "ridgewatt/measure/machine_use.h"
#include "ridgewatt/measure/marks.h"
#include "ridgewatt/measure/power_trace.h"
#include "ridgewatt/measure/token_runs.h"
#include "ridgewatt/measure/window.h"
#include "ridgewatt/pipeline/process_io.h"
#include "ridgewatt/platform/power_source.h"
#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::measure {

// Waits for steady power under load: until the mean powers of two consecutive windows agree.
struct SettleOptions {
  double at_most_s = 20;  // since the first mark; 0: do not wait
  double window_s = 2.5;  // minimum; a window also has at least two minibatches
  double tolerance = 0.02;
};

// All fields are checked before anything is started or set.
struct MeasureOptions {
  // Throws UsageError that names the field, its value and what it must be.
  void check() const;

  std::vector<std::string> command;
  double rate_hz = 100;
  double idle_s = 2;          // idle baseline before the command; 0: none
  double series_rate_hz = 5;  // of clocks, loads, temperatures and memory
  WindowOptions window;
  SettleOptions settle{.at_most_s = 0};
  bool end_after_window = false;  // ends the command once its window of minibatches is complete
  std::string meter;              // CSV of an external meter, read after the run (read_meter)
  // Whether the meter replaces the rails as the total. Without rails it always is the total.
  bool meter_is_total = false;
  // Files or folders whose share in the page cache is reported before and after the run.
  std::vector<std::string> watched_files;
  // Called at least ten times per second while the command runs, with the number of marked
  // minibatches. If it returns false, the command is ended.
  std::function<bool(std::size_t marked)> go_on = {};
  // Time after which the command is ended and `over_limit` is set. 0: no limit.
  double limit_s = 0;
  // Stores the last lines that the command prints. All output still goes to standard error.
  bool keep_output = false;
};

struct ChannelEnergy {
  std::string name;
  bool in_total = false;
  EnergyEstimate energy;
};

// Means over the minibatches of the window that count. The 95 % intervals of the means allow for
// autocorrelation (batch_means_interval).
struct MinibatchSummary {
  std::size_t count = 0;                      // minibatches that count
  std::size_t slow = 0;                       // slow ones among those that count
  std::size_t excluded = 0;                   // do not count because of an external cause
  std::map<std::string, std::size_t> causes;  // excluded minibatches by cause
  bool complete = true;                       // the window has as many minibatches as required
  bool steady = true;                         // power was steady when the window began
  double time_s = 0;                          // mean period of a minibatch
  double time_lo_s = 0, time_hi_s = 0;
  double median_s = 0, lower_quartile_s = 0, upper_quartile_s = 0;
  bool fetch_marked = false;  // the program marks when its data has arrived
  double fetch_s = 0;         // mean fetch stall of a minibatch
  double power_w = 0;         // energy divided by time; 0 without a power source
  double energy_j = 0;        // mean of a minibatch
  double energy_lo_j = 0, energy_hi_j = 0;
};

struct PhaseSummary {
  PhaseSpan span;
  std::optional<EnergyEstimate> energy;
};

struct Measurement {
  int status = 0;      // exit status, or 128 + signal
  double begin_s = 0;  // CLOCK_MONOTONIC
  double end_s = 0;
  std::string source;                   // of power, or the reason why there is none
  std::optional<EnergyEstimate> total;  // of the channels in the total
  std::vector<ChannelEnergy> channels;
  std::optional<double> idle_w;              // total before the command
  std::size_t minibatch_marks = 0;           // of the whole run
  std::vector<MarkedMinibatch> minibatches;  // of the window, including excluded ones
  MinibatchSummary summary;
  std::vector<PhaseSummary> phases;
  std::vector<TokenRequest> token_requests;  // from phases "prefill" and "decode"
  std::vector<std::string> throttled;        // signals that rose during the run
  std::size_t malformed_marks = 0;
  double rate_asked_hz = 0;      // of power samples, as requested
  double rate_hz = 0;            // the rate used, as the source may be slower; 0 without a source
  std::size_t late_samples = 0;  // readings missed while a sensor was read
  std::size_t lost_samples = 0;
  double sampler_cpu_share = 0;  // CPU time of the sampler, as a share of one core
  double user_s = 0;             // CPU time of the command
  double system_s = 0;
  double peak_memory_bytes = 0;
  std::vector<PowerTrace> traces;        // of the channels, then of the meter
  std::vector<store::RawSample> series;  // times are CLOCK_MONOTONIC
  // Over the window of minibatches, or over the whole run if none were marked.
  std::vector<SeriesSummary> series_summary;
  std::vector<ClockResidency> residency;  // over the whole run
  std::optional<pipeline::ProcessIo> io;  // of the command
  std::optional<DiskIo> disks;            // of all disks during the run
  std::vector<FileResidency> files;       // of MeasureOptions::watched_files
  ProgramWords words;                     // notes and values from the program
  std::vector<std::string> conditions;    // conditions during the run: "fan at full speed"
  bool over_limit = false;                // ended by MeasureOptions::limit_s
  std::string last_output;                // last lines, if keep_output is set
};

// Runs the command like run_marked_command(), with power from `meter`. A series of measurements can
// use the same meter. Throws the errors of MeasureOptions::check(), run_marked_command() and
// read_meter().
Measurement measure_command(const platform::Sysfs& sysfs, const MeasureOptions& options,
                            platform::PowerMeter& meter);
// Does the same with a meter of its own.
Measurement measure_command(const platform::Sysfs& sysfs, const MeasureOptions& options);

}  // namespace ridgewatt::measure
