// Tests the energy by phase on known power: steps, whose integrals are products.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/measure/token_runs.h"

namespace ridgewatt::measure {
namespace {

// 30 W during prefill, 15 W during decode, 5 W otherwise, sampled at 1 kHz.
double known_power_w(const std::vector<TokenRequest>& requests, double time_s) {
  double power_w = 5;
  for (const auto& request : requests) {
    if (time_s >= request.begin_s && time_s < request.first_s) return 30;
    if (time_s >= request.first_s && time_s < request.end_s) power_w = 15;
  }
  return power_w;
}

PowerTrace known_trace(const std::vector<TokenRequest>& requests, double rate_hz = 1000) {
  PowerTrace trace{"total", true, {}, {}};
  for (int i = 0; i < 4 * rate_hz; ++i) {
    trace.times_s.push_back(i / rate_hz);
    trace.powers_w.push_back(known_power_w(requests, i / rate_hz));
  }
  return trace;
}

TEST(TokenCost, OneRequestAtATime) {
  const std::vector<TokenRequest> requests = {{0.5, 1.0, 2.0, 512, 11, {}},
                                              {2.5, 3.0, 3.5, 512, 6, {}}};
  const TokenCost cost = split_energy(requests, known_trace(requests), 5.0);
  EXPECT_NEAR(cost.prefill.time_s, 1.0, 1e-12);
  EXPECT_NEAR(cost.decode.time_s, 1.5, 1e-12);
  EXPECT_NEAR(cost.between.time_s, 0.5, 1e-12);
  EXPECT_EQ(cost.both.time_s, 0);
  // The steps are between two samples. The bound includes the error of the trapezoids at the steps.
  EXPECT_NEAR(cost.prefill.energy_j, 30, cost.prefill.error_j);
  EXPECT_NEAR(cost.decode.energy_j, 22.5, cost.decode.error_j);
  EXPECT_LT(cost.prefill.error_j, 0.1);
  EXPECT_LT(cost.decode.error_j, 0.1);
  EXPECT_EQ(cost.decoded_tokens, 15);
  EXPECT_NEAR(cost.joules_per_token()->energy_j, 1.5, 0.01);
  EXPECT_NEAR(cost.less_idle(cost.joules_per_token(), 0.1)->energy_j, 1.0, 0.01);
  EXPECT_NEAR(cost.request_j()->energy_j, 26.25, 0.1);
  EXPECT_NEAR(cost.request_joules_per_token()->energy_j, 52.5 / 17, 0.01);
}

TEST(TokenCost, WhatRequestsDoAtOnceIsSeparated) {
  // The second request is in prefill from 1.5 to 2.0 s, while the first decodes.
  const std::vector<TokenRequest> requests = {{1.0, 1.5, 2.5, 100, 11, {}},
                                              {1.5, 2.0, 2.5, 100, 6, {}}};
  const TokenCost cost = split_energy(requests, known_trace(requests));
  EXPECT_NEAR(cost.prefill.time_s, 0.5, 1e-12);
  EXPECT_NEAR(cost.both.time_s, 0.5, 1e-12);
  EXPECT_NEAR(cost.decode.time_s, 0.5, 1e-12);
  EXPECT_NEAR(cost.both.energy_j, 15, 0.1);
  EXPECT_NEAR(cost.decode.energy_j, 7.5, 0.1);
  // The tokens of each decode phase are distributed evenly: 5 of the first request's 10 and all 5
  // of the second's.
  EXPECT_NEAR(cost.decoded_tokens, 10, 1e-9);
  EXPECT_FALSE(cost.less_idle(cost.request_j(), 1));
  // If the times of tokens are known, the tokens in that time count: three of the first request's.
  auto stamped = requests;
  stamped[0].token_times_s = {1.5, 1.6, 1.7, 1.8, 1.85, 1.9, 1.92, 1.94, 2.1, 2.2, 2.5};
  EXPECT_NEAR(split_energy(stamped, known_trace(requests)).decoded_tokens, 3 + 5, 1e-9);
}

// For any requests and any sampling rate, the parts add up to the whole, and the true energy is
// within the bound.
TEST(TokenCost, PartsAreTheWhole) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<TokenRequest> requests;
    for (int i = 0; i < 4; ++i) {
      const double begin_s = random.uniform(0.2, 2), first_s = begin_s + random.uniform(0, 0.6);
      requests.push_back({begin_s, first_s, first_s + random.uniform(0, 0.8), 10, 5, {}});
    }
    const PowerTrace trace = known_trace(requests, 50);
    const TokenCost cost = split_energy(requests, trace);
    double begin_s = 9, end_s = 0, busy_s = 0, reading_s = 0;
    for (const auto& request : requests) {
      begin_s = std::min(begin_s, request.begin_s);
      end_s = std::max(end_s, request.end_s);
    }
    for (double t = begin_s; t < end_s; t += 1e-4) {
      const double power_w = known_power_w(requests, t);
      busy_s += power_w > 5 ? 1e-4 : 0;
      reading_s += power_w == 30 ? 1e-4 : 0;
    }
    const SpanCost open = cost.open();
    EXPECT_NEAR(open.time_s + cost.between.time_s, end_s - begin_s, 1e-9);
    EXPECT_NEAR(open.time_s, busy_s, 3e-3);
    EXPECT_NEAR(cost.prefill.time_s + cost.both.time_s, reading_s, 3e-3);
    EXPECT_NEAR(open.energy_j + cost.between.energy_j, trace.energy(begin_s, end_s)->energy_j,
                1e-9);
    EXPECT_NEAR(open.energy_j, 30 * reading_s + 15 * (busy_s - reading_s), open.error_j + 0.1);
  }
}

TEST(TokenCost, WhatCannotBeSplitIsSaid) {
  const std::vector<TokenRequest> requests = {{10, 11, 12, 5, 5, {}}};
  EXPECT_THROW(split_energy({}, known_trace({})), NotSupportedError);
  EXPECT_THROW(split_energy(requests, known_trace({})), NotSupportedError);  // power ends at 4 s
  EXPECT_THROW(split_energy(std::vector<TokenRequest>{{2, 1, 3, 5, 5, {}}}, known_trace({})),
               InputError);
}

TEST(TokenCost, ARecordedTraceIsOnTheClockOfTheResult) {
  const testing::TemporaryFolder folder;
  const std::string log =
      folder.write("p.csv", "unix_s,voltage_v,current_a\n1000,12,1\n1001,12,2\n");
  EXPECT_THAT(read_power_log(log, TokenClock::kUnix).powers_w, ::testing::ElementsAre(12, 24));
  EXPECT_THROW(read_power_log(log, TokenClock::kMonotonic), InputError);
  const std::string back = folder.write("b.csv", "unix_s,power_w\n1001,12\n1000,12\n");
  EXPECT_THROW(read_power_log(back, TokenClock::kUnix), InputError);
}

}  // namespace
}  // namespace ridgewatt::measure
