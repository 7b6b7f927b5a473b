#include "ridgewatt/study/study_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/sort.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::study {
namespace {

constexpr std::size_t kMostLevels = 6;  // of a numeric factor; beyond, only its ends are compared

constexpr std::array<std::string_view, 14> kResponseOrder = {
    "sample_energy_j",   "minibatch_energy_j",
    "energy_j",          "sample_s",
    "minibatch_s",       "time_s",
    "power_w",           "sample_stall_s",
    "stall_s",           "sample_compute_s",
    "compute_s",         "cpu_s",
    "peak_memory_bytes", "idle_w"};

// Responses per minibatch, and their names per sample.
constexpr std::array<std::pair<const char*, const char*>, 4> kPerSample = {
    {{"minibatch_s", "sample_s"},
     {"minibatch_energy_j", "sample_energy_j"},
     {"stall_s", "sample_stall_s"},
     {"compute_s", "sample_compute_s"}}};

using Key = std::pair<std::string, StudyCell>;  // block and cell

// The logarithms of one response, by block and cell.
class LogTable {
 public:
  LogTable(const std::vector<StudyResult>& results, const std::string& response) {
    for (const auto& result : results) {
      const auto found = result.responses.find(response);
      if (found == result.responses.end() || !(found->second > 0)) continue;
      values_[{result.block, result.cell}] = std::log(found->second);
    }
  }
  const std::map<Key, double>& values() const { return values_; }
  std::optional<double> at(const std::string& block, const StudyCell& cell) const {
    const auto found = values_.find({block, cell});
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }
  // Returns the mean ln ratio of level `to` over level `from` of factor f for each block, over all
  // cells that were measured at both levels.
  std::map<std::string, double> contrasts(std::size_t f, const std::string& from,
                                          const std::string& to) const {
    std::map<std::string, std::pair<double, int>> sums;
    for (const auto& [key, value] : values_) {
      if (key.second[f] != from) continue;
      StudyCell other = key.second;
      other[f] = to;
      const auto changed = at(key.first, other);
      if (!changed) continue;
      sums[key.first].first += *changed - value;
      ++sums[key.first].second;
    }
    std::map<std::string, double> means;
    for (const auto& [block, sum] : sums) means[block] = sum.first / sum.second;
    return means;
  }
  LogTable only(std::size_t f, const std::string& level) const {
    LogTable part = *this;
    std::erase_if(part.values_, [&](const auto& entry) { return entry.first.second[f] != level; });
    return part;
  }

 private:
  std::map<Key, double> values_;
};

std::vector<double> values_of(const std::map<std::string, double>& by_block) {
  std::vector<double> values;
  for (const auto& [block, value] : by_block) values.push_back(value);
  return values;
}

class Analysis {
 public:
  Analysis(const Study& study, const std::vector<StudyResult>& results, bool replayed)
      : study_(study), replayed_(replayed), responses_(common_responses(results)) {
    std::erase_if(responses_, [&](const auto& response) {
      return !study.responses.empty() && !contains(study.responses, response);
    });
    for (const auto& response : responses_) tables_.emplace_back(results, response);
  }

  StudyAnalysis run() {
    for (std::size_t r = 0; r < responses_.size(); ++r) {
      for (std::size_t f = 0; f < study_.factors.size(); ++f) effects(r, f);
      interactions(r);
      if (!replayed_) spread(r);
    }
    if (const auto energy = find(kEnergyResponses)) {
      for (std::size_t f = 0; f < study_.factors.size(); ++f) optimum(*energy, f);
      best(*energy);
    }
    result_.findings = study_findings(study_, result_);
    for (std::size_t f = 0; f < study_.factors.size() && !responses_.empty(); ++f) add_unknown(f);
    return std::move(result_);
  }

 private:
  const std::string& response(std::size_t r) const { return responses_[r]; }
  // Returns the index of the first of `names` that is a response.
  std::optional<std::size_t> find(std::span<const std::string_view> names) const {
    for (const auto name : names) {
      const auto found = std::find(responses_.begin(), responses_.end(), name);
      if (found != responses_.end()) return static_cast<std::size_t>(found - responses_.begin());
    }
    return std::nullopt;
  }

  bool ends_only(std::size_t f) const {
    return is_numeric(study_.factors[f]) && study_.factors[f].levels.size() > kMostLevels;
  }

  void effects(std::size_t r, std::size_t f) {
    if (!study_.factors[f].asked) return;
    const auto& levels = study_.factors[f].levels;
    for (std::size_t i = ends_only(f) ? levels.size() - 1 : 1; i < levels.size(); ++i) {
      const auto interval =
          student_interval(values_of(tables_[r].contrasts(f, levels.front(), levels[i])));
      if (interval.count == 0) continue;
      result_.effects.push_back({study_.factors[f].name, levels.front(), levels[i], response(r),
                                 std::exp(interval.mean), std::exp(interval.lo),
                                 std::exp(interval.hi), interval.count});
    }
  }

