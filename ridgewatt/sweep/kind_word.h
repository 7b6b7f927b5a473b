// The kind of a workload, as people write it in files and arguments.
#pragma once

#include <string>
#include <string_view>

namespace ridgewatt {

// Returns "training" for "Training" and "train". Other words remain as they are, such as "forward",
// which names a phase. Throws InputError that names `where` for a number, and for a misspelled kind
// such as "trianing", which would otherwise count as inference.
std::string kind_meant(std::string_view word, const std::string& where);

}  // namespace ridgewatt
