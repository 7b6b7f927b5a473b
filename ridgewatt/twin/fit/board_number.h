// Bounds of the numbers that a board file's tables of a twin hold.
#pragma once

#include <string>

namespace ridgewatt::twin {

// `value`; InputError naming `where` unless it lies between these two.
double within(double value, double least, double most, const std::string& where);
// The same of a parameter: within a factor of a million of its prior, beyond which no machine is.
double near_prior(double value, double prior, const std::string& where);

}  // namespace ridgewatt::twin
