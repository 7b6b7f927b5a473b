// The program `ridgewatt-lab`, which `ridgewatt evaluate ...` becomes: the same command line, and
// the commands that no answer needs.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/program.h"

int main(int argc, char** argv) {
  return ridgewatt::cli::run_program(ridgewatt::cli::kLaboratoryCommands, argc, argv);
}
