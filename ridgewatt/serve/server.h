// The server of `ridgewatt serve`: the web application, the API and the metrics of one machine.
// Questions are answered by the program itself in processes of their own (ask/answers.h), so that
// an answer over HTTP is the command line's, byte for byte; the machine is watched by one Monitor.
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
  // Throws UsageError, NotFoundError, InputError.
  explicit Server(ServeOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int bind();
  std::string address() const;  // "http://127.0.0.1:8470/"
  // A token that was made for this run; empty where there is none, or it came from a file.
  std::string made_token() const;
  void run();
  void stop();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace ridgewatt::serve
