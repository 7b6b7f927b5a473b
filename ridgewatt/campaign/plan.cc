#include "ridgewatt/campaign/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/fnv.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/mode_text.h"

namespace ridgewatt::campaign {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::size_t kMostPoints = 1000000;
constexpr int kMostBoards = 100000;
constexpr int kLargestBatch = 1 << 20;
constexpr int kMostReruns = 1000000;
constexpr double kLongestLimitS = 3.15e7;  // a year

void refuse_unless(bool good, const std::string& what, const std::string& where,
                   const std::string& hint) {
  if (!good) throw UsageError(what, where, hint);
}

bool has_control_character(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

// Checks a text that passes through a shell, a scheduler and a terminal.
void check_text(const std::string& text, const char* field) {
  refuse_unless(!has_control_character(text), fmt::format("{} holds a control character", field),
                "campaign", "put what needs several lines into a file");
  refuse_unless(text.size() <= 100000, fmt::format("{} is longer than 100000 bytes", field),
                "campaign", "shorten it");
}

// sbatch and scontrol get host names in a list that commas separate.
void check_host_name(const std::string& host) {
  const bool good =
      !host.empty() && host[0] != '-' && std::all_of(host.begin(), host.end(), [](unsigned char c) {
        return c > 0x20 && c < 0x7f && c != ',' && c != '\'' && c != '"' && c != '\\';
      });
  refuse_unless(good, fmt::format("'{}' is not a host", host), "campaign", "remove it");
}

// A password would be visible in the plan, in scripts and in process lists.
void check_no_password(const std::string& store) {
  const auto scheme = store.find("://");
  if (scheme == std::string::npos) return;
  const auto authority =
      store.substr(scheme + 3, store.find_first_of("/?", scheme + 3) - scheme - 3);
  const auto at = authority.rfind('@');
  const bool before_host = at != std::string::npos && authority.find(':') < at;
  if (before_host || store.find("password=") != std::string::npos) {
    throw UsageError("the address of the campaign's store contains a password", "",
                     "put it into ~/.pgpass of every board, or name a file: ?passfile=FILE");
  }
}

void check_point(const PlannedPoint& point, const std::string& kind,
                 std::set<std::string>& labels) {
  const std::string where = fmt::format("campaign, point {} of {}", point.label, kind);
  refuse_unless(is_plain_name(point.label), "is not a label", where,
                "use letters, digits, '-', '_' and '.'");
  refuse_unless(labels.insert(point.label).second, "duplicate label", where,
                "each point has its own");
  refuse_unless(point.point.batch >= 0 && point.point.batch <= kLargestBatch,
                fmt::format("batch is {}", point.point.batch), where, "give 0 to 1048576");
  refuse_unless(point.repeat >= 0, fmt::format("repeat is {}", point.repeat), where,
                "give 0 or more");
  refuse_unless(point.rerun >= 0 && point.rerun <= kMostReruns,
                fmt::format("rerun is {}", point.rerun), where, "give 0 to 1000000");
  refuse_unless(point.predicted_s >= 0 && point.predicted_j >= 0, "the prediction is negative",
                where, "give 0 or more");
  refuse_unless(point.point.mode != PowerMode{}, "the mode is empty", where, "name a knob");
}

void check_kind(const BoardKind& kind) {
  const std::string base = kind.fake() ? kind.name.substr(5) : kind.name;
  const auto at = base.find('@');  // as in "orin-nano-8gb@super"
  const bool good = is_plain_name(base.substr(0, at)) &&
                    (at == std::string::npos || is_plain_name(base.substr(at + 1)));
  refuse_unless(good, fmt::format("'{}' is not a kind of board", kind.name), "campaign",
                "a board of the library, or fake:BOARD");
  refuse_unless(kind.boards >= 1 && kind.boards <= kMostBoards,
                fmt::format("{} of {}", counted(kind.boards, "board"), kind.name), "campaign",
                "give 1 to 100000");
  refuse_unless(kind.points_per_task >= 1, "points_per_task is 0", "campaign", "at least 1");
  refuse_unless(kind.points.size() + kind.calibration.size() <= kMostPoints,
                fmt::format("{} of {}", counted(kind.points.size(), "point"), kind.name),
                "campaign", "at most 1000000");
  std::set<std::string> labels;
  for (const auto& point : kind.points) check_point(point, kind.name, labels);
  for (const auto& point : kind.calibration) check_point(point, kind.name, labels);
}

}  // namespace

bool is_plain_name(const std::string& name) {
  const auto plain = [](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.');
  };
  return !name.empty() && name.size() <= kLongestName && name[0] != '-' && name[0] != '.' &&
         name[0] != '_' && std::all_of(name.begin(), name.end(), plain);
}

void Plan::check() const {
  refuse_unless(is_plain_name(name), fmt::format("'{}' is not a name of a campaign", name),
                "campaign", "use letters, digits, '-', '_' and '.'; at most 64");
  refuse_unless(!store.empty(), "there is no store", "campaign", "name a file or postgresql://..");
  check_text(store, "the store");
  check_no_password(store);
  refuse_unless(!profile.series.workload.empty(), "the workload has no name", "campaign",
                "give --workload");
  check_text(profile.series.workload, "the workload");
  check_text(profile.series.kind, "the kind of workload");
  check_text(profile.cache.path, "the cached path");
  for (const auto& word : profile.measure.command) check_text(word, "the command");
  profile.measure.check();
  check_text(options.program, "the program");
  check_text(options.folder, "the folder");
  check_text(options.logs, "the folder of logs");
  check_text(options.ssh, "ssh");
  refuse_unless(options.limit_factor >= 0 && options.limit_floor_s >= 0 &&
                    options.limit_floor_s <= kLongestLimitS,
                "the time limit of a point is out of range", "campaign", "0 or more, in seconds");
  refuse_unless(options.set_aside >= 0, fmt::format("set_aside is {}", options.set_aside),
                "campaign", "give 0 or more");
  for (const auto& job : jobs) {
    for (const auto& host : job.avoid) check_host_name(host);
  }
  refuse_unless(!boards.empty(), "there is no board", "campaign", "give --boards KIND:COUNT");
  std::set<std::string> names;
  for (const auto& kind : boards) {
    check_kind(kind);
    refuse_unless(names.insert(kind.name).second, "duplicate kind of board", kind.name,
                  "give each once");
  }
}

const BoardKind& Plan::kind(const std::string& wanted) const {
  std::string known;
  for (const auto& kind : boards) {
    if (kind.name == wanted) return kind;
    known += (known.empty() ? "" : ", ") + kind.name;
  }
  throw NotFoundError(fmt::format("the campaign has no boards of kind '{}'", wanted), name,
                      "choose one of " + known);
}

std::string slot_of(const std::string& campaign, const std::string& kind,
                    const std::string& label) {
  return campaign + "/" + kind + "/" + label;
}

std::string calibration_slot(const std::string& campaign, const std::string& kind,
                             const std::string& label, const std::string& serial) {
  return slot_of(campaign, kind, label) + "/" + serial;
}

std::optional<SlotParts> parts_of_slot(const std::string& slot) {
  const auto first = slot.find('/');
  const auto second = first == std::string::npos ? first : slot.find('/', first + 1);
  if (second == std::string::npos) return std::nullopt;
  const auto third = slot.find('/', second + 1);
  SlotParts parts{slot.substr(0, first), slot.substr(first + 1, second - first - 1),
                  slot.substr(second + 1, third == std::string::npos ? third : third - second - 1),
                  third == std::string::npos ? "" : slot.substr(third + 1)};
  if (parts.campaign.empty() || parts.kind.empty() || parts.label.empty()) return std::nullopt;
  return parts;
}

std::string hash_text(const std::string& text) {
  return fmt::format("{:016x}", fnv1a(text));
}

std::vector<Task> tasks_of(const BoardKind& kind) {
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < kind.points.size(); i += kind.points_per_task) {
    const auto begin = kind.points.begin() + static_cast<std::ptrdiff_t>(i);
    const auto left = kind.points.size() - i;
    const auto count = static_cast<std::ptrdiff_t>(std::min(left, kind.points_per_task));
    tasks.push_back({static_cast<int>(tasks.size()), {begin, begin + count}});
  }
  return tasks;
}

