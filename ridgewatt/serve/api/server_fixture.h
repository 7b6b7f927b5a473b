// Test helper: runs the real program on a free port of the loopback interface, with a fake board.
// The program ends with the test.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <limits>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/base/fd.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/json.h"

namespace ridgewatt::serve {

using Headers = std::vector<std::pair<std::string, std::string>>;

// An HTTP answer of the server, parsed by Boost.Beast.
struct Answer {
  int status = -1;
  std::string reason = {}, body = {};
  Headers headers = {};
  // True if the answer has the announced length or a last chunk, and nothing follows.
  bool is_whole = false;

  // Returns the first header with this name, ignoring case; empty if there is none.
  std::string header(const std::string& name) const {
    for (const auto& [key, value] : headers) {
      if (::strcasecmp(key.c_str(), name.c_str()) == 0) return value;
    }
    return {};
  }
  // Returns empty if `text` is not an HTTP answer.
  static std::optional<Answer> read(const std::string& text, const std::string& to_method) {
    boost::beast::http::response_parser<boost::beast::http::string_body> parser;
    parser.eager(true);
    parser.body_limit(std::numeric_limits<std::uint64_t>::max());
    parser.skip(to_method == "HEAD");
    boost::system::error_code error;
    std::size_t used = 0;
    while (!error && !parser.is_done() && used < text.size()) {
      used += parser.put(boost::asio::buffer(text.data() + used, text.size() - used), error);
    }
    if (!parser.is_header_done()) return std::nullopt;
    Answer answer;
    for (const auto& field : parser.get()) {
      answer.headers.emplace_back(field.name_string(), field.value());
    }
    answer.status = static_cast<int>(parser.get().result_int());
    answer.reason = std::string(parser.get().reason());
    answer.body = parser.get().body();
    answer.is_whole = !error && parser.is_done() && used == text.size();
    return answer;
  }
};

// Destination of the server's messages.
enum class Messages { kToPipe, kToTerminal };

class RunningServer {
 public:
  explicit RunningServer(std::vector<std::string> options = {},
                         Messages messages = Messages::kToPipe) {
    ::setenv("RIDGEWATT_FAKE", folder_.path().c_str(), 1);
    std::vector<std::string> words = {(testing::build_folder() / "ridgewatt").string(),
                                      "serve",
                                      "--port",
                                      "0",
                                      "--device",
                                      "fake:agx-orin"};
    words.insert(words.end(), options.begin(), options.end());
    Pipe pipe;
    if (messages == Messages::kToTerminal) {
      int ours = -1, theirs = -1;
      EXPECT_EQ(::openpty(&ours, &theirs, nullptr, nullptr, nullptr), 0);
      ::fcntl(ours, F_SETFD, FD_CLOEXEC);
      pipe.read_end = OwnedFd(ours);
      pipe.write_end = OwnedFd(theirs);
    }
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, pipe.write_end.get(), STDERR_FILENO);
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    EXPECT_EQ(::posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ), 0);
    ::posix_spawn_file_actions_destroy(&actions);
    errors_ = std::move(pipe.read_end);
    pipe.write_end.reset();
    char piece[512];
    static const std::regex kListening(
        "listening on (https?)://([^ ]*):([0-9]+)/(#token=(.*))?\r?\n");
    std::smatch match;
    while (!std::regex_search(said_, match, kListening)) {
      const ssize_t got = ::read(errors_.get(), piece, sizeof piece);
      if (got <= 0) break;
      said_.append(piece, static_cast<std::size_t>(got));
    }
    if (match.empty()) return;
    port_ = std::stoi(match[3]);
    token_ = match[5];
  }
  ~RunningServer() {
    if (pid_ > 0) end(SIGKILL);
  }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  int port() const { return port_; }
  pid_t pid() const { return pid_; }
  const std::string& said() const { return said_; }
  const std::string& token() const { return token_; }
  const std::filesystem::path& folder() const { return folder_.path(); }

  // Ends the server with a signal. Returns the status as of waitpid().
  int end(int signal = SIGTERM) {
    ::kill(pid_, signal);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }

  // Sends a request on a new connection.
  std::optional<Answer> ask(const std::string& method, const std::string& path,
                            const Headers& headers = {}, const std::string& body = {}) const {
    std::string text = method + " " + path + " HTTP/1.1\r\nConnection: close\r\n";
    const auto has_host = [](const auto& header) { return header.first == "Host"; };
    if (std::none_of(headers.begin(), headers.end(), has_host)) text += "Host: localhost\r\n";
    for (const auto& [name, value] : headers) text += name + ": " + value + "\r\n";
    if (method == "POST") text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return Answer::read(raw(text + "\r\n" + body), method);
  }
  std::optional<Answer> get(const std::string& path, const Headers& headers = {}) const {
    return ask("GET", path, headers);
  }
  std::optional<Answer> post(const std::string& path, const std::string& body,
                             const std::string& type, Headers headers = {}) const {
    headers.emplace_back("Content-Type", type);
    return ask("POST", path, headers, body);
  }
  int status_of(const std::string& path, const Headers& headers = {}) const {
    const auto answer = get(path, headers);
    return answer ? answer->status : -1;
  }

  OwnedFd connect() const {
    OwnedFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return socket;
  }
  // Sends these bytes and returns everything that the server sends until it closes the connection.
  std::string raw(const std::string& bytes) const {
    const OwnedFd socket = connect();
    EXPECT_EQ(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    return read_all(socket);
  }
  static std::string read_all(const OwnedFd& socket) {
    std::string text;
    char piece[4096];
    pollfd entry = {socket.get(), POLLIN, 0};
    while (::poll(&entry, 1, 60000) > 0) {
      const ssize_t got = ::recv(socket.get(), piece, sizeof piece, 0);
      if (got <= 0) break;
      text.append(piece, static_cast<std::size_t>(got));
    }
    return text;
  }
  int raw_status(const std::string& bytes) const {
    const std::string answer = raw(bytes);
    return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : -1;
  }

 private:
  testing::TemporaryFolder folder_;
  pid_t pid_ = -1;
  int port_ = 0;
  std::string token_, said_;
  OwnedFd errors_;
};

}  // namespace ridgewatt::serve
