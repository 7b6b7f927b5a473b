// The program `ridgewatt`.
#include "ridgewatt/cli/commands.h"

int main(int argc, char** argv) {
  return ridgewatt::cli::run_program(ridgewatt::cli::kCommands, argc, argv);
}
