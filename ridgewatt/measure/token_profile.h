// Profiles a language model over power modes into a store. One run per mode gives two points,
// prefill and decode, in series of these kinds. sweep/unit.h defines their minibatches.
#pragma once

#include <optional>
#include <vector>

#include "ridgewatt/measure/profile.h"
#include "ridgewatt/measure/token_server.h"

namespace ridgewatt::measure {

struct TokenProfileOptions {
  // The command is one of: a server, which is started once for all modes; llama-bench; a program
  // that marks the phases "prefill" and "decode". The kind of the series is ignored. The batch is
  // the number of concurrent requests.
  ProfileOptions profile;
  std::optional<ServerQuestion> server;
  bool llama_bench = false;
};

// The points of a run. A point is empty if the run lacks the phase. Throws UsageError for a run
// with several lengths (llama-bench -p 128,512).
struct TokenPoints {
  std::optional<store::PointRecord> prefill, decode;
};
TokenPoints token_points(const TokenMeasurement& measured, const OperatingPoint& point);

// Skips modes whose points are in the store. Throws the errors of profile() and, if the cause is
// not specific to a mode, those of measure_server() and measure_llama_bench().
ProfileSummary profile_tokens(platform::Sysfs& sysfs, platform::JetsonModeControl& control,
                              store::Store& store, const std::vector<PowerMode>& modes,
                              const TokenProfileOptions& options);

}  // namespace ridgewatt::measure