  // If no levels of factor f could be compared, adds the reason to the findings.
  void add_unknown(std::size_t f) {
    const StudyFactor& factor = study_.factors[f];
    const bool known =
        std::any_of(result_.effects.begin(), result_.effects.end(),
                    [&](const auto& effect) { return effect.factor == factor.name; });
    if (known || !factor.asked || factor.levels.size() < 2) return;
    result_.findings.push_back(fmt::format(
        "the effect of {} is not known: no two runs at {} and at {} have equal other settings",
        factor.name, factor.levels.front(), ends_only(f) ? factor.levels.back() : "another level"));
  }

  void interactions(std::size_t r) {
    for (std::size_t f = 0; f < study_.factors.size(); ++f) {
      for (std::size_t o = f + 1; o < study_.factors.size(); ++o) {
        const auto& levels = study_.factors[f].levels;
        const auto& others = study_.factors[o].levels;
        const auto first =
            tables_[r].only(o, others.front()).contrasts(f, levels.front(), levels.back());
        const auto last =
            tables_[r].only(o, others.back()).contrasts(f, levels.front(), levels.back());
        std::vector<double> differences;
        for (const auto& [block, value] : first) {
          if (last.contains(block)) differences.push_back(last.at(block) - value);
        }
        const auto interval = student_interval(differences);
        if (interval.count < 2) continue;
        result_.interactions.push_back({study_.factors[f].name, study_.factors[o].name, response(r),
                                        std::exp(interval.mean), std::exp(interval.lo),
                                        std::exp(interval.hi)});
      }
    }
  }

  void spread(std::size_t r) {
    std::map<std::string, std::vector<double>> blocks;
    std::map<StudyCell, std::vector<double>> cells;
    for (const auto& [key, value] : tables_[r].values()) blocks[key.first].push_back(value);
    const bool one_cell = blocks.empty() || blocks.begin()->second.size() < 2;
    for (const auto& [key, value] : tables_[r].values()) {
      cells[key.second].push_back(value - (one_cell ? 0 : mean(blocks[key.first])));
    }
    double squares = 0;
    int degrees = 0;
    for (const auto& [cell, values] : cells) {
      const double center = mean(values);
      for (const double value : values) squares += (value - center) * (value - center);
      degrees += static_cast<int>(values.size()) - 1;
    }
    if (!one_cell) degrees -= static_cast<int>(blocks.size()) - 1;
    if (degrees < 1) return;
    const double cv = std::sqrt(squares / degrees);
    // Interval of a standard deviation, with the chi-square approximation of Wilson and Hilferty,
    // which is accurate to a few percent.
    const auto chi = [&](double z) {
      const double term = 2.0 / (9 * degrees);
      return degrees * std::pow(1 - term + z * std::sqrt(term), 3);
    };
    result_.spreads.push_back({response(r), cv, std::sqrt(squares / chi(1.96)),
                               std::sqrt(squares / std::max(chi(-1.96), 1e-3))});
  }

  // Finds the best level of factor f in each group of cells that differ only in this factor.
  void optimum(std::size_t r, std::size_t f) {
    const auto& factor = study_.factors[f];
    if (!is_numeric(factor) || factor.levels.size() < 3) return;
    std::map<Key, std::map<double, double>> groups;
    for (const auto& [key, value] : tables_[r].values()) {
      StudyCell others = key.second;
      const double level = *parse_double(others[f]);
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(f));
      groups[{key.first, others}][level] = value;
    }
    const auto time = find(kTimeResponses);
    StudyOptimum optimum{.factor = factor.name, .response = response(r)};
    std::vector<double> levels;
    std::vector<double> savings;
    std::vector<double> slowdowns;
    for (const auto& [key, curve] : groups) {
      if (curve.size() < 3) continue;
      const auto least = std::min_element(curve.begin(), curve.end(),
                                          [](auto& a, auto& b) { return a.second < b.second; });
      GroupOptimum group{.group = key.first, .level = least->first};
      for (const auto& level : key.second) group.group += (group.group.empty() ? "" : ", ") + level;
      group.interior = least != curve.begin() && least != std::prev(curve.end());
      group.saving = 1 - std::exp(least->second - curve.rbegin()->second);
      if (time) group.slowdown = slowdown(*time, f, key, least->first, curve.rbegin()->first);
      optimum.interior += group.interior ? 1 : 0;
      optimum.highest += least == std::prev(curve.end()) ? 1 : 0;
      levels.push_back(group.level);
      savings.push_back(group.saving);
      slowdowns.push_back(group.slowdown);
      optimum.groups.push_back(std::move(group));
    }
    if (levels.empty()) return;
    optimum.median_level = median(levels);
    optimum.saving = student_interval(savings);
    optimum.slowdown = student_interval(slowdowns);
    result_.optima.push_back(std::move(optimum));
  }

