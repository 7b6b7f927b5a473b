#include "ridgewatt/serve/http/connection.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>

namespace ridgewatt::serve {
namespace {

std::chrono::steady_clock::time_point in_seconds(double seconds) {
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(
             std::chrono::duration<double>(seconds));
}

void name_end(int socket, int (*which)(int, sockaddr*, socklen_t*), std::string& ip, int& port) {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  ip.clear();
  port = 0;
  if (which(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return;
  char text[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&address);
    ::inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text);
    port = ntohs(v4->sin_port);
  } else if (address.ss_family == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&address);
    ::inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof text);
    port = ntohs(v6->sin6_port);
  }
  ip = text;
}

}  // namespace

Connection::Connection(int socket, SSL_CTX* tls, const Patience& patience)
    : socket_(socket), patience_(patience) {
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
  if (tls != nullptr) {
    tls_.reset(SSL_new(tls));
    if (tls_) SSL_set_fd(tls_.get(), socket);
  }
  answer_deadline_ = in_seconds(patience_.answer_s);
}

Connection::~Connection() = default;

Connection*& Connection::current() {
  thread_local Connection* connection = nullptr;
  return connection;
}

bool Connection::wait_for(short events, Clock::time_point deadline) const {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() < 0 || interrupted) return false;
    pollfd entry = {socket_.get(), events, 0};
    const int ready = ::poll(&entry, 1, static_cast<int>(left.count()) + 1);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

ssize_t Connection::tls_result(int result, Clock::time_point deadline, bool& again) {
  if (result > 0) return result;
  const int error = SSL_get_error(tls_.get(), result);
  ERR_clear_error();
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
    again = wait_for(error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, deadline);
    return -1;
  }
  return error == SSL_ERROR_ZERO_RETURN ? 0 : -1;
}

bool Connection::handshake() {
  if (!tls_) return true;
  const auto deadline = in_seconds(patience_.handshake_s);
  while (true) {
    bool again = false;
    ERR_clear_error();
    if (tls_result(SSL_accept(tls_.get()), deadline, again) > 0) return true;
    if (!again) return false;
  }
}

template <class OverTls, class Plain>
ssize_t Connection::transfer(const OverTls& over_tls, const Plain& plain, short event,
                             Clock::time_point deadline) {
  while (true) {
    bool again = false;
    ssize_t result = 0;
    if (tls_) {
      ERR_clear_error();
      result = tls_result(over_tls(), deadline, again);
    } else {
      result = plain();
      if (result < 0 && errno == EINTR) continue;
      if (result < 0 && errno == EAGAIN) again = wait_for(event, deadline);
    }
    if (!again) return result;
  }
}

ssize_t Connection::receive(char* data, std::size_t size, Clock::time_point deadline) {
  const int most = static_cast<int>(std::min<std::size_t>(size, 1 << 20));
  return transfer([&] { return SSL_read(tls_.get(), data, most); },
                  [&] { return ::recv(socket_.get(), data, static_cast<std::size_t>(most), 0); },
                  POLLIN, deadline);
}

ssize_t Connection::send_some(const char* data, std::size_t size, Clock::time_point deadline) {
  const int most = static_cast<int>(std::min<std::size_t>(size, 1 << 20));
  return transfer(
      [&] { return SSL_write(tls_.get(), data, most); },
      [&] { return ::send(socket_.get(), data, static_cast<std::size_t>(most), MSG_NOSIGNAL); },
      POLLOUT, deadline);
}

HeadEnd Connection::read_head(std::string& text, double idle_s) {
  static constexpr std::string_view kEmptyLine = "\r\n\r\n";
  static constexpr std::size_t kPiece = 4096;
  text = std::exchange(ahead_, {});
  state = ConnectionState::kWaiting;
  auto deadline = in_seconds(text.empty() ? idle_s : patience_.head_s);
  while (true) {
    const auto end = text.find(kEmptyLine);
    if (end != std::string::npos && end + kEmptyLine.size() <= kHeadLimitBytes) {
      ahead_ = text.substr(end + kEmptyLine.size());
      text.resize(end + kEmptyLine.size());
      return HeadEnd::kWhole;
    }
    if (text.size() > kHeadLimitBytes) return HeadEnd::kTooLarge;
    const bool first = text.empty();
    char piece[kPiece];
    const ssize_t got = receive(piece, sizeof piece, deadline);
    if (got <= 0) {
      return first || got == 0 || Clock::now() < deadline ? HeadEnd::kClosed : HeadEnd::kTooSlow;
    }
    text.append(piece, static_cast<std::size_t>(got));
    if (first) {
      state = ConnectionState::kReading;
      deadline = in_seconds(patience_.head_s);
    }
  }
}

