// Tests the server as clients see it, over loopback sockets.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <zlib.h>

#include <atomic>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "ridgewatt/base/text.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/serve/api/server_fixture.h"
#include "ridgewatt/serve/ask/endpoints.h"

namespace ridgewatt::serve {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string output_of(const std::string& command) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string text;
  char piece[4096];
  for (std::size_t got; (got = std::fread(piece, 1, sizeof piece, pipe)) > 0;) {
    text.append(piece, got);
  }
  ::pclose(pipe);
  return text;
}

std::string head_of(const std::string& rest) {
  return "GET / HTTP/1.1\r\nConnection: close\r\n" + rest + "\r\n";
}

// label: waits
TEST(Server, AnswersAreTheCommandLinesByteForByte) {
  const RunningServer server;
  const std::string program = (testing::build_folder() / "ridgewatt").string();
  for (const auto& [path, command] : std::vector<std::pair<std::string, std::string>>{
           {"estimate?model=zoo:resnet50&device=agx-orin&modes=maxn&batch=1&batch=16",
            "estimate zoo:resnet50 --device agx-orin --modes maxn --batch 1 16 --format json"},
           {"estimate?model=zoo:resnet50&device=agx-orin&format=csv",
            "estimate zoo:resnet50 --device agx-orin --format csv"},
           {"zoo", "zoo list --format json"},
           {"zoo?language=1", "zoo list --language --format json"},
           {"llm?model=zoo:qwen3-4b&device=agx-orin&runtime=llama.cpp&quantization=q4_k_m&prompt="
            "300",
            "llm zoo:qwen3-4b --device agx-orin --runtime llama.cpp --quantization q4_k_m --prompt "
            "300 --format json"},
           {"tune/llm?model=zoo:qwen3-4b&device=agx-orin&max-power=30&phases=1&modes=presets",
            "tune llm zoo:qwen3-4b --device agx-orin --max-power 30 --phases --modes presets "
            "--format "
            "json"},
           {"tune?model=zoo:lenet5&device=agx-orin&max-power=1",
            "tune zoo:lenet5 --device agx-orin --max-power 1 --format json"}}) {
    const auto answer = server.get("/api/v1/" + path);
    ASSERT_TRUE(answer) << path;
    EXPECT_EQ(answer->body, output_of(program + " " + command + " 2>/dev/null")) << path;
    EXPECT_THAT(answer->header("X-Ridgewatt-Command"), HasSubstr("ridgewatt "));
  }
  EXPECT_EQ(server.status_of("/api/v1/tune?model=zoo:lenet5&device=agx-orin&max-power=1"), 422);
}

// label: waits
TEST(Server, ErrorsAreOneLineOfTheCommandLine) {
  const RunningServer server;
  const auto answer = server.get("/api/v1/analyze?model=zoo:nope");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 400);
  const Json json = Json::parse(answer->body);
  EXPECT_EQ(json.at("schema"), "ridgewatt.error/1");
  EXPECT_THAT(json.at("error").get<std::string>(), HasSubstr("the zoo has no model 'nope'"));
  const auto idle = server.get("/api/v1/tune?model=zoo:lenet5&device=orin-nano&max-latency=50");
  ASSERT_TRUE(idle);
  EXPECT_EQ(idle->status, 400);
  const auto reason = Json::parse(idle->body).at("error").get<std::string>();
  EXPECT_THAT(reason, HasSubstr("max-latency has no effect of its own without arrival-rate: "));
  EXPECT_THAT(reason, Not(HasSubstr("--")));  // these are parameters here
  const auto reason_of = [&](const std::string& question) {
    const auto refused = server.get("/api/v1/" + question);
    return Json::parse(refused.value().body).at("error").get<std::string>();
  };
  // A client of the server has no `ridgewatt analyze --help`. A command in quotes can be typed.
  EXPECT_EQ(reason_of("analyze?model=zoo:lenet5&batch=x"),
            "batch: 'x' is not a whole number: write a whole number");
  EXPECT_THAT(reason_of("analyze?model=zoo:lenet5&explain=x"),
              HasSubstr("'ridgewatt analyze --per-layer'"));
  EXPECT_EQ(server.status_of("/api/v1/nothing"), 404);
  EXPECT_EQ(server.status_of("/api/v1/estimate?model=zoo:lenet5"), 400);
}

