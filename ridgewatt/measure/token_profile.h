// A language model over power modes, into a store: per mode one run, of which reading the prompt
// and decoding become a point each, in series of the kinds "prefill" and "decode". What is a
// minibatch there is in sweep/unit.h.
#pragma once

#include <optional>
#include <vector>

#include "ridgewatt/measure/profile.h"
#include "ridgewatt/measure/token_server.h"

namespace ridgewatt::measure {

struct TokenProfileOptions {
  // Its command is the server, started once for all modes; llama-bench; or a program that marks the
  // phases "prefill" and "decode". Its series' kind is not used, and its batch is the number of
  // requests at once.
  ProfileOptions profile;
  std::optional<ServerQuestion> server;
  bool llama_bench = false;
};

// The points of a run in this mode: prefill and decode, what there is of them. A run of several
// lengths (llama-bench -p 128,512) is a UsageError.
struct TokenPoints {
  std::optional<store::PointRecord> prefill, decode;
};
TokenPoints token_points(const TokenMeasurement& measured, const OperatingPoint& point);

// Modes whose points the store has are skipped. Throws what profile() throws, and what
// measure_server and measure_llama_bench throw where that is no fault of one mode.
ProfileSummary profile_tokens(platform::Sysfs& sysfs, platform::JetsonModeControl& control,
                              store::Store& store, const std::vector<PowerMode>& modes,
                              const TokenProfileOptions& options);

}  // namespace ridgewatt::measure
