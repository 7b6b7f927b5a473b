// Tests traces of boards with known constants, damaged files, and answers that follow by
// arithmetic.
#include "ridgewatt/thermal/thermal_fit.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/thermal/heat_trace.h"
#include "ridgewatt/thermal/hold.h"
#include "ridgewatt/thermal/random_board.h"
#include "ridgewatt/thermal/thermal_file.h"

namespace ridgewatt::thermal {
namespace {

using ::testing::HasSubstr;

// Idle, load, idle, another load. The zone rounds to half a degree.
HeatTrace recorded(const ThermalModel& model, double ambient_celsius, double load_w) {
  HeatTrace trace;
  trace.fan_known = true;
  const HeatFlow rest{0.2 * load_w, ambient_celsius, 0.31};
  ThermalState state = *ThermalSystem(model, rest).steady();
  double time_s = 0;
  for (const auto& [phase_s, share] :
       {std::pair{100, 0.2}, std::pair{700, 1.0}, std::pair{200, 0.2}, std::pair{300, 0.5}}) {
    const ThermalSystem system(model, {share * load_w, ambient_celsius, 0.31});
    for (int i = 0; i < 2 * phase_s; ++i) {
      state = system.after(state, 0.5);
      time_s += 0.5;
      HeatTrace::Row row;
      row.time_s = time_s;
      row.power_w = share * load_w * leakage_factor(model, state.junction_celsius);
      row.celsius = 0.5 * std::round(state.junction_celsius / 0.5);
      row.fan = 0.31;
      trace.rows.push_back(row);
    }
  }
  return trace;
}

// label: slow
TEST(ThermalFit, RecoversTheConstants) {
  Random random(11);
  for (int board = 0; board < 6; ++board) {
    const double load_w = random.uniform(10, 60);
    const ThermalModel truth = random_thermal_model(random, load_w, 0.31);
    const double ambient = random.uniform(18, 30);
    ThermalFitOptions options;
    if (board % 2 == 0) options.ambient_celsius = ambient;
    const ThermalFit fit = fit_thermal(recorded(truth, ambient, load_w), options);
    EXPECT_TRUE(fit.converged);
    EXPECT_NEAR(fit.model.junction_sink_k_per_w / truth.junction_sink_k_per_w, 1, 0.1);
    EXPECT_NEAR(fit.model.junction_j_per_k / truth.junction_j_per_k, 1, 0.1);
    EXPECT_NEAR(fit.model.sink_j_per_k / truth.sink_j_per_k, 1, 0.1);
    EXPECT_NEAR(fit.model.sink_w_per_k(0.31) / truth.sink_w_per_k(0.31), 1, 0.1);
    EXPECT_NEAR(fit.ambient_celsius, ambient, 2);
    EXPECT_NEAR(fit.model.leakage_per_k, truth.leakage_per_k, 0.0005);
    EXPECT_EQ(fit.step_k, 0.5);
    EXPECT_LT(fit.rmse_k, 0.4);
    EXPECT_NEAR(fit.idle_w, 0.2 * load_w, 0.02 * load_w);
    EXPECT_FALSE(fit.fan_varied);
  }
}

// A fan whose speed changes shows how cooling depends on the fan.
TEST(ThermalFit, SeesWhatTheFanDoes) {
  const ThermalModel truth{0.4, 12, 300, 0.4, 1.2, 0};
  HeatTrace trace;
  trace.fan_known = true;
  ThermalState state{30, 28};
  double time_s = 0;
  for (const double fan : {0.2, 1.0, 0.0}) {
    const ThermalSystem system(truth, {25, 24, fan});
    for (int i = 0; i < 700; ++i) {
      state = system.after(state, 1);
      HeatTrace::Row row;
      row.time_s = time_s += 1;
      row.power_w = 25;
      row.celsius = 0.5 * std::round(state.junction_celsius / 0.5);
      row.fan = fan;
      trace.rows.push_back(row);
    }
  }
  const ThermalFit fit = fit_thermal(trace, {.ambient_celsius = 24});
  EXPECT_TRUE(fit.fan_varied);
  for (const double fan : {0.0, 0.2, 1.0}) {
    EXPECT_NEAR(fit.model.sink_w_per_k(fan) / truth.sink_w_per_k(fan), 1, 0.1) << fan;
  }
}

// Thinning and outliers (a zone that briefly reports nonsense) do not change the result.
TEST(ThermalFit, IsRobustAndThins) {
  const ThermalModel truth{0.5, 10, 250, 0.3, 0.8, 0.001};
  HeatTrace trace = recorded(truth, 25, 30);
  const ThermalFit all = fit_thermal(trace, {.ambient_celsius = 25});
  const ThermalFit thin = fit_thermal(trace, {.ambient_celsius = 25, .most_rows = 600});
  EXPECT_NEAR(thin.model.sink_j_per_k / all.model.sink_j_per_k, 1, 0.03);
  EXPECT_NEAR(thin.model.junction_j_per_k / all.model.junction_j_per_k, 1, 0.15);
  for (std::size_t i = 50; i < trace.rows.size(); i += 100) trace.rows[i].celsius = 120;
  const ThermalFit robust = fit_thermal(trace, {.ambient_celsius = 25});
  EXPECT_NEAR(robust.model.sink_j_per_k / truth.sink_j_per_k, 1, 0.1);
  EXPECT_NEAR(robust.model.junction_sink_k_per_w / truth.junction_sink_k_per_w, 1, 0.1);
}

TEST(ThermalFit, RefusesWhatTellsNothing) {
  HeatTrace flat;
  for (int i = 0; i < 100; ++i) flat.rows.push_back({1.0 * i, 20, 40, 1, false, 0});
  EXPECT_THROW(fit_thermal(flat), UsageError);
  EXPECT_THROW(fit_thermal({}), UsageError);
  EXPECT_THROW(fit_thermal(flat, {.ambient_celsius = NAN}), UsageError);
}

TEST(HowLong, FollowsTheModel) {
  const ThermalModel truth{0.5, 10, 250, 0.3, 0.8, 0.001};
  ThermalFit fit = fit_thermal(recorded(truth, 25, 30), {.ambient_celsius = 25});
  HoldQuestion question{
      .power_w = 60, .ambient_celsius = 25, .fan = {}, .trip_celsius = 90, .from = {}};
  const HoldAnswer hot = how_long(fit, question);
  ASSERT_TRUE(hot.holds_s);
  const ThermalState rest = *ThermalSystem(truth, {fit.idle_w, 25, 0.31}).steady();
  const double truth_s = *ThermalSystem(truth, {60, 25, 0.31}).time_until(rest, 90);
  EXPECT_NEAR(*hot.holds_s / truth_s, 1, 0.1);
  EXPECT_LE(hot.holds_interval_s.lo, *hot.holds_s);
  EXPECT_GE(hot.holds_interval_s.hi, *hot.holds_s);
  EXPECT_LT(hot.margin_k, 0);
  EXPECT_NEAR(hot.sustained_w, sustained_power_w(truth, 90, 25, 0.31), 0.02 * hot.sustained_w);
  EXPECT_THAT(hold_text(hot), HasSubstr("throttles after"));
  // The board can run at the sustained power forever, but not at a slightly higher power.
  question.power_w = 0.99 * hot.sustained_w;
  EXPECT_TRUE(how_long(fit, question).holds);
  EXPECT_EQ(hold_text(how_long(fit, question)), "holds");
  question.power_w = 1.01 * hot.sustained_w;
  EXPECT_FALSE(how_long(fit, question).holds);
  // Colder air helps. A missing trip temperature is an error.
  question.ambient_celsius = 10;
  EXPECT_TRUE(how_long(fit, question).holds);
  question.trip_celsius.reset();
  EXPECT_THROW(how_long(fit, question), UsageError);
  question.trip_celsius = 90;
  question.power_w = NAN;
  EXPECT_THROW(how_long(fit, question), UsageError);
}

// The thermometer of the trace also measures a stated ambient temperature, so stating that of the
// trace changes nothing. Without a thermometer, a stated temperature is new information.
TEST(HowLong, TheAmbientOfTheTraceCanBeStated) {
  const ThermalModel truth{0.5, 10, 250, 0.3, 0.8, 0.001};
  const ThermalFit fit = fit_thermal(recorded(truth, 35, 30), {.ambient_celsius = 35});
  HoldQuestion question{
      .power_w = 30, .ambient_celsius = {}, .fan = {}, .trip_celsius = 90, .from = {}};
  const HoldAnswer usual = how_long(fit, question);
  question.ambient_celsius = fit.ambient_celsius;
  const HoldAnswer stated = how_long(fit, question);
  EXPECT_NEAR(stated.sustained_interval_w.lo, usual.sustained_interval_w.lo, 1e-9);
  EXPECT_NEAR(stated.sustained_interval_w.hi, usual.sustained_interval_w.hi, 1e-9);
  question.ambient_celsius = fit.ambient_celsius + 10;
  EXPECT_LT(how_long(fit, question).sustained_w, usual.sustained_w);
}

TEST(ThermalFile, IsReadAsItWasWritten) {
  const ThermalModel truth{0.5, 10, 250, 0.3, 0.8, 0.001};
  ThermalFile file;
  file.fit = fit_thermal(recorded(truth, 25, 30));
  file.fit.trip_celsius = 95;
  file.board = "agx-orin";
  file.origin = "2026-11-23, a \"test\"\n";
  file.provenance = Provenance::kFake;
  const std::string text = thermal_file_text(file);
  const ThermalFile back = parse_thermal_file(text, "test");
  EXPECT_EQ(back.board, "agx-orin");
  EXPECT_EQ(back.provenance, Provenance::kFake);
  EXPECT_NEAR(back.fit.model.sink_j_per_k / file.fit.model.sink_j_per_k, 1, 1e-5);
  EXPECT_NEAR(back.fit.sd(ThermalParam::kSink), file.fit.sd(ThermalParam::kSink), 1e-6);
  const HoldQuestion question{
      .power_w = 50, .ambient_celsius = {}, .fan = {}, .trip_celsius = {}, .from = {}};
  EXPECT_NEAR(how_long(back.fit, question).steady_interval.hi,
              how_long(file.fit, question).steady_interval.hi, 0.01);
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"[thermal]", "[other]"},
           {"fan = ", "fan = nan #"},
           {"sink_j_per_k = ", "sink_j_per_k = -"},
           {"rows = ", "lines = "},
           {"provenance = \"fake\"", "provenance = \"guessed\""},
           {"covariance = [", "covariance = [1, "},
           {"covariance = [", "covariance = [-5 #"},
           {"board = \"agx-orin\"", "board = 7"}}) {
    std::string damaged = text;
    const auto at = damaged.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    damaged.replace(at, from.size(), to);
    EXPECT_THROW(parse_thermal_file(damaged, "test"), InputError) << from;
  }
  for (std::size_t length = 0; length < text.size(); length += 37) {
    EXPECT_THROW(parse_thermal_file(text.substr(0, length), "test"), InputError) << length;
  }
}

