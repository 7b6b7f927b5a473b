// Limits in answers: with which confidence each is kept, and what would mend it where none is.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/answer/tune_answer.h"
#include "ridgewatt/io/json.h"

namespace ridgewatt::report {

// "--max-power 10.4", "--arrival-rate 28.9", "--max-slowdown 12%": the option with a value in its
// unit.
std::string limit_option(tune::LimitKind kind, double value);
// "power with 55 %, time between batches with 70 %"; empty without limits on what is estimated.
std::string confidence_text(const std::vector<tune::LimitConfidence>& limits);
// The least of them; 1 when there are none.
double least_confidence(const std::vector<tune::LimitConfidence>& limits);
// "--max-power 10.4 or --arrival-rate 28.9 alone would do; so would another board: orin-nx-16gb
// (8.9 W),
// .."
std::string mend_text(const std::vector<answer::Mend>& mends,
                      const std::vector<answer::BoardWithAnswer>& boards);

// [{"limit":"power","confidence":0.55}, ..]
Json confidence_json(const std::vector<tune::LimitConfidence>& limits);
// [{"limit":"power","value":10.35,"bound":10,"over":0.035,"unit":"W"}, ..]: the broken ones.
Json broken_json(const tune::Goal& goal, const Observation& seen);
// [{"limit":"power","option":"--max-power 10.4","mode":{..},"batch":2}, ..]
Json mend_json(const std::vector<answer::Mend>& mends);
Json boards_json(const std::vector<answer::BoardWithAnswer>& boards);

// "15W draws up to 17.6 W": what is to be said where presets are listed, since their names look
// like limits. `drawn_w` goes with `names`; empty when no name has a power in it.
std::string preset_note(const std::vector<std::string>& names, const std::vector<double>& drawn_w);

}  // namespace ridgewatt::report