std::size_t points_per_task(std::size_t points, std::size_t most_tasks) {
  if (most_tasks == 0) throw UsageError("--tasks is 0, but must be 1 or more");
  return std::max<std::size_t>(1, (points + most_tasks - 1) / most_tasks);
}

std::string PlannedPoint::slot_label() const {
  return rerun > 0 ? fmt::format("{}@{}", label, rerun) : label;
}

Superseded::Superseded(const Plan& plan) {
  for (const auto& kind : plan.boards) {
    for (const auto* points : {&kind.points, &kind.calibration}) {
      for (const auto& point : *points) {
        if (point.rerun > 0) newest_[kind.name + "/" + point.label] = point.slot_label();
      }
    }
  }
}

bool Superseded::has(const SlotParts& slot) const {
  if (newest_.empty()) return false;
  const auto found = newest_.find(slot.kind + "/" + label_without_rerun(slot.label));
  return found != newest_.end() && found->second != slot.label;
}

std::string label_without_rerun(const std::string& label) {
  return label.substr(0, label.find('@'));
}

std::string point_text(const PlannedPoint& point) {
  std::string text = point.slot_label() + ":" + mode_text(point.point.mode);
  if (point.point.batch > 0) text += fmt::format(",batch={}", point.point.batch);
  if (point.limit_s > 0) text += fmt::format(",limit={}", point.limit_s);
  return text;
}

