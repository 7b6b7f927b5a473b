#include "ridgewatt/report/measure_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/sort.h"
#include "ridgewatt/io/csv.h"
#include "ridgewatt/report/board/bounds.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {
namespace {

Json energy_json(const measure::EnergyEstimate& energy) {
  return json_object({{"mean_w", energy.mean_w},
                      {"peak_w", energy.peak_w},
                      {"energy_j", energy.energy_j},
                      {"error_j", known_json(energy.error_j)},
                      {"samples", energy.samples},
                      {"missing", energy.missing},
                      {"mean_interval_ms", energy.mean_interval_s * 1e3},
                      {"largest_gap_ms", energy.largest_gap_s * 1e3}});
}

Json summary_json(const measure::MinibatchSummary& summary, bool power) {
  const auto all = static_cast<double>(summary.count + summary.excluded);
  if (all == 0) return nullptr;
  Json json = json_object({{"count", summary.count},
                           {"slow", summary.slow},
                           {"excluded", summary.excluded},
                           {"excluded_share", static_cast<double>(summary.excluded) / all},
                           {"excluded_causes", summary.causes},
                           {"steady", summary.steady}});
  if (summary.count == 0) return json;
  set_members(json, {{"time_ms", summary.time_s * 1e3},
                     {"time_lo_ms", known_json(summary.time_lo_s * 1e3)},
                     {"time_hi_ms", known_json(summary.time_hi_s * 1e3)},
                     {"time_median_ms", summary.median_s * 1e3},
                     {"time_q1_ms", summary.lower_quartile_s * 1e3},
                     {"time_q3_ms", summary.upper_quartile_s * 1e3},
                     {"fetch_stall_ms", summary.fetch_s * 1e3},
                     {"compute_ms", (summary.time_s - summary.fetch_s) * 1e3}});
  if (power) {
    json["power_w"] = summary.power_w;
    json["energy_j"] = summary.energy_j;
    json["energy_lo_j"] = known_json(summary.energy_lo_j);
    json["energy_hi_j"] = known_json(summary.energy_hi_j);
  }
  return json;
}

// For example, "95 % within 39.1 to 41.2".
std::string interval_note(double lo, double hi) {
  return std::isfinite(hi - lo) ? sentence("95 % within {:.4g} to {:.4g}", lo, hi)
                                : "too few for an interval";
}

void add_summary_rows(const measure::Measurement& measurement, Table& table) {
  const auto& summary = measurement.summary;
  const auto all = static_cast<double>(summary.count + summary.excluded);
  if (all == 0) return;
  table.add_row({"minibatches", static_cast<std::int64_t>(summary.count), "",
                 fmt::format("without warm-up; including slow minibatches: {}", summary.slow)});
  for (const auto& [cause, count] : summary.causes) {
    table.add_row({"excluded", 100 * static_cast<double>(count) / all, "%",
                   fmt::format("{}: {}", counted(count, "minibatch"), cause)});
  }
  if (summary.count == 0) return;
  table.add_row({"minibatch, mean", summary.time_s * 1e3, "ms",
                 interval_note(summary.time_lo_s * 1e3, summary.time_hi_s * 1e3)});
  table.add_row({"minibatch, median", summary.median_s * 1e3, "ms",
                 sentence("quartiles {:.4g} and {:.4g}", summary.lower_quartile_s * 1e3,
                          summary.upper_quartile_s * 1e3)});
  table.add_row({"fetch stall, mean", summary.fetch_s * 1e3, "ms", ""});
  if (!measurement.total) return;
  table.add_row({"minibatch energy", summary.energy_j, "J",
                 "mean; " + interval_note(summary.energy_lo_j, summary.energy_hi_j)});
}

Json residency_json(const std::vector<measure::ClockResidency>& residencies) {
  Json json = Json::array();
  for (const auto& residency : residencies) {
    Json shares = Json::array();
    for (const auto& [hz, share] : residency.shares) {
      shares.push_back(json_object({{"clock_mhz", mhz_of_hz(hz)}, {"share", share}}));
    }
    json.push_back(json_object({{"clock", residency.clock},
                                {"source", residency.source},
                                {"time_ms", residency.time_s * 1e3},
                                {"shares", shares}}));
  }
  return json;
}

Json use_json(const measure::Measurement& measurement) {
  Json files = Json::array();
  for (const auto& file : measurement.files) {
    files.push_back(json_object({{"path", file.path},
                                 {"bytes", file.bytes},
                                 {"cached_before", file.share_before},
                                 {"cached_after", file.share_after}}));
  }
  Json json = json_object({{"residency", residency_json(measurement.residency)},
                           {"io", nullptr},
                           {"disks", nullptr},
                           {"files", files},
                           {"notes", measurement.words.notes},
                           {"values", measurement.words.values},
                           {"conditions", measurement.conditions}});
  if (measurement.io) {
    json["io"] = json_object({{"read_calls", measurement.io->read_calls},
                              {"read_bytes", measurement.io->read_bytes},
                              {"write_calls", measurement.io->write_calls},
                              {"written_bytes", measurement.io->written_bytes},
                              {"storage_read_bytes", measurement.io->storage_read_bytes},
                              {"storage_written_bytes", measurement.io->storage_written_bytes}});
  }
  if (measurement.disks) {
    json["disks"] = json_object({{"reads", measurement.disks->reads},
                                 {"read_bytes", measurement.disks->read_bytes},
                                 {"writes", measurement.disks->writes},
                                 {"written_bytes", measurement.disks->written_bytes}});
  }
  return json;
}

// Adds the clock with the longest residency, and in its note the next ones in falling order.
void add_residency_rows(const measure::Measurement& measurement, Table& table) {
  static constexpr std::size_t kMostNamed = 4;
  for (const auto& residency : measurement.residency) {
    auto shares = residency.shares;
    sort_stably(shares, [](const auto& a, const auto& b) { return a.second > b.second; });
    if (shares.empty()) continue;
    std::string note = sentence("of the time at {:g} MHz", mhz_of_hz(shares[0].first));
    for (std::size_t i = 1; i < std::min(shares.size(), kMostNamed); ++i) {
      note += sentence(", {:.1f} % at {:g}", 100 * shares[i].second, mhz_of_hz(shares[i].first));
    }
    if (shares.size() > kMostNamed) note += fmt::format(", {} more", shares.size() - kMostNamed);
    table.add_row({"residency " + residency.clock, 100 * shares[0].second, "%",
                   note + " (" + residency.source + ")"});
  }
}

void add_use_rows(const measure::Measurement& measurement, Table& table) {
  const double time_s = measurement.end_s - measurement.begin_s;
  if (const auto& io = measurement.io) {
    table.add_row({"read by the program", io->read_bytes / kMebibyte, "MiB",
                   sentence("{:.0f} calls; {:.4g} MiB from storage", io->read_calls,
                            io->storage_read_bytes / kMebibyte)});
  }
  if (const auto& disks = measurement.disks; disks && time_s > 0) {
    table.add_row(
        {"read by all disks", disks->read_bytes / kMebibyte, "MiB",
         sentence("{:.0f} reads, {:.4g} per second", disks->reads, disks->reads / time_s)});
  }
  for (const auto& file : measurement.files) {
    table.add_row({"in the page cache", 100 * file.share_after, "%",
                   fmt::format("of {}; {:.1f} % before", file.path, 100 * file.share_before)});
  }
  for (const auto& [name, value] : measurement.words.values) {
    table.add_row({name, value, "", "stated by the program"});
  }
  for (const auto& note : measurement.words.notes) {
    table.add_row({"program", Cell(), "", note});
  }
  for (const auto& condition : measurement.conditions) {
    table.add_row({"condition", Cell(), "", condition});
  }
}

struct SeriesUnit {
  const char* name;
  double scale;
};
SeriesUnit unit_of(const std::string& channel) {
  if (channel.rfind("clock:", 0) == 0) return {"MHz", mhz_of_hz(1)};
  if (channel.rfind("load:", 0) == 0 || channel.rfind("fan:", 0) == 0) return {"%", 100};
  if (channel.rfind("memory:", 0) == 0) return {"MiB", 1 / kMebibyte};
  return {"°C", 1};
}

}  // namespace