std::string wide_csv(const std::string& extra = "") {
  std::string text = "time_s,power_w,temperature_c,fan\n";
  for (int i = 0; i < 20; ++i) {
    text += std::to_string(i) + ",10," + std::to_string(40 + i) + ",0.5\n";
  }
  return text + extra;
}

TEST(HeatTrace, IsReadAsItWasWritten) {
  const HeatTrace trace = parse_heat_trace(wide_csv(), "test");
  ASSERT_EQ(trace.rows.size(), 20u);
  EXPECT_EQ(trace.rows[3].celsius, 43);
  EXPECT_EQ(trace.rows[3].fan, 0.5);
  EXPECT_TRUE(trace.fan_known);
  HeatTrace with_clock = trace;
  with_clock.rows[2].throttled = true;
  with_clock.rows[2].clock_hz = 612e6;
  const HeatTrace back = parse_heat_trace(heat_trace_csv(with_clock), "test");
  EXPECT_TRUE(back.rows[2].throttled);
  EXPECT_EQ(back.rows[2].clock_hz, 612e6);
  EXPECT_EQ(back.rows[1].clock_hz, 0);
}

TEST(HeatTrace, RefusesDamage) {
  for (const char* bad : {"5,10,40,0.5\n", "30,-1,40,0.5\n", "30,10,400,0.5\n", "30,10,40,2\n",
                          "30,nan,40,1\n", "30,10,40\n", "30,10,,1\n", "1e300,10,40,1\n"}) {
    EXPECT_THROW(parse_heat_trace(wide_csv(bad), "test"), InputError) << bad;
  }
  EXPECT_THROW(parse_heat_trace("", "test"), InputError);
  EXPECT_THROW(parse_heat_trace("time_s,power_w,temperature_c\n1,2,3\n", "test"), InputError);
  EXPECT_THROW(parse_heat_trace("a,b\n1,2\n", "test"), InputError);
}

