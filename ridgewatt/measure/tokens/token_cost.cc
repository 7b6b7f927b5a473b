#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/sort.h"
#include "ridgewatt/io/csv.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/measure/token_runs.h"

namespace ridgewatt::measure {
namespace {

// A change in the numbers of requests in prefill (`reading`) and in decode.
struct PhaseChange {
  double time_s = 0;
  int reading = 0, decoding = 0;
};

std::vector<PhaseChange> changes_of(std::span<const TokenRequest> requests) {
  std::vector<PhaseChange> changes;
  for (const auto& request : requests) {
    if (!(request.begin_s <= request.first_s && request.first_s <= request.end_s)) {
      throw InputError("a request ends before it begins");
    }
    changes.push_back({request.begin_s, 1, 0});
    changes.push_back({request.first_s, -1, 1});
    changes.push_back({request.end_s, 0, -1});
  }
  sort_stably(changes, [](const auto& a, const auto& b) { return a.time_s < b.time_s; });
  return changes;
}

// The valid samples of a trace. For each window, only the few samples around it are integrated.
class ValidPower {
 public:
  explicit ValidPower(const PowerTrace& trace) {
    for (std::size_t i = 0; i < trace.times_s.size(); ++i) {
      if (!std::isfinite(trace.powers_w[i])) continue;
      times_s_.push_back(trace.times_s[i]);
      powers_w_.push_back(trace.powers_w[i]);
    }
  }
  bool covers(double begin_s, double end_s) const {
    return !times_s_.empty() && times_s_.front() <= end_s && times_s_.back() >= begin_s;
  }
  void add(double begin_s, double end_s, SpanCost& cost) const {
    if (!(end_s > begin_s)) return;
    // Two more samples on either side: the error bound needs the steps next to the window.
    const auto first = std::lower_bound(times_s_.begin(), times_s_.end(), begin_s);
    const auto last = std::upper_bound(times_s_.begin(), times_s_.end(), end_s);
    const auto from =
        static_cast<std::size_t>(std::max<std::ptrdiff_t>(first - times_s_.begin() - 2, 0));
    const auto until = static_cast<std::size_t>(std::min<std::ptrdiff_t>(
        last - times_s_.begin() + 2, static_cast<std::ptrdiff_t>(times_s_.size())));
    const auto part =
        integrate_power(std::span(times_s_).subspan(from, until - from),
                        std::span(powers_w_).subspan(from, until - from), begin_s, end_s);
    cost.time_s += end_s - begin_s;
    cost.energy_j += part.energy_j;
    cost.error_j += part.error_j;
    cost.samples += part.samples;
  }

