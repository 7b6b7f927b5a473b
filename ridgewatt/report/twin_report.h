// What a twin says about power modes and a model, gathered for the roofline tables, figures and
// page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/roofline.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/report/roofline_report.h"
#include "ridgewatt/twin/estimate.h"
#include "ridgewatt/twin/twin_roofline.h"

namespace ridgewatt::report {

// For a FigureSource: the runtime whose execution the twin models, the twin's kind and its error:
// "pytorch-eager, the agx-orin twin (fitted); fit error ...".
std::string twin_words(const twin::Twin& twin);

// Classes that take less of the GPU time than this are not shown. Chosen.
inline constexpr double kLeastRoofShare = 0.01;

// The classes that the model has, with their share of the GPU time in the first mode, largest
// first; without a model convolutions and products, of share 0.
struct SharedRoof {
  twin::RoofClass roof = twin::RoofClass::kConvolution;
  double share = 0;
};
std::vector<SharedRoof> roofs_of(const answer::RooflineAnswer& found);

// Both roofs of a class. Without a cap where the mode's static power reaches it: no kernel runs
// within such a cap.
ClassRoof class_roof(const answer::RooflineAnswer& found, const PowerMode& mode,
                     const SharedRoof& shared);

// The roof that microbenchmarks fitted in this very mode; nothing where the board file has none.
std::optional<ClassRoof> measured_class_roof(const answer::RooflineAnswer& found,
                                             const PowerMode& mode);

// Everything but the energy figures.
RooflineReport twin_report(const answer::RooflineAnswer& found);
// Time and power of the model in every mode of the board, for the energy figures.
void add_observations(const answer::RooflineAnswer& found, RooflineReport& report);

// What a runtime's part of a twin was fitted on, and its errors as fractions; null: not fitted.
Json runtime_fit_json(const twin::Twin& twin);

// A row for each mode and class, and one for what was measured in the mode. `found` must outlive
// them.
Rows roof_rows(const answer::RooflineAnswer& found);
// The contract of `roofline --format json`: modes (the roofs of each), ceilings, levels; of a model
// also layers and time_parts. `report`: its twin_report.
// `found` must outlive it.
StreamedJson roofline_json(const answer::RooflineAnswer& found, const RooflineReport& report);

// Roofs of all modes; of a model its layers in the first. `found` must outlive it.
Result roofline_result(const answer::RooflineAnswer& found, const RooflineReport& report,
                       OutputFormat format);
// Where the ceilings come from, for JSON: roof, arithmetic, key, status and source of each.
Json ceilings_json(const answer::RooflineAnswer& found);

}  // namespace ridgewatt::report
