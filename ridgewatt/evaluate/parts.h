// A question of `evaluate` in parts: each part is worked out by itself, on whatever machine, and
// leaves a file; together they give what one process would have given, to the last bit.
//
//   write(part_text({question, part, groups, outcomes}));        // on each machine
//   const PartFile whole = merge_parts({"part1.json", "part2.json"});
//
// The K-th of N parts has every N-th unit from the K-th on, so that dear and cheap ones are dealt
// out evenly. Doubles are written so that they read back the same. Parts of different questions
// (options, files, version of the program), doubled and missing ones are refused in one line.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/evaluate/outcomes.h"

namespace ridgewatt::evaluate {

struct Part {
  std::size_t number = 1, of = 1;
};

// "3/8"; UsageError where it is not such a part.
Part parse_part(const std::string& text);
// The units of a part.
std::vector<std::size_t> units_of(const Part& part, std::size_t units);

struct PartFile {
  // What was asked: "command", "version", "options", and for each option that names files how many
  // bytes they have and a sum of them. Two parts fit when it is the same.
  Json question;
  Part part;
  std::vector<OutcomeGroup> groups;
  std::vector<Outcome> outcomes;
};

std::string part_text(const PartFile& part);
// InputError names what is wrong with the file.
PartFile read_part(const std::string& path);
// The whole answer of all parts of one question, in any order of `paths`. InputError.
PartFile merge_parts(const std::vector<std::string>& paths);

// Bytes and sum (FNV-1a, 64 bits) of a file, "56,712 bytes, 9f2c..": to notice a file that is
// another, not to withstand an attack.
std::string file_mark(const std::string& path);

}  // namespace ridgewatt::evaluate
