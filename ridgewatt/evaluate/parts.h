// An `evaluate` question in parts: each part is computed separately, on any machine, and leaves a
// file; together they give the result of one process, to the last bit.
//
//   write(part_text({question, part, groups, outcomes}));        // on each machine
//   const PartFile whole = merge_parts({"part1.json", "part2.json"});
//
// Part K of N has every N-th unit from the K-th on, so that expensive and cheap units are
// distributed evenly. Doubles are written so that they read back exactly. Parts of different
// questions (options, files, version of the program), duplicated and missing parts are rejected
// with a one-line message.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/evaluate/outcomes.h"

namespace ridgewatt::evaluate {

struct Part {
  std::size_t number = 1, of = 1;
};

// "3/8"; throws UsageError for an invalid part.
Part parse_part(const std::string& text);
// The units of a part.
std::vector<std::size_t> units_of(const Part& part, std::size_t units);

struct PartFile {
  // The question: "command", "version", "options", and for each option that names files their size
  // and checksum. Two parts match if it is equal.
  Json question;
  Part part;
  std::vector<OutcomeGroup> groups;
  std::vector<Outcome> outcomes;
};

std::string part_text(const PartFile& part);
// Throws InputError with the fault of the file.
PartFile read_part(const std::string& path);
// The complete answer from all parts of one question, in any order of `paths`. Throws InputError.
PartFile merge_parts(const std::vector<std::string>& paths);

// The script of a Slurm array that computes the parts; `line` is the command without them.
std::string slurm_script(const std::string& line, const std::string& name, int parts);
// `word` as a shell reads it back.
std::string shell_word(const std::string& word);
// The value of an option with each file that it names ("resnet18.csv,model=net.onnx") as its
// file_mark. `is_file`: it is a path alone.
std::string with_file_marks(const std::string& value, bool is_file);
// Size and checksum (FNV-1a, 64 bits) of a file, "56,712 bytes, 9f2c..": detects a different file,
// but does not protect against an attack.
std::string file_mark(const std::string& path);

}  // namespace ridgewatt::evaluate