  double slowdown(std::size_t r, std::size_t f, const Key& group, double level, double top) const {
    const auto at = [&](double value) {
      for (const auto& name : study_.factors[f].levels) {
        if (*parse_double(name) != value) continue;
        StudyCell cell = group.second;
        cell.insert(cell.begin() + static_cast<std::ptrdiff_t>(f), name);
        return tables_[r].at(group.first, cell);
      }
      return std::optional<double>();
    };
    const auto here = at(level);
    const auto there = at(top);
    return here && there ? std::exp(*here - *there) - 1 : 0;
  }

  void best(std::size_t r) {
    StudyCell top;
    int numeric = 0;
    for (const auto& factor : study_.factors) {
      if (!is_numeric(factor) || factor.name == "batch" || factor.name == "workers") return;
      ++numeric;
      top.push_back(*std::max_element(
          factor.levels.begin(), factor.levels.end(),
          [](const auto& a, const auto& b) { return *parse_double(a) < *parse_double(b); }));
    }
    if (numeric < 2) return;  // with one factor, its optimum already is the best cell
    std::map<std::string, std::pair<double, StudyCell>> least;
    for (const auto& [key, value] : tables_[r].values()) {
      const auto [place, is_new] = least.try_emplace(key.first, value, key.second);
      if (!is_new && value < place->second.first) place->second = {value, key.second};
    }
    std::vector<double> savings;
    std::map<StudyCell, int> counts;
    for (const auto& [block, entry] : least) {
      const auto at_top = tables_[r].at(block, top);
      if (!at_top) continue;
      savings.push_back(1 - std::exp(entry.first - *at_top));
      ++counts[entry.second];
    }
    if (savings.empty()) return;
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](auto& a, auto& b) { return a.second < b.second; });
    std::string cell;
    for (std::size_t f = 0; f < study_.factors.size(); ++f) {
      cell += fmt::format("{}{} {}", f > 0 ? ", " : "", study_.factors[f].name, most->first[f]);
    }
    result_.best.push_back({response(r), student_interval(savings), cell});
  }

  const Study& study_;
  bool replayed_;
  std::vector<std::string> responses_;
  std::vector<LogTable> tables_;
  StudyAnalysis result_;
};

}  // namespace

void use_samples(Study& study, std::vector<StudyResult>& results,
                 const std::vector<double>& batches) {
  for (const auto& [of_minibatch, of_sample] : kPerSample) {
    std::replace(study.responses.begin(), study.responses.end(), std::string(of_minibatch),
                 std::string(of_sample));
    for (std::size_t i = 0; i < results.size(); ++i) {
      auto& responses = results[i].responses;
      const auto found = responses.find(of_minibatch);
      if (found == responses.end()) continue;
      responses[of_sample] = found->second / batches[i];
      responses.erase(of_minibatch);
    }
  }
}

void use_samples(Study& study, std::vector<StudyResult>& results) {
  const auto factor = std::find_if(study.factors.begin(), study.factors.end(),
                                   [](const auto& f) { return f.name == "batch"; });
  if (factor == study.factors.end()) return;
  std::vector<double> batches;
  for (const auto& result : results) {
    const auto& level = result.cell[static_cast<std::size_t>(factor - study.factors.begin())];
    batches.push_back(parse_double(level).value_or(1));
  }
  use_samples(study, results, batches);
}

std::vector<std::string> common_responses(const std::vector<StudyResult>& results) {
  std::vector<std::string> names;
  if (results.empty()) return names;
  for (const auto& first : results.front().responses) {
    const std::string& name = first.first;
    const bool common = std::all_of(results.begin(), results.end(), [&](const auto& result) {
      const auto found = result.responses.find(name);
      return found != result.responses.end() && found->second > 0;
    });
    if (common) names.push_back(name);
  }
  const auto rank = [](const std::string& name) {
    return std::find(kResponseOrder.begin(), kResponseOrder.end(), name) - kResponseOrder.begin();
  };
  sort_stably(names, [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return names;
}

StudyAnalysis analyze_study(const Study& study, const std::vector<StudyResult>& results,
                            bool replayed) {
  return Analysis(study, results, replayed).run();
}

}  // namespace ridgewatt::study