// label: waits
TEST(Server, BrowsersGetStrictHeaders) {
  const RunningServer server;
  for (const char* path : {"/", "/api/v1/zoo", "/api/v1/nothing", "/healthz"}) {
    const auto answer = server.get(path);
    ASSERT_TRUE(answer) << path;
    EXPECT_THAT(answer->header("Content-Security-Policy"),
                AllOf(HasSubstr("default-src 'self'"), Not(HasSubstr("unsafe"))))
        << path;
    EXPECT_EQ(answer->header("X-Content-Type-Options"), "nosniff") << path;
    EXPECT_EQ(answer->header("Referrer-Policy"), "no-referrer") << path;
    EXPECT_EQ(answer->header("Server"), "") << path;
    EXPECT_EQ(answer->header("Access-Control-Allow-Origin"), "") << path;
  }
}

std::string unpacked(const std::string& bytes) {
  z_stream stream = {};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string text(std::size_t{1} << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

// label: waits
TEST(Server, WhatTheClientHasIsNotSentAgain) {
  const RunningServer server;
  for (const char* path : {"/app.js", "/api/v1/zoo", "/api/v1/openapi.json"}) {
    const auto first = server.get(path);
    ASSERT_TRUE(first);
    const auto etag = first->header("ETag");
    for (const auto& has : {etag, std::string("*"), "\"other\", " + etag, "W/" + etag}) {
      const auto same = server.get(path, {{"If-None-Match", has}});
      ASSERT_TRUE(same) << path << has;
      EXPECT_EQ(same->status, 304) << path << has;
      EXPECT_TRUE(same->is_whole && same->body.empty()) << path << has;
      EXPECT_EQ(same->header("ETag"), etag) << path << has;
    }
    EXPECT_EQ(server.status_of(path, {{"If-None-Match", "\"other\""}}), 200) << path;
    const auto packed = server.get(path, {{"Accept-Encoding", "gzip, br"}});
    ASSERT_TRUE(packed);
    EXPECT_EQ(packed->header("Content-Encoding"), "gzip") << path;
    EXPECT_EQ(unpacked(packed->body), first->body) << path;
  }
}

// label: waits
TEST(Server, NothingButItsOwnFilesIsServed) {
  const RunningServer server;
  for (const char* path :
       {"/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc%2fpasswd", "//etc/passwd",
        "/etc/passwd", "/./index.html", "/index.html/", "/%00", "/proc/self/environ",
        "/api/v1/../../etc/passwd", "/api/v1/zoo/../devices", "/index.html%00.css"}) {
    const std::string answer = server.raw(
        std::string("GET ") + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(answer, HasSubstr("HTTP/1.1 404")) << path;
    EXPECT_THAT(answer, Not(HasSubstr("root:"))) << path;
  }
}

// label: waits
TEST(Server, OnlyItsOwnNameIsAnswered) {
  const RunningServer server;
  EXPECT_EQ(server.raw_status(head_of("Host: localhost:1\r\n")), 200);
  EXPECT_EQ(server.raw_status(head_of("Host: 127.0.0.1\r\n")), 200);
  EXPECT_EQ(server.raw_status(head_of("Host: [::1]:8470\r\n")), 200);
  for (const char* host : {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example",
                           "evil.example:80", "10.0.0.1", "[::2]"}) {
    EXPECT_EQ(server.raw_status(head_of("Host: " + std::string(host) + "\r\n")), 403) << host;
  }
  EXPECT_EQ(server.raw_status(head_of("")), 400);
}

// label: waits
TEST(Server, PagesOfOtherSitesAreRefused) {
  const RunningServer server;
  const std::string own = "http://localhost";
  const auto mark = [&](const Headers& headers) {
    const auto answer = server.post("/api/v1/marks", "", "application/json", headers);
    return answer ? answer->status : -1;
  };
  EXPECT_EQ(mark({}), 200);
  EXPECT_EQ(mark({{"Origin", own}}), 200);
  for (const char* origin : {"http://evil.example", "null", "http://127.0.0.1:1",
                             "https://localhost", "http://127.0.0.1.evil.example"}) {
    EXPECT_EQ(mark({{"Origin", origin}}), 403) << origin;
    EXPECT_EQ(server.status_of("/api/v1/zoo", {{"Origin", origin}}), 403) << origin;
  }
  EXPECT_EQ(mark({{"Sec-Fetch-Site", "cross-site"}}), 403);
  EXPECT_EQ(mark({{"Sec-Fetch-Site", "same-site"}}), 403);
  EXPECT_EQ(server.status_of("/api/v1/events", {{"Sec-Fetch-Site", "cross-site"}}), 403);
  EXPECT_EQ(server.status_of("/", {{"Sec-Fetch-Site", "cross-site"}}), 200);  // a link
}

// label: waits
TEST(Server, HeadersAreNotInjected) {
  const RunningServer server;
  for (const char* value : {"zoo:a%0d%0aX-Evil:%201", "zoo:a%0aX-Evil:1", "zoo:a\rX-Evil:1"}) {
    const std::string answer =
        server.raw("GET /api/v1/analyze?model=" + std::string(value) +
                   " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(answer, HasSubstr("HTTP/1.1 400"));
    EXPECT_THAT(answer, Not(HasSubstr("\nX-Evil"))) << value;
  }
}

// label: waits
TEST(Server, LargeHeadsAndBodiesAreRefused) {
  const RunningServer server({"--max-upload", "1MB"});
  EXPECT_EQ(server.raw_status(head_of("Host: localhost\r\nA: " + std::string(20000, 'a') + "\r\n")),
            431);
  EXPECT_EQ(server.raw_status("GET /" + std::string(7000, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n"),
            414);
  const auto post = [&](const std::string& path, std::size_t length) {
    return server.raw_status("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                             std::to_string(length) + "\r\n\r\n");
  };
  // The server rejects the announced length before the body is sent.
  EXPECT_EQ(post("/api/v1/uploads", 1000001), 413);
  EXPECT_EQ(post("/api/v1/uploads", 1000000000000), 413);
  EXPECT_EQ(post("/api/v1/windows", 100000), 413);
}

// label: waits
TEST(Server, ModelsAreUploadedAndAsked) {
  const RunningServer server;
  const std::string model = (server.folder() / "model.onnx").string();
  output_of((testing::build_folder() / "ridgewatt").string() + " zoo write lenet5 -o " + model);
  const auto sent = server.post("/api/v1/uploads", read_file(model), "application/octet-stream");
  ASSERT_TRUE(sent);
  ASSERT_EQ(sent->status, 200) << sent->body;
  const auto id = Json::parse(sent->body).at("upload").get<std::string>();
  const auto answer = server.get("/api/v1/analyze?model=upload:" + id);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200) << answer->body;
  // LeNet-5 has 61,706 parameters (LeCun et al. 1998, with full connections).
  EXPECT_EQ(Json::parse(answer->body).at("parameters"), 61706);
  EXPECT_THAT(answer->body, Not(HasSubstr("/dev/fd")));
  EXPECT_EQ(Json::parse(answer->body).at("model"), "upload:" + id);
  for (const char* bytes : {"not a model", "\x08\x07\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"}) {
    const auto bad = server.post("/api/v1/uploads", bytes, "application/octet-stream");
    ASSERT_TRUE(bad);
    const auto bad_id = Json::parse(bad->body).at("upload").get<std::string>();
    const auto refused = server.get("/api/v1/analyze?model=upload:" + bad_id);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 400);
    EXPECT_THAT(Json::parse(refused->body).at("error").get<std::string>(),
                AllOf(HasSubstr("upload:"), Not(HasSubstr("/dev/fd")), Not(HasSubstr("\n"))));
  }
  EXPECT_EQ(server.status_of("/api/v1/analyze?model=upload:" + std::string(32, '0')), 404);
  const std::string path = "/api/v1/uploads?name=my%20net.onnx";
  const auto named = server.post(path, read_file(model), "application/octet-stream");
  ASSERT_TRUE(named);
  EXPECT_EQ(Json::parse(named->body).at("name"), "my net.onnx");
  const auto named_id = Json::parse(named->body).at("upload").get<std::string>();
  const auto counted = server.get("/api/v1/analyze?model=upload:" + named_id);
  ASSERT_TRUE(counted);
  EXPECT_EQ(Json::parse(counted->body).at("model"), "my net.onnx");
  const auto whole = server.get("/api/v1/estimate?device=agx-orin&model=upload:" + named_id);
  ASSERT_TRUE(whole);
  EXPECT_THAT(whole->header("X-Ridgewatt-Command"), HasSubstr("estimate 'my net.onnx' --device"));
  EXPECT_THAT(whole->body, AllOf(HasSubstr("my net.onnx"), Not(HasSubstr("upload:"))));
  for (const char* wrong : {"?name=a%2Fb", "?file=a", "?name=a%0Ab"}) {
    const auto refused =
        server.post(std::string("/api/v1/uploads") + wrong, "a", "application/octet-stream");
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 400) << wrong;
  }
}

// The numbers of Llama-3.2-1B's configuration, and Meta's number of weights.
// label: waits
TEST(Server, AConfigurationIsUploadedAndAsked) {
  const RunningServer server;
  const auto sent = server.post("/api/v1/uploads",
                                R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama",
          "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16,
          "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 64,
          "vocab_size": 128256, "max_position_embeddings": 131072, "tie_word_embeddings": true})",
                                "application/octet-stream");
  ASSERT_TRUE(sent);
  const std::string question = "/api/v1/fits?device=nano&model=upload:" +
                               Json::parse(sent->body).at("upload").get<std::string>();
  const auto answer = server.get(question);
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->status, 200) << answer->body;
  EXPECT_EQ(Json::parse(answer->body).at("parameters"), 1235814400);
  EXPECT_EQ(Json::parse(answer->body).at("model").get<std::string>().substr(0, 7), "upload:");
  EXPECT_THAT(answer->body, Not(HasSubstr("/dev/fd")));
  for (const char* more : {"&context=0", "&context=nan", "&batch=-1", "&quantization=q9",
                           "&quantization=/etc/passwd", "&reserve-gb=x"}) {
    EXPECT_EQ(server.status_of(question + more), 400) << more;
  }
}

// label: waits
TEST(Server, TheMachineIsWatched) {
  const RunningServer server({"--every", "0.2s"});
  const auto look = server.get("/api/v1/monitor");
  ASSERT_TRUE(look);
  EXPECT_EQ(Json::parse(look->body).at("schema"), "ridgewatt.monitor/1");
  EXPECT_EQ(Json::parse(look->body).at("provenance"), "fake");
  const auto begun = server.post("/api/v1/windows", R"({"name": "epoch 1"})", "application/json");
  ASSERT_TRUE(begun);
  ASSERT_EQ(begun->status, 200) << begun->body;
  const auto number = Json::parse(begun->body).at("number").dump();
  EXPECT_EQ(server.post("/api/v1/marks", "", "application/json")->status, 200);
  const auto ended = server.post("/api/v1/windows/" + number + "/end", "", "application/json");
  ASSERT_TRUE(ended);
  EXPECT_EQ(Json::parse(ended->body).at("name"), "epoch 1");
  EXPECT_EQ(Json::parse(ended->body).at("minibatches"), 1);
  for (const char* none : {"99", "99999999999999999999", "x"}) {
    const std::string path = std::string("/api/v1/windows/") + none + "/end";
    EXPECT_EQ(server.post(path, "", "application/json")->status, 404) << none;
  }
  for (const char* body : {"", "[]", "{", R"({"name": 1})", R"({"name": ""})", R"({"x": "a"})",
                           R"({"name": "a\nb"})", "{\"name\": \"\xff\"}"}) {
    EXPECT_EQ(server.post("/api/v1/windows", body, "application/json")->status, 400) << body;
  }
  EXPECT_EQ(server.post("/api/v1/windows", R"({"name": "a"})", "text/plain")->status, 415);
}

// Reads from `socket` until `text` holds `count` events.
void read_events(const OwnedFd& socket, std::string& text, int count) {
  char piece[4096];
  const auto events = [&] {
    int found = 0;
    for (auto at = text.find("\nid: "); at != std::string::npos; at = text.find("\nid: ", at + 1)) {
      ++found;
    }
    return found;
  };
  while (events() < count) {
    const ssize_t got = ::recv(socket.get(), piece, sizeof piece, 0);
    ASSERT_GT(got, 0) << text;
    text.append(piece, static_cast<std::size_t>(got));
  }
}

// label: waits
TEST(Server, EventsComeWithEachLookAndEndWithTheServer) {
  for (const char* version : {"1.0", "1.1"}) {
    RunningServer server({"--every", "0.1s"});
    const OwnedFd stream = server.connect();
    const std::string ask =
        std::string("GET /api/v1/events HTTP/") + version + "\r\nHost: localhost\r\n\r\n";
    ::send(stream.get(), ask.data(), ask.size(), 0);
    std::string text;
    read_events(stream, text, 4);
    const int ended = server.end(SIGTERM);
    EXPECT_TRUE(WIFEXITED(ended) && WEXITSTATUS(ended) == 0) << ended;
    text += RunningServer::read_all(stream);
    const auto answer = Answer::read(text, "GET");
    ASSERT_TRUE(answer) << text;
    // RFC 9112, 7.1: a chunk of length 0 ends the body. HTTP/1.0 has no chunks.
    EXPECT_EQ(answer->is_whole, std::string(version) == "1.1") << text;
    EXPECT_EQ(answer->header("Transfer-Encoding"), version == std::string("1.1") ? "chunked" : "");
    std::smatch match;
    static const std::regex kEvent("event: monitor\nid: ([0-9]+)\ndata: (\\{.*\\})\n\n");
    std::vector<int> numbers;
    for (std::string rest = answer->body; std::regex_search(rest, match, kEvent);
         rest = match.suffix()) {
      numbers.push_back(std::stoi(match[1]));
      EXPECT_EQ(Json::parse(match[2].str()).at("schema"), "ridgewatt.monitor/1");
    }
    ASSERT_GE(numbers.size(), 4U) << text;
    // Each look comes once, in the order of measurement.
    EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end(), std::less_equal<>())) << text;
  }
}

