#include "ridgewatt/report/answer/schedule_figures.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ridgewatt::report {
namespace {

const FigureSource kSource("net", "board", Provenance::kModelled, "simulated");

TEST(ScheduleFigures, TimelineEndsWhereItIsCut) {
  schedule::Simulation simulation;
  simulation.timeline = {{schedule::Segment::Kind::kInference, 0, 0.1, 4, 20},
                         {schedule::Segment::Kind::kTraining, 0.1, 0.3, 0, 30},
                         {schedule::Segment::Kind::kTraining, 0.3, 0.5, 0, 30}};
  const Timeline figure = cycle_timeline(simulation, 0.2, kSource);
  ASSERT_EQ(figure.spans.size(), 2u);
  EXPECT_DOUBLE_EQ(figure.spans[1].end, 200);
  EXPECT_EQ(figure.lanes[figure.spans[0].lane], "inference");
  EXPECT_NE(to_svg(figure).find("<svg"), std::string::npos);
  const Plot power = cycle_power(simulation, 0.5, 5, kSource);
  EXPECT_EQ(power.series[0].y.front(), 20);
  EXPECT_EQ(power.series[0].y.back(), 5);
}

TEST(ScheduleFigures, DistributionRisesToAll) {
  schedule::Simulation simulation;
  for (int i = 100; i >= 1; --i) simulation.latencies_s.push_back(i / 1e3);
  const Plot plot = latency_distribution({{"managed", simulation}}, 0.05, kSource);
  EXPECT_DOUBLE_EQ(plot.series[0].y.back(), 100);
  EXPECT_DOUBLE_EQ(plot.series[0].x.back(), 100);
  EXPECT_DOUBLE_EQ(plot.series[0].x.front(), 1);
  EXPECT_EQ(plot.remarks.size(), 1u);
}

TEST(ScheduleFigures, MapHasNoValueWhereNothingIsFeasible) {
  schedule::Candidate candidate;
  candidate.inference = {1, 0.01, 20};
  candidate.background = schedule::Round::of({16, 0.02, 20});
  const schedule::PlanTable table({candidate});
  schedule::PlanProblem problem;
  problem.arrival_rate_hz = 10;
  const HeatMap map = throughput_map(table, problem, {10, 30}, {0.01, 0.1}, kSource);
  EXPECT_EQ(map.note, "3 of 4 cells are empty: no plan meets both bounds");
  EXPECT_TRUE(std::isnan(map.values[0][1]));  // latency
  EXPECT_TRUE(std::isnan(map.values[1][0]));  // power
  EXPECT_DOUBLE_EQ(map.values[1][1], 40);     // four requests in each tenth of a second
}

}  // namespace
}  // namespace ridgewatt::report
