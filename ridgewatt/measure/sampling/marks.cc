#include "ridgewatt/measure/marks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::measure {
namespace {

constexpr std::size_t kMaxLineBytes = 256;
constexpr std::size_t kMaxMarks = 10'000'000;
constexpr std::size_t kMaxWords = 64;  // of notes, and of values

}  // namespace

std::vector<std::string> skipped_marks_remarks(std::size_t count) {
  if (count == 0) return {};
  return {counted(static_cast<std::int64_t>(count), "marked line") +
          " ignored: no mark, or its time is outside the run (docs/guide/measure.md)"};
}

void MarkReader::add(std::string_view piece, double arrival_s) {
  while (!piece.empty()) {
    const auto end = piece.find('\n');
    const auto part = piece.substr(0, end);
    if (rest_.size() + part.size() <= kMaxLineBytes)
      rest_ += part;
    else
      rest_.assign(kMaxLineBytes + 1, '?');  // too long to be a mark
    if (end == std::string_view::npos) return;
    line(rest_, arrival_s);
    rest_.clear();
    piece.remove_prefix(end + 1);
  }
}

// Handles notes and values. Returns true if the line was one, even if it was dropped as one too
// many.
bool MarkReader::take_words(std::string_view text) {
  static constexpr std::string_view kNote = "note ";
  if (text.starts_with(kNote) && text.size() > kNote.size()) {
    const std::string note = escape_terminal(trim(text.substr(kNote.size())));
    const auto& notes = words_.notes;
    const bool known = contains(notes, note);
    if (!known && notes.size() < kMaxWords) words_.notes.push_back(note);
    return true;
  }
  const auto words = split(trim(text), ' ');
  if (words.size() != 3 || words[0] != "value" || words[1].empty()) return false;
  const auto number = parse_double(words[2]);
  if (!number || !std::isfinite(*number)) return false;
  const std::string name = escape_terminal(words[1]);
  if (words_.values.size() < kMaxWords || words_.values.contains(name)) {
    words_.values[name] = *number;
  }
  return true;
}

void MarkReader::line(std::string_view text, double arrival_s) {
  if (take_words(text)) return;
  const auto words = split(trim(text), ' ');
  TimedMark mark;
  mark.time_s = arrival_s;
  const bool phase = words[0] == "begin" || words[0] == "end";
  const std::size_t fixed = phase ? 2 : 1;
  bool good = words.size() >= fixed && words.size() <= fixed + 1 && marks_.size() < kMaxMarks;
  if (words[0] == "minibatch")
    mark.kind = TimedMark::Kind::kMinibatch;
  else if (words[0] == "fetched")
    mark.kind = TimedMark::Kind::kFetched;
  else if (phase)
    mark.kind = words[0] == "begin" ? TimedMark::Kind::kBegin : TimedMark::Kind::kEnd;
  else
    good = false;
  if (good && phase) mark.name = words[1];
  if (good && words.size() == fixed + 1) {
    const auto time_s = parse_double(words[fixed]);
    good = time_s && *time_s >= start_s_ && *time_s <= arrival_s;
    mark.time_s = time_s.value_or(0);
  }
  if (good)
    marks_.push_back(std::move(mark));
  else
    ++malformed_;
}

std::vector<MarkedMinibatch> minibatches_of(const std::vector<TimedMark>& marks) {
  std::vector<MarkedMinibatch> minibatches;
  double last_s = 0;
  double fetched_s = 0;
  for (const auto& mark : marks) {
    if (mark.kind == TimedMark::Kind::kFetched) fetched_s = mark.time_s;
    if (mark.kind != TimedMark::Kind::kMinibatch) continue;
    if (last_s > 0 && mark.time_s > last_s) {
      minibatches.push_back({last_s, mark.time_s, std::max(0.0, fetched_s - last_s), 0, false, {}});
    }
    last_s = mark.time_s;
  }
  return minibatches;
}

std::vector<PhaseSpan> phases_of(const std::vector<TimedMark>& marks, double end_s) {
  std::vector<PhaseSpan> phases;
  std::vector<std::size_t> open;
  for (const auto& mark : marks) {
    if (mark.kind == TimedMark::Kind::kBegin) {
      open.push_back(phases.size());
      phases.push_back({mark.name, mark.time_s, end_s});
    } else if (mark.kind == TimedMark::Kind::kEnd) {
      const auto found = std::find_if(open.rbegin(), open.rend(),
                                      [&](std::size_t i) { return phases[i].name == mark.name; });
      if (found == open.rend()) continue;
      phases[*found].end_s = mark.time_s;
      open.erase(std::next(found).base());
    }
  }
  return phases;
}

}  // namespace ridgewatt::measure
