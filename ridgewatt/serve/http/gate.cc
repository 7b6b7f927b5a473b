#include "ridgewatt/serve/http/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <list>
#include <optional>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/thread.h"
#include "ridgewatt/serve/http/connection.h"

namespace ridgewatt::serve {
namespace {

constexpr int kBacklog = 512;               // chosen: for 200 streams that open at the same time
constexpr int kRequestsOfOneClient = 1000;  // chosen: then a new connection is necessary
constexpr std::chrono::milliseconds kTick(100);  // chosen: precision of time limits
// chosen: how soon a stream notices that its client is gone
constexpr std::chrono::seconds kLook(1);
constexpr int kQuietLooks = 15;  // chosen: number of waits without news before a comment is sent

// Threads that compute answers. Throws IoError if the system refuses a thread. asio::thread_pool
// would then wait forever for the threads that it has started.
class Workers {
 public:
  explicit Workers(int count) {
    try {
      for (int i = 0; i < count; ++i) threads_.add([this] { io_.run(); });
    } catch (...) {
      io_.stop();
      throw;
    }
  }
  ~Workers() { io_.stop(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  asio::io_context::executor_type executor() { return io_.get_executor(); }
  // Waits for all work.
  void join() {
    guard_.reset();
    threads_.join();
  }

 private:
  asio::io_context io_;
  asio::executor_work_guard<asio::io_context::executor_type> guard_{io_.get_executor()};
  ThreadGroup threads_;
};

// State that all connections of a gate share. Only answers are computed in worker threads; all
// other code runs in the thread of run(), so members without atomics belong to that thread.
struct Shared {
  const GateOptions options;
  const Gate::Admit admit;
  const Gate::Answer answer;
  asio::io_context io{1};
  Workers workers{options.workers};
  std::optional<asio::ssl::context> tls = tls_context(options.cert, options.key);
  std::atomic<bool> stopping = false;
  std::atomic<int> streams = 0;
  std::string newest = {};      // newest published text
  std::uint64_t published = 0;  // its number

  Reply answer_to(const Client& client, const std::string& body) const {
    try {
      return answer(client, body);
    } catch (const HttpError& error) {
      return error_reply(error);
    } catch (const Error& error) {
      return error_reply(HttpError(400, error.what()));
    } catch (const std::bad_alloc&) {
      return error_reply(HttpError(503, "the server has not enough memory"));
    } catch (const std::exception& error) {
      return error_reply(HttpError(500, std::string("internal error: ") + error.what()));
    }
  }
};

// Serves the requests of one connection, one after the other. Arguments of a co_await expression
// are named variables, because GCC 12 destroys temporaries in such an expression twice. The class
// follows the protocol: head, body, answer, stream.
class Session {
 public:
  // `gate` must outlive this. With `turned_away`, every request gets the answer 503.
  Session(Shared& gate, tcp::socket socket, bool turned_away)
      : gate_(gate),
        connection_(std::move(socket), gate.tls ? &*gate.tls : nullptr, gate.options.patience),
        news_(gate.io),
        turned_away_(turned_away) {
    client_.address = connection_.address();
    client_.is_secure = connection_.is_secure();
    client_.is_there = [this] { return !gate_.stopping && connection_.is_there(); };
  }

  Task<void> run() {
    if (turned_away_) {
      phase_ = Phase::kAtWork;
      connection_.allow_answer(kGoodbyeS);
      Reply full =
          error_reply(HttpError(503, "the server has too many open connections: try again later"));
      if (!client_.is_secure) co_await send(std::move(full), true);
    } else if (co_await connection_.handshake()) {
      co_await serve();
    }
    if (!is_leaving()) co_await connection_.close_gently();
  }

  bool is_leaving() const { return connection_.is_leaving(); }
  // True if no complete request has arrived. The gate may then close this connection for another
  // one.
  bool waits_for_request() const { return phase_ != Phase::kAtWork; }
  bool has_sent_nothing() const { return phase_ == Phase::kIdle; }
  void leave() { connection_.leave(); }
  void hear_news() { news_.cancel(); }
  void hear_stop() {
    connection_.allow_answer(kGoodbyeS);
    if (waits_for_request()) leave();
    hear_news();
  }
  void look_at_clock() { connection_.look_at_clock(); }

 private:
  enum class Phase { kIdle, kReading, kAtWork };

  Task<void> serve() {
    const Patience& patience = gate_.options.patience;
    for (int request = 1; request <= kRequestsOfOneClient && !gate_.stopping; ++request) {
      const int status = co_await read_head(request == 1 ? patience.head_s : patience.idle_s);
      if (status == 0) co_return;
      connection_.allow_answer(patience.answer_s);
      if (status != 200) {
        client_.head = {};
        const char* const line = status == 408 ? "the request did not arrive in time"
                                               : "the head of the request is too large";
        Reply reply = error_reply(HttpError(status, line));
        co_await send(std::move(reply), true);
        co_return;
      }
      if (!co_await serve_one(request == kRequestsOfOneClient)) co_return;
    }
  }

  // Returns 200 if a head was read, 0 if the client has disconnected or sent nothing, else the
  // status of the error.
  Task<int> read_head(double idle_s) {
    static constexpr std::string_view kEmptyLine = "\r\n\r\n";
    const double head_s = gate_.options.patience.head_s;
    phase_ = ahead_.empty() ? Phase::kIdle : Phase::kReading;
    connection_.allow(ahead_.empty() ? idle_s : head_s);
    while (true) {
      const auto end = ahead_.find(kEmptyLine);
      const auto size = end == std::string::npos ? ahead_.size() : end + kEmptyLine.size();
      if (size > kHeadLimitBytes) co_return 431;
      if (end != std::string::npos) {
        head_ = ahead_.substr(0, size);
        ahead_.erase(0, size);
        co_return 200;
      }
      if (co_await connection_.read_some(ahead_) == 0) {
        co_return !ahead_.empty() && connection_.is_late() ? 408 : 0;
      }
      if (phase_ == Phase::kIdle) connection_.allow(head_s);
      phase_ = Phase::kReading;
    }
  }

  // The reply, if it needs neither a body nor a worker. Mainly errors in the head and rejected
  // clients.
  std::optional<Reply> reply_at_once() {
    client_.head = {.keep_alive = false};
    // An error reply to HEAD has no body.
    if (head_.starts_with("HEAD ")) client_.head.method = "HEAD";
    try {
      client_.head = parse_head(head_);
      std::optional<Reply> reply = gate_.admit(client_);
      if (client_.head.content_length > gate_.options.body_limit_bytes) {
        throw HttpError(
            413, fmt::format("the body is larger than {} bytes", gate_.options.body_limit_bytes));
      }
      return reply;
    } catch (const HttpError& error) {
      return error_reply(error);
    }
  }

  Task<bool> read_body(std::string& body) {
    const RequestHead& head = client_.head;
    body = std::exchange(ahead_, {});
    if (body.size() < head.content_length && head.header("expect") == "100-continue") {
      if (!co_await connection_.write("HTTP/1.1 100 Continue\r\n\r\n")) co_return false;
    }
    connection_.allow(gate_.options.patience.body_s);
    while (body.size() < head.content_length) {
      if (co_await connection_.read_some(body) == 0) co_return false;
    }
    ahead_ = body.substr(head.content_length);
    body.resize(head.content_length);
    co_return true;
  }

  // Returns true if another request may follow.
  Task<bool> serve_one(bool last) {
    std::optional<Reply> reply = reply_at_once();
    last = last || !client_.head.keep_alive;
    std::string body;
    if (reply) {
      last = last || client_.head.content_length > 0;  // the body is not read
    } else if (!co_await read_body(body)) {
      reply = error_reply(HttpError(408, "the body of the request did not arrive in time"));
      last = true;
    }
    phase_ = Phase::kAtWork;
    if (!reply) {
      const auto work = [&]() -> Task<Reply> { co_return gate_.answer_to(client_, body); };
      reply = co_await asio::co_spawn(gate_.workers.executor(), work, asio::use_awaitable);
    }
    connection_.allow_answer(gate_.stopping ? kGoodbyeS : gate_.options.patience.answer_s);
    if (reply->stream_after && gate_.streams >= gate_.options.streams) {
      reply = error_reply(
          HttpError(503, fmt::format("all {} event streams are in use", gate_.options.streams)));
    }
    co_return co_await send(std::move(*reply), last);
  }

  Task<bool> send(Reply reply, bool last) {
    // chosen: up to this size, head and body are sent together
    static constexpr std::size_t kOnePacketBytes = 65536;
    last = last || gate_.stopping || (reply.stream_after && client_.head.is_http_1_0);
    std::string head = reply_head(reply, client_.head, last);
    const bool has_body = client_.head.method != "HEAD" && reply.status != 304;
    if (has_body && reply.stream_after) {
      if (co_await connection_.write(head)) co_await stream(reply);
      co_return false;
    }
    if (!has_body) reply.body.clear();
    if (reply.body.size() <= kOnePacketBytes) head += std::exchange(reply.body, {});
    if (!co_await connection_.write(head)) co_return false;
    if (!co_await connection_.write(reply.body)) co_return false;
    co_return !last;
  }

  // Returns false if there was no news for some time.
  Task<bool> wait_for_news(std::uint64_t seen) {
    for (int look = 0; look < kQuietLooks && gate_.published <= seen; ++look) {
      if (!client_.is_there()) break;
      error_code error;
      news_.expires_after(kLook);
      co_await news_.async_wait(into(error));
    }
    co_return gate_.published > seen;
  }

  Task<void> stream(const Reply& reply) {
    const bool in_chunks = !client_.head.is_http_1_0;
    ++gate_.streams;
    connection_.allow_answer_without_end();
    std::uint64_t seen = *reply.stream_after;
    const auto coded = [&](const std::string& text) { return in_chunks ? chunk_of(text) : text; };
    std::string text = coded(reply.body);
    bool taken = co_await connection_.write(text);
    while (taken && client_.is_there()) {
      const bool news = co_await wait_for_news(seen);
      if (!client_.is_there()) break;
      seen = std::max(seen, gate_.published);
      text = coded(news ? gate_.newest : ": alive\n\n");
      taken = co_await connection_.write(text);
    }
    --gate_.streams;
    connection_.allow_answer(kGoodbyeS);
    const std::string end = in_chunks ? chunk_of({}) : std::string();
    if (taken) co_await connection_.write(end);
  }

  Shared& gate_;
  Connection connection_;
  asio::steady_timer news_;
  const bool turned_away_;
  Phase phase_ = Phase::kIdle;
  Client client_;
  // Head of the current request; received bytes that were not parsed yet.
  std::string head_, ahead_;
};

class AsioGate final : public Gate {
 public:
  AsioGate(GateOptions options, Admit admit, Answer answer)
      : shared_{std::move(options), std::move(admit), std::move(answer)} {}

  int bind() override {
    const std::string port = std::to_string(shared_.options.port),
                      where = shared_.options.address + ":" + port;
    error_code error;
    const auto found = tcp::resolver(shared_.io)
                           .resolve(shared_.options.address, port, tcp::resolver::passive, error);
    if (error) throw IoError("cannot listen on the address", where, error.message());
    const tcp::endpoint end = found.begin()->endpoint();
    acceptor_.open(end.protocol(), error);
    if (!error) ::fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(end, error);
    if (!error) acceptor_.listen(kBacklog, error);
    if (error) throw_errno(error.value(), "cannot listen on the address", where);
    return acceptor_.local_endpoint().port();
  }

  void run() override {
    asio::co_spawn(shared_.io, accept(), [](const std::exception_ptr& fault) {
      if (fault) std::rethrow_exception(fault);
    });
    shared_.io.run();
    shared_.workers.join();
  }

  void stop() override {
    shared_.stopping = true;
    asio::post(shared_.io, [this] {
      error_code error;
      acceptor_.close(error);
      for (Session& session : sessions_) session.hear_stop();
    });
  }

  void publish(std::uint64_t number, const std::string& text) override {
    asio::post(shared_.io, [this, number, text] {
      shared_.newest = text;
      shared_.published = number;
      for (Session& session : sessions_) session.hear_news();
    });
  }

  int streams() const override { return shared_.streams; }

 private:
  Task<void> accept() {
    while (!shared_.stopping) {
      error_code error;
      tcp::socket socket(shared_.io);
      co_await acceptor_.async_accept(socket, into(error));
      if (!error) {
        begin(std::move(socket));
      } else if (!shared_.stopping) {  // no descriptors are available
        asio::steady_timer pause(shared_.io, kTick);
        co_await pause.async_wait(into(error));
      }
    }
  }

  void begin(tcp::socket socket) {
    const auto most = static_cast<std::size_t>(2 * shared_.options.places);
    if (shared_.stopping || sessions_.size() >= most) return;
    const bool turned_away = !make_room();
    const bool first = sessions_.empty();
    sessions_.emplace_back(shared_, std::move(socket), turned_away);
    const auto place = std::prev(sessions_.end());
    asio::co_spawn(shared_.io, place->run(), [this, place](const std::exception_ptr&) {
      asio::post(shared_.io, [this, place] {
        sessions_.erase(place);
        if (sessions_.empty()) tick_.cancel();
      });
    });
    if (first) look_at_clocks();
  }

  // Makes a place for a new connection. If necessary, closes the one that has been waiting longest
  // without a complete request.
  bool make_room() {
    const auto stay = std::count_if(sessions_.begin(), sessions_.end(),
                                    [](const Session& session) { return !session.is_leaving(); });
    if (stay < shared_.options.places) return true;
    for (const bool silent : {true, false}) {
      for (Session& session : sessions_) {
        if (session.is_leaving() || !session.waits_for_request()) continue;
        if (silent && !session.has_sent_nothing()) continue;
        session.leave();
        return true;
      }
    }
    return false;
  }

  void look_at_clocks() {
    if (sessions_.empty()) return;
    for (Session& session : sessions_) session.look_at_clock();
    tick_.expires_after(kTick);
    tick_.async_wait([this](const error_code&) { look_at_clocks(); });
  }

  Shared shared_;
  tcp::acceptor acceptor_{shared_.io};
  asio::steady_timer tick_{shared_.io};
  std::list<Session> sessions_;  // in order of arrival
};

}  // namespace

std::unique_ptr<Gate> make_gate(GateOptions options, Gate::Admit admit, Gate::Answer answer) {
  return std::make_unique<AsioGate>(std::move(options), std::move(admit), std::move(answer));
}

}  // namespace ridgewatt::serve
