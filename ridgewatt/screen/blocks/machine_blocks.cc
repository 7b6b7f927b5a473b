#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/screen/blocks/block.h"
#include "ridgewatt/screen/graph.h"

namespace ridgewatt::screen {
namespace {

constexpr double kWarmCelsius = 80, kHotCelsius = 95;
// Up to this number, each core has its own bar if there is space.
constexpr std::size_t kFewCores = 16;

bool is_core(const std::string& name) {
  return name.size() > 3 && name.starts_with("cpu") && name[3] >= '0' && name[3] <= '9';
}

std::string mhz_text(double hz) {
  return std::isfinite(hz) ? fmt::format("{:.6g}", std::round(hz / 1e5) / 10) : "-";
}

// A clock, or the clocks of several cores with the same limits.
struct ClockRow {
  std::string name;
  double low_hz = 0, high_hz = 0;  // of all clocks in the row
  double min_hz = 0, max_hz = 0;
  std::string governor;
  std::size_t count = 1;
};

std::vector<ClockRow> clock_rows(const Scene& scene) {
  const auto& clocks = scene.now.machine.snapshot.clocks;
  const auto cores = std::count_if(clocks.begin(), clocks.end(),
                                   [](const auto& clock) { return is_core(clock.name); });
  std::vector<ClockRow> rows;
  for (const auto& clock : clocks) {
    ClockRow row{harmless(clock.name, scene.glyphs),
                 clock.clock_hz,
                 clock.clock_hz,
                 clock.min_hz,
                 clock.max_hz,
                 harmless(clock.governor, scene.glyphs)};
    const bool same = cores > 4 && !rows.empty() && is_core(clock.name) &&
                      is_core(rows.back().name) && rows.back().min_hz == row.min_hz &&
                      rows.back().max_hz == row.max_hz && rows.back().governor == row.governor;
    if (!same) {
      rows.push_back(row);
      continue;
    }
    rows.back().low_hz = std::min(rows.back().low_hz, row.low_hz);
    rows.back().high_hz = std::max(rows.back().high_hz, row.high_hz);
    ++rows.back().count;
  }
  for (auto& row : rows) {
    if (row.count > 1) row.name += fmt::format(" +{}", row.count - 1);
  }
  return rows;
}

std::string clock_text(const ClockRow& row) {
  std::string text = row.high_hz > 0 ? mhz_text(row.high_hz) : "off";
  if (row.low_hz < row.high_hz && row.count > 1) text = mhz_text(row.low_hz) + "-" + text;
  return row.max_hz > 0 ? text + " / " + mhz_text(row.max_hz) : text;
}

// Widths of the columns of clocks, in cells.
struct ClockColumns {
  std::size_t name = 6, value = 9, bar = 0, governor = 0;

