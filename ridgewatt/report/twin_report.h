// Collects what a twin predicts for power modes and a model, for the roofline tables, figures and
// page.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/roofline.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/report/roofline_report.h"
#include "ridgewatt/twin/estimate.h"
#include "ridgewatt/twin/twin_roofline.h"

namespace ridgewatt::report {

// A text for a FigureSource: the runtime that the twin models, the type of twin and its error:
// "pytorch-eager, the agx-orin twin (fitted); fit error ...".
std::string twin_words(const twin::Twin& twin);

// Classes with a smaller share of the GPU time are not shown; chosen.
inline constexpr double kLeastRoofShare = 0.01;

// The kernel classes of the model, each with its share of the GPU time in the first mode, the
// largest first. Without a model: convolutions and products with share 0.
struct SharedRoof {
  twin::RoofClass roof = twin::RoofClass::kConvolution;
  double share = 0;
};
std::vector<SharedRoof> roofs_of(const answer::RooflineAnswer& found);

// Returns the share of each class in the GPU time of a mode; zeros without a model.
std::array<double, twin::kRoofClasses.size()> shares_in(const answer::RooflineAnswer& found,
                                                        const PowerMode& mode);

// Both roofs of a class. There is no power cap if the static power of the mode reaches it, because
// no kernel could run below such a cap.
ClassRoof class_roof(const answer::RooflineAnswer& found, const PowerMode& mode,
                     const SharedRoof& shared);

// The roof that was fitted to microbenchmarks in this mode; empty if the board file has none.
std::optional<ClassRoof> measured_class_roof(const answer::RooflineAnswer& found,
                                             const PowerMode& mode);

// The report without the energy figures.
RooflineReport twin_report(const answer::RooflineAnswer& found);
// Time and power of the model in every mode of the board, for the energy figures.
void add_observations(const answer::RooflineAnswer& found, RooflineReport& report);

// The data and the errors (fractions) of the fit of a twin's runtime; null without a fit.
Json runtime_fit_json(const twin::Twin& twin);

// One row per mode and class, and one for the measured roof of a mode. `found` must outlive the
// rows.
Rows roof_rows(const answer::RooflineAnswer& found);
// The documented JSON of `roofline`: modes (with their roofs), ceilings, levels; with a model also
// layers and time_parts. `report` is the twin_report() of `found`, which must outlive the result.
StreamedJson roofline_json(const answer::RooflineAnswer& found, const RooflineReport& report);

// Roofs of all modes; with a model, its layers in the first mode. `found` must outlive the result.
Result roofline_result(const answer::RooflineAnswer& found, const RooflineReport& report,
                       OutputFormat format);
// The sources of the ceilings for JSON: roof, arithmetic, key, status and source.
Json ceilings_json(const answer::RooflineAnswer& found);

}  // namespace ridgewatt::report
