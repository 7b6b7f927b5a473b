#include "ridgewatt/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/csv.h"
#include "ridgewatt/io/csv_reader.h"
#include "ridgewatt/sweep/kind_word.h"
#include "ridgewatt/sweep/point_reader.h"

namespace ridgewatt {
namespace {

// Reads a positive number. Times and powers are positive in any unit.
double positive(const CsvReader& csv, std::size_t column) {
  constexpr double kMost = 1e12;  // chosen: beyond any run, in ms, W and J
  if (csv.field(column).empty()) {
    throw InputError(csv.header()[column] + " is empty", csv.where(),
                     "a sweep needs the time and the power of every row");
  }
  const double value = csv.number(column);
  if (value >= 1 / kMost && value <= kMost) return value;
  throw InputError(value > 0
                       ? fmt::format("{} must be between {:g} and {:g}, but is {}",
                                     csv.header()[column], 1 / kMost, kMost, value)
                       : fmt::format("{} must be positive, but is {}", csv.header()[column], value),
                   csv.where());
}

// Optional columns in addition to time and power. `per_si`: units of the field per SI unit.
struct OptionalColumn {
  const char* name;
  std::optional<double> Observation::*value;
  double per_si;
  bool may_be_zero;
};
constexpr std::array<OptionalColumn, 3> kOptionalColumns = {
    {{"energy_j", &Observation::measured_energy_j, 1, false},
     {"time_median_ms", &Observation::time_median_s, 1e3, false},
     {"fetch_stall_ms", &Observation::fetch_stall_s, 1e3, true}}};

// Units that a column of a sweep may be given in by mistake.
constexpr const char* kUnits[] = {"s", "ms", "us", "ns", "w",  "mw",  "uw", "kw",
                                  "j", "mj", "uj", "kj", "wh", "kwh", "mwh"};

// Rejects a known quantity in another unit, such as energy_mj. Otherwise, it would count as not
// measured.
void refuse_other_units(const CsvReader& csv) {
  for (const char* name : {"time_ms", "power_w", "energy_j", "time_median_ms", "fetch_stall_ms"}) {
    if (csv.column(name)) continue;
    const std::string stem(name, std::string_view(name).rfind('_') + 1);
    for (const char* unit : kUnits) {
      const auto column = csv.column(stem + unit);
      if (!column) continue;
      throw InputError(fmt::format("unknown column '{}'", escape_terminal(csv.header()[*column])),
                       csv.source(), fmt::format("give {}: the name states the unit", name));
    }
  }
}

// Sorts rows by origin. Rows of one origin are usually consecutive.
class SweepSorter {
 public:
  explicit SweepSorter(const CsvReader& csv) : csv_(csv) {
    for (const char* name : {"workload", "kind", "board", "provenance", "runtime", "twin"}) {
      columns_.push_back(csv.column(name));
    }
  }

  // The sweep of the current row of the file.
  Sweep& of_row() {
    write_key(field(kKind), next_key_);
    if (next_key_ == key_) return sweeps_[current_];
    key_ = next_key_;
    const auto place = places_.find(key_);
    current_ = place != places_.end() ? place->second : sweep_of_key();
    return sweeps_[current_];
  }
  std::vector<Sweep> take() { return std::move(sweeps_); }

 private:
  static constexpr std::size_t kKind = 1;  // index in columns_

  // Writes the fields that are the same in all rows of a sweep.
  void write_key(std::string_view kind, std::string& key) const {
    key.clear();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      key.append(i == kKind ? kind : field(i)).push_back('\0');
    }
  }

  // Returns the sweep of a key that is seen for the first time. "Training" and "training" are one
  // sweep.
  std::size_t sweep_of_key() {
    const bool stated = !field(kKind).empty();
    const std::string kind =
        stated ? kind_meant(field(kKind), csv_.where()) : std::string("inference");
    std::string meant;
    write_key(stated ? kind : field(kKind), meant);
    const auto [place, fresh] = places_.emplace(std::move(meant), sweeps_.size());
    const std::size_t sweep = place->second;
    if (fresh) start_sweep(kind, stated);
    places_[key_] = sweep;
    return sweep;
  }

  std::string_view field(std::size_t i) const {
    return columns_[i] ? csv_.field(*columns_[i]) : std::string_view();
  }

  template <typename E>
  E named_in(std::string_view text, const char* what) const {
    if (const auto value = find_word<E>(text)) return *value;
    throw InputError(fmt::format("'{}' is not a {}", escape_terminal(text.substr(0, 40)), what),
                     csv_.where(), "must be one of " + joined_names<E>());
  }

