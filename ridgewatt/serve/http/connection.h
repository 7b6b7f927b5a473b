// One client's connection, with time limits on all that it does: cpp-httplib reads and writes
// through it. A client that is slow ends itself and nobody else.
//
//   Connection connection(socket, tls);
//   if (connection.handshake() && connection.read_head(text, 5) == HeadEnd::kWhole) {
//     connection.begin(parse_head(text));  // from here on what httplib reads
//   }
#pragma once

#include <httplib.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "ridgewatt/base/fd.h"
#include "ridgewatt/serve/http/request_head.h"

namespace ridgewatt::serve {

enum class HeadEnd { kWhole, kClosed, kTooSlow, kTooLarge };

// Who may be asked to leave when all places are taken: whoever has not sent a whole request.
enum class ConnectionState { kWaiting, kReading, kWorking };

// What a client may take; chosen, and documented in the security page.
struct Patience {
  double handshake_s = 5;
  double head_s = 5;     // from the first byte of a request to the end of its head
  double idle_s = 10;    // between two requests
  double body_s = 30;    // of the whole body
  double write_s = 15;   // no byte is taken for so long
  double answer_s = 60;  // of a whole answer; streams have no such limit
};

class Connection final : public httplib::Stream {
 public:
  Connection(int socket, SSL_CTX* tls, const Patience& patience);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool handshake();
  // Reads up to the empty line that ends a head; waits `idle_s` for its first byte.
  HeadEnd read_head(std::string& text, double idle_s);
  // httplib reads a plain head of this request, then its body.
  void begin(RequestHead head);
  // The client has sent all of its body, so that another request may follow.
  bool body_was_read() const { return body_left_ == 0; }
  // A whole answer by ourselves, and the connection ends with it.
  void refuse(int status, const std::string& line);
  // Ends the connection such that what was written arrives.
  void close_gently();
  // From another thread: whatever the connection waits for ends.
  void interrupt();

  const RequestHead& head() const { return head_; }
  bool secure() const { return tls_ != nullptr; }
  bool client_is_there() const;
  std::string address() const;  // of the client
  void stream_without_end() { endless_ = true; }

  // The connection that the calling thread serves; null outside.
  static Connection*& current();

  std::atomic<ConnectionState> state = ConnectionState::kWaiting;
  std::atomic<bool> interrupted = false;

  bool is_readable() const override { return !buffer_.empty() || body_left_ > 0; }
  bool is_writable() const override { return client_is_there(); }
  ssize_t read(char* data, std::size_t size) override;
  ssize_t write(const char* data, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_.get(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct TlsEnd {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  // One read or write that may have to wait; 0: closed, -1: failed or too late.
  ssize_t receive(char* data, std::size_t size, Clock::time_point deadline);
  ssize_t send_some(const char* data, std::size_t size, Clock::time_point deadline);
  // `event` of the socket is waited for where the plain call would block.
  template <class OverTls, class Plain>
  ssize_t transfer(const OverTls& over_tls, const Plain& plain, short event,
                   Clock::time_point deadline);
  bool wait_for(short events, Clock::time_point deadline) const;
  ssize_t tls_result(int result, Clock::time_point deadline, bool& again);

  OwnedFd socket_;
  std::unique_ptr<SSL, TlsEnd> tls_;
  Patience patience_;
  RequestHead head_;
  std::string buffer_;  // what httplib reads before the socket
  std::string ahead_;   // received behind the head
  std::size_t body_left_ = 0;
  Clock::time_point body_deadline_, answer_deadline_;
  bool endless_ = false;
};

}  // namespace ridgewatt::serve