Json measurement_to_json(const measure::Measurement& measurement,
                         const std::vector<std::string>& command, Provenance provenance) {
  Json json = json_object({{"command", command},
                           {"status", measurement.status},
                           {"provenance", name_of(provenance)},
                           {"time_ms", (measurement.end_s - measurement.begin_s) * 1e3},
                           {"power_source", measurement.source},
                           {"power", measurement.total ? energy_json(*measurement.total) : Json()},
                           {"idle_w", known_json(measurement.idle_w)},
                           {"rails", Json::array()}});
  for (const auto& channel : measurement.channels) {
    Json rail = json_object({{"name", channel.name}, {"in_total", channel.in_total}});
    rail.update(energy_json(channel.energy));
    json["rails"].push_back(rail);
  }
  json["minibatches"] = summary_json(measurement.summary, measurement.total.has_value());
  json["phases"] = Json::array();
  for (const auto& phase : measurement.phases) {
    Json entry = json_object(
        {{"name", phase.span.name}, {"time_ms", (phase.span.end_s - phase.span.begin_s) * 1e3}});
    if (phase.energy) entry.update(energy_json(*phase.energy));
    json["phases"].push_back(entry);
  }
  json["series"] = Json::array();
  for (const auto& series : measurement.series_summary) {
    json["series"].push_back(json_object({{"channel", series.channel},
                                          {"mean", series.mean},
                                          {"low", series.low},
                                          {"high", series.high}}));
  }
  json.update(use_json(measurement));
  json["throttled"] = measurement.throttled;
  json["cpu"] = json_object({{"user_s", measurement.user_s}, {"system_s", measurement.system_s}});
  json["peak_memory_bytes"] = measurement.peak_memory_bytes;
  json["sampler"] = json_object({{"cpu_share", measurement.sampler_cpu_share},
                                 {"lost", measurement.lost_samples},
                                 {"late", measurement.late_samples},
                                 {"rate_asked_hz", measurement.rate_asked_hz},
                                 {"rate_hz", measurement.rate_hz}});
  json["malformed_marks"] = measurement.malformed_marks;
  return json;
}

