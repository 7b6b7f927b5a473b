// The program `ridgewatt-lab`, which `ridgewatt evaluate ...` starts with the same command line. It
// contains the commands that evaluate the methods of `ridgewatt`.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/program.h"

int main(int argc, char** argv) {
  return ridgewatt::cli::run_program(ridgewatt::cli::kLaboratoryCommands, argc, argv);
}
