// The exposition is read back by an independent reader of the grammar of Prometheus' format, and by
// promtool if it is installed.
#include "ridgewatt/monitor/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

#include "ridgewatt/base/random.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/monitor/exposition.h"
#include "ridgewatt/platform/fake_board_support.h"

namespace ridgewatt::monitor {
namespace {

struct Series {
  std::string family, labels;
  std::map<std::string, std::string> values;  // values of labels, unescaped
  double value = 0;
};

bool name_char(char c, bool first) {
  const bool digit = c >= '0' && c <= '9';
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (digit && !first);
}

// Reads the line of a series; fails the test if it is invalid.
Series read_series(const std::string& line) {
  Series series;
  std::size_t at = 0;
  while (at < line.size() && name_char(line[at], at == 0)) series.family += line[at++];
  EXPECT_FALSE(series.family.empty()) << line;
  if (line[at] == '{') {
    const std::size_t begin = at++;
    while (at < line.size() && line[at] != '}') {
      std::string name, value;
      while (at < line.size() && name_char(line[at], name.empty())) name += line[at++];
      EXPECT_EQ(line.substr(at, 2), "=\"") << line;
      for (at += 2; at < line.size() && line[at] != '"'; ++at) {
        if (line[at] != '\\') {
          value += line[at];
          continue;
        }
        const char next = line[++at];
        EXPECT_TRUE(next == '\\' || next == '"' || next == 'n') << line;
        value += next == 'n' ? '\n' : next;
      }
      ++at;
      EXPECT_TRUE(series.values.emplace(name, value).second) << line;
      if (line[at] == ',') ++at;
    }
    series.labels = line.substr(begin, ++at - begin);
  }
  EXPECT_EQ(line[at], ' ') << line;
  const auto value = parse_double(line.substr(at + 1));
  EXPECT_TRUE(value.has_value()) << line;
  series.value = value.value_or(0);
  return series;
}

// Returns all series and checks the text: heads come before series, each family occurs once and in
// one block, and no two series are equal.
std::vector<Series> read_metrics(const std::string& text) {
  std::vector<Series> all;
  std::set<std::string> families, seen;
  std::string family;
  EXPECT_TRUE(text.empty() || text.back() == '\n');
  for (const auto& line : split(text, '\n')) {
    if (line.empty()) continue;
    if (line.rfind("# HELP ", 0) == 0) {
      family = split(line, ' ')[2];
      EXPECT_TRUE(families.insert(family).second) << family;
    } else if (line.rfind("# TYPE ", 0) == 0) {
      EXPECT_EQ(split(line, ' ')[2], family);
    } else {
      all.push_back(read_series(line));
      EXPECT_EQ(all.back().family, family);
      EXPECT_TRUE(seen.insert(family + all.back().labels).second) << line;
    }
  }
  return all;
}

// label: board
TEST(Metrics, OfAFakeBoardSayWhatTheMonitorSaw) {
  testing::FakeBoard board("agx-orin-jp6");
  board.add_fans_and_swap();
  Monitor monitor(*board.sysfs, {.rate_hz = 100, .look_s = 0.1});
  const auto second = monitor.wait(1, 5);
  ASSERT_TRUE(second);
  monitor.mark();
  monitor.mark();
  const Snapshot now = monitor.snapshot();
  const std::string text =
      metrics_text(monitor.sensors(), now, {Provenance::kFake, true, monitor.windows()});
  std::map<std::string, double> sums;
  double rails_j = 0;
  for (const auto& series : read_metrics(text)) {
    sums[series.family] += series.value;
    const bool rail = series.family == "hw_rail_energy_joules_total";
    if (rail && series.values.at("in_total") == "true") rails_j += series.value;
    if (series.family == "ridgewatt_board_info") {
      EXPECT_EQ(series.values.at("provenance"), "fake");
      EXPECT_EQ(series.values.at("board"), "agx-orin");
    }
  }
  EXPECT_DOUBLE_EQ(sums["hw_power_watts"], *now.total_w);
  EXPECT_DOUBLE_EQ(sums["hw_energy_joules_total"], now.total.energy_j);
  EXPECT_NEAR(rails_j, now.total.energy_j, 1e-9 * rails_j);
  EXPECT_EQ(sums["ridgewatt_minibatches_total"], 2);
  EXPECT_EQ(sums["hw_memory_bytes"], 2048 * 1024);
  EXPECT_EQ(sums["hw_swap_bytes"], 4096 * 1024);
  EXPECT_EQ(sums["hw_fan_speed_rpm"], 1710);
  EXPECT_EQ(sums["hw_cpus"], 12);
  EXPECT_EQ(sums.count("hw_gpu_utilization_ratio"), 1u);
  EXPECT_EQ(text, metrics_text(monitor.sensors(), now, {Provenance::kFake, true, {}}));
}

TEST(Metrics, OneLookHasNoCounters) {
  testing::FakeBoard board("orin-nano");
  Monitor monitor(*board.sysfs);
  const std::string text =
      metrics_text(monitor.sensors(), monitor.snapshot(), {Provenance::kFake, false, {}});
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr(" counter\n")));
  EXPECT_FALSE(read_metrics(text).empty());
}