 private:
  std::vector<double> times_s_, powers_w_;
};

// A span in which all open requests decode, for counting tokens.
struct DecodeSpan {
  double begin_s = 0, end_s = 0;
};

double tokens_within(const TokenRequest& request, const std::vector<DecodeSpan>& spans) {
  const double decode_s = request.end_s - request.first_s;
  if (!(decode_s > 0)) return 0;
  double share = 0;
  if (request.token_times_s.size() < 2) {  // assumes evenly spaced tokens
    for (const auto& span : spans) {
      const double overlap_s =
          std::min(span.end_s, request.end_s) - std::max(span.begin_s, request.first_s);
      share += std::max(overlap_s, 0.0) / decode_s;
    }
    return share * request.decoded_tokens();
  }
  // Counts received pieces and assumes that each has the same number of tokens. A token belongs to
  // the time before it.
  double inside = 0, all = 0;
  auto span = spans.begin();
  for (const double time_s : request.token_times_s) {
    if (time_s <= request.first_s && request.first_s > request.begin_s) continue;
    ++all;
    while (span != spans.end() && span->end_s < time_s) ++span;
    inside += span != spans.end() && time_s > span->begin_s ? 1 : 0;
  }
  return all > 0 ? request.decoded_tokens() * inside / all : 0;
}

std::optional<EnergySum> energy_per(const SpanCost& cost, double count) {
  if (!(count > 0) || !(cost.time_s > 0)) return std::nullopt;
  return EnergySum{cost.energy_j / count, cost.error_j / count};
}

}  // namespace

SpanCost TokenCost::open() const {
  SpanCost sum;
  for (const SpanCost* part : {&prefill, &decode, &both}) {
    sum.time_s += part->time_s;
    sum.energy_j += part->energy_j;
    sum.error_j += part->error_j;
    sum.samples += part->samples;
  }
  return sum;
}

std::optional<EnergySum> TokenCost::joules_per_token() const {
  return energy_per(decode, decoded_tokens);
}

std::optional<EnergySum> TokenCost::request_joules_per_token() const {
  return energy_per(open(), output_tokens);
}

std::optional<EnergySum> TokenCost::request_j() const {
  return energy_per(open(), static_cast<double>(requests));
}

std::optional<EnergySum> TokenCost::less_idle(const std::optional<EnergySum>& energy,
                                              double time_s) const {
  if (!energy || !idle_w) return std::nullopt;
  return EnergySum{energy->energy_j - *idle_w * time_s, energy->error_j};
}

TokenCost split_energy(std::span<const TokenRequest> requests, const PowerTrace& power,
                       std::optional<double> idle_w) {
  if (requests.empty())
    throw NotSupportedError(
        "no request has time stamps, so the energy cannot be divided between prefill and decode",
        "", "give profile_export.jsonl of aiperf, or a result of vLLM with --save-detailed");
  const auto changes = changes_of(requests);
  const ValidPower samples(power);
  if (!samples.covers(changes.front().time_s, changes.back().time_s)) {
    throw NotSupportedError("no power sample was taken during a request", "",
                            "record power during the requests, with time stamps of the same clock");
  }
  TokenCost cost;
  cost.idle_w = idle_w;
  cost.requests = requests.size();
  std::vector<DecodeSpan> decoding;
  int reading_now = 0, decoding_now = 0;
  for (std::size_t i = 0; i < changes.size();) {
    const double begin_s = changes[i].time_s;
    for (; i < changes.size() && changes[i].time_s == begin_s; ++i) {
      reading_now += changes[i].reading;
      decoding_now += changes[i].decoding;
    }
    if (i == changes.size()) break;
    SpanCost& into = reading_now > 0 ? (decoding_now > 0 ? cost.both : cost.prefill)
                                     : (decoding_now > 0 ? cost.decode : cost.between);
    samples.add(begin_s, changes[i].time_s, into);
    if (&into == &cost.decode) decoding.push_back({begin_s, changes[i].time_s});
  }
  for (SpanCost* part : {&cost.prefill, &cost.decode, &cost.both, &cost.between}) {
    if (part->time_s > 0 && part->samples < 2) part->error_j = kUnknownBound;
  }
  for (const auto& request : requests) {
    cost.output_tokens += request.output_tokens;
    cost.decoded_tokens += tokens_within(request, decoding);
  }
  return cost;
}

PowerTrace read_power_log(const std::string& path, TokenClock clock) {
  std::string text = read_file(path);
  text.resize(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
  const CsvTable table = parse_csv(text, path);
  const char* wanted = clock == TokenClock::kUnix ? "unix_s" : "time_s";
  const auto time = table.column(wanted);
  if (!time) {
    throw InputError(std::string("the power file lacks the column ") + wanted, path,
                     "the time stamps of the requests use the clock of this column");
  }
  const auto power = table.column("power_w");
  const std::size_t first = power ? *power : table.require_column("voltage_v");
  const std::size_t second = power ? *power : table.require_column("current_a");
  PowerTrace trace{"meter", true, {}, {}};
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const double time_s = table.number(row, *time);
    if (!trace.times_s.empty() && !(time_s > trace.times_s.back())) {
      throw InputError("the times are not in ascending order", table.where(row));
    }
    trace.times_s.push_back(time_s);
    trace.powers_w.push_back(table.number(row, first) * (power ? 1 : table.number(row, second)));
  }
  return trace;
}

}  // namespace ridgewatt::measure
