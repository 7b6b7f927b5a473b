// Tests against a loopback server of this test that sends one reply and closes the connection.
#include "ridgewatt/io/http_get.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/loopback_reply_support.h"
#include "ridgewatt/io/shared_library.h"

namespace ridgewatt {
namespace {

using ::testing::HasSubstr;
using testing::LoopbackReply;
using ::testing::Not;

class HttpGet : public ::testing::Test {
 protected:
  void SetUp() override {
    if (open_library("libcurl.so.4") == nullptr) GTEST_SKIP() << "skipped: no libcurl4";
  }
  static std::string refusal(const std::string& url, const HttpGetOptions& options = {}) {
    try {
      return "got " + http_get(url, options);
    } catch (const Error& error) {
      return error.what();
    }
  }
};

TEST_F(HttpGet, GivesTheBody) {
  LoopbackReply server({"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"});
  EXPECT_EQ(http_get(server.url("/api?query=" + url_encoded("up{a=\"b c\"}"))), "hello");
  server.end();
  EXPECT_THAT(server.asked,
              ::testing::StartsWith("GET /api?query=up%7Ba%3D%22b%20c%22%7D HTTP/1.1"));
}

TEST_F(HttpGet, FollowsNoRedirect) {
  LoopbackReply server(
      {"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n"});
  EXPECT_THAT(refusal(server.url("/")), HasSubstr("status 302"));
}

TEST_F(HttpGet, RefusesALongReply) {
  LoopbackReply server({"HTTP/1.1 200 OK\r\n\r\n" + std::string(100'000, 'x')});
  EXPECT_THAT(refusal(server.url("/"), {.timeout_s = 5, .limit_bytes = 1000}),
              HasSubstr("more than 1000 bytes"));
}

TEST_F(HttpGet, WaitsOnlySoLong) {
  LoopbackReply server({""});  // closes immediately: an empty reply
  EXPECT_THAT(refusal(server.url("/")), HasSubstr("no reply"));
}

TEST_F(HttpGet, AsksOnlyWebServersAndShowsNoPassword) {
  EXPECT_THAT(refusal("file:///etc/passwd"), HasSubstr("not an http or https URL"));
  const std::string line = refusal("http://me:secret@127.0.0.1:9/");
  EXPECT_THAT(line, HasSubstr(".netrc"));
  EXPECT_THAT(line, Not(HasSubstr("secret")));
  EXPECT_THAT(refusal("http://127.0.0.1/a\r\nX: y"), HasSubstr("must not contain blanks"));
}

}  // namespace
}  // namespace ridgewatt
