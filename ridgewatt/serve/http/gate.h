// Who comes in: connections over Boost.Asio, with and without TLS, and nobody who can keep others
// out. All that a client does has a time limit; one that is slow ends itself and nobody else. When
// all places are taken, the client that has kept us waiting longest without a whole request leaves;
// when all are at work, the newcomer hears 503.
//
//   Gate gate(options, admit, [](const Client& client, const std::string& body) { return Reply();
//   }); const int port = gate.bind(); gate.run();   // until gate.stop() in another thread
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ridgewatt/serve/http/message.h"

namespace ridgewatt::serve {

// What a client may take; chosen, and documented in the security page.
struct Patience {
  double handshake_s = 5;
  double head_s = 5;     // from the first byte of a request to the end of its head
  double idle_s = 10;    // between two requests
  double body_s = 30;    // of the whole body
  double write_s = 15;   // no byte is taken for so long
  double answer_s = 60;  // of a whole answer; streams have no such limit
};

struct GateOptions {
  std::string address = "127.0.0.1";
  int port = 0;
  int places = 64;   // connections at once
  int streams = 64;  // of them
  int workers = 4;   // answers that are made at once; more wait
  std::size_t body_limit_bytes = std::size_t{1} << 20;
  std::string cert = {}, key = {};  // PEM files: TLS
  Patience patience = {};
};

// Who asks; valid until the answer is there.
struct Client {
  RequestHead head = {};
  std::string address = {};
  bool is_secure = false;               // TLS
  std::function<bool()> is_there = {};  // false: nobody waits for the answer
};

class Gate {
 public:
  // In a thread of the workers. What it throws (HttpError, Error) becomes an error in JSON.
  using Answer = std::function<Reply(const Client& client, const std::string& body)>;
  // Before the body is read: refuses a request by throwing HttpError, answers it at once, or leaves
  // it to a worker. Does not wait.
  using Admit = std::function<std::optional<Reply>(const Client& client)>;

  virtual ~Gate() = default;

  // The port. Throws IoError, PermissionError.
  virtual int bind() = 0;
  virtual void run() = 0;
  // These from any thread. Answers that are streams go on with `text` and end at stop().
  virtual void stop() = 0;
  virtual void publish(std::uint64_t number, const std::string& text) = 0;
  virtual int streams() const = 0;
};

// Throws InputError for what is no certificate.
std::unique_ptr<Gate> make_gate(GateOptions options, Gate::Admit admit, Gate::Answer answer);

}  // namespace ridgewatt::serve
