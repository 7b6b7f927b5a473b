#include "ridgewatt/measure/sampling/mark_record.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ridgewatt/base/error.h"

namespace ridgewatt::measure {

void MarkRecord::add(TimedMark mark) {
  if (mark.kind == TimedMark::Kind::kBegin) open_.push_back(mark.name);
  if (mark.kind == TimedMark::Kind::kEnd) {
    const auto found = std::find(open_.rbegin(), open_.rend(), mark.name);
    if (found == open_.rend())
      throw UsageError("the program ends a phase that it did not begin", mark.name);
    open_.erase(std::next(found).base());
  }
  // Marks of several threads may arrive out of order, so make their times ascend.
  if (!marks_.empty()) mark.time_s = std::max(mark.time_s, marks_.back().time_s);
  marks_.push_back(std::move(mark));
  if (marks_.size() > most_) forget();
}

void MarkRecord::forget() {
  const auto half = marks_.begin() + static_cast<std::ptrdiff_t>(marks_.size() / 2);
  std::vector<TimedMark> begun;
  for (auto mark = marks_.begin(); mark != half; ++mark) {
    if (mark->kind == TimedMark::Kind::kMinibatch) ++forgotten_;
    if (mark->kind == TimedMark::Kind::kBegin) begun.push_back(*mark);
    if (mark->kind != TimedMark::Kind::kEnd) continue;
    const auto found = std::find_if(begun.rbegin(), begun.rend(), [&](const TimedMark& begin) {
      return begin.name == mark->name;
    });
    if (found != begun.rend()) begun.erase(std::next(found).base());
  }
  begun.insert(begun.end(), std::make_move_iterator(half), std::make_move_iterator(marks_.end()));
  marks_ = std::move(begun);
}

}  // namespace ridgewatt::measure
