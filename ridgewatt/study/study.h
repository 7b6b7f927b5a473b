// A study: a question asked as a designed experiment, as data in a TOML file
// (docs/reference/study_file.md).
//
//   const Study study = load_study("batch");             // shipped, or a path
//   for (const StudyRun& run : plan_study(study, 1)) ..  // blocked and randomized
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ridgewatt::study {

struct StudyFactor {
  std::string name;  // a knob (cpu_cores, gpu_mhz, .., governor) or a {name} in the command
  std::vector<std::string> levels;  // in the file's order
  // So many levels of a knob, evenly from its table; 0: as listed. Resolved by the bench.
  int level_count = 0;
  std::map<std::string, std::string> texts;  // what stands for a level in the command
  // false: it is varied for the sake of the others, its own effect is not asked about.
  bool asked = true;
  // Where the board cannot set it, it is left out instead of the study refused.
  bool optional = false;
  // A shell command for a level: where it fails, the level is left out.
  std::map<std::string, std::string> needs;
};

// Name of a knob of a board, "governor" included.
bool is_board_factor(std::string_view name);

struct Study {
  std::string name;
  std::string title;
  std::string question;
  std::string workload;
  std::string kind = "inference";
  std::vector<StudyFactor> factors;
  int repeats = 5;                     // blocks
  std::string command;                 // for the shell; {factor} and {parameter} are replaced
  std::string fake_command;            // on a fake board; empty: the same
  std::string check;                   // for the shell: fails where `command` cannot run ..
  std::string fallback;                // .. and this runs in its place; empty: it is an error
  std::string setup;                   // once before the first run
  std::string before;                  // for the shell: before each run, not measured
  std::vector<std::string> needs;      // programs
  std::vector<std::string> responses;  // that are asked about; empty: all
  std::map<std::string, std::string> parameters;
  std::string text;  // the file
};

// Throws InputError naming key and file.
Study parse_study(std::string_view toml, const std::string& source);
// A shipped study by name, or a file (anything with a '/' or ending in .toml).
Study load_study(const std::string& name_or_path);
std::vector<std::string> list_studies();

using StudyCell = std::vector<std::string>;  // a level of each factor

struct StudyRun {
  StudyCell cell;
  std::string block;
};
// Every cell once in every block, each block in an order of its own. The same seed gives the same
// plan.
std::vector<StudyRun> plan_study(const Study& study, std::uint64_t seed);

// `text` with {name} replaced by the level's text or the parameter. UsageError for a name that is
// neither.
std::string fill_command(const std::string& text, const Study& study, const StudyCell& cell);

// What a run gave: "time_s", "energy_j", "power_w", "minibatch_s", "minibatch_energy_j", "stall_s",
// "compute_s", "cpu_s", "peak_memory_bytes", "phase NAME (s)", "value NAME" (of the program's own);
// where a study asks for them "cpu_load", "gpu_load", "memory_used_bytes", "cpu_clock_hz" and
// "gpu_clock_hz" of the whole machine.
// What a run lacks is absent.
using Responses = std::map<std::string, double>;

struct StudyResult {
  StudyCell cell;
  std::string block;
  Responses responses;
};

}  // namespace ridgewatt::study