PlannedPoint parse_point_text(const std::string& text) {
  const auto refuse = [&](const std::string& what) {
    return UsageError(what, text.substr(0, 200), "write LABEL:cores=4,gpu=612,batch=16");
  };
  const auto colon = text.find(':');
  PlannedPoint point;
  const std::string slot_label = text.substr(0, colon);
  point.label = label_without_rerun(slot_label);
  if (colon == std::string::npos || !is_plain_name(point.label)) throw refuse("has no label");
  if (slot_label != point.label) {
    const auto rerun = parse_int(slot_label.substr(point.label.size() + 1));
    if (!rerun || *rerun < 1 || *rerun > kMostReruns) throw refuse("has no such rerun");
    point.rerun = static_cast<int>(*rerun);
  }
  std::string mode;
  for (const auto& part : split(text.substr(colon + 1), ',')) {
    if (part.starts_with("batch=")) {
      const auto batch = parse_int(part.substr(6));
      if (!batch || *batch < 1 || *batch > kLargestBatch) throw refuse("has no such batch");
      point.point.batch = static_cast<int>(*batch);
    } else if (part.starts_with("limit=")) {
      const auto limit_s = parse_double(part.substr(6));
      if (!limit_s || !(*limit_s > 0 && *limit_s <= kLongestLimitS)) {
        throw refuse("has no such time limit");
      }
      point.limit_s = *limit_s;
    } else {
      mode += (mode.empty() ? "" : ",") + part;
    }
  }
  point.point.mode = parse_mode_text(mode);
  return point;
}

std::string ranges_text(std::vector<int> numbers) {
  std::sort(numbers.begin(), numbers.end());
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] - numbers[end - 1] <= 1) ++end;
    text += text.empty() ? "" : ",";
    text += fmt::to_string(numbers[i]);
    if (numbers[end - 1] != numbers[i]) text += fmt::format("-{}", numbers[end - 1]);
    i = end;
  }
  return text;
}

std::vector<int> parse_ranges(const std::string& text, std::size_t most) {
  std::vector<int> numbers;
  if (trim(text).empty()) return numbers;
  for (const auto& part : split(text, ',')) {
    const auto ends = split(part, '-');
    const auto first = parse_int(ends[0]);
    const auto last = parse_int(ends.back());
    const bool good = ends.size() <= 2 && first && last && *first >= 0 && *last >= *first &&
                      *last < (std::int64_t{1} << 31) &&
                      static_cast<std::size_t>(*last - *first) < most - numbers.size();
    if (!good)
      throw UsageError("is not a list of slot numbers", text.substr(0, 200), "write 0-3,7");
    for (auto i = *first; i <= *last; ++i) numbers.push_back(static_cast<int>(i));
  }
  return numbers;
}

}  // namespace ridgewatt::campaign
