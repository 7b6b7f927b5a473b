// A client's connection over Boost.Asio with a time limit on every wait. Only gate.cc includes this
// header, so that a single file compiles Asio.
//
//   connection.allow(5);                              // seconds for what follows
//   while (co_await connection.read_some(text) > 0) ..
//   co_await connection.write("..");
#pragma once

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/serve/http/gate.h"

namespace ridgewatt::serve {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
template <typename Value>
using Task = asio::awaitable<Value>;

// Time for the client to receive the last answer before the connection closes (chosen).
inline constexpr double kGoodbyeS = 0.5;

inline Clock::duration in_clock(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// Completion token that stores an error in `error` instead of throwing an exception.
inline auto into(error_code& error) {
  return asio::redirect_error(asio::use_awaitable, error);
}

// Returns empty if `cert` is empty. Throws InputError if the certificate or its key is invalid.
inline std::optional<asio::ssl::context> tls_context(const std::string& cert,
                                                     const std::string& key) {
  if (cert.empty()) return std::nullopt;
  asio::ssl::context tls(asio::ssl::context::tls_server);
  ::SSL_CTX_set_min_proto_version(tls.native_handle(), TLS1_2_VERSION);
  error_code error;
  tls.use_certificate_chain_file(cert, error);
  if (error) throw InputError("cannot read the certificate (--cert, PEM)", cert);
  tls.use_private_key_file(key, asio::ssl::context::pem, error);
  if (error) throw InputError("cannot read the private key of the certificate (--key, PEM)", key);
  return tls;
}

class Connection {
 public:
  // `tls` is null for a connection without TLS. `patience` must outlive this.
  Connection(tcp::socket socket, asio::ssl::context* tls, const Patience& patience)
      : patience_(patience), socket_(std::move(socket)), descriptor_(socket_.native_handle()) {
    error_code error;
    ::fcntl(descriptor_, F_SETFD, FD_CLOEXEC);
    socket_.set_option(tcp::no_delay(true), error);
    if (tls != nullptr) tls_.emplace(socket_, *tls);
  }

  bool is_secure() const { return tls_.has_value(); }
  std::string address() const {
    error_code error;
    const auto end = socket_.remote_endpoint(error);
    return error ? std::string() : end.address().to_string();
  }
  // False once the client has disconnected or leave() was called. Can be called from any thread.
  bool is_there() const {
    pollfd entry = {descriptor_, POLLRDHUP, 0};
    return !leaving_ && ::poll(&entry, 1, 0) == 0;
  }
  bool is_leaving() const { return leaving_; }
  // Ends the current wait, and any later wait immediately.
  void leave() {
    leaving_ = true;
    look_at_clock();
  }

  // Sets the time limit for everything that is read from now on.
  void allow(double seconds) { deadline_ = Clock::now() + in_clock(seconds); }
  // Sets the time limit for everything that is written from now on, including the current write.
  void allow_answer(double seconds) {
    answer_deadline_ = Clock::now() + in_clock(seconds);
    deadline_ = std::min(deadline_, answer_deadline_);
  }
  void allow_answer_without_end() { answer_deadline_ = Clock::time_point::max(); }
  bool is_late() const { return !leaving_ && Clock::now() > deadline_; }
  // Cancels the current wait if its time is over. Must be called repeatedly, because a cancelled
  // operation may be followed by another one.
  void look_at_clock() {
    error_code error;
    if (leaving_ || Clock::now() > deadline_) socket_.cancel(error);
  }

  Task<bool> handshake() {
    if (!tls_) co_return true;
    error_code error;
    allow(patience_.handshake_s);
    co_await tls_->async_handshake(asio::ssl::stream_base::server, into(error));
    co_return !error;
  }

  // Appends received bytes to `text`. Returns 0 if the connection has ended or the time is over.
  Task<std::size_t> read_some(std::string& text) {
    error_code error;
    std::size_t got = 0;
    const auto place = asio::buffer(piece_);
    if (leaving_) co_return 0;
    if (tls_) {
      got = co_await tls_->async_read_some(place, into(error));
    } else {
      got = co_await socket_.async_read_some(place, into(error));
    }
    if (error) co_return 0;
    text.append(piece_.data(), got);
    co_return got;
  }

  // Writes all of `text`. Returns false if the client does not accept it.
  Task<bool> write(std::string_view text) {
    while (!text.empty() && !leaving_) {
      deadline_ = std::min(Clock::now() + in_clock(patience_.write_s), answer_deadline_);
      error_code error;
      std::size_t sent = 0;
      const auto bytes = asio::buffer(text.data(), text.size());
      if (tls_) {
        sent = co_await tls_->async_write_some(bytes, into(error));
      } else {
        sent = co_await socket_.async_write_some(bytes, into(error));
      }
      if (error) co_return false;
      text.remove_prefix(sent);
    }
    deadline_ = Clock::time_point::max();
    co_return !leaving_;
  }

  // Closes the connection such that everything written still arrives: closing a socket with unread
  // bytes would discard it.
  Task<void> close_gently() {
    static constexpr std::size_t kDrainBytes = std::size_t{1} << 20;
    error_code error;
    allow(kGoodbyeS);
    if (tls_) co_await tls_->async_shutdown(into(error));
    socket_.shutdown(tcp::socket::shutdown_send, error);
    for (std::size_t drained = 0; !error && drained < kDrainBytes && !is_late();) {
      drained += co_await socket_.async_read_some(asio::buffer(piece_), into(error));
    }
  }

 private:
  const Patience& patience_;
  tcp::socket socket_;
  const int descriptor_;
  std::optional<asio::ssl::stream<tcp::socket&>> tls_;
  std::atomic<bool> leaving_ = false;
  Clock::time_point deadline_ = Clock::time_point::max();  // of the current wait
  Clock::time_point answer_deadline_ = Clock::time_point::max();
  std::array<char, 16384> piece_;
};

}  // namespace ridgewatt::serve