  ClockColumns(const std::vector<ClockRow>& rows, std::size_t width) {
    for (const auto& row : rows) {
      name = std::max(name, cells(row.name));
      value = std::max(value, cells(clock_text(row)));
    }
    name = std::min(name, std::max<std::size_t>(8, width / 3));
    value = std::min<std::size_t>(value, 22);
    const std::size_t used = name + 1 + value + 1;
    const std::size_t rest = width > used ? width - used : 0;
    governor = rest >= 24 ? 13 : rest >= 14 ? kFixed : 0;
    if (rest > governor + 3) bar = std::min<std::size_t>(rest - governor, 30);
  }
  static constexpr std::size_t kFixed = 6;  // width of the word "fixed"
};

Line clock_line(const ClockRow& row, const ClockColumns& columns, const Scene& scene) {
  Line line(left(row.name, columns.name));
  line.add(" " + right(clock_text(row), columns.value) + " ");
  if (columns.bar > 0) {
    const double share = row.max_hz > 0 ? row.high_hz / row.max_hz : 0;
    line.add(bar(share, columns.bar, scene.glyphs), Tone::kBar);
  }
  if (columns.governor == 0) return line;
  const bool fixed = row.max_hz > 0 && row.min_hz == row.max_hz;
  const bool named = columns.governor > ClockColumns::kFixed;
  const std::string end = fixed ? "fixed" : named ? row.governor : "";
  return line.add(" " + left(end, columns.governor - 1), Tone::kDim);
}

Line load_line(const std::string& name, double share, const std::string& value, const Scene& scene,
               std::size_t width, std::size_t name_width = 7) {
  const std::size_t value_width = std::max<std::size_t>(6, cells(value) + 1);
  Line line(left(name, name_width));
  std::size_t used = name_width;
  if (width > used + value_width + 3) {
    const std::size_t size = std::min<std::size_t>(width - used - value_width, 60);
    line.add(bar(share, size, scene.glyphs), Tone::kBar);
    used += size;
  }
  return line.add(right(value, width > used ? width - used : 0)).fit(width);
}

std::string bytes_text(double used_bytes, double total_bytes) {
  return fmt::format("{:.1f} of {:.1f} GB", used_bytes / 1e9, total_bytes / 1e9);
}

void add_memory(const Scene& scene, std::size_t width, Block& block) {
  const auto& machine = scene.now.machine.snapshot;
  const auto add = [&](const char* name, double total, double free) {
    if (!(total > 0)) return;
    const double used = std::max(0.0, total - free);
    block.lines.push_back(load_line(name, used / total, bytes_text(used, total), scene, width));
  };
  add("memory", machine.memory_total_bytes, machine.memory_available_bytes);
  add("swap", machine.swap_total_bytes, machine.swap_free_bytes);
}

// Adds one character per core, on as many lines as necessary.
void add_core_levels(const std::vector<double>& cores, const Scene& scene, std::size_t width,
                     Block& block) {
  const std::size_t per_line = width > 8 ? width - 7 : 1;
  for (std::size_t begin = 0; begin < cores.size(); begin += per_line) {
    Line line(left(begin == 0 ? "cores" : "", 7));
    std::string levels;
    for (std::size_t i = begin; i < std::min(cores.size(), begin + per_line); ++i) {
      levels += level(cores[i], scene.glyphs);
    }
    block.lines.push_back(line.add(levels, Tone::kBar).fit(width));
  }
}

void add_core_bars(const std::vector<platform::LoadReading>& cores, const Scene& scene,
                   std::size_t width, Block& block) {
  const std::size_t per_line = std::max<std::size_t>(1, width / 19);
  const std::size_t each = width / per_line;
  for (std::size_t begin = 0; begin < cores.size(); begin += per_line) {
    Line line;
    for (std::size_t i = begin; i < std::min(cores.size(), begin + per_line); ++i) {
      line.add(load_line(harmless(cores[i].name, scene.glyphs), cores[i].load,
                         percent_text(cores[i].load), scene, each - 1, 6))
          .add(" ");
    }
    block.lines.push_back(line.fit(width));
  }
}

void add_gpus(const Scene& scene, std::size_t width, Block& block) {
  for (const auto& gpu : scene.now.machine.gpus) {
    std::string text;
    if (gpu.clock_hz) text += fmt::format("{} MHz  ", mhz_text(*gpu.clock_hz));
    if (gpu.temperature_celsius) text += fmt::format("{:.0f} C  ", *gpu.temperature_celsius);
    text += percent_text(gpu.load.value_or(std::nan("")));
    const std::string name = fmt::format("gpu{}", gpu.device.index);
    block.lines.push_back(load_line(name, gpu.load.value_or(std::nan("")), text, scene, width));
    block.lines.push_back(
        Line("       " + harmless(gpu.device.name, scene.glyphs), Tone::kDim).fit(width));
  }
}

// Places short words on lines, as many per line as fit.
std::vector<Line> packed(const std::vector<Span>& words, std::size_t width) {
  std::vector<Line> lines;
  Line line;
  for (const auto& word : words) {
    const std::size_t used = line.cells();
    if (used > 0 && used + 2 + cells(word.text) > width)
      lines.push_back(std::exchange(line, Line()));
    if (line.cells() > 0) line.add("  ");
    line.add(word.text, word.tone);
  }
  if (line.cells() > 0) lines.push_back(line);
  for (auto& one : lines) one.fit(width);
  return lines;
}

std::string zone_name(const std::string& name, Glyphs glyphs) {
  static constexpr std::string_view kEnd = "-thermal";
  const bool ends = name.ends_with(kEnd);
  return harmless(ends ? name.substr(0, name.size() - kEnd.size()) : name, glyphs);
}

}  // namespace

Block clock_block(const Scene& scene, std::size_t width) {
  const auto rows = clock_rows(scene);
  Block block{title_line("clocks", "MHz of their limits", width)};
  const ClockColumns columns(rows, width);
  for (const auto& row : rows) {
    block.lines.push_back(clock_line(row, columns, scene).fit(width));
  }
  if (rows.empty())
    block.lines.push_back(Line("this machine shows no clocks", Tone::kDim).fit(width));
  block.least = std::min<std::size_t>(block.lines.size(), 2);
  return block;
}

Block load_block(const Scene& scene, std::size_t width) {
  const auto& machine = scene.now.machine.snapshot;
  Block block{title_line(
      "loads",
      fmt::format("{} of {} online", machine.cpus_online, counted(machine.cpus_present, "core")),
      width)};
  std::vector<platform::LoadReading> cores;
  std::vector<double> core_loads;
  for (const auto& load : machine.loads) {
    if (is_core(load.name)) cores.push_back(load);
    if (is_core(load.name)) core_loads.push_back(load.load);
  }
  for (const auto& load : machine.loads) {
    if (is_core(load.name)) continue;
    block.lines.push_back(load_line(harmless(load.name, scene.glyphs), load.load,
                                    percent_text(load.load), scene, width));
    if (load.name == "cpu") add_core_levels(core_loads, scene, width, block);
  }
  add_gpus(scene, width, block);
  add_memory(scene, width, block);
  if (cores.size() <= kFewCores) add_core_bars(cores, scene, width, block);
  block.least = std::min<std::size_t>(block.lines.size(), 2);
  return block;
}

Block heat_block(const Scene& scene, std::size_t width) {
  const auto& machine = scene.now.machine.snapshot;
  std::vector<Span> words;
  std::string silent;
  for (const auto& zone : machine.temperatures) {
    const std::string name = zone_name(zone.name, scene.glyphs);
    if (!zone.celsius || !std::isfinite(*zone.celsius)) {
      silent += (silent.empty() ? "" : ", ") + name;
      continue;
    }
    const Tone tone = *zone.celsius >= kHotCelsius    ? Tone::kBad
                      : *zone.celsius >= kWarmCelsius ? Tone::kWarn
                                                      : Tone::kPlain;
    words.push_back({fmt::format("{} {:.1f}", name, *zone.celsius), tone});
  }
  for (const auto& fan : machine.fans) {
    std::string text = harmless(fan.name, scene.glyphs);
    if (fan.duty) text += fmt::format(" {:.0f} %", 100 * *fan.duty);
    if (fan.rpm) text += fmt::format(" {:.0f} rpm", *fan.rpm);
    words.push_back({text, Tone::kPlain});
  }
  if (!silent.empty()) words.push_back({"no value: " + silent, Tone::kDim});
  Block block{title_line("temperatures, fans", "C", width), packed(words, width)};
  block.least = std::min<std::size_t>(block.lines.size(), 1);
  return block;
}

Block throttling_block(const Scene& scene, std::size_t width) {
  Block block;
  for (const auto& entry : scene.throttling) {
    const double now_s = scene.now.time_s;
    std::string text = harmless(entry.what, scene.glyphs);
    text += entry.active ? ", for " + time_text(now_s - entry.since_s)
                         : ", ended " + time_text(now_s - entry.last_s) + " ago";
    if (entry.times > 1) text += fmt::format(", {} times", entry.times);
    block.lines.push_back(
        Line("throttled: " + text, entry.active ? Tone::kBad : Tone::kWarn).fit(width));
  }
  std::stable_partition(block.lines.begin(), block.lines.end(),
                        [](const Line& line) { return line.spans()[0].tone == Tone::kBad; });
  if (block.lines.empty()) {
    block.lines.push_back(Line("not throttled since this began", Tone::kGood).fit(width));
  }
  block.least = 1;
  return block;
}

Block process_block(const Scene& scene, std::size_t width) {
  static constexpr std::size_t kPid = 8, kCpu = 8, kMemory = 10;
  const bool gpu = std::any_of(scene.now.processes.begin(), scene.now.processes.end(),
                               [](const auto& process) { return process.gpu_memory_bytes > 0; });
  const std::size_t numbers = kPid + kCpu + kMemory + (gpu ? kMemory : 0);
  const std::size_t name = width > numbers + 1 ? width - numbers - 1 : 0;
  Line title(right("pid", kPid), Tone::kDim);
  title = Line(left("processes", kPid + 1), Tone::kTitle).add(left("", name));
  title.add(right("of a core", kCpu + 1), Tone::kDim).add(right("memory", kMemory - 1), Tone::kDim);
  if (gpu) title.add(right("GPU", kMemory), Tone::kDim);
  Block block{title.fit(width)};
  for (const auto& process : scene.now.processes) {
    Line line(right(std::to_string(process.pid), kPid) + " ");
    line.add(left(harmless(process.name, scene.glyphs), name));
    line.add(right(percent_text(process.cpu_share), kCpu));
    line.add(right(format_si(process.memory_bytes, "B"), kMemory));
    if (gpu) {
      line.add(right(process.gpu_memory_bytes > 0 ? format_si(process.gpu_memory_bytes, "B") : "-",
                     kMemory));
    }
    block.lines.push_back(line.fit(width));
  }
  if (block.lines.empty()) {
    const auto& machine = scene.now.machine;
    const bool has_gpu = !machine.gpus.empty() ||
                         std::ranges::any_of(machine.snapshot.loads,
                                             [](const auto& load) { return load.name == "gpu"; });
    block.lines.push_back(
        Line(has_gpu ? "none that uses the GPU or much of a core" : "none that uses much of a core",
             Tone::kDim)
            .fit(width));
  }
  block.least = 1;
  return block;
}

}  // namespace ridgewatt::screen
