// What causes of slow runs predict: helpers of the table of causes, and its longer rows.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ridgewatt/answer/explain/suspects.h"

namespace ridgewatt::answer {

using Predictions = std::vector<Prediction>;

inline constexpr double kNoticeable = 1.03;  // chosen: a setting that changes less explains nothing

Prognosis prognosis_of(const twin::Breakdown& cost, std::string setting);

// Whether a time differs noticeably from the expected one.
bool differs(const ExplainCase& of, double time_s);

// What a watched run showed; 0 where none was watched, or it cannot be seen.
double seen_value(const ExplainCase& of, std::optional<double> measure::SeenRun::*member);

// With the expected time `factor` times as long. The GPU waits (its load falls, and the power with
// it), or what it shows is not known.
enum class GpuThen { kWaits, kUnknown };
Predictions multiplied(const ExplainCase& of, std::span<const double> factors, double spread,
                       GpuThen gpu);

// A longer time in which the GPU has `busy_share` of its expected seconds to do, and waits in the
// others.
Prediction waiting(const ExplainCase& of, double time_s, double busy_share, double spread,
                   std::string setting = "");

// The expected time and `more_s` in which the GPU waits.
Prediction increased(const ExplainCase& of, double more_s, double spread, std::string setting = "");

// The expected run, of which the stated number is `factor` times the time.
Prediction misread(const ExplainCase& of, double factor, double spread, std::string setting = "");

// The program runs as expected, its number means something else.
Predictions per_batch(const ExplainCase& of);
Predictions asynchronous_timing(const ExplainCase& of);
Predictions warm_up(const ExplainCase& of);
Predictions input_size(const ExplainCase& of);

// The GPU waits: for the CPU, for copies, for data, for memory.
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
