#include "ridgewatt/sweep/board_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/board_names.h"

namespace ridgewatt {
namespace {

constexpr const char* kOwnSamples = "profile this board, or name the board that the samples are of";

double nearest_level(const std::vector<double>& levels, double value) {
  return *std::min_element(levels.begin(), levels.end(), [&](double a, double b) {
    return std::abs(a - value) < std::abs(b - value);
  });
}

// The levels of each knob.
class KnobTables {
 public:
  // `partial`: the tables do not have all clocks.
  KnobTables(const KnobSpace& space, bool partial) : partial_(partial) {
    for (const Knob knob : kKnobs) levels_[knob] = space.levels(knob);
  }

  const std::vector<double>& levels(Knob knob) const { return levels_[knob]; }

  // The board's own value of a knob. Nothing if the board cannot be set to `value`.
  std::optional<double> own_value(Knob knob, double value) const {
    const auto& known = levels(knob);
    if (known.empty()) return std::nullopt;
    const double nearest = nearest_level(known, value);
    if (knob == Knob::kCpuCores) {
      return nearest == value ? std::optional(value) : std::nullopt;
    }
    if (std::abs(nearest - value) <= kClockTolerance * nearest) return nearest;
    if (partial_ && value < known.back()) return value;
    return std::nullopt;
  }

  // The first knob whose value no mode of the board has. Nothing if all values fit.
  std::optional<Knob> misfit(const PowerMode& mode) const {
    if (!mode.governor.empty()) return std::nullopt;
    for (const Knob knob : kKnobs) {
      if (mode.has(knob) && !own_value(knob, mode.get(knob))) return knob;
    }
    return std::nullopt;
  }

 private:
  KnobSpace::Levels levels_;
  bool partial_;
};

std::string what_is_there(const KnobTables& tables, Knob knob, double value) {
  const auto& levels = tables.levels(knob);
  if (levels.empty()) return "which the board does not have";
  if (knob == Knob::kCpuCores) {
    return fmt::format("the board has {:g} to {:g}", levels.front(), levels.back());
  }
  PowerMode nearest;
  nearest.set(knob, nearest_level(levels, value));
  return fmt::format("the board's nearest is {}", knob_in_field_unit(nearest, knob));
}

// A kernel states clocks in whole kHz.
bool same_khz(double a, double b) {
  return std::abs(a - b) < 1e3;
}

// Advises another release of the board's software, if one fits all rows.
std::string other_release(const Sweep& samples, const Board& board) {
  const Bsp* bsp = fitting_release(samples, board);
  if (bsp == nullptr) return kOwnSamples;
  return fmt::format("the rows are of {}: --device {}@{}", bsp->title, board.name, bsp->name);
}

// Calls `advice` only if a row does not fit.
template <class Advice>
void fit_to_tables(Sweep& samples, const KnobTables& tables, const std::string& name,
                   const Advice& advice) {
  for (std::size_t row = 0; row < samples.observations.size(); ++row) {
    PowerMode& mode = samples.observations[row].point.mode;
    if (const auto knob = tables.misfit(mode)) {
      const std::string where =
          row < samples.lines.size() ? fmt::format(" line {}", samples.lines[row]) : "";
      throw InputError(fmt::format("{} {} is not a value that board {} has: {}", knob_field(*knob),
                                   knob_in_field_unit(mode, *knob), name,
                                   what_is_there(tables, *knob, mode.get(*knob))),
                       samples.source + where, advice());
    }
    if (!mode.governor.empty()) continue;
    for (const Knob knob : kKnobs) {
      if (mode.has(knob)) mode.set(knob, *tables.own_value(knob, mode.get(knob)));
    }
  }
}

// The built-in board that a name means: "agx-orin" for "fake:agx-orin@jp5.1". Empty if there is
// none.
std::string built_in_board(const std::string& stated) {
  const std::string text = fake_name(stated).value_or(stated);
  auto known = find_meant(text, board_names());
  if (!known) known = find_meant(text.substr(0, text.find('@')), board_names());
  return known ? known->substr(0, known->find('@')) : "";
}

}  // namespace

const Bsp* fitting_release(const Sweep& samples, const Board& board) {
  const auto found = std::ranges::find_if(board.bsps, [&](const Bsp& bsp) {
    const KnobTables tables(knob_space(board, bsp.name), bsp.partial);
    return std::ranges::none_of(samples.observations, [&](const auto& row) {
      return tables.misfit(row.point.mode).has_value();
    });
  });
  return found == board.bsps.end() ? nullptr : &*found;
}

// The clocks decide whether rows of another release, or of a board with an unknown name, fit.
void refuse_other_board(const Sweep& samples, const Board& board) {
  if (samples.board.empty() || samples.board == board.name) return;
  const std::string theirs = built_in_board(samples.board), ours = built_in_board(board.name);
  if (theirs.empty() || ours.empty() || theirs == ours) return;
  throw InputError(fmt::format("the rows are of board {}, not of {}",
                               escape_terminal(samples.board), board.name),
                   samples.source, kOwnSamples);
}

void fit_to_board(Sweep& samples, const Board& board) {
  refuse_other_board(samples, board);
  const Bsp& bsp = board.find_bsp();
  fit_to_tables(samples, KnobTables(knob_space(board), bsp.partial), board.name,
                [&] { return other_release(samples, board); });
}

void fit_to_space(Sweep& samples, const KnobSpace& space, const std::string& name) {
  fit_to_tables(samples, KnobTables(space, false), name, [] { return std::string(kOwnSamples); });
}

std::string release_advice(const std::vector<PowerMode>& modes, const KnobSpace& space,
                           const Board& board) {
  const Bsp* theirs = nullptr;
  const Bsp* ours = nullptr;
  for (const auto& bsp : board.bsps) {
    const KnobTables tables(knob_space(board, bsp.name), bsp.partial);
    const auto misfits = [&](const PowerMode& mode) { return tables.misfit(mode).has_value(); };
    const bool fits = std::ranges::none_of(modes, misfits);
    const auto same = [&](Knob knob) {
      return std::ranges::equal(tables.levels(knob), space.levels(knob), same_khz);
    };
    const bool here = same(Knob::kGpuClock) && same(Knob::kCpuClock);
    if (here && fits) return "";
    if (here) ours = &bsp;
    if (fits && theirs == nullptr) theirs = &bsp;
  }
  if (theirs == nullptr) return "";
  if (ours == nullptr) return fmt::format("the modes are of {}, another release", theirs->title);
  return fmt::format("the modes are of {}, and this board has {}: --device {}@{}", theirs->title,
                     ours->title, board.name, ours->name);
}

KnobSpace knobs_of_samples(const KnobSpace& board, const Sweep& samples) {
  const KnobSpace varied = samples.space();
  std::vector<PowerMode> modes = board.modes();
  for (auto& mode : modes) {
    for (const Knob knob : kKnobs) {
      if (varied.levels(knob).empty()) mode.set(knob, 0);
    }
  }
  return KnobSpace(std::move(modes));
}

}  // namespace ridgewatt
