// The line protocol between the executor and its workers (docs/reference/worker_protocol.md): ASCII
// lines of at most 128 bytes that end in '\n', over a Unix stream socket. All input is treated as
// hostile until it is parsed.
//
//   worker:  hello 1 inference|training NAME   executor:  welcome 1 BATCH PERIOD_US
//            ready                                        grant SEQUENCE DEADLINE_US
//            done SEQUENCE                                revoke SEQUENCE
//            bye                                          error TEXT
//
// An inference worker can let the executor decide how many requests form a batch:
//
//            counting                                     counting
//            arrived COUNT AGE_US                         grant SEQUENCE DEADLINE_US COUNT ASIDE
//            ready WAITING
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ridgewatt/base/workload_kind.h"

namespace ridgewatt::schedule {

inline constexpr int kProtocolVersion = 1;
inline constexpr std::size_t kLongestLine = 128;  // including the '\n'
inline constexpr std::size_t kLongestName = 32;
inline constexpr int kMostRequests = 1'000'000;  // maximum number of requests in one message
// Highest age of a reported arrival, in seconds.
inline constexpr double kOldestReportS = 3600;

// A message from a worker.
struct WorkerMessage {
  enum class Type { kHello, kReady, kDone, kBye, kCounting, kArrived };
  Type type = Type::kBye;
  WorkloadKind kind = WorkloadKind::kTraining;  // for kHello
  std::string name;                             // For kHello: 1 to 32 of A-Z a-z 0-9 _ . -
  std::uint64_t sequence = 0;                   // for kDone
  // For kArrived: number of requests that arrived. For kReady: total number of waiting requests;
  // empty if the worker does not count them.
  std::optional<int> requests = {};
  double age_s = 0;  // for kArrived: time since the requests arrived
};

// Parses a line without its '\n'. Empty if it is not a valid message.
std::optional<WorkerMessage> parse_worker_message(std::string_view line);

// Splits a byte stream into lines with bounded memory. A line that is too long is reported once and
// skipped up to its end.
class LineBuffer {
 public:
  struct Line {
    bool too_long = false;
    std::string text;
  };
  void feed(std::string_view bytes);
  // Returns the next complete line; empty if there is none.
  std::optional<Line> next();
  std::size_t buffered() const { return pending_.size(); }

 private:
  std::string pending_;
  bool skipping_ = false;
};

}  // namespace ridgewatt::schedule
