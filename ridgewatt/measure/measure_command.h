// Runs a program and says what it cost: time, energy and power of every rail over its whole run,
// over each minibatch and phase that it marks (marks.h), against the idle board in the same mode.
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

// Waiting for steady power under load: the means of two windows that follow each other agree.
struct SettleOptions {
  double at_most_s = 20;  // from the first mark; 0: no waiting
  double window_s = 2.5;  // at least, and at least two minibatches
  double tolerance = 0.02;
};

// Everything is checked before anything is started or set.
struct MeasureOptions {
  // Throws UsageError naming the field, its value and what it must be.
  void check() const;

  std::vector<std::string> command;
  double rate_hz = 100;
  double idle_s = 2;          // of the baseline before the command; 0: none
  double series_rate_hz = 5;  // of clocks, loads, temperatures and memory
  WindowOptions window;
  SettleOptions settle{.at_most_s = 0};
  bool end_after_window = false;  // ends the command once its window of minibatches is complete
  std::string meter;              // CSV of an external meter (read_meter), read after the run
  bool meter_is_total = false;    // in place of the rails; it is when there is no other source
  // Files, or folders of files, whose share in the page cache is reported before and after the run.
  std::vector<std::string> watched_files;
  // Called at least ten times per second while the command runs; false ends it.
  std::function<bool()> go_on = {};
  // The command is ended after this time, and the measurement is `over_limit`. 0: no limit.
  double limit_s = 0;
  // Keeps the end of what the command prints; all of it still goes to standard error.
  bool keep_output = false;
};

struct ChannelEnergy {
  std::string name;
  bool in_total = false;
  EnergyEstimate energy;
};

// Over the window: sums divided by the minibatches that count. The intervals hold the mean with 95
// %, whatever the autocorrelation (batch_means_interval).
struct MinibatchSummary {
  std::size_t count = 0;     // that count
  std::size_t slow = 0;      // of them; nothing is done about it
  std::size_t excluded = 0;  // that do not, for an outside cause
  std::map<std::string, std::size_t> causes;
  bool complete = true;  // the window that was asked for was reached
  bool steady = true;    // power was, when the window began
  double time_s = 0;     // from one minibatch to the next
  double time_lo_s = 0, time_hi_s = 0;
  double median_s = 0, lower_quartile_s = 0, upper_quartile_s = 0;
  bool fetch_marked = false;  // the program says when its data had come
  double fetch_s = 0;         // fetch stall
  double power_w = 0;         // energy over time; 0 without a power source
  double energy_j = 0;        // of one: the integral of power
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
  std::string source;                   // of power; or why there is none
  std::optional<EnergyEstimate> total;  // of the channels in the total
  std::vector<ChannelEnergy> channels;
  std::optional<double> idle_w;              // total, before the command
  std::vector<MarkedMinibatch> minibatches;  // of the window, excluded ones among them
  MinibatchSummary summary;
  std::vector<PhaseSummary> phases;
  std::vector<TokenRequest> token_requests;  // of phases "prefill" and "decode"
  std::vector<std::string> throttled;        // signals that rose during the run
  std::size_t malformed_marks = 0;
  double rate_asked_hz = 0;      // of power samples
  double rate_hz = 0;            // as used: the source may be slower; 0 without one
  std::size_t late_samples = 0;  // ticks that passed while a sensor was read
  std::size_t lost_samples = 0;
  double sampler_cpu_share = 0;  // of one core
  double user_s = 0;             // CPU time of the command
  double system_s = 0;
  double peak_memory_bytes = 0;
  std::vector<PowerTrace> traces;        // of the channels, the meter last
  std::vector<store::RawSample> series;  // times are CLOCK_MONOTONIC
  // Of the window of minibatches, or of the whole run where none were marked.
  std::vector<SeriesSummary> series_summary;
  std::vector<ClockResidency> residency;  // over the whole run
  std::optional<pipeline::ProcessIo> io;  // of the command
  std::optional<DiskIo> disks;            // of all disks during the run
  std::vector<FileResidency> files;       // of MeasureOptions::watched_files
  ProgramWords words;                     // what the program reports about itself
  std::vector<std::string> conditions;    // what was held for the run: "fan at full speed"
  bool over_limit = false;                // ended by MeasureOptions::limit_s
  std::string last_output;                // last lines, with keep_output
};

// The command runs as run_marked_command says; power comes from `meter`, which a series opens
// once for all its measurements. Throws what MeasureOptions::check, run_marked_command and
// read_meter throw.
Measurement measure_command(const platform::Sysfs& sysfs, const MeasureOptions& options,
                            platform::PowerMeter& meter);
// With a meter of its own.
Measurement measure_command(const platform::Sysfs& sysfs, const MeasureOptions& options);

}  // namespace ridgewatt::measure
