// The program `ridgewatt-lab`, which `ridgewatt evaluate ...` starts with the same command line. It
// contains the commands that evaluate the methods of `ridgewatt`.
#include "ridgewatt/cli/commands.h"

int main(int argc, char** argv) {
  return ridgewatt::cli::run_program(ridgewatt::cli::kLaboratoryCommands, argc, argv);
}
