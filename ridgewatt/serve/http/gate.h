// Who comes in: cpp-httplib's server with connections of our own (http/connection.h), a bounded
// number of threads, and nobody who can keep others out. When all places are taken, the client that
// has kept us waiting longest without a whole request leaves; when all are at work, the newcomer
// hears 503.
//
//   Gate gate(options, [](const RequestHead& head, Body& body, httplib::Response& answer) { .. });
//   const int port = gate.bind();
//   gate.run();   // until gate.stop() in another thread
#pragma once

#include <httplib.h>

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "ridgewatt/serve/http/connection.h"

namespace ridgewatt::serve {

struct GateOptions {
  std::string address = "127.0.0.1";
  int port = 0;
  int places = 64;  // connections at once
  std::size_t body_limit_bytes = std::size_t{1} << 20;
  std::string cert = {}, key = {};  // PEM files: TLS
  Patience patience = {};
};

class Gate final : private httplib::Server {
 public:
  // `body` is read before the call. What it throws (HttpError, Error) becomes an error in JSON.
  using Answer =
      std::function<void(Connection& client, const std::string& body, httplib::Response& answer)>;
  // May refuse a request before its body is read, by throwing HttpError.
  using Admit = std::function<void(const Connection& client)>;

  // Throws NotFoundError, InputError for what is no certificate.
  Gate(GateOptions options, Admit admit, Answer answer);
  ~Gate() override;

  // The port. Throws IoError, PermissionError.
  int bind();
  void run();
  void stop();
  bool stopping() const { return stopping_; }

 private:
  struct TlsContextEnd {
    void operator()(SSL_CTX* tls) const { SSL_CTX_free(tls); }
  };
  class Places;

  bool process_and_close_socket(socket_t socket) override;
  void serve(Connection& client);
  bool serve_one(Connection& client, const std::string& text, bool last);
  void answer_all();
  void load_certificate();
  bool send_one_away();
  std::size_t leaving();  // that were sent away and are still there

  GateOptions options_;
  Admit admit_;
  Answer answer_;
  std::unique_ptr<SSL_CTX, TlsContextEnd> tls_;
  std::mutex mutex_;
  std::list<Connection*> clients_;  // in the order in which they came
  std::atomic<bool> stopping_ = false;
};

}  // namespace ridgewatt::serve
