// For tests only: the real program on a free port of loopback, watching a fake board; it ends with
// the test.
#pragma once

#include <gtest/gtest.h>
#include <httplib.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <chrono>
#include <regex>
#include <string>
#include <vector>

#include "ridgewatt/base/fd.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/json.h"

namespace ridgewatt::serve {

class RunningServer {
 public:
  explicit RunningServer(std::vector<std::string> options = {}) {
    ::setenv("RIDGEWATT_FAKE", folder_.path().c_str(), 1);
    std::vector<std::string> words = {(testing::build_folder() / "ridgewatt").string(),
                                      "serve",
                                      "--port",
                                      "0",
                                      "--device",
                                      "fake:agx-orin"};
    words.insert(words.end(), options.begin(), options.end());
    Pipe pipe;
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
    static const std::regex kListening("listening on (https?)://([^ ]*):([0-9]+)/(#token=(.*))?\n");
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

  // The status as of waitpid.
  int end(int signal = SIGTERM) {
    ::kill(pid_, signal);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }

  httplib::Client client() const {
    httplib::Client client("127.0.0.1", port_);
    client.set_read_timeout(60);
    return client;
  }
  httplib::Result get(const std::string& path, const httplib::Headers& headers = {}) const {
    return client().Get(path, headers);
  }
  int status_of(const std::string& path, const httplib::Headers& headers = {}) const {
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
  // All that the server says to these bytes, until it ends the connection.
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
