#include "ridgewatt/evaluate/board_findings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/fnv.h"
#include "ridgewatt/evaluate/finding/setting.h"
#include "ridgewatt/evaluate/finding/value.h"
#include "ridgewatt/io/published.h"

namespace ridgewatt::evaluate {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
// Tolerance if no spread is published: a fifth. For changes at least 5 percentage points, since
// boards of one kind differ by up to 8 %; for figures from a table, their rounding.
constexpr double kSameShare = 0.2;
constexpr double kSamePoints = 5;
constexpr double kRounding = 0.03;

// Factor from the model's unit (SI; shares as fractions) to `unit`.
double scale_of_unit(const std::string& unit) {
  constexpr std::array<std::pair<std::string_view, double>, 14> kUnits = {{{"s", 1},
                                                                           {"ms", 1e3},
                                                                           {"min", 1. / 60},
                                                                           {"W", 1},
                                                                           {"J", 1},
                                                                           {"Wh", 1. / 3600},
                                                                           {"MHz", 1e-6},
                                                                           {"GiB", 1. / (1 << 30)},
                                                                           {"million", 1e-6},
                                                                           {"billion", 1e-9},
                                                                           {"%", 100},
                                                                           {"x", 1},
                                                                           {"count", 1},
                                                                           {"yes", 1}}};
  for (const auto& [name, scale] : kUnits) {
    if (name == unit) return scale;
  }
  throw InputError("is not a unit that findings use", unit);
}

double in_unit(double value, const std::string& unit) {
  return unit == "MHz" ? mhz_of_hz(value) : value * scale_of_unit(unit);
}

bool is_change(FindingForm form) {
  return form == FindingForm::kChange || form == FindingForm::kSpread ||
         form == FindingForm::kSaving || form == FindingForm::kSlowdown ||
         form == FindingForm::kDominated;
}

// Tolerance around a published figure.
double margin_of(const Finding& f, double figure) {
  if (f.about() == FindingKind::kDescription) return kRounding * std::abs(figure);
  if (f.unit == "yes") return 0;
  return std::max(kSameShare * std::abs(figure), is_change(f.form) ? kSamePoints : 0);
}

// Sets the accepted range: the published figure or range, widened by the tolerance at each end.
// One-sided bounds and exact ranges ("within") are not widened.
void set_accepted(Finding& f, bool exact) {
  const bool bound = exact || !std::isfinite(f.lo) || !std::isfinite(f.hi);
  f.accepted_lo = f.lo - (bound ? 0 : margin_of(f, f.lo));
  f.accepted_hi = f.hi + (bound ? 0 : margin_of(f, f.hi));
}

std::map<std::string, std::string> read_studies() {
  std::map<std::string, std::string> studies;
  CsvReader csv = open_published("studies.csv");
  const std::size_t key = csv.require_column("study"), source = csv.require_column("source");
  while (csv.next()) studies[std::string(csv.field(key))] = csv.field(source);
  return studies;
}

// Reads the rows of facts_STUDY.csv.
class FindingReader {
 public:
  FindingReader(std::string study, std::string source)
      : study_(std::move(study)),
        source_(std::move(source)),
        csv_(open_published("facts_" + study_ + ".csv")) {}

  bool next() { return csv_.next(); }
  Finding finding() const {
    Finding f;
    f.id = text("id");
    f.study = study_;
    f.source = source_;
    f.place = text("place");
    f.sentence = text("fact");
    f.board = text("board");
    f.model = text("model");
    f.cannot = text("cannot");
    f.lo = f.accepted_lo = number("lo", -kInfinite);
    f.hi = f.accepted_hi = number("hi", kInfinite);
    f.unit = text("unit");
    f.at = text("at");
    f.to = text("to");
    f.fitted = text("fitted") == "yes";
    if (f.cannot.empty()) read_question(f);
    return f;
  }