std::vector<std::string> measurement_remarks(const measure::Measurement& measurement) {
  auto remarks = measure::skipped_marks_remarks(measurement.malformed_marks);
  if (const auto& total = measurement.total; total && total->samples < 2) {
    remarks.push_back(
        fmt::format("{} of power in the run: the error of the energy is unknown; run the program "
                    "for longer, or raise --sampling-hz",
                    counted(static_cast<std::int64_t>(total->samples), "sample")));
  }
  if (measurement.minibatch_marks > 0 && measurement.minibatches.empty()) {
    remarks.push_back(fmt::format(
        "none of {} is used: --warm-up excludes them, or they have no duration",
        counted(static_cast<std::int64_t>(measurement.minibatch_marks), "marked minibatch")));
  }
  return remarks;
}

Table measurement_table(const measure::Measurement& measurement, Provenance provenance,
                        std::span<const measure::TokenRun> runs) {
  Table table({{"quantity"}, {"value"}, {"unit"}, {.name = "note", .wrap = true}});
  table.add_row({"status", std::int64_t{measurement.status}, "", std::string(name_of(provenance))});
  table.add_row({"time", measurement.end_s - measurement.begin_s, "s", ""});
  if (measurement.total) {
    const auto& total = *measurement.total;
    table.add_row({"mean power", total.mean_w, "W", measurement.source});
    table.add_row({"peak power", total.peak_w, "W", ""});
    table.add_row({"energy", total.energy_j, "J", ""});
    const bool bounded = std::isfinite(total.error_j);
    table.add_row({"energy, error at most", bounded ? Cell(total.error_j) : Cell(), "J",
                   bounded ? "of sampling" : "unknown: too few samples"});
    table.add_row({"power samples", static_cast<std::int64_t>(total.samples), "", ""});
    table.add_row({"largest gap", total.largest_gap_s * 1e3, "ms", ""});
  } else {
    table.add_row({"mean power", Cell(), "W", measurement.source});
  }
  if (measurement.idle_w) table.add_row({"idle power", *measurement.idle_w, "W", "before"});
  add_token_rows(runs, table);
  for (const auto& channel : measurement.channels) {
    table.add_row({"rail " + channel.name, channel.energy.mean_w, "W",
                   channel.in_total ? "in the total" : ""});
  }
  add_summary_rows(measurement, table);
  for (const auto& phase : measurement.phases) {
    const std::string energy = phase.energy ? sentence("{:.4g} J, {}", phase.energy->energy_j,
                                                       bound_text(phase.energy->error_j, " J"))
                                            : "";
    table.add_row({"phase " + phase.span.name, phase.span.end_s - phase.span.begin_s, "s", energy});
  }
  for (const auto& series : measurement.series_summary) {
    const SeriesUnit unit = unit_of(series.channel);
    table.add_row(
        {series.channel, series.mean * unit.scale, unit.name,
         sentence("{:.4g} to {:.4g}", series.low * unit.scale, series.high * unit.scale)});
  }
  add_residency_rows(measurement, table);
  for (const auto& signal : measurement.throttled) table.add_row({"throttled", Cell(), "", signal});
  if (measurement.peak_memory_bytes > 0) {  // otherwise no program ran on this machine
    table.add_row({"CPU time", measurement.user_s + measurement.system_s, "s", ""});
    table.add_row({"peak memory", measurement.peak_memory_bytes / kMebibyte, "MiB", ""});
  }
  add_use_rows(measurement, table);
  return table;
}

