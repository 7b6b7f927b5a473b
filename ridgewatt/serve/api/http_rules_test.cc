// Checks the requirements of HTTP (RFC 9110) for every answer, over all described addresses and
// methods.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "ridgewatt/serve/api/server_fixture.h"

namespace ridgewatt::serve {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

// RFC 7231, 7235, 6585 and 4918: the reason phrase, and the header that belongs to the status.
struct StatusRule {
  const char* reason;
  const char* header;
  const char* value;  // a regular expression
};
const std::map<int, StatusRule> kStatusRules = {
    {200, {"OK", "Content-Length", "[0-9]+"}},
    {304, {"Not Modified", "ETag", "\".+\""}},
    {400, {"Bad Request", "Content-Type", "application/problem\\+json"}},
    {401, {"Unauthorized", "WWW-Authenticate", "Bearer realm=\"ridgewatt\""}},
    {403, {"Forbidden", "Content-Type", "application/problem\\+json"}},
    {404, {"Not Found", "Content-Type", "application/problem\\+json"}},
    {405, {"Method Not Allowed", "Allow", "[A-Z]+(, [A-Z]+)*"}},
    {411, {"Length Required", "Connection", "close"}},
    {413, {"Payload Too Large", "Connection", "close"}},
    {414, {"URI Too Long", "Connection", "close"}},
    {415, {"Unsupported Media Type", "Content-Type", "application/problem\\+json"}},
    {422, {"Unprocessable Entity", "Content-Type", "application/(problem\\+)?json"}},
    {429, {"Too Many Requests", "Retry-After", "[1-9][0-9]*"}},
    {431, {"Request Header Fields Too Large", "Connection", "close"}},
    {503, {"Service Unavailable", "Retry-After", "[1-9][0-9]*"}},
    {504, {"Gateway Timeout", "Content-Type", "application/problem\\+json"}},
    {505, {"HTTP Version Not Supported", "Connection", "close"}}};

// Returns the status; -1 if there is none.
int expect_rules(const std::optional<Answer>& answer, const std::string& where,
                 const std::string& to_method = "GET") {
  EXPECT_TRUE(answer) << where;
  if (!answer) return -1;
  EXPECT_TRUE(answer->is_whole) << where;
  const auto rule = kStatusRules.find(answer->status);
  EXPECT_NE(rule, kStatusRules.end()) << where << answer->status;
  if (rule == kStatusRules.end()) return answer->status;
  EXPECT_EQ(answer->reason, rule->second.reason) << where;
  EXPECT_THAT(answer->header(rule->second.header), MatchesRegex(rule->second.value))
      << where << answer->status;
  EXPECT_THAT(answer->header("Date"),
              MatchesRegex("[A-Z][a-z][a-z], [0-9]+ [A-Z][a-z][a-z] 2[0-9]+ [0-9:]+ GMT"))
      << where;
  for (const char* once : {"Content-Type", "Content-Length", "Cache-Control", "Date", "Allow"}) {
    const auto count = std::count_if(answer->headers.begin(), answer->headers.end(),
                                     [&](const auto& header) { return header.first == once; });
    EXPECT_LE(count, 1) << where << once;
  }
  for (const char* absent : {"Server", "Accept-Ranges", "Access-Control-Allow-Origin"}) {
    EXPECT_EQ(answer->header(absent), "") << where;
  }
  EXPECT_EQ(answer->header("X-Content-Type-Options"), "nosniff") << where;
  EXPECT_EQ(answer->header("X-Frame-Options"), "DENY") << where;
  EXPECT_NE(answer->header("Cache-Control"), "") << where;
  if (answer->status < 400 || answer->status == 422 || to_method == "HEAD") {
    return answer->status;
  }
  EXPECT_EQ(answer->header("Cache-Control"), "no-store") << where;
  const Json error = Json::parse(answer->body);
  EXPECT_EQ(error.at("schema"), "ridgewatt.error/1") << where;
  EXPECT_EQ(answer->header("Content-Type"), "application/problem+json") << where;
  EXPECT_EQ(error.at("title"), answer->reason) << where;
  EXPECT_EQ(error.at("status"), answer->status) << where;
  EXPECT_EQ(error.at("detail"), error.at("error")) << where;
  EXPECT_EQ(error.size(), 6U) << where;
  return answer->status;
}

// Every address with its methods.
std::map<std::string, std::set<std::string>> described_paths(const RunningServer& server) {
  std::map<std::string, std::set<std::string>> paths = {{"/", {"GET"}}, {"/app.js", {"GET"}}};
  const auto answer = server.get("/api/v1/openapi.json");
  if (!answer) return paths;
  const Json description = Json::parse(answer->body);
  for (const auto& [path, operations] : description.at("paths").items()) {
    const auto number = path.find("{number}");
    const std::string asked = number == std::string::npos ? path : path.substr(0, number) + "1/end";
    for (const auto& [method, operation] : operations.items()) {
      std::string upper = method;
      for (char& c : upper) c = static_cast<char>(std::toupper(c));
      paths[asked].insert(upper);
    }
  }
  for (auto& [path, methods] : paths) {
    if (methods.contains("GET")) methods.insert("HEAD");
  }
  return paths;
}

constexpr const char* kMethods[] = {"GET",   "HEAD",    "POST",  "DELETE", "PUT",
                                    "PATCH", "OPTIONS", "TRACE", "get",    "BREW"};

// label: slow
TEST(HttpRules, EveryAddressWithEveryMethod) {
  const RunningServer server({"--rate", "100000"});
  const auto paths = described_paths(server);
  EXPECT_GT(paths.size(), 30U);
  for (const auto& [path, methods] : paths) {
    std::string allowed;
    for (const auto& method : methods) allowed += (allowed.empty() ? "" : ", ") + method;
    for (const char* method : kMethods) {
      if (path == "/api/v1/events" && methods.contains(method)) continue;  // never ends
      const auto answer = server.ask(method, path);
      const std::string where = std::string(method) + " " + path + ": ";
      const int status = expect_rules(answer, where, method);
      ASSERT_NE(status, -1);
      EXPECT_EQ(status == 405, !methods.contains(method)) << where << status;
      EXPECT_EQ(answer->header("Allow"), status == 405 ? allowed : "") << where;
      // The address of a window exists, but this window does not.
      const bool window = path == "/api/v1/windows/1/end" && std::string_view(method) == "POST";
      EXPECT_EQ(status == 404, window) << where;
    }
  }
}

// label: slow
TEST(HttpRules, HeadIsGetWithoutTheBody) {
  const RunningServer server;
  for (const char* path : {"/", "/app.js", "/api/v1/zoo", "/api/v1/stores", "/api/v1/nothing"}) {
    const auto get = server.get(path), head = server.ask("HEAD", path);
    ASSERT_TRUE(get && head) << path;
    EXPECT_EQ(head->body, "") << path;
    for (const auto& [name, value] : get->headers) {
      EXPECT_EQ(name == "Date" ? value : head->header(name), value) << path << name;
    }
  }
}

// label: slow
TEST(HttpRules, WithoutTheTokenEveryAddressButThePagesIsClosed) {
  const testing::TemporaryFolder folder;
  const std::string token = "0123456789abcdef-token";
  const RunningServer open({"--rate", "100000"});
  const RunningServer server(
      {"--rate", "100000", "--token-file", folder.write("token", token + "\n")});
  for (const auto& [path, methods] : described_paths(open)) {
    for (const char* method : kMethods) {
      const bool changes = method == std::string("POST") || method == std::string("DELETE");
      const bool is_page = path == "/" || path == "/app.js";
      if (path == "/healthz" || path == "/api/v1/session" || (is_page && !changes)) continue;
      const auto answer = server.ask(method, path);
      const std::string where = std::string(method) + " " + path + ": ";
      EXPECT_EQ(expect_rules(answer, where, method), 401) << where;
    }
  }
}

// label: slow
TEST(HttpRules, PagesOfOtherSitesAreRefusedEverywhere) {
  const RunningServer server({"--rate", "100000"});
  const std::string own = "http://localhost";
  const std::vector<std::pair<Headers, int>> cases = {
      {{{"Origin", "http://evil.example"}}, 403},
      {{{"Origin", own}, {"Origin", "http://evil.example"}}, 400},  // a second one
      {{{"Origin", "http://evil.example"}, {"Origin", own}}, 400},
      {{{"Sec-Fetch-Site", "cross-site"}}, 403},
      {{{"Host", "evil.example"}}, 403},
      {{{"Host", ""}}, 400}};
  for (const auto& [path, methods] : described_paths(server)) {
    if (!path.starts_with("/api/")) continue;
    for (const auto& method : methods) {
      for (const auto& [headers, status] : cases) {
        const auto answer = server.ask(method, path, headers);
        const std::string where = method + " " + path + " " + headers.back().second + ": ";
        EXPECT_EQ(expect_rules(answer, where, method), status) << where;
      }
    }
  }
}

// label: slow
TEST(HttpRules, RefusalsOfAHeadFollowThem) {
  const RunningServer server({"--rate", "100000"});
  const std::string end = " HTTP/1.1\r\nHost: localhost\r\n";
  for (const auto& [text, status] : std::vector<std::pair<std::string, int>>{
           {"GET /" + std::string(7000, 'a') + end + "\r\n", 414},
           {"GET /" + end + "A: " + std::string(20000, 'a') + "\r\n\r\n", 431},
           {"GET / HTTP/3.0\r\nHost: localhost\r\n\r\n", 505},
           {"POST /api/v1/marks" + end + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411},
           {"POST /api/v1/marks" + end + "Content-Length: 100000\r\n\r\n", 413},
           {"nothing\r\n\r\n", 400}}) {
    const auto answer = Answer::read(server.raw(text), "GET");
    EXPECT_EQ(expect_rules(answer, text.substr(0, 60)), status) << text.substr(0, 60);
  }
}

// label: slow
TEST(HttpRules, WhoHasToWaitHearsHowLong) {
  const RunningServer server({"--rate", "0.1"});
  std::optional<Answer> answer;
  for (int i = 0; i < 5; ++i) answer = server.get("/healthz");
  ASSERT_EQ(expect_rules(answer, "rate"), 429);
  EXPECT_GT(std::stoi(answer->header("Retry-After")), 5);  // the next request may come after 10 s
  const RunningServer full({"--streams", "1"});
  const OwnedFd stream = full.connect();
  const std::string ask = "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n";
  ::send(stream.get(), ask.data(), ask.size(), 0);
  char first[64];
  ASSERT_GT(::recv(stream.get(), first, sizeof first, 0), 0);
  answer = full.get("/api/v1/events");
  EXPECT_EQ(expect_rules(answer, "streams"), 503);
}

// label: slow
TEST(HttpRules, LargeBodiesAreAskedFor) {
  const RunningServer server;
  const OwnedFd socket = server.connect();
  const std::string head =
      "POST /api/v1/uploads HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
      "Expect: 100-continue\r\nContent-Length: 4\r\n\r\n";
  ::send(socket.get(), head.data(), head.size(), 0);
  char first[64] = "";
  ASSERT_GT(::recv(socket.get(), first, sizeof first - 1, 0), 0);
  EXPECT_STREQ(first, "HTTP/1.1 100 Continue\r\n\r\n");  // RFC 9110, 10.1.1
  ::send(socket.get(), "text", 4, 0);
  const auto answer = Answer::read(RunningServer::read_all(socket), "POST");
  ASSERT_TRUE(answer);
  EXPECT_EQ(Json::parse(answer->body).at("bytes"), 4);
}

// label: slow
TEST(HttpRules, RequestsFollowEachOtherOnOneConnection) {
  const RunningServer server;
  const std::string one = "GET /api/v1/stores HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const std::string refused = "PUT /api/v1/stores HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const std::string posted =
      "POST /api/v1/uploads HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\ntext";
  const std::string last = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  const std::string said = server.raw(one + refused + posted + one + last);
  std::string statuses;
  for (auto at = said.find("HTTP/1.1 "); at != std::string::npos;
       at = said.find("HTTP/1.1 ", at + 9)) {
    statuses += said.substr(at + 9, 3) + " ";
  }
  EXPECT_EQ(statuses, "200 405 200 200 200 ");
  EXPECT_THAT(said, HasSubstr("ridgewatt.health/1"));
}

}  // namespace
}  // namespace ridgewatt::serve
