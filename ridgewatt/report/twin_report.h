// What a twin says of power modes and a model, gathered for the roofline tables, figures and page.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/device/board.h"
#include "ridgewatt/report/roofline_report.h"
#include "ridgewatt/twin/estimate.h"
#include "ridgewatt/twin/twin_roofline.h"

namespace ridgewatt::report {

// For a FigureSource: the runtime whose execution the twin models, the twin's kind and its error:
// "pytorch-eager, the agx-orin twin (fitted); fit error ...".
std::string twin_words(const twin::Twin& twin);

// Classes that take less of the GPU time than this are not shown. Chosen.
inline constexpr double kLeastRoofShare = 0.01;

struct RooflineQuestion {
  const Board& board;
  const twin::Twin& twin;
  std::span<const PowerMode> modes;            // layers are shown in the first
  const twin::Estimator* estimator = nullptr;  // of the model; null: roofs alone
  std::optional<double> power_cap_w = {};      // below the board's own limit
  std::vector<RooflineLevel> levels = {};      // beside those that the board file states

  workload::Precision precision() const;
  // The lesser of the asked cap and the board's limit; kNoCap where there is neither.
  double cap_w() const;
};

// The classes that the model has, with their share of the GPU time in the first mode, largest
// first; without a model convolutions and products, of share 0.
struct SharedRoof {
  twin::RoofClass roof = twin::RoofClass::kConvolution;
  double share = 0;
};
std::vector<SharedRoof> roofs_of(const RooflineQuestion& question);

// Both roofs of a class. Without a cap where the mode's static power reaches it: no kernel runs
// within such a cap.
ClassRoof class_roof(const RooflineQuestion& question, const PowerMode& mode,
                     const SharedRoof& shared);

// The roof that microbenchmarks fitted in this very mode; nothing where the board file has none.
std::optional<ClassRoof> measured_class_roof(const RooflineQuestion& question,
                                             const PowerMode& mode);

// Everything but the energy figures. UsageError without modes, and where the first mode's static
// power is not below the cap.
RooflineReport twin_report(const RooflineQuestion& question);
// Time and power of the model in every mode of the board, for the energy figures.
void add_observations(const RooflineQuestion& question, RooflineReport& report);

// What a runtime's part of a twin was fitted on, and its errors as fractions; null: not fitted.
Json runtime_fit_json(const twin::Twin& twin);

// Whence the ceilings come, for JSON: roof, arithmetic, key, status and source of each.
Json ceilings_json(const RooflineQuestion& question);

}  // namespace ridgewatt::report
