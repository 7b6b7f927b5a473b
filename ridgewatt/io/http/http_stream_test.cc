// Events as the HTML standard has them, and the stream against a server of this test on loopback.
#include "ridgewatt/io/http_stream.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <thread>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/fd.h"
#include "ridgewatt/io/shared_library.h"

namespace ridgewatt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> events_of(std::string_view text) {
  std::vector<std::string> all;
  ServerEvents events;
  for (const char c : text) {
    events.add({&c, 1}, [&](const std::string& data) { all.push_back(data); });
  }
  return all;
}

TEST(ServerEvents, LinesOfTheStandard) {
  EXPECT_THAT(events_of("data: a\n\ndata:b\r\n\r\n: comment\nid: 5\ndata: c\rdata: d\r\rdata: e"),
              ElementsAre("a", "b", "c\nd"));
  EXPECT_THAT(events_of("\n\nevent: x\n\n"), ElementsAre());
  EXPECT_THROW(events_of("data: " + std::string(2u << 20, 'x')), InputError);
}

// Reads a question, sends the parts of an answer one by one, and closes.
class PartedReply {
 public:
  explicit PartedReply(std::vector<std::string> parts)
      : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address_), sizeof address_), 0);
    EXPECT_EQ(::listen(listener_.get(), 1), 0);
    socklen_t size = sizeof address_;
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address_), &size);
    thread_ = std::thread([this, sent = std::move(parts)] {
      const OwnedFd client(::accept(listener_.get(), nullptr, nullptr));
      char bytes[4096];
      while (asked.find("\"end\"}") == std::string::npos) {
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
  ~PartedReply() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }
  std::string url() const {
    return "http://127.0.0.1:" + std::to_string(ntohs(address_.sin_port)) + "/completion";
  }
  std::string asked;

 private:
  OwnedFd listener_;
  sockaddr_in address_{};
  std::thread thread_;
};

class HttpStream : public ::testing::Test {
 protected:
  void SetUp() override {
    if (open_library("libcurl.so.4") == nullptr) GTEST_SKIP() << "skipped: no libcurl4";
  }
  static std::string answer(const std::string& url, const HttpStreamOptions& options = {}) {
    std::string text;
    try {
      http_post_stream(
          url, R"({"is": "end"})", [&](std::string_view piece) { return text += piece, true; },
          options);
    } catch (const Error& error) {
      return error.what();
    }
    return text;
  }
};

constexpr char kStreamHead[] = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";

TEST_F(HttpStream, PiecesComeAsTheyAreSent) {
  PartedReply server({kStreamHead, "data: 1\n\n", "data: 2\n\n"});
  HttpStreamOptions options;
  options.headers = {"Authorization: Bearer key"};
  EXPECT_EQ(answer(server.url(), options), "data: 1\n\ndata: 2\n\n");
  EXPECT_THAT(server.asked, HasSubstr("POST /completion"));
  EXPECT_THAT(server.asked, HasSubstr("Authorization: Bearer key"));
}

TEST_F(HttpStream, EndsWhereItIsToldTo) {
  PartedReply server({kStreamHead, "data: 1\n\n", "data: 2\n\n"});
  int pieces = 0;
  http_post_stream(server.url(), R"({"is": "end"})",
                   [&](std::string_view) { return ++pieces, false; });
  EXPECT_EQ(pieces, 1);
  PartedReply thrown({kStreamHead, "data: 1\n\n"});
  EXPECT_THROW(http_post_stream(thrown.url(), R"({"is": "end"})",
                                [](std::string_view) -> bool { throw InputError("bad"); }),
               InputError);
}

TEST_F(HttpStream, RefusesInALine) {
  PartedReply busy({"HTTP/1.1 503 Busy\r\nContent-Length: 16\r\n\r\nloading\nthe rest"});
  EXPECT_THAT(answer(busy.url()), HasSubstr("status 503"));
  PartedReply large({kStreamHead, std::string(5000, 'x')});
  HttpStreamOptions few;
  few.limit_bytes = 100;
  EXPECT_THAT(answer(large.url(), few), HasSubstr("more than 100 bytes"));
  EXPECT_THAT(answer("http://127.0.0.1:1/"), HasSubstr("no answer"));
  HttpStreamOptions split;
  split.headers = {"A: b\r\nC: d"};
  EXPECT_THAT(answer("http://127.0.0.1:1/", split), HasSubstr("one line"));
}

}  // namespace
}  // namespace ridgewatt
