#include "ridgewatt/serve/server.h"

#include <csignal>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/serve/api/api.h"
#include "ridgewatt/serve/http/gate.h"
#include "ridgewatt/serve/security/guard.h"
#include "ridgewatt/serve/security/secret.h"

namespace ridgewatt::serve {
namespace {

constexpr int kPlacesBesideStreams = 64;  // chosen: browsers hold six connections each
constexpr std::size_t kSmallBodyBytes = 65536;

std::string token_of(const ServeOptions& options) {
  static constexpr std::size_t kTokenBytes = 32;
  static constexpr std::size_t kShortest = 16, kLongest = 200;
  if (options.token_file.empty()) {
    return options.on_loopback() ? std::string() : random_hex(kTokenBytes);
  }
  const std::string text = read_file(options.token_file, 4096);
  const std::string token(trim(text));
  if (token.size() < kShortest || token.size() > kLongest) {
    throw InputError("a token has 16 to 200 characters", options.token_file);
  }
  for (const char c : token) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '-' || c == '_' || c == '.';
    if (!plain)
      throw InputError("a token is of letters, digits, '-', '_' and '.'", options.token_file);
  }
  return token;
}

}  // namespace

class Server::State {
 public:
  explicit State(ServeOptions given)
      : options(std::move(given)),
        token(token_of(options)),
        guard({.loopback = options.on_loopback(),
               .token = token,
               .cookie = "ridgewatt-" + std::to_string(options.port),
               .rate = options.rate}),
        api(options, guard),
        gate(
            gate_options(), [this](const Connection& client) { admit(client); },
            [this](Connection& client, const std::string& body, httplib::Response& answer) {
              api.answer(client, body, answer);
            }) {}

  GateOptions gate_options() const {
    GateOptions gate;
    gate.address = options.listen == "localhost" ? "127.0.0.1" : options.listen;
    gate.port = options.port;
    gate.places = options.streams + kPlacesBesideStreams;
    gate.body_limit_bytes = std::max(options.max_upload_bytes, kSmallBodyBytes);
    gate.cert = options.cert;
    gate.key = options.key;
    return gate;
  }

  // Before a body is read: only an upload may have a large one.
  void admit(const Connection& client) {
    const RequestHead& head = client.head();
    guard.admit(head, client.address(), client.secure());
    if (head.content_length > kSmallBodyBytes && head.path() != "/api/v1/uploads") {
      throw HttpError(413, "the body is larger than 65536 bytes");
    }
  }

  ServeOptions options;
  std::string token;
  Guard guard;
  Api api;
  Gate gate;
  int port = 0;
};

Server::Server(ServeOptions options) {
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
  options.check();
  state_ = std::make_unique<State>(std::move(options));
}

Server::~Server() = default;

int Server::bind() {
  state_->port = state_->gate.bind();
  return state_->port;
}

std::string Server::address() const {
  const auto& options = state_->options;
  const bool v6 = options.listen.find(':') != std::string::npos;
  const std::string host = v6 ? "[" + options.listen + "]" : options.listen;
  return std::string(options.cert.empty() ? "http://" : "https://") + host + ":" +
         std::to_string(state_->port) + "/" +
         (state_->token.empty() ? "" : "#token=" + state_->token);
}

void Server::run() {
  state_->gate.run();
}

void Server::stop() {
  state_->gate.stop();
}

}  // namespace ridgewatt::serve
