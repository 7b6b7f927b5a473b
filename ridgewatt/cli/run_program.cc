// Finds the command, runs it, and turns every error into one line and an exit status (1 failure,
// 2 usage, 3 no solution within the constraints, 75 temporary failure).
#include <signal.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <system_error>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/old_spellings.h"
#include "ridgewatt/cli/program.h"
#include "ridgewatt/io/file.h"

namespace ridgewatt::cli {
namespace {

int fail(const std::string& message, int status) {
  std::cout.flush();
  std::cerr << "ridgewatt: " << escape_terminal(message) << '\n';
  return status;
}

// Fails if standard output could not be written.
int done(int status) {
  std::cout.flush();
  return std::cout ? status : fail("cannot write to standard output", 1);
}

// "No solution" is also a result, so the output file is written.
int no_solution(Context& context, const NoSolutionError& error) {
  try {
    context.output.finish();
  } catch (const Error& failed) {
    return fail(failed.what(), failed.exit_status());
  }
  return fail(error.what(), error.exit_status());
}

// Runs a command line, then the command line that it sets in Context::then.
int run(std::span<const CommandEntry> commands, const std::vector<std::string>& line) {
  Context context{.commands = commands, .line = line};
  CLI::App app;
  prepare_program(app, context);
  try {
    auto words = with_current_spellings(line, context.remarks);
    end_options(app, context, words);
    std::reverse(words.begin(), words.end());  // CLI11 expects the last word first
    app.parse(std::move(words));
    return context.then.empty() ? done(0) : run(commands, context.then);
  } catch (const CLI::CallForHelp& help) {
    complete_program(app, context);
    return done(app.exit(help));
  } catch (const CLI::Success& success) {
    return done(app.exit(success));
  } catch (const CLI::ParseError& error) {
    name_commands(app, context);
    return fail(usage_message(app, error), 2);
  } catch (const NoSolutionError& error) {
    return no_solution(context, error);
  } catch (const Error& error) {
    return fail(error.what(), error.exit_status());
  } catch (const std::bad_alloc&) {
    return fail("not enough memory: free memory, or raise the memory limit", 1);
  } catch (const std::length_error&) {
    return fail("not enough memory: the command needs a list that is larger than the address space",
                1);
  } catch (const std::system_error& error) {
    return fail("the operating system refused a resource: " + std::string(error.what()) +
                    ": check `ulimit -a`",
                1);
  } catch (const std::exception& error) {
    return fail(std::string("internal error: ") + error.what(), 1);
  }
}

}  // namespace

int run_program(std::span<const CommandEntry> commands, int argc, char** argv) {
  keep_standard_descriptors();
  ::signal(SIGXFSZ, SIG_IGN);  // exceeding the file size limit is then a write error
  return run(commands, {argv + std::min(argc, 1), argv + argc});
}

}  // namespace ridgewatt::cli
