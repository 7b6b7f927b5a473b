// A study: a question in the form of a designed experiment, described in a TOML file
// (docs/reference/study_file.md).
//
//   const Study study = load_study("batch");             // a shipped study, or a path
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
  std::vector<std::string> levels;  // in the order of the file
  // Number of levels of a knob, evenly spaced in its table; 0: as listed. Resolved by the bench.
  int level_count = 0;
  std::map<std::string, std::string> texts;  // text that replaces a level in the command
  // false: varied only for the other factors; its own effect is not reported.
  bool asked = true;
  // If the board cannot set it, it is left out and the study runs without it.
  bool optional = false;
  // A shell command for a level; if it fails, the level is left out.
  std::map<std::string, std::string> needs;
};

// Name of a knob of a board, including "governor".
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
  std::string fake_command;            // on a fake board; empty: the same command
  std::string check;                   // shell command: fails if `command` cannot run ..
  std::string fallback;                // .. then this runs in its place; empty: an error
  std::string setup;                   // once before the first run
  std::string before;                  // shell command before each run, not measured
  std::vector<std::string> needs;      // required programs
  std::vector<std::string> responses;  // of interest; empty: all
  std::map<std::string, std::string> parameters;
  std::string text;  // the file
};

// Throws InputError with key and file.
Study parse_study(std::string_view toml, const std::string& source);
// A shipped study by name, or a file (anything with a '/' or ending in .toml).
Study load_study(const std::string& name_or_path);
std::vector<std::string> list_studies();

// A user's changes to a shipped study: "NAME=VALUE" of parameters, "FACTOR=LEVEL,LEVEL" of factors
// (case and separators do not matter), and the number of blocks; 0: the number of the study. A
// UsageError names the wrong option.
struct StudyChanges {
  std::vector<std::string> parameters, levels;
  int repeats = 0;
};
void change_study(Study& study, const StudyChanges& changes);

using StudyCell = std::vector<std::string>;  // one level of each factor

struct StudyRun {
  StudyCell cell;
  std::string block;
};
// Every cell once per block, each block in its own random order. The same seed gives the same plan.
std::vector<StudyRun> plan_study(const Study& study, std::uint64_t seed);

// `text` with {name} replaced by the text of the level or the parameter. Throws UsageError for a
// name that is neither.
std::string fill_command(const std::string& text, const Study& study, const StudyCell& cell);

// The results of a run: "time_s", "energy_j", "power_w", "minibatch_s", "minibatch_energy_j",
// "stall_s", "compute_s", "cpu_s", "peak_memory_bytes", "phase NAME (s)", "value NAME" (reported by
// the program); if the study asks for them also "cpu_load", "gpu_load", "memory_used_bytes",
// "cpu_clock_hz" and "gpu_clock_hz" of the whole machine. Missing results are absent.
using Responses = std::map<std::string, double>;

struct StudyResult {
  StudyCell cell;
  std::string block;
  Responses responses;
};

}  // namespace ridgewatt::study
