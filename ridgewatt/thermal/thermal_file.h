// A board's fitted thermal constants as a TOML file: written by `ridgewatt thermal fit` and
// `ridgewatt soak`, read by --thermal. Format: docs/reference/file_formats.md.
#pragma once

#include <string>
#include <string_view>

#include "ridgewatt/sweep/provenance.h"
#include "ridgewatt/thermal/thermal_fit.h"

namespace ridgewatt::thermal {

struct ThermalFile {
  ThermalFit fit;
  std::string board = {};                         // "agx-orin"; may be empty
  std::string origin = {};                        // date, data and command
  Provenance provenance = Provenance::kMeasured;  // of the trace: measured or fake
};

// Throws InputError with `source` and the key if it is missing, unknown, out of range, or not a
// valid covariance.
ThermalFile parse_thermal_file(std::string_view toml, const std::string& source);
ThermalFile read_thermal_file(const std::string& path);
std::string thermal_file_text(const ThermalFile& file);

}  // namespace ridgewatt::thermal