// label: waits
TEST(Server, StreamsBeyondTheLimitHear503) {
  const RunningServer server({"--streams", "2"});
  const std::string ask = "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n";
  std::vector<OwnedFd> open;
  for (int i = 0; i < 2; ++i) {
    open.push_back(server.connect());
    ::send(open.back().get(), ask.data(), ask.size(), 0);
    char first[64];
    ASSERT_GT(::recv(open.back().get(), first, sizeof first, 0), 0);
  }
  EXPECT_EQ(server.raw_status("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nConnection: "
                              "close\r\n\r\n"),
            503);
  open.clear();  // closing a stream frees its place
  int status = 503;
  for (int i = 0; i < 50 && status == 503; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const OwnedFd next = server.connect();
    ::send(next.get(), ask.data(), ask.size(), 0);
    char first[64] = "";
    ::recv(next.get(), first, sizeof first, 0);
    status = std::stoi(std::string(first).substr(9, 3));
  }
  EXPECT_EQ(status, 200);
}

// label: waits
TEST(Server, SlowClientsDoNotKeepOthersOut) {
  const RunningServer server({"--streams", "1"});  // 65 places
  std::vector<OwnedFd> slow;
  for (int i = 0; i < 100; ++i) {
    slow.push_back(server.connect());
    const std::string part = i % 2 == 0 ? "GET / HTTP/1.1\r\nHost: lo"
                                        : "POST /api/v1/uploads HTTP/1.1\r\nHost: localhost\r\n"
                                          "Content-Length: 1000\r\n\r\nabc";
    ::send(slow.back().get(), part.data(), part.size(), MSG_NOSIGNAL);
  }
  for (int i = 0; i < 20; ++i) EXPECT_EQ(server.status_of("/healthz"), 200) << i;
  // An incomplete head is answered with 408 after the time limit, or its connection was dropped.
  EXPECT_THAT(RunningServer::read_all(slow[98]), AnyOf(HasSubstr("408"), ""));
}

