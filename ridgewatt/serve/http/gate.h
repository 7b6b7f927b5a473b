// Accepts connections over Boost.Asio, with or without TLS, such that no client can block others.
// Every action of a client has a time limit. If all places are taken, the client that has been
// connected longest without a complete request is disconnected. If every client is being served, a
// new client gets 503.
//
//   const auto gate = make_gate(options, admit, answer);
//   const int port = gate->bind();
//   gate->run();  // until gate->stop() in another thread
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ridgewatt/serve/http/message.h"

namespace ridgewatt::serve {

// Time limits for a client, in seconds (chosen; documented on the security page).
struct Patience {
  double handshake_s = 5;
  double head_s = 5;     // from the first byte of a request to the end of its head
  double idle_s = 10;    // between two requests
  double body_s = 30;    // for the whole body
  double write_s = 15;   // without the client accepting a byte
  double answer_s = 60;  // For a whole answer. Streams have no such limit.
};

struct GateOptions {
  std::string address = "127.0.0.1";
  int port = 0;
  int places = 64;   // simultaneous connections
  int streams = 64;  // how many of them may be streams
  int workers = 4;   // Threads that compute answers. Other requests wait.
  std::size_t body_limit_bytes = std::size_t{1} << 20;
  std::string cert = {}, key = {};  // PEM files for TLS. Empty: no TLS.
  Patience patience = {};
};

// The client and its request. Valid until the answer is returned.
struct Client {
  RequestHead head = {};
  std::string address = {};
  bool is_secure = false;               // uses TLS
  std::function<bool()> is_there = {};  // false: the client does not wait for the answer any more
};

class Gate {
 public:
  // Called in a worker thread. An exception (HttpError, Error) becomes an error in JSON.
  using Answer = std::function<Reply(const Client& client, const std::string& body)>;
  // Called before the body is read; must not block. Rejects a request by throwing HttpError,
  // answers it immediately, or returns empty, so that a worker answers it.
  using Admit = std::function<std::optional<Reply>(const Client& client)>;

  virtual ~Gate() = default;

  // Starts listening and returns the port. Throws IoError or PermissionError.
  virtual int bind() = 0;
  virtual void run() = 0;
  // The following functions can be called from any thread. publish() sends `text` to all answers
  // that are streams; stop() ends the streams.
  virtual void stop() = 0;
  virtual void publish(std::uint64_t number, const std::string& text) = 0;
  virtual int streams() const = 0;
};

// Throws InputError if the certificate is invalid.
std::unique_ptr<Gate> make_gate(GateOptions options, Gate::Admit admit, Gate::Answer answer);

}  // namespace ridgewatt::serve