std::string minibatches_csv(const measure::Measurement& measurement) {
  std::string text = "begin_s,time_ms,fetch_stall_ms,compute_ms,energy_j,slow,excluded\n";
  for (const auto& minibatch : measurement.minibatches) {
    text += fmt::format("{:.6f},{:.6g},{:.6g},{:.6g},{},{},{}\n",
                        minibatch.begin_s - measurement.begin_s, minibatch.time_s() * 1e3,
                        minibatch.fetch_s * 1e3, (minibatch.time_s() - minibatch.fetch_s) * 1e3,
                        measurement.total ? sentence("{:.6g}", minibatch.energy_j) : "",
                        minibatch.slow ? 1 : 0, minibatch.excluded);
  }
  return text;
}

std::string series_csv(const measure::Measurement& measurement) {
  std::string text = "time_s,channel,value\n";
  const auto row = [&](double time_s, const std::string& channel, double value) {
    text +=
        fmt::format("{:.6f},{},{:.9g}\n", time_s - measurement.begin_s, csv_field(channel), value);
  };
  for (const auto& trace : measurement.traces) {
    for (std::size_t i = 0; i < trace.times_s.size(); ++i) {
      if (std::isfinite(trace.powers_w[i])) {
        row(trace.times_s[i], "power:" + trace.name, trace.powers_w[i]);
      }
    }
  }
  // If the power of the module is a sum, also writes the sum, because readers of the file do not
  // know which rails it includes.
  const auto parts = std::count_if(measurement.traces.begin(), measurement.traces.end(),
                                   [](const auto& trace) { return trace.in_total; });
  if (parts > 1) {
    const measure::PowerTrace total = measure::total_of(measurement.traces);
    for (std::size_t i = 0; i < total.times_s.size(); ++i) {
      if (std::isfinite(total.powers_w[i])) {
        row(total.times_s[i], "power:total", total.powers_w[i]);
      }
    }
  }
  for (const auto& sample : measurement.series) row(sample.time_s, sample.channel, sample.value);
  return text;
}

}  // namespace ridgewatt::report
