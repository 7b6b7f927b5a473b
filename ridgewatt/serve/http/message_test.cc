// Tests heads of requests: RFC 9112 (HTTP/1.1), and malicious input.
#include "ridgewatt/serve/http/message.h"

#include <gtest/gtest.h>

#include "ridgewatt/serve/http/query.h"

namespace ridgewatt::serve {
namespace {

int status_of(const std::string& text) {
  try {
    parse_head(text);
  } catch (const HttpError& error) {
    return error.status();
  }
  return 200;
}

std::string get(const std::string& headers) {
  return "GET / HTTP/1.1\r\n" + headers + "\r\n";
}

TEST(RequestHead, ABrowsersHeadIsRead) {
  const auto head = parse_head(
      "GET /api/v1/zoo?format=csv HTTP/1.1\r\nHost: localhost:8470\r\nAccept-Encoding: gzip, br\r\n"
      "Connection: keep-alive\r\n\r\n");
  EXPECT_EQ(head.method, "GET");
  EXPECT_EQ(head.path(), "/api/v1/zoo");
  EXPECT_EQ(head.query(), "format=csv");
  EXPECT_EQ(head.header("host"), "localhost:8470");
  EXPECT_EQ(head.header("accept-encoding"), "gzip, br");
  EXPECT_EQ(head.header("cookie"), "");
  EXPECT_TRUE(head.keep_alive);
}

TEST(RequestHead, ConnectionsEndAsTheClientSays) {
  EXPECT_FALSE(parse_head(get("Connection: Close\r\n")).keep_alive);
  EXPECT_FALSE(parse_head("GET / HTTP/1.0\r\n\r\n").keep_alive);
}

TEST(RequestHead, WhatTwoReadersCouldReadInTwoWaysIsRefused) {
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"), 400);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), 411);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: x\r\n\r\n"), 411);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\n"), 400);
  EXPECT_EQ(status_of(get("Host: a\r\nHost: b\r\n")), 400);
  for (const char* name : {"Origin", "Authorization", "Cookie", "Content-Type", "Expect"}) {
    const std::string line = std::string(name) + ": a\r\n";
    EXPECT_EQ(status_of(get(line)), 200) << name;
    EXPECT_EQ(status_of(get(line + line)), 400) << name;
  }
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n"), 400);
  EXPECT_EQ(status_of(get("A: 1\r\n folded\r\n")), 400);
  EXPECT_EQ(status_of(get("A: 1\r\n\tfolded\r\n")), 400);
  EXPECT_EQ(status_of(get("A : 1\r\n")), 400);
  for (const char* length : {"-1", "+1", "0x1", "1 1", "1,1", "99999999999999999999", ""}) {
    EXPECT_EQ(status_of("POST / HTTP/1.1\r\nContent-Length: " + std::string(length) + "\r\n\r\n"),
              400)
        << length;
  }
}

TEST(RequestHead, OtherVersionsAndTargetsAreRefused) {
  EXPECT_EQ(status_of("GET / HTTP/2.0\r\n\r\n"), 505);
  EXPECT_EQ(status_of("GET http://other/ HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/11\r\n\r\n"), 505);
  EXPECT_EQ(status_of("GET / HTTQ/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / \r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET\r\n\r\n"), 400);
  EXPECT_EQ(status_of("G\x01T / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET  / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET /a b HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET /\xC3\xA4 HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET /" + std::string(7000, 'a') + " HTTP/1.1\r\n\r\n"), 414);
}

TEST(RequestHead, ControlCharactersAndTooMuchAreRefused) {
  EXPECT_EQ(status_of(get(std::string("A: 1\0002\r\n", 9))), 400);
  EXPECT_EQ(status_of(get("A: 1\n2\r\n")), 400);
  EXPECT_EQ(status_of(get("A: " + std::string(20000, 'a') + "\r\n")), 431);
  std::string many;
  for (int i = 0; i < 65; ++i) many += "a: b\r\n";
  EXPECT_EQ(status_of(get(many)), 431);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n"), 400);
  EXPECT_EQ(status_of("\r\n"), 400);
  EXPECT_EQ(status_of(""), 400);
}

TEST(Reply, HeadersOfAStatusAreThere) {
  const RequestHead head = parse_head(get(""));
  const std::string text = reply_head(error_reply(HttpError(401, "no token")), head, true);
  EXPECT_TRUE(text.starts_with("HTTP/1.1 401 Unauthorized\r\n")) << text;
  for (const char* line : {"\r\nWWW-Authenticate: Bearer ", "\r\nConnection: close\r\n",
                           "\r\nX-Content-Type-Options: nosniff\r\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << text;
  }
  EXPECT_TRUE(text.ends_with("\r\n\r\n")) << text;
}

TEST(Reply, NoHeaderBringsAnother) {
  Reply reply;
  reply.set("A", "1\r\nB: 2");
  reply.set("C", "3");
  const std::string text = reply_head(reply, parse_head(get("")), false);
  EXPECT_EQ(text.find("B: 2"), std::string::npos) << text;
  EXPECT_NE(text.find("\r\nC: 3\r\n"), std::string::npos) << text;
}

// RFC 9112, 7.1.
TEST(Reply, ChunksSayHowLongTheyAre) {
  EXPECT_EQ(chunk_of("0123456789abcdef"), "10\r\n0123456789abcdef\r\n");
  EXPECT_EQ(chunk_of(""), "0\r\n\r\n");
}

// RFC 3629: each invalid byte becomes one replacement character.
TEST(Utf8, WhatIsNoneIsReplaced) {
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(as_utf8("a\tb\nzürich 😀"), "a\tb\nzürich 😀");
  EXPECT_EQ(as_utf8("Z\xfcrich"), "Z" + mark + "rich");
  EXPECT_EQ(as_utf8("\xc0\xaf"), mark + mark);
  EXPECT_EQ(as_utf8("cut \xe2\x82"), "cut " + mark + mark);
  EXPECT_EQ(as_utf8("\xed\xa0\x80"), mark + mark + mark);
}

TEST(Query, EscapesAreUndoneOnce) {
  const auto parameters = parse_query("model=zoo%3Aresnet50&batch=1&batch=16&a=%2541&b=x+y&c");
  const Parameters expected = {{"model", "zoo:resnet50"},
                               {"batch", "1"},
                               {"batch", "16"},
                               {"a", "%41"},
                               {"b", "x y"},
                               {"c", ""}};
  EXPECT_EQ(parameters, expected);
}

TEST(Query, WhatIsNotCleanTextIsRefused) {
  for (const char* query : {"a=%", "a=%4", "a=%zz", "a=%00", "a=%0a", "a=%0d%0aX-Evil:1", "a=%7f",
                            "a=%ff", "a=%c3", "a=%c0%af", "a=%ed%a0%80", "a=%f4%90%80%80",
                            "a=%c2%85", "A=1", "a_b=1", "=1", "%61%00=1"}) {
    EXPECT_THROW(parse_query(query), HttpError) << query;
  }
  EXPECT_NO_THROW(parse_query("a=%C3%A4%E2%82%AC%F0%9F%99%82"));
  std::string many;
  for (int i = 0; i < 65; ++i) many += "a=1&";
  EXPECT_THROW(parse_query(many), HttpError);
}

}  // namespace
}  // namespace ridgewatt::serve