// A long series: power is sampled at its own rate, and the hottest zone counts.
TEST(HeatTrace, ReadsASeries) {
  std::string text = "time_s,channel,value\n";
  for (int i = 0; i < 200; ++i) {
    const double time_s = 0.1 * i;
    text +=
        fmt::format("{},power:total,{}\n{},power:VDD_GPU,3\n", time_s, i < 100 ? 10 : 20, time_s);
  }
  for (int i = 0; i < 20; ++i) {
    text += fmt::format(
        "{0},temperature:cpu-thermal,{1}\n{0},temperature:tj-thermal,{2}\n"
        "{0},fan:pwmfan 1,0.25\n{0},clock:gpu,1e9\n{0},load:gpu,0.5\n",
        i, 40 + i, 42 + i);
  }
  const HeatTrace trace = parse_heat_trace(text, "test");
  EXPECT_EQ(trace.zone, "tj-thermal");
  ASSERT_EQ(trace.rows.size(), 20u);
  EXPECT_EQ(trace.rows[5].celsius, 47);
  EXPECT_NEAR(trace.rows[5].power_w, 10, 1e-9);
  EXPECT_NEAR(trace.rows[15].power_w, 20, 1e-9);
  EXPECT_NEAR(trace.rows[10].power_w, 10.5, 0.1);  // power rises from 10 to 20 in the last tenth
  EXPECT_EQ(trace.rows[5].fan, 0.25);
  EXPECT_EQ(trace.rows[5].clock_hz, 1e9);
  EXPECT_EQ(parse_heat_trace(text, "test", "cpu-thermal").rows[5].celsius, 45);
  EXPECT_THROW(parse_heat_trace(text, "test", "gpu-thermal"), InputError);
  // Two rails without a total: the file does not say which one is the module's power.
  std::string rails = text;
  for (auto at = rails.find("power:total"); at != std::string::npos;
       at = rails.find("power:total")) {
    rails.replace(at, 11, "power:VDD_CPU");
  }
  EXPECT_THROW(parse_heat_trace(rails, "test"), InputError);
  EXPECT_THROW(parse_heat_trace("time_s,channel,value\n1,power:VDD_IN,3\n", "test"), InputError);
}

TEST(HoldText, SaysTimesInTheirUnit) {
  EXPECT_EQ(hold_time_text(52), "52 s");
  EXPECT_EQ(hold_time_text(870), "14 min");
  EXPECT_EQ(hold_time_text(7200), "2.0 h");
}

}  // namespace
}  // namespace ridgewatt::thermal
