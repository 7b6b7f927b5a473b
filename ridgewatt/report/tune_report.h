// Results of `tune`: a search, or a choice among estimates, as JSON and as tables.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/answer/tune_answer.h"
#include "ridgewatt/answer/tune_in_place.h"
#include "ridgewatt/answer/tune_request.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/field.h"
#include "ridgewatt/report/job_report.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/result.h"

namespace ridgewatt::report {

struct ProfiledPoint : tune::ComparedPoint {
  std::string reason;  // why the search profiled it
};
std::vector<ProfiledPoint> profiled_points(const answer::TuneAnswer& report);
// The points of earlier runs that the search used and that are not among the profiled ones.
std::vector<tune::SearchStep> stored_steps(const answer::TuneAnswer& report);
std::vector<ProfiledPoint> stored_points(const answer::TuneAnswer& report);
// The fields of the parts of an answer, such as an operating point, for JSON and Python.
const Fields<tune::ComparedPoint>& point_fields();
const Fields<ProfiledPoint>& profiled_fields();
const Fields<answer::Relaxation>& relaxation_fields();
const Fields<answer::NextProfile>& next_fields();
const Fields<answer::BoardWithAnswer>& other_board_fields();

// The documented JSON of `tune`: feasible, mode, batch, time_ms, power_w, energy_j (with _lo and
// _hi), profiled, strategy, seed, provenance; if infeasible, nearest_miss.
Json tune_to_json(const answer::TuneAnswer& report);
// The answers for several boards, the best first: the keys of the first answer, and all answers as
// `boards`.
Json ranking_to_json(const answer::TuneRanking& ranking);
// The errors of a twin's fit; null if it was not fitted or not validated.
Json twin_error_json(const twin::TwinFitError& fit);
// "time per sample under 30 W". The `kind` of the sweep defines what a sample is.
std::string describe_goal(const tune::Goal& goal, const std::string& kind = {});
// The complete result. `trace`: includes every profiled point.
Result tune_result(const answer::TuneAnswer& report, bool trace);
// The result of a reply: its ranking or, without one, its answer.
Result reply_result(const answer::TuneReply& reply, bool trace);
// Remarks on a ranking as a whole: boards that wait for data, and powers that count different
// parts.
std::vector<std::string> ranking_remarks(const answer::TuneRanking& ranking);
// The question: goal, workload, board; one string per line.
std::vector<std::string> tune_question(const answer::TuneAnswer& report);
// The answer, or why there is none; one string per line.
std::vector<std::string> tune_headline(const answer::TuneAnswer& report);
// Cautions about the answer: idle power, a wide interval, presets, the module's limit; one string
// per line.
std::vector<std::string> tune_cautions(const answer::TuneAnswer& report);
// The basis of the figures, the cautions and the cost of the search; one string per line.
std::vector<std::string> tune_remarks(const answer::TuneAnswer& report);
// A note that the power in a preset's name is no limit; empty if no preset is named.
std::string preset_note(const answer::TuneAnswer& report);
// Explanations: the gain and cost relative to MAXN, and why a preset with a larger budget is slower
// than one with a smaller budget.
std::vector<std::string> tune_sentences(const answer::TuneAnswer& report);
// What to do if there is no answer, in one line.
std::string how_to_relax(const answer::TuneAnswer& report);
// The answer and the points to compare. Percentages are relative to the answer.
Table tune_table(const answer::TuneAnswer& report);
// One row per board, in the given order.
Table ranking_table(const answer::TuneRanking& ranking);
// All profiled points in order, with their verdict and the reason for profiling them.
Table trace_table(const answer::TuneAnswer& report);

// A search on a running program: tune_to_json and the key `in_place` with windows, transients,
// drift, power_limit, the number of completed minibatches, and how the program continued.
Json in_place_to_json(const answer::InPlaceAnswer& report);
// `trace`: includes every window.
Result in_place_result(const answer::InPlaceAnswer& report, bool trace);
// Remarks that tune_remarks does not contain; one string per line.
std::vector<std::string> in_place_remarks(const answer::InPlaceAnswer& report);
// All windows in order.
Table windows_table(const answer::InPlaceAnswer& report);

// The functions below format limits: the confidence with which each limit is met and, without an
// answer, the limits that would be feasible.

// The option with a value in its unit: "--max-power 10.4", "--arrival-rate 28.9", "--max-slowdown
// 12%".
std::string limit_option(tune::LimitKind kind, double value);
// "power with 55 %, time between batches with 70 % (--confidence 0.95 requires a higher
// probability)"; empty if no limit applies to an estimate.
std::string confidence_text(const std::vector<tune::LimitConfidence>& limits);
// "--max-power 10.4 or --arrival-rate 28.9 alone would be enough; boards that meet the limits:
// orin-nx-16gb (8.9 W), .."
std::string relaxation_text(const std::vector<answer::Relaxation>& relaxations,
                            const std::vector<answer::BoardWithAnswer>& boards);

// [{"limit":"power","confidence":0.55}, ..]
Json confidence_json(const std::vector<tune::LimitConfidence>& limits);
// [{"limit":"power","value":10.35,"bound":10,"over":0.035,"unit":"W"}, ..]
Json broken_json(const std::vector<tune::LimitStand>& broken);

// A note for lists of presets, whose names look like limits: "15W draws up to 17.6 W". drawn_w[i]
// is the power of names[i]. Empty if no name contains a power.
std::string preset_note(const std::vector<std::string>& names, const std::vector<double>& drawn_w);
// "the power includes waits for data, ..". `share` of the period is waits; empty if it is small.
std::string waits_note(double share);
// "the interval is wide: " and the reasons; empty if there are none.
std::string wide_note(const std::vector<std::string>& reasons);
// Sets the key `remarks` of an answer to the non-empty remarks, if there are any.
void put_remarks(std::vector<std::string> remarks, Json& json);
// Returns `preset`, or an empty string if the mode has a power limit of the firmware, because the
// power in the name of such a preset is then a real limit.
std::string name_without_cap(std::string preset, const PowerMode& mode);
// A note on presets among `modes` that switch SMs off. Empty without such a preset.
std::string sms_note(const Board& board, const std::vector<PowerMode>& modes);

}  // namespace ridgewatt::report