// label: waits
TEST(Server, ManyAtOnceAreAnsweredOrRefused) {
  const RunningServer server({"--children", "2"});
  std::atomic<int> answered = 0, refused = 0, other = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 16; ++i) {
    clients.emplace_back([&, i] {
      for (int k = 0; k < 4; ++k) {
        const int status =
            server.status_of("/api/v1/estimate?model=zoo:lenet5&device=agx-orin&batch=" +
                             std::to_string(1 + i * 4 + k));
        ++(status == 200 ? answered : status == 503 || status == 429 ? refused : other);
      }
    });
  }
  for (auto& client : clients) client.join();
  EXPECT_EQ(other, 0);
  EXPECT_GT(answered, 0);
  EXPECT_EQ(answered + refused, 64);
}

// label: waits
TEST(Server, TooManyRequestsPerSecondHear429) {
  const RunningServer server({"--rate", "5"});
  int refused = 0;
  for (int i = 0; i < 30; ++i) refused += server.status_of("/healthz") == 429 ? 1 : 0;
  EXPECT_GE(refused, 10);
  EXPECT_LT(refused, 25);
}

// label: waits
TEST(Server, ATimeLimitEndsAQuestion) {
  const RunningServer server({"--time", "0.1s"});
  const auto answer = server.get("/api/v1/tune?model=zoo:resnet50&device=all&max-power=1");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 504) << answer->body;
  EXPECT_THAT(answer->body, HasSubstr("the server's option --time raises this limit"));
}