void Connection::begin(RequestHead head) {
  head_ = std::move(head);
  endless_ = false;
  body_left_ = head_.content_length;
  body_deadline_ = in_seconds(patience_.body_s);
  answer_deadline_ = in_seconds(patience_.answer_s);
  // httplib sees no byte that the client chose, but for the body.
  buffer_ = fmt::format("{} / HTTP/1.1\r\nHost: localhost\r\n", head_.method);
  if (head_.method == "POST") {
    buffer_ +=
        fmt::format("Content-Type: application/octet-stream\r\nContent-Length: {}\r\n", body_left_);
  }
  buffer_ += "\r\n";
  state = body_left_ > 0 ? ConnectionState::kReading : ConnectionState::kWorking;
}

ssize_t Connection::read(char* data, std::size_t size) {
  std::string& before = !buffer_.empty() ? buffer_ : ahead_;
  if (buffer_.empty()) size = std::min(size, body_left_);
  if (size == 0) return 0;
  ssize_t got = 0;
  if (!before.empty()) {
    got = static_cast<ssize_t>(std::min(size, before.size()));
    std::copy_n(before.data(), got, data);
    const bool of_body = &before == &ahead_;
    before.erase(0, static_cast<std::size_t>(got));
    if (!of_body) return got;
  } else {
    got = receive(data, size, body_deadline_);
    if (got <= 0) return -1;
  }
  body_left_ -= static_cast<std::size_t>(got);
  if (body_left_ == 0) {
    state = ConnectionState::kWorking;
    answer_deadline_ = in_seconds(patience_.answer_s);
  }
  return got;
}

ssize_t Connection::write(const char* data, std::size_t size) {
  const auto total = size;
  while (size > 0) {
    const auto patience = in_seconds(patience_.write_s);
    const auto deadline = endless_ ? patience : std::min(patience, answer_deadline_);
    const ssize_t sent = send_some(data, size, deadline);
    if (sent <= 0) return -1;
    data += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return static_cast<ssize_t>(total);
}

void Connection::refuse(int status, const std::string& line) {
  const std::string body = error_json(line);
  const auto text = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n"
      "X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n{}",
      status, reason_of(status), body.size(), body);
  answer_deadline_ = in_seconds(1);  // who is refused is not waited for
  write(text.data(), text.size());
}

void Connection::close_gently() {
  if (interrupted) return;
  if (tls_) SSL_shutdown(tls_.get());
  ::shutdown(socket_.get(), SHUT_WR);
  // Closing with bytes unread would take back what was written.
  static constexpr std::size_t kDrainBytes = std::size_t{1} << 20;
  const auto deadline = in_seconds(0.5);
  char piece[4096];
  for (std::size_t drained = 0; drained < kDrainBytes && Clock::now() < deadline;) {
    if (!wait_for(POLLIN, deadline)) return;
    const ssize_t got = ::recv(socket_.get(), piece, sizeof piece, 0);
    if (got <= 0) return;
    drained += static_cast<std::size_t>(got);
  }
}

void Connection::interrupt() {
  interrupted = true;
  ::shutdown(socket_.get(), SHUT_RDWR);
}

bool Connection::client_is_there() const {
  if (interrupted) return false;
  pollfd entry = {socket_.get(), POLLRDHUP, 0};
  return ::poll(&entry, 1, 0) == 0;
}

std::string Connection::address() const {
  std::string ip;
  int port = 0;
  get_remote_ip_and_port(ip, port);
  return ip;
}

void Connection::get_remote_ip_and_port(std::string& ip, int& port) const {
  name_end(socket_.get(), ::getpeername, ip, port);
}

void Connection::get_local_ip_and_port(std::string& ip, int& port) const {
  name_end(socket_.get(), ::getsockname, ip, port);
}

}  // namespace ridgewatt::serve
