// The server of `ridgewatt serve`: the web application, the API and the metrics of one machine. The
// program itself answers questions in child processes (ask/answers.h), so an answer over HTTP is
// identical to that of the command line. One Monitor watches the machine.
//
//   Server server(options);
//   const int port = server.bind();  // server.address() can be visited now
//   server.run();                    // until server.stop() from another thread
#pragma once

#include <memory>
#include <string>

#include "ridgewatt/serve/serve_options.h"

namespace ridgewatt::serve {

class Server {
 public:
  // Throws UsageError, NotFoundError, InputError, and the errors of the constructor of Api.
  explicit Server(ServeOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int bind();
  std::string address() const;  // "http://127.0.0.1:8470/"
  // The token generated for this run. Empty without a token, or if it comes from a file.
  std::string made_token() const;
  void run();
  void stop();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace ridgewatt::serve