// label: waits
TEST(Server, WithoutControlNoRequestSetsTheBoard) {
  const RunningServer server;
  const auto before = server.get("/api/v1/mode")->body;
  EXPECT_EQ(Json::parse(before).at("control"), false);
  EXPECT_EQ(server.post("/api/v1/mode", R"({"mode": "MODE_15W"})", "application/json")->status,
            403);
  EXPECT_EQ(server.ask("DELETE", "/api/v1/mode")->status, 403);
  for (const char* method : {"PUT", "PATCH", "OPTIONS"}) {
    EXPECT_EQ(server.raw_status(std::string(method) +
                                " /api/v1/mode HTTP/1.1\r\nHost: localhost\r\n\r\n"),
              405);
  }
  // No other address changes the mode: tries each address with each method.
  const Json paths = Json::parse(server.get("/api/v1/openapi.json")->body).at("paths");
  for (const auto& [path, operations] : paths.items()) {
    if (path == "/api/v1/mode") continue;
    for (const char* body : {R"({"mode": "MODE_15W"})", ""}) {
      server.post(path, body, "application/json");
      server.ask("DELETE", path);
    }
  }
  EXPECT_EQ(server.get("/api/v1/mode")->body, before);
}

// label: waits
TEST(Server, WithControlTheModeIsSetAndComesBack) {
  RunningServer server({"--allow-control"});
  const Json before = Json::parse(server.get("/api/v1/mode")->body);
  ASSERT_EQ(before.at("control"), true);
  ASSERT_GE(before.at("presets").size(), 2U);
  std::string other;
  for (const auto& preset : before.at("presets")) {
    if (preset != before.at("preset")) other = preset;
  }
  const auto set = server.post("/api/v1/mode", Json({{"mode", other}}).dump(), "application/json");
  ASSERT_TRUE(set);
  ASSERT_EQ(set->status, 200) << set->body;
  EXPECT_EQ(Json::parse(set->body).at("preset"), other);
  EXPECT_EQ(Json::parse(server.get("/api/v1/mode")->body).at("preset"), other);
  EXPECT_EQ(server.post("/api/v1/mode", R"({"mode": "NO_SUCH"})", "application/json")->status, 400);
  for (const auto& [text, remarks] : {std::pair{"gpu=306", 0U}, {"gpu=307", 1U}}) {
    const auto between =
        server.post("/api/v1/mode", Json({{"mode", text}}).dump(), "application/json");
    ASSERT_EQ(between->status, 200) << between->body;
    const Json json = Json::parse(between->body);
    EXPECT_EQ(json.at("remarks").size(), remarks) << between->body;
    EXPECT_NEAR(json.at("applied").at("gpu_mhz").get<double>(), 306, 0.5);
  }
  EXPECT_EQ(server.ask("DELETE", "/api/v1/mode")->status, 200);
  ASSERT_EQ(server.post("/api/v1/mode", Json({{"mode", other}}).dump(), "application/json")->status,
            200);
  const int status = server.end();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  const auto after =
      Json::parse(output_of((testing::build_folder() / "ridgewatt").string() +
                            " mode show --device fake:agx-orin --format json 2>/dev/null"));
  EXPECT_EQ(after.at("preset"), before.at("preset"));
}

