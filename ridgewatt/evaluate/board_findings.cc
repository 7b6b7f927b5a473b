#include "ridgewatt/evaluate/board_findings.h"

#include <array>
#include <limits>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/evaluate/finding/setting.h"
#include "ridgewatt/evaluate/finding/value.h"
#include "ridgewatt/io/published.h"

namespace ridgewatt::evaluate {
namespace {

// Of a unit in what the twin is asked in: SI, shares as fractions.
double scale_of_unit(const std::string& unit) {
  constexpr std::array<std::pair<std::string_view, double>, 8> kUnits = {
      {{"s", 1}, {"ms", 1e3}, {"W", 1}, {"J", 1}, {"MHz", 1e-6}, {"%", 100}, {"x", 1}, {"yes", 1}}};
  for (const auto& [name, scale] : kUnits) {
    if (name == unit) return scale;
  }
  throw InputError("is not a unit of a finding", unit);
}

double in_unit(double value, const std::string& unit) {
  return unit == "MHz" ? mhz_of_hz(value) : value * scale_of_unit(unit);
}

class FindingReader {
 public:
  Finding finding() const {
    Finding f;
    f.id = text("id");
    f.source = text("source");
    f.sentence = text("sentence");
    f.board = text("board");
    f.model = text("model");
    f.kind = named<WorkloadKind>("kind");
    f.batch = static_cast<int>(number("batch", 1));
    f.samples = number("samples", 0);
    f.form = named<FindingForm>("form");
    f.quantity = named<FindingQuantity>("quantity");
    f.at = text("at");
    f.to = text("to");
    f.lo = number("lo", -std::numeric_limits<double>::infinity());
    f.hi = number("hi", std::numeric_limits<double>::infinity());
    f.unit = text("unit");
    f.margin = number("margin", 0);
    scale_of_unit(f.unit);
    return f;
  }
  bool next() { return csv_.next(); }

 private:
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

  CsvReader csv_ = open_published("board_findings.csv");
};

// What counts as the same: the published range and its margin; of a clock, one step of the table.
FigureRange accepted(const Finding& finding, const FindingValues& values) {
  if (finding.form != FindingForm::kBestClock) {
    return {finding.lo - finding.margin, finding.hi + finding.margin};
  }
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
    if (word.values.size() < 2) continue;
    list += (list.empty() ? "not published: " : ", ") + word.key;
  }
  return list;
}

FindingVerdict judge(const Finding& finding, FindingValues& values) {
  FindingVerdict judged;
  judged.finding = finding;
  try {
    const FigureRange own = values(finding);
    judged.lo = in_unit(own.lo, finding.unit);
    judged.hi = in_unit(own.hi, finding.unit);
    judged.verdict = verdict_of({judged.lo, judged.hi}, accepted(finding, values));
    judged.why = not_published(finding);
    if (finding.form == FindingForm::kInterior && own.lo < own.hi) {
      judged.why = "the energies differ by less than a twin can tell";
    }
  } catch (const NotSupportedError& error) {
    judged.lo = judged.hi = std::numeric_limits<double>::quiet_NaN();
    judged.why = error.what();
  }
  return judged;
}

}  // namespace

std::vector<Finding> board_findings() {
  std::vector<Finding> findings;
  for (FindingReader reader; reader.next();) findings.push_back(reader.finding());
  return findings;
}

bool concerns(const Finding& finding, const std::string& board) {
  if (finding.board == board) return true;
  if (finding.form != FindingForm::kRatio && finding.form != FindingForm::kChange) return false;
  for (const auto& word : parse_setting(finding.to)) {
    if (word.key == "board" && word.values.front() == board) return true;
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
