#include "ridgewatt/serve/http/gate.h"

#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <thread>

#include "ridgewatt/base/error.h"

namespace ridgewatt::serve {
namespace {

constexpr int kBacklog = 512;               // chosen: 200 streams that open at once
constexpr int kRequestsOfOneClient = 1000;  // chosen: then a new connection

// Says that the calling thread, which accepts, has no place for the client.
bool& no_place() {
  thread_local bool full = false;
  return full;
}

void answer_error(httplib::Response& answer, int status, const std::string& line) {
  answer.status = status;
  answer.set_content(error_json(line), "application/json");
  answer.headers.erase("Cache-Control");
  answer.set_header("Cache-Control", "no-store");
}

}  // namespace

// Threads come as clients do, up to the number of places.
class Gate::Places final : public httplib::TaskQueue {
 public:
  explicit Places(Gate& gate) : gate_(gate) {}

  void enqueue(std::function<void()> client) override {
    if (!make_room()) {
      no_place() = true;
      client();
      no_place() = false;
      return;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back(std::move(client));
    if (free_ < static_cast<int>(waiting_.size()) &&
        static_cast<int>(threads_.size()) < gate_.options_.places) {
      threads_.emplace_back([this] { work(); });
    }
    came_.notify_one();
  }

  void shutdown() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ended_ = true;
    }
    came_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

 private:
  // Whether one more would find a thread. Who was sent away takes a moment to go.
  bool make_room() {
    static constexpr int kTries = 100;
    for (int i = 0; i < kTries; ++i) {
      std::size_t coming = 0;
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (free_ > static_cast<int>(waiting_.size()) ||
            static_cast<int>(threads_.size()) < gate_.options_.places) {
          return true;
        }
        coming = waiting_.size();
      }
      if (gate_.leaving() > coming || gate_.send_one_away()) return true;
      if (coming == 0) return false;  // all are at work
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }

  void work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      ++free_;
      came_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
      --free_;
      if (waiting_.empty()) return;
      const auto client = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      client();
      lock.lock();
    }
  }

  Gate& gate_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<std::function<void()>> waiting_;
  std::vector<std::thread> threads_;
  int free_ = 0;
  bool ended_ = false;
};

Gate::Gate(GateOptions options, Admit admit, Answer answer)
    : options_(std::move(options)), admit_(std::move(admit)), answer_(std::move(answer)) {
  if (!options_.cert.empty()) load_certificate();
  new_task_queue = [this] { return new Places(*this); };
  set_payload_max_length(options_.body_limit_bytes);
  set_tcp_nodelay(true);
  set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  });
  answer_all();
}

Gate::~Gate() = default;

void Gate::load_certificate() {
  tls_.reset(SSL_CTX_new(TLS_server_method()));
  SSL_CTX_set_min_proto_version(tls_.get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(tls_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (SSL_CTX_use_certificate_chain_file(tls_.get(), options_.cert.c_str()) != 1) {
    throw InputError("cannot read a certificate (PEM)", options_.cert);
  }
  if (SSL_CTX_use_PrivateKey_file(tls_.get(), options_.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    throw InputError("cannot read the private key (PEM) of the certificate", options_.key);
  }
  ERR_clear_error();
}

// httplib sees every address as "/": the whole way is ours.
void Gate::answer_all() {
  const auto ask = [this](const std::string& body, httplib::Response& answer) {
    Connection& client = *Connection::current();
    try {
      answer_(client, body, answer);
    } catch (const HttpError& error) {
      answer_error(answer, error.status(), error.what());
    } catch (const Error& error) {
      answer_error(answer, 400, error.what());
    } catch (const std::bad_alloc&) {
      answer_error(answer, 503, "the server has not enough memory");
    } catch (const std::exception& error) {
      answer_error(answer, 500, std::string("internal error: ") + error.what());
    }
  };
  const auto without_body = [ask](const httplib::Request&, httplib::Response& answer) {
    ask({}, answer);
  };
  Get("/", without_body);
  Delete("/", without_body);
  Post("/", [ask](const httplib::Request&, httplib::Response& answer,
                  const httplib::ContentReader& reader) {
    std::string body;
    const bool whole = reader([&](const char* data, std::size_t size) {
      body.append(data, size);
      return true;
    });
    if (!whole) return answer_error(answer, 408, "the body did not come in time");
    ask(body, answer);
  });
}

int Gate::bind() {
  errno = 0;
  int port = options_.port;
  if (port == 0) {
    port = bind_to_any_port(options_.address);
  } else if (!bind_to_port(options_.address, port)) {
    port = -1;
  }
  if (port <= 0) {
    const std::string where = options_.address + ":" + std::to_string(options_.port);
    if (errno != 0) throw_errno(errno, "cannot listen", where);
    throw IoError("cannot listen", where);
  }
  ::listen(svr_sock_, kBacklog);
  return port;
}

void Gate::run() {
  listen_after_bind();
}

void Gate::stop() {
  stopping_ = true;
  httplib::Server::stop();
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Connection* client : clients_) client->interrupt();
}

// The one that waits longest without a whole request; false when all are at work.
bool Gate::send_one_away() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto state : {ConnectionState::kWaiting, ConnectionState::kReading}) {
    for (Connection* client : clients_) {
      if (client->state == state && !client->interrupted) {
        client->interrupt();
        return true;
      }
    }
  }
  return false;
}

std::size_t Gate::leaving() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<std::size_t>(std::count_if(
      clients_.begin(), clients_.end(), [](Connection* c) { return c->interrupted.load(); }));
}

bool Gate::process_and_close_socket(socket_t socket) {
  Connection client(socket, tls_.get(), options_.patience);
  if (no_place()) {
    if (!client.secure()) client.refuse(503, "all places are taken: try again later");
    return false;
  }
  std::list<Connection*>::iterator place;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    place = clients_.insert(clients_.end(), &client);
  }
  Connection::current() = &client;
  if (!stopping_) serve(client);
  Connection::current() = nullptr;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    clients_.erase(place);
  }
  if (!stopping_) client.close_gently();
  return true;
}

void Gate::serve(Connection& client) {
  if (!client.handshake()) return;
  std::string text;
  for (int request = 0; request < kRequestsOfOneClient && !stopping_; ++request) {
    const double idle_s = request == 0 ? options_.patience.head_s : options_.patience.idle_s;
    switch (client.read_head(text, idle_s)) {
      case HeadEnd::kClosed:
        return;
      case HeadEnd::kTooSlow:
        return client.refuse(408, "the request did not come in time");
      case HeadEnd::kTooLarge:
        return client.refuse(431, "the head of the request is too large");
      case HeadEnd::kWhole:
        break;
    }
    if (!serve_one(client, text, request + 1 == kRequestsOfOneClient)) return;
  }
}

// True when another request may follow.
bool Gate::serve_one(Connection& client, const std::string& text, bool last) {
  try {
    client.begin(parse_head(text));
    admit_(client);
    if (client.head().content_length > options_.body_limit_bytes) {
      throw HttpError(
          413, "the body is larger than " + std::to_string(options_.body_limit_bytes) + " bytes");
    }
  } catch (const HttpError& error) {
    client.refuse(error.status(), error.what());
    return false;
  }
  last = last || !client.head().keep_alive;
  bool closed = false;
  const bool answered = process_request(client, last, closed, nullptr);
  return answered && !last && !closed && client.body_was_read();
}

}  // namespace ridgewatt::serve