TEST(Metrics, WithoutPowerThereIsNoEnergy) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "proc");
  folder.write("proc/meminfo", "MemTotal: 2048 kB\nMemAvailable: 1024 kB\n");
  const platform::Sysfs sysfs(folder.path().string());
  Monitor monitor(sysfs);
  for (const auto& series : read_metrics(metrics_text(monitor.sensors(), monitor.snapshot()))) {
    EXPECT_EQ(series.family.find("joules"), std::string::npos);
    if (series.family == "ridgewatt_power_available") {
      EXPECT_EQ(series.value, 0);
    }
  }
}

TEST(Metrics, TwoZonesOfOneNameStayApart) {
  Exposition out(true);
  out.gauge("g", "A gauge.");
  out.series({{"hw_id", "acpitz"}}, 1);
  out.series({{"hw_id", "acpitz"}}, 2);
  out.series({{"hw_id", "acpitz"}}, std::nullopt);
  out.series({{"hw_id", "other"}}, std::nan(""));
  out.gauge("empty", "Without a series.");
  EXPECT_EQ(out.text(),
            "# HELP g A gauge.\n# TYPE g gauge\ng{hw_id=\"acpitz\"} 1\ng{hw_id=\"acpitz (2)\"} "
            "2\n");
}

TEST(Metrics, LabelsComeBackAsTheyWere) {
  EXPECT_EQ(metrics_label("a\\b\"c\nd"), "a\\\\b\\\"c\\nd");
  EXPECT_EQ(metrics_label(std::string("\0", 1)), "\xef\xbf\xbd");
  EXPECT_EQ(metrics_label("\xff"
                          "a"),
            "\xef\xbf\xbd"
            "a");
  Random random(3);
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    const int length = static_cast<int>(random.uniform(0, 12));
    bool plain = true;  // only printable or escaped characters
    for (int c = 0; c < length; ++c) {
      static const std::string kOften = "\\\"\n{},= #";
      const bool often = random.uniform() < 0.5;
      const auto pick = static_cast<std::size_t>(random.uniform(0, 9));
      text += often ? kOften[pick] : static_cast<char>(random.uniform(0, 256));
      const auto code = static_cast<unsigned char>(text.back());
      plain = plain && (code == '\n' || (code >= 0x20 && code < 0x7f));
    }
    Exposition out(true);
    out.gauge("g", "h");
    out.series({{"a", text}, {"b", "end"}}, 1);
    const auto series = read_metrics(out.text());
    ASSERT_EQ(series.size(), 1u);
    if (plain) {
      EXPECT_EQ(series[0].values.at("a"), text);
    }
    EXPECT_EQ(series[0].values.at("b"), "end");
  }
}

// label: board
TEST(Metrics, PromtoolFindsNoFault) {
  if (std::system("command -v promtool > /dev/null") != 0) GTEST_SKIP() << "skipped: no promtool";
  for (const char* name : {"agx-orin-jp6", "xavier-nx-jp4", "nano", "thor"}) {
    testing::FakeBoard board(name);
    board.set("/sys/class/thermal/thermal_zone0/type", "hot \"spot\" \\ \xff");
    Monitor monitor(*board.sysfs, {.rate_hz = 100, .look_s = 0.1});
    ASSERT_TRUE(monitor.wait(1, 5));
    const testing::TemporaryFolder folder;
    const std::string file = folder.write(
        "m.prom",
        metrics_text(monitor.sensors(), monitor.snapshot(), {Provenance::kFake, true, {}}));
    const std::string report = file + ".txt";
    const int status =
        std::system(("promtool check metrics < " + file + " > " + report + " 2>&1").c_str());
    EXPECT_EQ(status, 0) << name << ": " << read_file(report);
    EXPECT_EQ(read_file(report), "") << name;
  }
}

}  // namespace
}  // namespace ridgewatt::monitor