// label: waits
TEST(Server, ATokenIsAskedFor) {
  const testing::TemporaryFolder folder;
  const std::string token = "0123456789abcdef-token";
  const RunningServer server({"--token-file", folder.write("token", token + "\n")});
  EXPECT_THAT(server.said(), Not(HasSubstr(token)));
  for (const char* path : {"/api/v1/zoo", "/api/v1/monitor", "/api/v1/events", "/metrics",
                           "/api/v1/openapi.json", "/api/v1/mode", "/api/v1/nothing"}) {
    EXPECT_EQ(server.status_of(path), 401) << path;
    EXPECT_EQ(server.status_of(path, {{"Authorization", "Bearer " + token + "x"}}), 401) << path;
    EXPECT_EQ(server.status_of(path, {{"Authorization", "Bearer"}}), 401) << path;
    EXPECT_EQ(server.status_of(path, {{"Cookie", "ridgewatt-0=" + token.substr(1)}}), 401) << path;
  }
  EXPECT_EQ(server.status_of("/"), 200);
  EXPECT_EQ(server.status_of("/healthz"), 200);
  for (const std::string& wrong : {token, "  " + token + "x", " x " + token, std::string("  ")}) {
    EXPECT_EQ(server.status_of("/api/v1/zoo", {{"Authorization", "Bearer" + wrong}}), 401) << wrong;
  }
  // RFC 9110, 11.1 and 11.4.
  for (const char* scheme : {"Bearer ", "bearer ", "BEARER ", "Bearer  "}) {
    EXPECT_EQ(server.status_of("/api/v1/zoo", {{"Authorization", scheme + token}}), 200) << scheme;
  }
  EXPECT_EQ(server.post("/api/v1/uploads", "x", "application/octet-stream")->status, 401);
  EXPECT_EQ(server.post("/api/v1/session", "wrong", "text/plain")->status, 401);
  const auto session = server.post("/api/v1/session", token, "text/plain");
  ASSERT_TRUE(session);
  const auto cookie = session->header("Set-Cookie");
  EXPECT_THAT(cookie, AllOf(HasSubstr("HttpOnly"), HasSubstr("SameSite=Strict")));
  EXPECT_EQ(
      server.status_of("/api/v1/zoo", {{"Cookie", "a=b; " + cookie.substr(0, cookie.find(';'))}}),
      200);
}

