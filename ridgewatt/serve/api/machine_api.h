// What the API says of the machine at hand, and the little that it does to it.
//
//   if (machine.answers("windows/3/end")) machine.answer("windows/3/end", client, body, answer);
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ridgewatt/serve/http/connection.h"
#include "ridgewatt/serve/watch/machine_watch.h"

namespace ridgewatt::serve {

class MachineApi {
 public:
  explicit MachineApi(const ServeOptions& options);

  // False for a path (behind /api/v1/) that is none of its own.
  bool answer(std::string_view path, Connection& client, const std::string& body,
              httplib::Response& answer);
  void answer_metrics(httplib::Response& answer) const;

 private:
  void answer_events(Connection& client, httplib::Response& answer);
  void answer_windows(std::string_view path, Connection& client, const std::string& body,
                      httplib::Response& answer);
  void answer_mode(Connection& client, const std::string& body, httplib::Response& answer);

  ServeOptions options_;
  MachineWatch watch_;
  std::shared_ptr<std::atomic<int>> streams_ = std::make_shared<std::atomic<int>>(0);
};

}  // namespace ridgewatt::serve
