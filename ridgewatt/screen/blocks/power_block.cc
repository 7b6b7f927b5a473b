#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/sort.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/screen/blocks/block.h"
#include "ridgewatt/screen/graph.h"

namespace ridgewatt::screen {
namespace {

// The columns that fit the width, from left to right: name, bar, current power, mean, energy,
// energy error.
struct PowerColumns {
  static constexpr std::size_t kWatt = 9, kEnergy = 11, kError = 10;
  std::size_t name = 0, bar = 0, mean = 0;

  PowerColumns(std::size_t width, std::size_t longest_name) {
    const std::size_t fixed = kWatt + kEnergy + kError;
    const std::size_t rest = width > fixed ? width - fixed : 0;
    mean = rest >= 12 + kWatt ? kWatt : 0;
    name = std::min(longest_name + 2, rest - mean);
    const std::size_t left_over = rest - mean - name;
    bar = left_over >= 12 ? std::min<std::size_t>(left_over - 2, 24) : 0;
    name = rest - mean - (bar > 0 ? bar + 2 : 0);
  }
};

struct PowerRow {
  std::string name;
  std::optional<double> power_w;
  monitor::Energy energy;
  Tone tone = Tone::kPlain;
};

Line power_line(const PowerRow& row, const PowerColumns& columns, const Scene& scene,
                double whole_w) {
  Line line(left(row.name, columns.name), row.tone);
  if (columns.bar > 0) {
    const double share = row.power_w && whole_w > 0 ? *row.power_w / whole_w : 0;
    line.add("  ").add(bar(share, columns.bar, scene.glyphs), Tone::kBar);
  }
  const bool missing = !row.power_w || !std::isfinite(*row.power_w);
  line.add(right(watt_text(row.power_w), PowerColumns::kWatt), missing ? Tone::kWarn : row.tone);
  const double since_s = scene.now.since_s;
  const double mean_w = since_s > 0 ? row.energy.energy_j / since_s : std::nan("");
  if (columns.mean > 0) line.add(right(watt_text(mean_w), columns.mean), row.tone);
  line.add(right(joule_text(row.energy.energy_j, 4), PowerColumns::kEnergy), row.tone);
  line.add(right(plus_minus(scene.glyphs) + " " + joule_text(row.energy.error_j, 2),
                 PowerColumns::kError),
           Tone::kDim);
  return line;
}

Block no_power(const Scene& scene, std::size_t width) {
  Block block{title_line("power", "", width)};
  static constexpr std::string_view kNone = "none: ";
  std::string_view note = scene.now.power_note;
  if (note.starts_with(kNone)) note.remove_prefix(kNone.size());
  const std::string text = "no power: " + harmless(note, scene.glyphs);
  for (const auto& line : wrapped(text, width)) block.lines.emplace_back(line, Tone::kWarn);
  block.least = 1;
  return block;
}

std::string quality_text(const monitor::Snapshot& now) {
  std::string text;
  if (now.lost > 0) text += fmt::format("lost samples: {}  ", now.lost);
  if (now.missing > 0) text += fmt::format("missing: {}  ", now.missing);
  return text;
}

Line power_title(const Scene& scene, const PowerColumns& columns, std::size_t width) {
  Line line(left("power", columns.name), Tone::kTitle);
  if (columns.bar > 0) line.add(std::string(columns.bar + 2, ' '));
  line.add(right("now, W", PowerColumns::kWatt), Tone::kDim);
  if (columns.mean > 0) line.add(right("mean, W", columns.mean), Tone::kDim);
  line.add(right("energy", PowerColumns::kEnergy), Tone::kDim);
  line.add(right(plus_minus(scene.glyphs) + " error", PowerColumns::kError), Tone::kDim);
  return line.fit(width);
}

}  // namespace

Block power_block(const Scene& scene, std::size_t width) {
  const auto& now = scene.now;
  if (!now.has_power) return no_power(scene, width);
  std::vector<PowerRow> rows;
  double whole_w = now.total_w.value_or(0);
  std::size_t longest = 8;
  for (const auto& rail : now.rails) {
    const std::string name = (rail.in_total ? "+ " : "  ") + harmless(rail.name, scene.glyphs);
    rows.push_back(
        {name, rail.power_w, rail.since_start, rail.in_total ? Tone::kPlain : Tone::kDim});
    if (!now.total_w) whole_w = std::max(whole_w, rail.power_w.value_or(0));
    longest = std::max(longest, cells(name));
  }
  const PowerColumns columns(width, std::min<std::size_t>(longest, 40));
  Block block{power_title(scene, columns, width)};
  for (const auto& row : rows) block.lines.push_back(power_line(row, columns, scene, whole_w));
  if (now.has_total) {
    block.lines.push_back(
        power_line({"= total", now.total_w, now.total, Tone::kTitle}, columns, scene, whole_w));
    block.pinned = 1;
  }
  const std::string quality = quality_text(now);
  if (!quality.empty()) block.lines.emplace_back(quality, Tone::kWarn);
  if (!quality.empty()) ++block.pinned;
  block.least = std::min<std::size_t>(block.lines.size(), block.pinned + 2);
  return block;
}

Block window_block(const Scene& scene, std::size_t width) {
  Block block{title_line("windows", "time, energy, mean, minibatches", width)};
  // Open windows first, then the newest.
  std::vector<const monitor::Window*> order;
  for (const auto& window : scene.windows) order.push_back(&window);
  sort_stably(order, [](const auto* a, const auto* b) {
    return a->ended != b->ended ? !a->ended : a->number > b->number;
  });
  for (const auto* window : order) {
    const double time_s = window->end_s - window->begin_s;
    const double energy_j = window->energy.energy_j;
    std::string text =
        fmt::format("{} {} {}", time_text(time_s), joule_text(energy_j, 4),
                    plus_minus(scene.glyphs) + " " + joule_text(window->energy.error_j, 2));
    if (time_s > 0) text += fmt::format("  {} W", watt_text(energy_j / time_s));
    if (window->minibatches > 0) {
      const auto count = static_cast<double>(window->minibatches);
      text += fmt::format("  {} at {}", window->minibatches, joule_text(energy_j / count, 3));
    }
    const std::string name =
        fmt::format("{} {}{}", window->number,
                    window->ended ? "" : "open: ", harmless(window->name, scene.glyphs));
    const std::size_t space = width > cells(text) + 1 ? width - cells(text) - 1 : 0;
    Line line(left(name, space), window->ended ? Tone::kPlain : Tone::kGood);
    block.lines.push_back(line.add(" " + text).fit(width));
  }
  if (scene.now.minibatches > 1) {
    const auto marked = static_cast<double>(scene.now.minibatches - 1);
    block.lines.push_back(
        Line(fmt::format("{}: {} each {} {}", counted(scene.now.minibatches, "mark"),
                         joule_text(scene.now.minibatch_energy.energy_j / marked, 3),
                         plus_minus(scene.glyphs),
                         joule_text(scene.now.minibatch_energy.error_j / marked, 2)))
            .fit(width));
  }
  block.least = std::min<std::size_t>(block.lines.size(), 1);
  return block;
}

}  // namespace ridgewatt::screen
