#include "ridgewatt/schedule/protocol.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace ridgewatt::schedule {
namespace {

std::optional<std::uint64_t> parse_whole(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<int> parse_requests(std::string_view text) {
  const auto count = parse_whole(text);
  if (!count || *count > kMostRequests) return std::nullopt;
  return static_cast<int>(*count);
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '.' || c == '-';
         });
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t space = line.find(' ');
    words.push_back(line.substr(0, space));
    if (space == std::string_view::npos) return words;
    line.remove_prefix(space + 1);
  }
}

}  // namespace

std::optional<WorkerMessage> parse_worker_message(std::string_view line) {
  if (line.size() >= kLongestLine) return std::nullopt;
  const auto words = fields_of(line);
  WorkerMessage message;
  if (words[0] == "ready" && words.size() == 1) {
    message.type = WorkerMessage::Type::kReady;
    return message;
  }
  if (words[0] == "ready" && words.size() == 2) {
    message.type = WorkerMessage::Type::kReady;
    message.requests = parse_requests(words[1]);
    if (!message.requests) return std::nullopt;
    return message;
  }
  if (words[0] == "counting" && words.size() == 1) {
    message.type = WorkerMessage::Type::kCounting;
    return message;
  }
  if (words[0] == "arrived" && words.size() == 3) {
    message.type = WorkerMessage::Type::kArrived;
    message.requests = parse_requests(words[1]);
    const auto age_us = parse_whole(words[2]);
    if (!message.requests || *message.requests < 1 || !age_us) return std::nullopt;
    message.age_s = static_cast<double>(*age_us) / 1e6;
    if (message.age_s > kOldestReportS) return std::nullopt;
    return message;
  }
  if (words[0] == "bye" && words.size() == 1) {
    message.type = WorkerMessage::Type::kBye;
    return message;
  }
  if (words[0] == "done" && words.size() == 2) {
    const auto sequence = parse_whole(words[1]);
    if (!sequence) return std::nullopt;
    message.type = WorkerMessage::Type::kDone;
    message.sequence = *sequence;
    return message;
  }
  if (words[0] == "hello" && words.size() == 4 && words[1] == "1" && is_name(words[3])) {
    message.type = WorkerMessage::Type::kHello;
    message.name = words[3];
    const auto kind = find_name<WorkloadKind>(words[2]);
    if (!kind) return std::nullopt;
    message.kind = *kind;
    return message;
  }
  return std::nullopt;
}

void LineBuffer::feed(std::string_view bytes) {
  pending_.append(bytes);
}

std::optional<LineBuffer::Line> LineBuffer::next() {
  while (true) {
    const std::size_t end = pending_.find('\n');
    if (end == std::string::npos) {
      if (skipping_) {
        pending_.clear();
        return std::nullopt;
      }
      if (pending_.size() < kLongestLine) return std::nullopt;
      pending_.clear();
      skipping_ = true;
      return Line{true, ""};
    }
    std::string text = pending_.substr(0, end);
    pending_.erase(0, end + 1);
    if (skipping_) {  // the rest of a line that was already reported
      skipping_ = false;
      continue;
    }
    if (text.size() >= kLongestLine) return Line{true, ""};
    return Line{false, std::move(text)};
  }
}

}  // namespace ridgewatt::schedule