  void start_sweep(const std::string& kind, bool stated) {
    Sweep& sweep = sweeps_.emplace_back();
    sweep.source = csv_.source();
    sweep.workload = field(0).empty() ? "workload" : field(0);
    sweep.kind_stated = stated;
    sweep.kind = kind;
    sweep.board = field(2);
    if (!field(3).empty()) sweep.provenance = named_in<Provenance>(field(3), "provenance");
    if (!field(4).empty()) sweep.runtime = named_in<Runtime>(field(4), "runtime");
    sweep.twin = field(5);
  }

  const CsvReader& csv_;
  std::vector<std::optional<std::size_t>> columns_;
  std::vector<Sweep> sweeps_;
  std::unordered_map<std::string, std::size_t> places_;
  std::string key_, next_key_;
  std::size_t current_ = 0;
};

// Every file has all these columns, so that files can be joined line by line. Only files with
// flagged rows have the column `flags`.
std::string sweep_header() {
  std::string text = "workload,kind,batch";
  for (const Knob knob : kKnobs) text += fmt::format(",{}", knob_field(knob));
  text += ",governor,time_ms,power_w";
  for (const auto& column : kOptionalColumns) text += fmt::format(",{}", column.name);
  return text;
}

PointFlags read_flags(const CsvReader& csv, std::size_t column) {
  const std::string words(csv.field(column));
  if (const auto flags = PointFlags::read(words)) return *flags;
  throw InputError(fmt::format("'{}' is not a list of flags", escape_terminal(words.substr(0, 40))),
                   csv.where(),
                   "write names with blanks between them: " + joined_names<PointFlag>());
}

void write_row(std::string& text, const Observation& observation) {
  const OperatingPoint& point = observation.point;
  auto out = std::back_inserter(text);
  text += point.batch > 0 ? fmt::format(",{}", point.batch) : ",";
  for (const Knob knob : kKnobs) {
    text += ',';
    if (point.mode.has(knob)) fmt::format_to(out, "{}", knob_in_field_unit(point.mode, knob));
  }
  text += "," + csv_field(point.mode.governor);
  fmt::format_to(out, ",{},{}", observation.time_s * 1e3, observation.power_w);
  for (const auto& column : kOptionalColumns) {
    const auto& value = observation.*column.value;
    text += ',';
    if (value) fmt::format_to(out, "{}", *value * column.per_si);
  }
}

}  // namespace

PointFlags Sweep::flags_of(std::size_t row) const {
  return row < flags.size() ? flags[row] : PointFlags();
}

std::size_t Sweep::flagged_rows() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(flags, [](const PointFlags& of_row) { return !of_row.empty(); }));
}

void Sweep::add_row(const Sweep& from, std::size_t row) {
  if (const PointFlags added = from.flags_of(row); !added.empty()) {
    flags.resize(observations.size());
    flags.push_back(added);
  }
  observations.push_back(from.observations[row]);
  if (row < from.lines.size()) lines.push_back(from.lines[row]);
}

std::vector<OperatingPoint> Sweep::points() const {
  std::vector<OperatingPoint> result;
  result.reserve(observations.size());
  for (const auto& observation : observations) result.push_back(observation.point);
  return result;
}

