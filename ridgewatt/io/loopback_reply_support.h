// A loopback server for tests: reads one request, sends the parts of its reply one by one, and
// closes the connection.
//
//   LoopbackReply server({"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"});
//   http_get(server.url("/path"));
//   server.end();
//   server.asked;  // the request, once the server has ended
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ridgewatt/base/fd.h"

namespace ridgewatt::testing {

class LoopbackReply {
 public:
  // A request is complete when it contains `last`.
  explicit LoopbackReply(std::vector<std::string> parts, std::string last = "\r\n\r\n")
      : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address_), sizeof address_), 0);
    EXPECT_EQ(::listen(listener_.get(), 1), 0);
    socklen_t size = sizeof address_;
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address_), &size);
    thread_ = std::thread([this, sent = std::move(parts), end = std::move(last)] {
      const OwnedFd client(::accept(listener_.get(), nullptr, nullptr));
      char bytes[4096];
      while (client && asked.find(end) == std::string::npos) {
        const ssize_t count = ::recv(client.get(), bytes, sizeof bytes, 0);
        if (count <= 0) return;
        asked.append(bytes, static_cast<std::size_t>(count));
      }
      for (const auto& part : sent) {
        ::send(client.get(), part.data(), part.size(), MSG_NOSIGNAL);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
  }
  ~LoopbackReply() { end(); }
  LoopbackReply(const LoopbackReply&) = delete;
  LoopbackReply& operator=(const LoopbackReply&) = delete;

  void end() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
  }
  std::string url(const std::string& path) const {
    return "http://127.0.0.1:" + std::to_string(ntohs(address_.sin_port)) + path;
  }

  std::string asked;

 private:
  OwnedFd listener_;
  sockaddr_in address_{};
  std::thread thread_;
};

}  // namespace ridgewatt::testing
