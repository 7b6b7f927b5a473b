// Reads and writes a board's fitted thermal constants as a TOML file. `ridgewatt thermal fit` and
// `ridgewatt soak` write it, and --thermal reads it. Format: docs/reference/file_formats.md.
#pragma once

#include <string>
#include <string_view>

#include "ridgewatt/sweep/provenance.h"
#include "ridgewatt/thermal/thermal_fit.h"

namespace ridgewatt::thermal {

struct ThermalFile {
  ThermalFit fit;
  std::string board = {};                         // "agx-orin". May be empty.
  std::string origin = {};                        // date, data and command
  Provenance provenance = Provenance::kMeasured;  // of the trace: kMeasured or kFake
};

// Throws InputError, with `source` and the key, if a key is missing, unknown or out of range, or
// the covariance is invalid.
ThermalFile parse_thermal_file(std::string_view toml, const std::string& source);
ThermalFile read_thermal_file(const std::string& path);
std::string thermal_file_text(const ThermalFile& file);

}  // namespace ridgewatt::thermal