// label: waits
TEST(Server, ElsewhereThanLoopbackATokenIsMadeAndShownOnATerminalAlone) {
  // 127.0.0.2 is loopback for the kernel, but not for the server.
  const RunningServer server({"--listen", "127.0.0.2"}, Messages::kToTerminal);
  EXPECT_EQ(server.token().size(), 64U) << server.said();
  RunningServer unseen({"--listen", "127.0.0.2"});
  EXPECT_EQ(unseen.port(), 0) << unseen.said();
  EXPECT_THAT(unseen.said(), HasSubstr("--token-file"));
  const int status = unseen.end(0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 2) << status;
}

// label: waits
TEST(Server, TlsIsSpokenWithAnOwnCertificate) {
  const testing::TemporaryFolder folder;
  const std::string cert = (folder.path() / "cert.pem").string();
  const std::string key = (folder.path() / "key.pem").string();
  output_of("openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout " + key +
            " -out " + cert + " 2>/dev/null");
  RunningServer server({"--cert", cert, "--key", key, "--every", "0.1s"});
  ASSERT_NE(server.port(), 0) << server.said();
  // The output of OpenSSL's own client.
  const auto ask = [&](const std::string& path, const std::string& then) {
    return output_of("{ printf 'GET " + path +
                     " HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n'; " + then +
                     "; } | openssl s_client -quiet -connect 127.0.0.1:" +
                     std::to_string(server.port()) + " 2>/dev/null");
  };
  const auto zoo = Answer::read(ask("/api/v1/zoo", "true"), "GET");
  ASSERT_TRUE(zoo);
  EXPECT_EQ(zoo->status, 200);
  EXPECT_TRUE(zoo->is_whole);
  EXPECT_EQ(server.raw("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").find("200"), std::string::npos);
  const auto events =
      Answer::read(ask("/api/v1/events", "sleep 1; kill " + std::to_string(server.pid())), "GET");
  ASSERT_TRUE(events);
  EXPECT_TRUE(events->is_whole);
  EXPECT_THAT(events->body, HasSubstr("event: monitor"));
}

// The kernel's table of listening sockets (proc(5)): state 0A means listening; 0100007F is
// 127.0.0.1.
// label: waits
TEST(Server, ListensOnLoopbackAlone) {
  const RunningServer server;
  const std::string port = fmt::format(":{:04X} ", server.port());
  int found = 0;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream lines(table);
    for (std::string line; std::getline(lines, line);) {
      const auto at = line.find(port);
      if (at == std::string::npos || line.find(" 0A ") == std::string::npos) continue;
      if (line.find(":0000 ") < at) continue;  // the port of the remote end
      ++found;
      EXPECT_THAT(line, HasSubstr("0100007F" + port));
    }
  }
  EXPECT_EQ(found, 1);
}

