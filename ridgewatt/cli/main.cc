// The program: finds the command, runs it, and turns every error into one line and an exit status
// (1 failure, 2 usage, 3 no solution within the constraints).
#include <exception>
#include <iostream>
#include <new>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/base/version.h"
#include "ridgewatt/cli/commands.h"

namespace {

int fail(const std::string& message, int status) {
  std::cout.flush();
  std::cerr << "ridgewatt: " << ridgewatt::escape_terminal(message) << '\n';
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace ridgewatt;
  cli::Context context;
  CLI::App app("Time, power and energy of deep neural networks on edge accelerators", "ridgewatt");
  app.set_version_flag("--version", std::string("ridgewatt ") + version());
  app.require_subcommand(1);
  for (const auto add : cli::kCommands) add(app, context);
  try {
    app.parse(argc, argv);
    std::cout.flush();
    if (!std::cout) return fail("cannot write to standard output", 1);
    return 0;
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return fail(
        std::string(error.what()) + ": see 'ridgewatt --help' or 'ridgewatt COMMAND --help'", 2);
  } catch (const Error& error) {
    return fail(error.what(), error.exit_status());
  } catch (const std::bad_alloc&) {
    return fail("not enough memory", 1);
  } catch (const std::exception& error) {
    return fail(std::string("internal error: ") + error.what(), 1);
  }
}
