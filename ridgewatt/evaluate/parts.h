// Computes an `evaluate` question in parts, on any machines. Each part writes a file; merging all
// files gives the same result as one process, to the last bit.
//
//   write(part_text({question, part, groups, outcomes}));        // on each machine
//   const PartFile whole = merge_parts({"part1.json", "part2.json"});
//
// Part K of N contains every N-th unit, starting with the K-th, so that expensive and cheap units
// are distributed evenly. Doubles are written so that they are read back exactly. Parts of
// different questions (options, files or program version) and duplicate or missing parts are
// errors.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/evaluate/outcomes.h"

namespace ridgewatt::evaluate {

struct Part {
  std::size_t number = 1, of = 1;
};

// Parses "3/8". Throws UsageError for an invalid part.
Part parse_part(const std::string& text);
// Returns the indices of the part's units; `units` is the number of all units.
std::vector<std::size_t> units_of(const Part& part, std::size_t units);

struct PartFile {
  // "command", "version", "options", and size and checksum of each file that an option names. All
  // parts must have the same value.
  Json question;
  Part part;
  std::vector<OutcomeGroup> groups;
  std::vector<Outcome> outcomes;
};

// Returns the text of a part's file.
std::string part_text(const PartFile& part);
// Throws InputError, which names the fault, for an invalid file.
PartFile read_part(const std::string& path);
// Returns the complete outcomes from the files of all parts, in any order. Throws InputError if the
// parts do not match or one is missing, and UsageError without paths.
PartFile merge_parts(const std::vector<std::string>& paths);

// Returns the script of a Slurm job array that computes the parts. `line` is the command without
// --part; `name` is the name of the job.
std::string slurm_script(const std::string& line, const std::string& name, int parts);
// Returns `word` quoted for a shell.
std::string shell_word(const std::string& word);
// Returns the value of an option ("resnet18.csv,model=net.onnx") with each existing file in it
// replaced by its file_mark(). A field is a path if it has '.' or '/', or if `is_file` is set.
std::string with_file_marks(const std::string& value, bool is_file);
// Returns the size and checksum (64-bit FNV-1a) of a file, such as "56712 bytes, 9f2c..". This
// detects a different file, but does not protect against an attack.
std::string file_mark(const std::string& path);

}  // namespace ridgewatt::evaluate
