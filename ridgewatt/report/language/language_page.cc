// The page of `llm`: facts, tables and figures.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/sort.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/llm/forecast.h"
#include "ridgewatt/report/html_report.h"
#include "ridgewatt/report/language/figures_of.h"
#include "ridgewatt/report/language_report.h"
#include "ridgewatt/report/svg.h"

namespace ridgewatt::report {
namespace {

using answer::LanguageAnswer;
using answer::LanguageMemory;
using answer::LanguageRow;

constexpr std::size_t kMostLines = 8;  // number of distinct colors
constexpr std::size_t kMostMemoryBars = 24;
constexpr std::size_t kMostMarks = 2000;

// Identifies a setting, for example "q4_k_m, llama.cpp, agx-orin".
std::string setting_name(const LanguageAnswer& found, std::size_t s) {
  const auto& setting = found.settings[s];
  return fmt::format("{}, {}, {}", found.weights[setting.weights].name, setting.engine->name,
                     board_label(found.boards[setting.board]));
}

FigureSource source_of(const LanguageAnswer& found) {
  const auto& setting = found.settings.front();
  if (found.settings.size() == 1) {
    return {found.model.name + " in " + found.weights[setting.weights].name,
            found.boards[setting.board].title, Provenance::kModelled, setting.title};
  }
  return {found.model.name, counted(found.settings.size(), "combination"), Provenance::kModelled,
          "engines as fitted"};
}

// Returns at most kMostLines rows: with several settings, the shown row or the first row of each;
// with one setting, its presets, or else modes evenly spaced from slow to fast.
std::vector<std::size_t> drawn_rows(const LanguageAnswer& found) {
  std::vector<std::size_t> rows;
  if (found.settings.size() > 1) {
    std::size_t last = found.settings.size();
    for (std::size_t i = 0; i < found.rows.size() && rows.size() < kMostLines; ++i) {
      if (found.rows[i].setting == last) continue;
      last = found.rows[i].setting;
      rows.push_back(last == 0 ? found.shown : i);
    }
    return rows;
  }
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    const LanguageRow& row = found.rows[i];
    const bool named = !preset_name(found.board_of(row), row.mode).empty();
    if (named || i == found.shown || found.rows.size() <= kMostLines) rows.push_back(i);
  }
  if (rows.size() > kMostLines) rows.resize(kMostLines);
  if (rows.size() > 1 || found.rows.size() == 1) return rows;
  rows.resize(found.rows.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const auto speed = [&](std::size_t i) { return found.rows[i].forecast.tokens_per_s.value; };
  sort_stably(rows, [&](std::size_t a, std::size_t b) { return speed(a) < speed(b); });
  std::vector<std::size_t> spread;
  for (std::size_t i = 0; i < kMostLines; ++i) {
    spread.push_back(rows[i * (rows.size() - 1) / (kMostLines - 1)]);
  }
  return spread;
}

std::string row_name(const LanguageAnswer& found, const LanguageRow& row) {
  return found.settings.size() > 1 ? setting_name(found, row.setting)
                                   : mode_name(found.board_of(row), row.mode);
}

Plot context_figure(const LanguageAnswer& found) {
  Plot plot{.title = "Time per token over context",
            .source = source_of(found),
            .x = {.label = "tokens in the cache", .log = true},
            .y = {.label = "time per token (ms)", .log = true}};
  const auto drawn = drawn_rows(found);
  for (const std::size_t i : drawn) {
    const LanguageRow& row = found.rows[i];
    Series line{.name = row_name(found, row), .mark = Mark::kLinePoints};
    for (std::size_t c = 0; c < row.step_s.size(); ++c) {
      line.x.push_back(static_cast<double>(found.question.contexts[c]));
      line.y.push_back(row.step_s[c] * 1e3);
    }
    plot.series.push_back(std::move(line));
  }
  if (drawn.size() < found.rows.size()) {
    plot.note = fmt::format("{} of {} rows shown", drawn.size(), found.rows.size());
  }
  return plot;
}

// Rows as points: a series for each of the first settings, and one for the Pareto front.
Plot front_figure(const LanguageAnswer& found) {
  Plot plot{.title = "Tokens per second and joules per token",
            .source = source_of(found),
            .x = {.label = "output tokens per second"},
            .y = {.label = "joules per token of decoding"}};
  const std::size_t stride = (found.rows.size() + kMostMarks - 1) / kMostMarks;
  std::vector<Series> points(std::min(found.settings.size(), kMostLines));
  Series front{.name = "on the front", .mark = Mark::kPoints, .color = "#C0392B"};
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    const LanguageRow& row = found.rows[i];
    if (row.setting >= points.size() && !row.on_front) continue;
    if (!row.forecast.power_known()) continue;
    if (!row.on_front && i % stride != 0) continue;
    Series& series = row.on_front ? front : points[row.setting];
    series.x.push_back(row.forecast.tokens_per_s.value);
    series.y.push_back(row.forecast.joules_per_token.value);
    series.rows.push_back(i < kMostTableRows ? static_cast<int>(i) : -1);
    series.labels.push_back(row_name(found, row) + ": " + mode_name(found.board_of(row), row.mode));
  }
  for (std::size_t s = 0; s < points.size(); ++s) {
    points[s].name = found.settings.size() > 1 ? setting_name(found, s) : "modes";
    points[s].mark = Mark::kPoints;
    if (!points[s].x.empty()) plot.series.push_back(std::move(points[s]));
  }
  if (!front.x.empty()) plot.series.push_back(std::move(front));
  if (found.settings.size() > kMostLines) {
    plot.note = fmt::format("the first {1} of {0} combinations, and all on the front",
                            found.settings.size(), kMostLines);
  } else if (stride > 1) {
    plot.note =
        fmt::format("one in {1} of {0} rows, and all on the front", found.rows.size(), stride);
  }
  return plot;
}

// The roofs in the mode of the shown row, and the points of both phases for each quantization on
// the same board: arithmetic intensity and modeled rate.
Plot phase_figure(const LanguageAnswer& found) {
  const LanguageRow& first = found.rows[found.shown];
  const answer::LanguageRoof roof = answer::roof_of(found, first);
  std::map<Arithmetic, answer::LanguageRoof> roofs;  // by arithmetic of the drawn rows
  Plot plot{.title = "Roofline of both phases in " + mode_name(found.board_of(first), first.mode),
            .source = source_of(found),
            .x = {.label = "arithmetic intensity (FLOP/byte)", .log = true},
            .y = {.label = "GFLOP/s", .log = true}};
  double low = roof.ridge() / 30, high = roof.ridge() * 30;
  std::vector<Series> points;
  for (const std::size_t i : drawn_rows(found)) {
    const LanguageRow& row = found.rows[i];
    if (found.board_of(row).name != found.board_of(first).name || row.mode != first.mode) continue;
    roofs[found.setting_of(row).arithmetic] = answer::roof_of(found, row);
    Series series{.name = row_name(found, row), .mark = Mark::kPoints};
    for (const auto& step : found.weights[found.setting_of(row).weights].steps) {
      const bool prompt = step.phase == llm::StepPhase::kPrefill;
      const double seconds = prompt ? row.forecast.ttft_s.value : row.forecast.tpot_s.value;
      series.x.push_back(step.intensity());
      series.y.push_back(step.work_flop / seconds / kGiga);
      series.labels.emplace_back(prompt ? "prefill" : "decode");
      low = std::min(low, step.intensity() / 2);
      high = std::max(high, step.intensity() * 2);
    }
    points.push_back(std::move(series));
  }
  for (const auto& [arithmetic, of] : roofs) {
    Series line{.name = "dense " + upper_case(name_of(arithmetic)) + " and DRAM peaks"};
    for (const double x : {low, of.ridge(), high}) {
      line.x.push_back(x);
      line.y.push_back(std::min(of.flop_per_s, x * of.bytes_per_s) / kGiga);
    }
    plot.series.push_back(std::move(line));
  }
  for (auto& series : points) plot.series.push_back(std::move(series));
  return plot;
}

StackedBars memory_figure(const LanguageAnswer& found) {
  StackedBars bars{.title = "Memory while it answers",
                   .source = source_of(found),
                   .value_label = "GiB",
                   .parts = {"weights", "cache", "buffers", "runtime", "system", "left"},
                   .values = std::vector<std::vector<double>>(6)};
  for (std::size_t i = 0; i < found.memory.size(); ++i) {
    if (bars.bars.size() == kMostMemoryBars) {
      bars.note = fmt::format("{} of {} drawn", kMostMemoryBars, found.memory.size());
      break;
    }
    const llm::Fit& fit = found.memory[i].fit;
    bars.bars.push_back(fmt::format("{}, {}{}", board_label(found.boards[i / found.weights.size()]),
                                    fit.quantization, fit.fits() ? "" : " (does not fit)"));
    const double parts[] = {fit.weights_bytes, fit.kv_bytes,     fit.buffer_bytes,
                            fit.runtime_bytes, fit.system_bytes, std::max(0.0, fit.left_bytes())};
    for (std::size_t p = 0; p < bars.values.size(); ++p)
      bars.values[p].push_back(parts[p] / kGibibyte);
  }
  return bars;
}

std::vector<HtmlReport::Fact> facts_of(const LanguageAnswer& found) {
  const LanguageRow& row = found.rows[found.shown];
  const llm::Forecast& forecast = row.forecast;
  const auto fact = [](const char* name, const llm::PredictedValue& figure, double scale,
                       const char* unit) {
    return HtmlReport::Fact{name, value_text(figure, scale, unit), bounds_text(figure, scale)};
  };
  const llm::Fit& fit = found.memory_of(row).fit;
  std::vector<HtmlReport::Fact> facts = {fact("first token", forecast.ttft_s, 1e3, "ms"),
                                         fact("tokens per second", forecast.tokens_per_s, 1, "")};
  if (forecast.power_known()) {
    facts.push_back(fact("per token", forecast.joules_per_token, 1, "J"));
    facts.push_back(fact("while decoding", forecast.decode_power_w, 1, "W"));
  }
  facts.push_back({"memory", sentence("{:.3g} GiB", LanguageMemory::needed_bytes(fit) / kGibibyte),
                   fit.fits() ? "fits" : "does not fit"});
  return facts;
}

}  // namespace

HtmlReport language_page(const LanguageAnswer& found) {
  HtmlReport page(found.model.name + ", modelled");
  for (const auto& line : language_headline(found)) page.paragraph(line);
  const LanguageRow& first = found.rows[found.shown];
  page.heading(fmt::format("{} in {}", setting_name(found, first.setting),
                           mode_name(found.board_of(first), first.mode)));
  page.facts(facts_of(found));
  const int rows = page.next_table();
  page.figure(front_figure(found), rows);
  page.figure(context_figure(found));
  if (!found.weights.front().steps.empty()) page.figure(phase_figure(found));
  page.figure(memory_figure(found));
  Table table = language_table(found, {.for_people = true});
  table.keep_first(kMostTableRows);
  page.table("All rows", table);
  page.table("That row over contexts", language_context_table(found));
  if (!found.weights.front().steps.empty()) {
    page.table("Its phases on the roofline", language_phase_table(found));
  }
  for (const auto& line : language_remarks(found)) page.paragraph(line);
  return page;
}

}  // namespace ridgewatt::report