std::vector<int> Sweep::batches() const {
  std::vector<int> result;
  for (const auto& observation : observations) result.push_back(observation.point.batch);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

KnobSpace Sweep::space() const {
  std::vector<PowerMode> modes;
  modes.reserve(observations.size());
  for (const auto& observation : observations) modes.push_back(observation.point.mode);
  return KnobSpace(std::move(modes));
}

RowOrigin Sweep::origin() const {
  return {workload, kind, board, provenance, runtime, twin};
}

RowOrigin Sweep::origin_of(Provenance made) const {
  RowOrigin result = origin();
  result.provenance = derived_provenance(provenance, made);
  return result;
}

Sweep Sweep::without_rows() const {
  return {source, workload, kind, {}, {}, board, provenance, runtime, twin, {}, kind_stated};
}

void Sweep::take_role(WorkloadKind role) {
  const std::string needed(name_of(role));
  if (!kind_stated) kind = needed;
  const auto stated = find_name<WorkloadKind>(kind);  // absent: a phase
  if (!stated || *stated == role) return;
  throw UsageError("the sweep of the " + needed + " has rows of the kind " + kind, source,
                   "give a sweep of " + needed + "; the column kind states it");
}

void RepeatMean::add(const Observation& row) {
  const auto add_known = [&](std::optional<double> Observation::*field) {
    auto& sum = sum_.*field;
    sum = count_ == 0 ? row.*field
                      : (sum && row.*field ? std::optional(*sum + *(row.*field)) : std::nullopt);
  };
  for (const auto& column : kOptionalColumns) add_known(column.value);
  if (count_ == 0) first_ = row;
  sum_.point = row.point;
  sum_.time_s += row.time_s;
  sum_.power_w += row.energy_j();
  ++count_;
}

Observation RepeatMean::mean() const {
  if (count_ == 1) return first_;  // exact to the last bit
  Observation mean = sum_;
  mean.power_w = sum_.power_w / sum_.time_s;
  mean.time_s /= count_;
  for (const auto& column : kOptionalColumns) {
    if (auto& value = mean.*column.value) *value /= count_;
  }
  return mean;
}

Sweep average_repeats(Sweep sweep) {
  auto& rows = sweep.observations;
  if (!sweep.flags.empty()) sweep.flags.resize(rows.size());
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto less = rows[a].point <=> rows[b].point;
    return less < 0 || (less == 0 && a < b);
  });
  std::vector<bool> repeats(rows.size(), false);
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && rows[order[end]].point == rows[order[begin]].point) ++end;
    if (end - begin > 1) {
      RepeatMean mean;
      for (std::size_t i = begin; i < end; ++i) {
        mean.add(rows[order[i]]);
        repeats[order[i]] = i > begin;
        if (!sweep.flags.empty()) sweep.flags[order[begin]].add(sweep.flags[order[i]]);
      }
      rows[order[begin]] = mean.mean();
    }
    begin = end;
  }
  repeats.resize(std::max(rows.size(), sweep.lines.size()), false);
  std::size_t row = 0;
  std::erase_if(sweep.lines, [&](std::size_t) { return repeats[row++]; });
  row = 0;
  std::erase_if(sweep.flags, [&](const PointFlags&) { return repeats[row++]; });
  row = 0;
  std::erase_if(rows, [&](const Observation&) { return repeats[row++]; });
  return sweep;
}

std::vector<Sweep> parse_sweeps(std::string_view text, const std::string& source) {
  CsvReader csv(text, source);
  refuse_other_units(csv);
  const std::size_t time_column = csv.require_column("time_ms");
  const std::size_t power_column = csv.require_column("power_w");
  std::array<std::optional<std::size_t>, kOptionalColumns.size()> optional;
  for (std::size_t i = 0; i < optional.size(); ++i) {
    optional[i] = csv.column(kOptionalColumns[i].name);
  }
  const auto flags_column = csv.column("flags");
  const PointReader points(csv, PointReader::Clocks::kAnyPositive);
  SweepSorter sorter(csv);
  while (csv.next()) {
    Sweep& sweep = sorter.of_row();
    OperatingPoint point = points.read();
    Observation& row = sweep.observations.emplace_back(Observation{
        std::move(point), positive(csv, time_column) / 1e3, positive(csv, power_column)});
    for (std::size_t i = 0; i < optional.size(); ++i) {
      if (!optional[i] || trim(csv.field(*optional[i])).empty()) continue;
      const auto& [name, value, per_si, may_be_zero] = kOptionalColumns[i];
      const bool zero = may_be_zero && csv.number(*optional[i]) == 0;
      row.*value = zero ? 0 : positive(csv, *optional[i]) / per_si;
    }
    if (const auto flags = flags_column ? read_flags(csv, *flags_column) : PointFlags();
        !flags.empty()) {
      sweep.flags.resize(sweep.observations.size());
      sweep.flags.back() = flags;
    }
    sweep.lines.push_back(csv.line());
  }
  std::vector<Sweep> sweeps = sorter.take();
  if (sweeps.empty())
    throw InputError("the sweep has no rows", source, "give at least one row below the header");
  return sweeps;
}

std::string write_sweep_csv(const std::vector<Sweep>& sweeps) {
  const auto behind = [](std::string_view name) { return name != "workload" && name != "kind"; };
  const bool flagged =
      std::ranges::any_of(sweeps, [](const Sweep& sweep) { return sweep.flagged_rows() > 0; });
  std::string text = sweep_header();
  for (const auto& field : origin_fields({})) {
    if (behind(field.name)) text += fmt::format(",{}", field.name);
  }
  text += flagged ? ",flags\n" : "\n";
  for (const auto& sweep : sweeps) {
    const std::string start = csv_field(sweep.workload) + "," + csv_field(sweep.kind);
    std::string end;
    for (const auto& field : origin_fields(sweep.origin())) {
      if (behind(field.name)) end += "," + csv_field(field.value);
    }
    for (std::size_t row = 0; row < sweep.observations.size(); ++row) {
      text += start;
      write_row(text, sweep.observations[row]);
      text += end;
      if (flagged) text += "," + sweep.flags_of(row).text();
      text += '\n';
    }
  }
  return text;
}

}  // namespace ridgewatt
