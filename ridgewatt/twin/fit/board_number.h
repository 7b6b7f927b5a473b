// Range checks for numbers in a twin's tables of a board file.
#pragma once

#include <string>

namespace ridgewatt::twin {

// Returns `value`. Throws InputError, naming `where`, unless `least` <= value <= `most`.
double within(double value, double least, double most, const std::string& where);
// Like within(), for a parameter: the value must be within a factor of a million of its prior.
double near_prior(double value, double prior, const std::string& where);

}  // namespace ridgewatt::twin