// label: waits
TEST(Server, EndsAtOnceWithOpenStreams) {
  RunningServer server;
  const OwnedFd stream = server.connect();
  const std::string ask = "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n";
  ::send(stream.get(), ask.data(), ask.size(), 0);
  char first[16];
  ASSERT_GT(::recv(stream.get(), first, sizeof first, 0), 0);
  const OwnedFd idle = server.connect();
  const int status = server.end(SIGTERM);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// The section of a schema in the page of all keys or in the page of the server's own results.
std::string documented_keys(const std::string& schema) {
  const auto folder = testing::source_folder() / "docs" / "reference";
  const std::string keys = read_file((folder / "json_keys.md").string());
  const auto begin = keys.find("\n## " + schema + "\n");
  if (begin != std::string::npos) {
    return keys.substr(begin, keys.find("\n## ", begin + 4) - begin);
  }
  const std::string own = read_file((folder / "http_api.md").string());
  const auto row = own.find("| `" + schema + "` |");
  if (row != std::string::npos) return own.substr(row, own.find('\n', row) - row);
  const std::string shared = read_file((folder / "json.md").string());
  return shared.find("`" + schema + "`") == std::string::npos ? "" : shared;
}

// The first example of the command's help as a query; empty if the example names a file.
std::optional<std::string> query_of_example(const Endpoint& endpoint) {
  const std::string command = "ridgewatt " + std::string(endpoint.command) + " ";
  const Json help =
      Json::parse(output_of((testing::build_folder() / "ridgewatt").string() + " help " +
                            std::string(endpoint.command) + " --format json"));
  const std::string example = help.at("example");
  const std::string line = example.substr(0, example.find('\n')) + " ";
  if (endpoint.options.empty()) return "";
  std::string query, name;
  for (const auto& word : words_of(line.substr(line.find(command) + command.size()))) {
    const bool option = word.starts_with("--");
    if (option) name = word.substr(2);
    if (name == "format") break;  // an option of every command, and the last one in an example
    const auto found = std::find_if(
        endpoint.options.begin(), endpoint.options.end(),
        [&](const auto& one) { return name.empty() ? !one.positional.empty() : one.name == name; });
    if (found == endpoint.options.end() || found->kind == ValueKind::kUpload) return std::nullopt;
    if (option && found->kind != ValueKind::kFlag) continue;
    query += (query.empty() ? "?" : "&") + std::string(found->name) + "=" + (option ? "1" : word);
  }
  return query;
}

// label: waits
TEST(Server, EveryDescribedPathAnswersAsDescribed) {
  const RunningServer server;
  const Json description = Json::parse(server.get("/api/v1/openapi.json")->body);
  EXPECT_EQ(description.at("openapi"), "3.1.0");
  // These queries replace first examples that read files, which the server does not have.
  const std::string schedule =
      "?inference=zoo:lenet5&training=zoo:lenet5&device=agx-orin&arrival-rate=10&max-latency=1000&"
      "max-power=40";
  std::map<std::string, std::string> queries = {{"schedule/plan", schedule},
                                                {"schedule/simulate", schedule + "&duration=5"}};
  std::set<std::string> need_more = {"/api/v1/runs", "/api/v1/runs/export", "/api/v1/events",
                                     "/metrics"};
  for (const Endpoint& endpoint : endpoints()) {
    const bool listed = queries.contains(endpoint.path);
    const std::optional<std::string> query =
        listed ? queries[endpoint.path] : query_of_example(endpoint);
    queries["/api/v1/" + endpoint.path] = query.value_or("");
    if (!query) need_more.insert("/api/v1/" + endpoint.path);
  }
  EXPECT_LT(need_more.size(), 9U) << ::testing::PrintToString(need_more);
  for (const auto& [path, operations] : description.at("paths").items()) {
    if (!operations.contains("get") || need_more.contains(path)) continue;
    const auto query = queries.find(path);
    const auto answer = server.get(path + (query == queries.end() ? "" : query->second));
    ASSERT_TRUE(answer) << path;
    EXPECT_EQ(answer->status, 200) << path << answer->body;
    const Json& content = operations.at("get").at("responses").at("200").at("content");
    ASSERT_TRUE(content.contains("application/json")) << path;
    EXPECT_THAT(answer->header("Content-Type"), HasSubstr("application/json")) << path;
    const Json& schema = content.at("application/json").at("schema");
    if (!schema.contains("properties")) continue;
    const Json result = Json::parse(answer->body);
    const Json& name = schema.at("properties").at("schema").at("const");
    EXPECT_EQ(result.at("schema"), name) << path;
    const std::string documented = documented_keys(name.get<std::string>());
    for (const auto& [key, value] : result.items()) {
      if (key == "schema") continue;
      EXPECT_THAT(documented, HasSubstr("`" + key + "`")) << path;
    }
  }
}

}  // namespace
}  // namespace ridgewatt::serve
