// Runs the programs of an executor: sbatch, squeue, parallel.
#pragma once

#include <string>
#include <vector>

namespace ridgewatt::campaign {

struct ProgramOutput {
  int status = 0;  // exit status, or 128 + signal
  std::string output, errors;
  // Returns the first line of the output, for messages.
  std::string line() const;
};

// Writes `input` to the program and reads its output, up to 64 MiB. Ends it after `patience_s`.
// Does not pass on PGPASSWORD, which Slurm would store. Throws NotFoundError if the program does
// not exist, and IoError if it takes too long or prints too much.
ProgramOutput run_program(const std::vector<std::string>& words, const std::string& input = "",
                          double patience_s = 60);
// Runs a program and returns its output. Throws IoError with the first line of its output if its
// exit status is not 0, and the errors of run_program().
std::string ask_program(const std::vector<std::string>& words, const std::string& input = "");

// Starts a program in its own session, so that it outlives this process and the terminal. Appends
// its output to `log`. Returns its process id.
int start_program(const std::vector<std::string>& words, const std::string& log);
// Returns when a process started, in clock ticks since boot; 0: no such process. Together with the
// id this identifies a process, because ids are reused.
long long process_start(int process);

}  // namespace ridgewatt::campaign
