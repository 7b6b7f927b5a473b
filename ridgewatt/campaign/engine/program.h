// Runs an engine's own programs: sbatch, squeue, parallel.
#pragma once

#include <string>
#include <vector>

namespace ridgewatt::campaign {

struct ProgramOutput {
  int status = 0;  // exit status, or 128 + signal
  std::string output, errors;
  // The first line of what it said, for messages.
  std::string line() const;
};

// Gives it `input` and reads what it prints (up to 64 MiB); it is ended after `patience_s`. A
// PGPASSWORD of ours is not handed on: Slurm would write it down. Throws NotFoundError where there
// is no such program, IoError when it takes too long.
ProgramOutput run_program(const std::vector<std::string>& words, const std::string& input = "",
                          double patience_s = 60);
// The same, its errors are ours: IoError with its first line when it ends with another status than
// 0. Returns what it printed.
std::string ask_program(const std::vector<std::string>& words, const std::string& input = "");

// Starts it in a session of its own, so that it outlives this process and the terminal; its output
// is added to `log`. Returns its process.
int start_program(const std::vector<std::string>& words, const std::string& log);
// When a process began, in ticks since boot: its number alone may be another's by now. 0: none.
long long process_start(int process);

}  // namespace ridgewatt::campaign
