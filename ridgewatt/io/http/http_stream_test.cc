// Tests events in the format of the HTML standard, and the stream against a loopback server of this
// test.
#include "ridgewatt/io/http_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/loopback_reply_support.h"
#include "ridgewatt/io/shared_library.h"

namespace ridgewatt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::LoopbackReply;

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

constexpr char kLastOfQuestion[] = "\"end\"}";
constexpr char kStreamHead[] = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";

TEST_F(HttpStream, PiecesComeAsTheyAreSent) {
  LoopbackReply server({kStreamHead, "data: 1\n\n", "data: 2\n\n"}, kLastOfQuestion);
  HttpStreamOptions options;
  options.headers = {"Authorization: Bearer key"};
  EXPECT_EQ(answer(server.url("/completion"), options), "data: 1\n\ndata: 2\n\n");
  EXPECT_THAT(server.asked, HasSubstr("POST /completion"));
  EXPECT_THAT(server.asked, HasSubstr("Authorization: Bearer key"));
}

TEST_F(HttpStream, EndsWhereAsked) {
  LoopbackReply server({kStreamHead, "data: 1\n\n", "data: 2\n\n"}, kLastOfQuestion);
  int pieces = 0;
  http_post_stream(server.url("/completion"), R"({"is": "end"})",
                   [&](std::string_view) { return ++pieces, false; });
  EXPECT_EQ(pieces, 1);
  LoopbackReply thrown({kStreamHead, "data: 1\n\n"}, kLastOfQuestion);
  EXPECT_THROW(http_post_stream(thrown.url("/completion"), R"({"is": "end"})",
                                [](std::string_view) -> bool { throw InputError("bad"); }),
               InputError);
}

TEST_F(HttpStream, RefusesInALine) {
  LoopbackReply busy({"HTTP/1.1 503 Busy\r\nContent-Length: 16\r\n\r\nloading\nthe rest"},
                     kLastOfQuestion);
  EXPECT_THAT(answer(busy.url("/completion")), HasSubstr("status 503"));
  LoopbackReply large({kStreamHead, std::string(5000, 'x')}, kLastOfQuestion);
  HttpStreamOptions few;
  few.limit_bytes = 100;
  EXPECT_THAT(answer(large.url("/completion"), few), HasSubstr("more than 100 bytes"));
  EXPECT_THAT(answer("http://127.0.0.1:1/"), HasSubstr("no reply"));
  HttpStreamOptions split;
  split.headers = {"A: b\r\nC: d"};
  EXPECT_THAT(answer("http://127.0.0.1:1/", split), HasSubstr("one line"));
}

}  // namespace
}  // namespace ridgewatt
