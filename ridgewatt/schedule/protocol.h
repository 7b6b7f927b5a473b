// The line protocol between the executor and its workers (docs/reference/worker_protocol.md): ASCII
// lines that end in '\n', at most 128 bytes, over a Unix stream socket. Everything that arrives is
// hostile until parsed.
//
//   worker:    hello 1 inference|training NAME     executor:  welcome 1 BATCH PERIOD_US
//              ready                                          grant SEQUENCE DEADLINE_US
//              done SEQUENCE                                  revoke SEQUENCE
//              bye                                            error TEXT
//
// An inference worker may leave the gathering of its requests to the executor:
//
//              counting                                       counting
//              arrived COUNT AGE_US                           grant SEQUENCE DEADLINE_US COUNT
//              ASIDE ready WAITING
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ridgewatt/base/workload_kind.h"

namespace ridgewatt::schedule {

inline constexpr int kProtocolVersion = 1;
inline constexpr std::size_t kLongestLine = 128;  // with the '\n'
inline constexpr std::size_t kLongestName = 32;
inline constexpr int kMostRequests = 1'000'000;  // that one message may count
inline constexpr double kOldestReportS = 3600;

// What a worker says.
struct WorkerMessage {
  enum class Type { kHello, kReady, kDone, kBye, kCounting, kArrived };
  Type type = Type::kBye;
  WorkloadKind kind = WorkloadKind::kTraining;  // kHello
  std::string name;                             // kHello: 1 to 32 of A-Z a-z 0-9 _ . -
  std::uint64_t sequence = 0;                   // kDone
  // Requests: that arrived (kArrived), or that wait in all (kReady; nothing: not counted).
  std::optional<int> requests = {};
  double age_s = 0;  // kArrived: how long ago they did
};

// One line without its '\n'; nothing when it is not a message exactly.
std::optional<WorkerMessage> parse_worker_message(std::string_view line);

// Cuts a byte stream into lines, bounded: a line that is too long is reported once and skipped up
// to its end.
class LineBuffer {
 public:
  struct Line {
    bool too_long = false;
    std::string text;
  };
  void feed(std::string_view bytes);
  // The next complete line, or nothing.
  std::optional<Line> next();
  std::size_t buffered() const { return pending_.size(); }

 private:
  std::string pending_;
  bool skipping_ = false;
};

}  // namespace ridgewatt::schedule
