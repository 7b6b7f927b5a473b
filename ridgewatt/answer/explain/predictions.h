// Predictions of the causes of slow runs: common functions, and functions for single causes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ridgewatt/answer/explain/suspects.h"

namespace ridgewatt::answer {

using Predictions = std::vector<Prediction>;

// Chosen: settings with a smaller effect are ignored.
inline constexpr double kNoticeable = 1.03;

Prognosis prognosis_of(const twin::Breakdown& cost, std::string setting);

// Returns whether the time differs from the expected time by more than kNoticeable.
bool differs(const ExplainCase& of, double time_s);

// Returns an observation of the watched run; 0 if there is none.
double seen_value(const ExplainCase& of, std::optional<double> measure::SeenRun::*member);

// Predictions with `factor` times the expected time. In the additional time either the GPU waits,
// which reduces its load and power, or another program uses it.
enum class GpuThen { kWaits, kIsShared };
Predictions multiplied(const ExplainCase& of, std::span<const double> factors, double spread,
                       GpuThen gpu);

// The time is `time_s`. The GPU is busy for `busy_share` of its expected time and waits in the
// remaining time.
Prediction waiting(const ExplainCase& of, double time_s, double busy_share, double spread,
                   std::string setting = "");

// The time is `more_s` longer than expected. The GPU waits during `more_s`.
Prediction increased(const ExplainCase& of, double more_s, double spread, std::string setting = "");

// The run is as expected, but its stated time is `factor` times the true time.
Prediction misread(const ExplainCase& of, double factor, double spread, std::string setting = "");

// The program runs as expected, but the stated number has another meaning.
Predictions per_batch(const ExplainCase& of);
Predictions asynchronous_timing(const ExplainCase& of);
Predictions warm_up(const ExplainCase& of);
Predictions input_size(const ExplainCase& of);

// The GPU waits for the CPU, copies, data or memory.
Predictions cpu_fallback(const ExplainCase& of);
Predictions host_copy(const ExplainCase& of);
Predictions pre_post_processing(const ExplainCase& of);
Predictions python_caller(const ExplainCase& of);
Predictions memory_pressure(const ExplainCase& of);
Predictions contention(const ExplainCase& of);
Predictions threads(const ExplainCase& of);
Predictions cpu_quota(const ExplainCase& of);
Predictions loader(const ExplainCase& of);
Predictions storage(const ExplainCase& of);

}  // namespace ridgewatt::answer