 private:
  void read_question(Finding& f) const {
    if (!text("kind").empty()) f.kind = named<WorkloadKind>("kind");
    f.batch = static_cast<int>(number("batch", 1));
    f.samples = number("samples", 0);
    f.form = named<FindingForm>("form");
    f.quantity = named<FindingQuantity>("quantity");
    scale_of_unit(f.unit);
    set_accepted(f, text("exact") == "yes");
  }
  std::string text(std::string_view name) const {
    return std::string(csv_.field(csv_.require_column(name)));
  }
  double number(std::string_view name, double absent) const {
    const std::size_t column = csv_.require_column(name);
    return csv_.field(column).empty() ? absent : csv_.number(column);
  }
  template <typename E>
  E named(std::string_view name) const {
    return csv_.named<E>(csv_.require_column(name));
  }

  std::string study_;
  std::string source_;
  CsvReader csv_;
};

// The accepted range. For a clock: one step of the clock table in each direction.
FigureRange accepted(const Finding& finding, const FindingValues& values) {
  if (finding.form != FindingForm::kBestClock) return {finding.accepted_lo, finding.accepted_hi};
  return {mhz_of_hz(values.steps_around(finding.board, hz_of_mhz(finding.lo)).lo),
          mhz_of_hz(values.steps_around(finding.board, hz_of_mhz(finding.hi)).hi)};
}

Verdict verdict_of(const FigureRange& own, const FigureRange& wanted) {
  if (own.lo >= wanted.lo && own.hi <= wanted.hi) return Verdict::kReproduced;
  if (own.hi < wanted.lo || own.lo > wanted.hi) return Verdict::kNotReproduced;
  return Verdict::kCannotTell;
}

std::string not_published(const Finding& finding) {
  std::string list;
  for (const auto& word : parse_setting(finding.at)) {
    if (word.unknown) list += (list.empty() ? "not published: " : ", ") + word.key;
  }
  return list;
}

FindingVerdict judge(const Finding& finding, FindingValues& values) {
  FindingVerdict judged;
  judged.finding = finding;
  judged.lo = judged.hi = std::numeric_limits<double>::quiet_NaN();
  judged.verdict = Verdict::kCannotAsk;
  judged.why = finding.cannot;
  if (!finding.cannot.empty()) return judged;
  try {
    const FigureRange own = values(finding);
    judged.lo = in_unit(own.lo, finding.unit);
    judged.hi = in_unit(own.hi, finding.unit);
    judged.verdict = verdict_of({judged.lo, judged.hi}, accepted(finding, values));
    judged.why = not_published(finding);
    if (finding.form == FindingForm::kInterior && own.lo < own.hi) {
      judged.why = "the energies differ by less than the accuracy of a twin";
    }
  } catch (const NotSupportedError& error) {
    judged.why = error.what();
  }
  return judged;
}

}  // namespace

FindingKind Finding::about() const {
  const bool described = quantity > FindingQuantity::kFits;
  return described ? FindingKind::kDescription : FindingKind::kBehavior;
}

bool Finding::kept_aside() const {
  const std::string section = place.substr(0, place.find(','));
  return fnv1a<std::uint32_t>(study + '|' + section + '|' + board + '|' + model) % 3 == 0;
}

std::vector<Finding> board_findings() {
  std::vector<Finding> findings;
  for (const auto& [study, source] : read_studies()) {
    for (FindingReader reader(study, source); reader.next();) findings.push_back(reader.finding());
  }
  return findings;
}

bool concerns(const Finding& finding, const std::string& board) {
  if (finding.board == board) return true;
  const std::string other = "board=" + board;
  for (auto at = finding.to.find(other); at != std::string::npos;
       at = finding.to.find(other, at + 1)) {
    const std::size_t end = at + other.size();
    if (end == finding.to.size() || finding.to[end] == ' ' || finding.to[end] == ';') return true;
  }
  return false;
}

std::vector<FindingVerdict> judge_board_findings(
    std::span<const Finding> findings,
    const std::function<const twin::Twin&(std::string board)>& twin_of) {
  FindingValues values(twin_of);
  std::vector<FindingVerdict> judged;
  for (const auto& finding : findings) judged.push_back(judge(finding, values));
  return judged;
}

}  // namespace ridgewatt::evaluate
