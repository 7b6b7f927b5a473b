// The program `ridgewatt-serve`, which `ridgewatt serve` executes. Its only argument is its options
// in JSON (serve_options.h).
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/base/thread.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/serve/server.h"

namespace {

using ridgewatt::serve::ServeOptions;

void say(const std::string& line) {
  std::fputs((ridgewatt::escape_terminal(line) + "\n").c_str(), stderr);
}

// A generated token is shown only on a terminal, since redirected messages may be stored.
void check_token_can_be_shown(const ridgewatt::serve::Server& server) {
  if (server.made_token().empty() || ::isatty(STDERR_FILENO) == 1) return;
  throw ridgewatt::UsageError(
      "the generated token cannot be shown, because standard error is not a terminal", "",
      "give a token with --token-file");
}

void say_beginning(const ServeOptions& options, const ridgewatt::serve::Server& server) {
  const std::string made = server.made_token();
  say("listening on " + server.address() + (made.empty() ? "" : "#token=" + made));
  if (!made.empty()) {
    say("the token in this address is valid for this run; anyone who has it can read everything");
  } else if (!options.token_file.empty()) {
    say("open it with #token= and the token of " + options.token_file + " behind it");
  }
  if (options.on_loopback()) return;
  if (options.cert.empty()) {
    say("the connection is not encrypted: anyone on the network can read the traffic, including "
        "the token; see --cert");
  }
}

// Runs until SIGTERM or SIGINT. All threads must block these signals (`ends`).
int serve(const ServeOptions& options, const sigset_t& ends) {
  ridgewatt::serve::Server server(options);
  check_token_can_be_shown(server);
  server.bind();
  say_beginning(options, server);
  std::thread watch = ridgewatt::start_thread([&] {
    int signal = 0;
    ::sigwait(&ends, &signal);
    server.stop();
  });
  server.run();
  ::kill(::getpid(), SIGTERM);  // ends the waiting thread if the server ended by itself
  watch.join();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  ridgewatt::keep_standard_descriptors();
  sigset_t ends;
  ::sigemptyset(&ends);
  ::sigaddset(&ends, SIGTERM);
  ::sigaddset(&ends, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  try {
    return serve(ridgewatt::serve::serve_options_from_json(argc == 2 ? argv[1] : ""), ends);
  } catch (const ridgewatt::Error& error) {
    say(std::string("ridgewatt: ") + error.what());
    return error.exit_status();
  } catch (const std::exception& error) {
    say(std::string("ridgewatt: internal error: ") + error.what());
    return 1;
  }
}
