// The answer of a search or of a choice among estimates, as JSON and as tables for people.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/answer/tune_answer.h"
#include "ridgewatt/answer/tune_in_place.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/field.h"
#include "ridgewatt/report/job_text.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/result.h"

namespace ridgewatt::report {

struct ProfiledPoint : tune::ComparedPoint {
  std::string reason;  // why the search tried it
};
std::vector<ProfiledPoint> profiled_points(const answer::TuneAnswer& report);
// The fields of an operating point, and of the parts of an answer; JSON and Python take them.
const Fields<tune::ComparedPoint>& point_fields();
const Fields<ProfiledPoint>& profiled_fields();
const Fields<answer::Relaxation>& relaxation_fields();
const Fields<answer::NextProfile>& next_fields();
const Fields<answer::BoardWithAnswer>& other_board_fields();
// The keys of the parts.
std::vector<KeyMeaning> tune_keys();

// The contract of `tune --format json`: feasible, mode, batch, time_ms, power_w, energy_j (with _lo
// and _hi), profiled, strategy, seed, provenance; without an answer, nearest_miss.
Json tune_to_json(const answer::TuneAnswer& report);
// The same of all boards, the best first: the answer of the first, and all of them as `boards`.
Json ranking_to_json(const answer::TuneRanking& ranking);
// The errors of a twin's fit; null where it was not fitted or not checked.
Json twin_error_json(const twin::TwinFitError& fit);
// "time per sample under 30 W".
// `kind` of the sweep: says what a sample is.
std::string describe_goal(const tune::Goal& goal, const std::string& kind = {});
// An answer whole; `trace`: every profiled point, too.
Result tune_result(const answer::TuneAnswer& report, bool trace);
Result ranking_result(const answer::TuneRanking& ranking);
// What was asked, and of what; a line each.
std::vector<std::string> tune_question(const answer::TuneAnswer& report);
// What was found, or why nothing was; a line each.
std::vector<std::string> tune_headline(const answer::TuneAnswer& report);
// What the figures rest on and what the search cost; a line each.
std::vector<std::string> tune_remarks(const answer::TuneAnswer& report);
// That the power in a preset's name is no cap, where presets are named; else empty.
std::string preset_note(const answer::TuneAnswer& report);
// The answer in sentences: what it gains and costs against MAXN, and why a preset of
// a larger budget is slower than one of a smaller.
std::vector<std::string> tune_sentences(const answer::TuneAnswer& report);
// What to do without an answer, in one line.
std::string how_to_relax(const answer::TuneAnswer& report);
// The answer against the other points. Percentages are relative to the answer.
Table tune_table(const answer::TuneAnswer& report);
// One row per board, in the order given.
Table ranking_table(const answer::TuneRanking& ranking);
// Every profiled point in order, with the verdict and the reason for trying it.
Table trace_table(const answer::TuneAnswer& report);

// Of a search on a running program: tune_to_json and the key `in_place` with windows, transients,
// drift, power_limit, the minibatches that were trained, and how the program went on.
Json in_place_to_json(const answer::InPlaceAnswer& report);
// `trace`: every window, too.
Result in_place_result(const answer::InPlaceAnswer& report, bool trace);
// What tune_remarks does not contain; a line each.
std::vector<std::string> in_place_remarks(const answer::InPlaceAnswer& report);
// Every window in order.
Table windows_table(const answer::InPlaceAnswer& report);

// Limits in answers: with which confidence each is kept, and what would do where none is.

// "--max-power 10.4", "--arrival-rate 28.9", "--max-slowdown 12%": the option with a value in its
// unit.
std::string limit_option(tune::LimitKind kind, double value);
// "power with 55 %, time between batches with 70 %"; empty without limits on what is estimated.
std::string confidence_text(const std::vector<tune::LimitConfidence>& limits);
// "--max-power 10.4 or --arrival-rate 28.9 alone would do; so would another board: orin-nx-16gb
// (8.9 W),
// .."
std::string relaxation_text(const std::vector<answer::Relaxation>& relaxations,
                            const std::vector<answer::BoardWithAnswer>& boards);

// [{"limit":"power","confidence":0.55}, ..]
Json confidence_json(const std::vector<tune::LimitConfidence>& limits);
// [{"limit":"power","value":10.35,"bound":10,"over":0.035,"unit":"W"}, ..]
Json broken_json(const std::vector<tune::LimitStand>& broken);

// "15W draws up to 17.6 W": what is to be said where presets are listed, since their names look
// like limits. `drawn_w` goes with `names`; empty when no name has a power in it.
std::string preset_note(const std::vector<std::string>& names, const std::vector<double>& drawn_w);

}  // namespace ridgewatt::report
