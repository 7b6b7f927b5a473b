// Answers requests about this machine: its state, its power mode and its windows.
//
//   const Reply reply = machine.answer("windows/3/end", head, body);
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ridgewatt/serve/http/message.h"
#include "ridgewatt/serve/watch/machine_watch.h"

namespace ridgewatt::serve {

class MachineApi {
 public:
  explicit MachineApi(const ServeOptions& options);

  // Answers a request for a path (after /api/v1/) with a method that the table of paths (paths.h)
  // allows. Throws HttpError 404 for a path that does not belong to this class.
  Reply answer(std::string_view path, const RequestHead& head, const std::string& body);
  Reply metrics() const;
  std::shared_ptr<const LookEvent> next_event(std::uint64_t after, double wait_s) {
    return watch_.next(after, wait_s);
  }

 private:
  Reply answer_mode(const RequestHead& head, const std::string& body);
  Reply answer_windows(const RequestHead& head, const std::string& body);
  Reply end_window(std::string_view path);
  Reply begin_events();

  ServeOptions options_;
  MachineWatch watch_;
};

}  // namespace ridgewatt::serve
