#include "ridgewatt/serve/server.h"

#include <chrono>
#include <csignal>
#include <thread>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/serve/api/api.h"
#include "ridgewatt/serve/http/gate.h"
#include "ridgewatt/serve/security/guard.h"
#include "ridgewatt/serve/security/secret.h"

namespace ridgewatt::serve {
namespace {

constexpr int kOtherPlaces = 64;  // chosen: browsers open up to six connections each
constexpr int kOtherWorkers = 8;  // chosen: for requests that need no child process

std::string token_of(const ServeOptions& options) {
  static constexpr std::size_t kTokenBytes = 32;
  static constexpr std::size_t kShortest = 16, kLongest = 200;
  if (options.token_file.empty()) {
    return options.on_loopback() ? std::string() : random_hex(kTokenBytes);
  }
  const std::string text = read_file(options.token_file, 4096);
  const std::string token(trim(text));
  if (token.size() < kShortest || token.size() > kLongest) {
    throw InputError("the token in the file must have 16 to 200 characters", options.token_file);
  }
  for (const char c : token) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '-' || c == '_' || c == '.';
    if (!plain)
      throw InputError("the token in the file may contain only letters, digits, '-', '_' and '.'",
                       options.token_file);
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
        gate(make_gate(
            gate_options(), [this](const Client& client) { return admit(client); },
            [this](const Client& client, const std::string& body) {
              return api.answer(client, body);
            })) {}

  GateOptions gate_options() const {
    GateOptions gate;
    gate.address = options.listen == "localhost" ? "127.0.0.1" : options.listen;
    gate.port = options.port;
    gate.places = options.streams + kOtherPlaces;
    gate.streams = options.streams;
    gate.workers = AnswerLimits().waiting + options.children + kOtherWorkers;
    gate.body_limit_bytes = std::max(options.max_upload_bytes, kSmallBodyBytes);
    gate.cert = options.cert;
    gate.key = options.key;
    return gate;
  }

  std::optional<Reply> admit(const Client& client) {
    guard.admit(client.head, client.address, client.is_secure);
    return api.admit(client);
  }

  // Publishes readings of the machine to all streams until `done`.
  void publish_looks(const std::stop_token& done) {
    static constexpr double kWaitS = 0.25;  // chosen: how soon the first stream is noticed
    std::uint64_t last = 0;
    while (!done.stop_requested()) {
      if (gate->streams() == 0) {
        std::this_thread::sleep_for(std::chrono::duration<double>(kWaitS));
      } else if (const auto look = api.next_event(last, kWaitS)) {
        last = look->number;
        gate->publish(look->number, look->event);
      }
    }
  }

  ServeOptions options;
  std::string token;
  Guard guard;
  Api api;
  std::unique_ptr<Gate> gate;
  int port = 0;
};

Server::Server(ServeOptions options) {
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
  options.check();
  state_ = std::make_unique<State>(std::move(options));
}

Server::~Server() = default;

int Server::bind() {
  state_->port = state_->gate->bind();
  return state_->port;
}

std::string Server::address() const {
  const auto& options = state_->options;
  const bool v6 = options.listen.find(':') != std::string::npos;
  const std::string host = v6 ? "[" + options.listen + "]" : options.listen;
  return std::string(options.cert.empty() ? "http://" : "https://") + host + ":" +
         std::to_string(state_->port) + "/";
}

std::string Server::made_token() const {
  return state_->options.token_file.empty() ? state_->token : std::string();
}

void Server::run() {
  const std::jthread looks([this](const std::stop_token& done) { state_->publish_looks(done); });
  state_->gate->run();
}

void Server::stop() {
  state_->gate->stop();
}

}  // namespace ridgewatt::serve
