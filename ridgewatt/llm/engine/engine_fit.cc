#include "ridgewatt/llm/engine_fit.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "ridgewatt/llm/engine_facts.h"
#include "ridgewatt/numerics/minimize.h"
#include "ridgewatt/numerics/posterior.h"

namespace ridgewatt::llm {
namespace {

// A group (board, model, quantization) counts as at most this number of cells with independent
// errors.
constexpr double kCellsOfGroup = 4;
constexpr int kRounds = 30;  // rounds that fit means and engines in turn

// A part of an engine: its terms, its member, the measured figure, and the function that predicts
// it.
template <std::size_t N>
struct FittedPart {
  std::span<const EngineTerm> terms;
  EnginePart<N> Engine::*part;
  double EngineRow::*measured;
  double (*predict)(const Engine&, const EngineRow&);
};
const FittedPart<kStepTerms> kStepPart = {
    step_terms(), &Engine::step, &EngineRow::step_s,
    [](const Engine& e, const EngineRow& row) { return e.step_s(row.decode, row.hardware); }};
const FittedPart<kPromptTerms> kPromptPart = {
    prompt_terms(), &Engine::prompt, &EngineRow::prompt_s,
    [](const Engine& e, const EngineRow& row) { return e.prompt_s(row.prompt, row.hardware); }};
const FittedPart<kDrawTerms> kDrawPart = {draw_terms(), &Engine::draw, &EngineRow::decode_power_w,
                                          metered_decode_w};
const FittedPart<kPromptDrawTerms> kPromptDrawPart = {
    prompt_draw_terms(), &Engine::prompt_draw, &EngineRow::prefill_power_w, metered_prefill_w};

struct WeighedRow {
  const EngineRow* row = nullptr;
  double scale = 0;  // factor of the residual
};

std::vector<WeighedRow> weighed(const std::vector<const EngineRow*>& rows,
                                double EngineRow::*measured) {
  using Group = std::tuple<std::string, std::string, std::string>;
  const auto group = [](const EngineRow& row) {
    return Group(row.board, row.model, row.quantization);
  };
  std::map<Group, double> sizes;
  for (const EngineRow* row : rows) {
    if (row->fitted && !std::isnan(row->*measured)) sizes[group(*row)] += 1;
  }
  std::vector<WeighedRow> all;
  for (const EngineRow* row : rows) {
    if (!row->fitted || std::isnan(row->*measured)) continue;
    const double size = sizes.at(group(*row));
    all.push_back({row, std::sqrt(std::min(1.0, kCellsOfGroup / size)) / kCellSd});
  }
  return all;
}

// The rows of one engine that each part is fitted to.
struct EngineRowsByPart {
  std::vector<WeighedRow> prompt, step, prompt_draw, draw;
  explicit EngineRowsByPart(const std::vector<const EngineRow*>& rows)
      : prompt(weighed(rows, kPromptPart.measured)),
        step(weighed(rows, kStepPart.measured)),
        prompt_draw(weighed(rows, kPromptDrawPart.measured)),
        draw(weighed(rows, kDrawPart.measured)) {}
};

// Fits a part of `engine` to its rows. The current values of the part are the prior.
template <std::size_t N>
void fit_part(Engine& engine, const std::vector<WeighedRow>& rows, const FittedPart<N>& fitted) {
  EnginePart<N>& part = engine.*(fitted.part);
  part.rows = rows.size();
  if (rows.empty()) return;
  constexpr auto kSize = static_cast<Eigen::Index>(N);
  const auto cells = static_cast<Eigen::Index>(rows.size());
  Eigen::VectorXd prior(kSize), deviation(kSize);
  for (Eigen::Index i = 0; i < kSize; ++i) {
    prior[i] = std::log(part.value[static_cast<std::size_t>(i)]);
    deviation[i] = fitted.terms[static_cast<std::size_t>(i)].engine_sd;
  }
  const auto set = [&](const Eigen::VectorXd& logs) {
    for (Eigen::Index i = 0; i < kSize; ++i) {
      part.value[static_cast<std::size_t>(i)] = std::exp(logs[i]);
    }
  };
  const auto errors = [&](const Eigen::VectorXd& logs, Eigen::VectorXd& residuals) {
    set(logs);
    for (Eigen::Index i = 0; i < cells; ++i) {
      const WeighedRow& one = rows[static_cast<std::size_t>(i)];
      const double predicted = fitted.predict(engine, *one.row);
      residuals[i] = one.scale * std::log(predicted / (one.row->*(fitted.measured)));
    }
    residuals.tail(kSize) = (logs - prior).cwiseQuotient(deviation);
  };
  const Residuals all = [&](const Eigen::VectorXd& logs, Eigen::VectorXd& residuals,
                            Eigen::MatrixXd* jacobian) {
    residuals.resize(cells + kSize);
    errors(logs, residuals);
    if (jacobian == nullptr) return;
    jacobian->resize(cells + kSize, kSize);
    constexpr double kStep = 1e-5;
    Eigen::VectorXd moved(cells + kSize);
    for (Eigen::Index i = 0; i < kSize; ++i) {
      Eigen::VectorXd place = logs;
      place[i] += kStep;
      errors(place, moved);
      jacobian->col(i) = (moved - residuals) / kStep;
    }
  };
  Eigen::VectorXd logs = prior;
  minimize_squares(all, logs, {.max_iterations = 60});
  Eigen::VectorXd residuals;
  Eigen::MatrixXd jacobian;
  all(logs, residuals, &jacobian);
  set(logs);
  const Posterior known = posterior(jacobian, "engine");
  std::copy(known.deviations.begin(), known.deviations.end(), part.log_sd.begin());
}

// The most probable mean of engines at their current values. Its deviations are from the engines'
// own cells, without the prior of each engine.
template <std::size_t N>
EnginePart<N> mean_of(const std::map<std::string, Engine, std::less<>>& engines,
                      const FittedPart<N>& fitted) {
  EnginePart<N> mean;
  for (std::size_t i = 0; i < N; ++i) {
    const EngineTerm& term = fitted.terms[i];
    const double pull = 1 / (term.engine_sd * term.engine_sd);
    double weight = 1 / (term.prior_sd * term.prior_sd), known = weight;
    double sum = weight * std::log(term.prior);
    for (const auto& [name, engine] : engines) {
      const EnginePart<N>& part = engine.*(fitted.part);
      if (part.rows == 0) continue;
      const double trait =
          std::log((prior_engine(engine.traits).*(fitted.part)).value[i] / term.prior);
      weight += pull;
      sum += pull * (std::log(part.value[i]) - trait);
      const double own_weight = 1 / (part.log_sd[i] * part.log_sd[i]) - pull;
      if (own_weight > 1e-6 * pull) known += 1 / (1 / own_weight + 1 / pull);
    }
    mean.value[i] = std::exp(sum / weight);
    mean.log_sd[i] = 1 / std::sqrt(known);
  }
  return mean;
}

template <std::size_t N>
void draw_from(Engine& engine, const Engine& mean, const FittedPart<N>& fitted) {
  const EnginePart<N> traits = prior_engine(engine.traits).*(fitted.part);
  EnginePart<N>& part = engine.*(fitted.part);
  for (std::size_t i = 0; i < N; ++i) {
    const EngineTerm& term = fitted.terms[i];
    part.value[i] = (mean.*(fitted.part)).value[i] * traits.value[i] / term.prior;
    part.log_sd[i] = std::hypot((mean.*(fitted.part)).log_sd[i], term.engine_sd);
  }
}

Engine drawn_from(const EngineTraits& traits, const Engine& mean) {
  Engine engine;
  engine.traits = traits;
  draw_from(engine, mean, kStepPart);
  draw_from(engine, mean, kPromptPart);
  draw_from(engine, mean, kDrawPart);
  draw_from(engine, mean, kPromptDrawPart);
  return engine;
}

// For a variant without rows of a part, the engine that it resembles is better evidence than the
// mean of engines.
template <std::size_t N>
void draw_from_like(Engine& engine, std::string_view name,
                    const std::map<std::string, Engine, std::less<>>& engines,
                    const FittedPart<N>& fitted) {
  constexpr double kVariantSd = 0.5;  // chosen: relative to the spread of engines around their mean
  EnginePart<N>& part = engine.*(fitted.part);
  if (part.rows > 0) return;
  const EngineVariant* variant = find_variant(name);
  while (variant != nullptr && !variant->like.empty()) {
    const auto like = engines.find(variant->like);
    if (like != engines.end() && (like->second.*(fitted.part)).rows > 0) {
      part = like->second.*(fitted.part);
      part.rows = 0;
      for (std::size_t i = 0; i < N; ++i) {
        part.log_sd[i] = std::hypot(part.log_sd[i], kVariantSd * fitted.terms[i].engine_sd);
      }
      return;
    }
    variant = find_variant(variant->like);
  }
}

template <std::size_t N>
EnginePart<N> terms_as_mean(std::span<const EngineTerm> terms) {
  EnginePart<N> part;
  for (std::size_t i = 0; i < N; ++i) {
    part.value[i] = terms[i].prior;
    part.log_sd[i] = terms[i].prior_sd;
  }
  return part;
}

}  // namespace

double metered_w(double power_w, double idle_w, double metered) {
  return idle_w + metered * (power_w - idle_w);
}
double metered_decode_w(const Engine& engine, const EngineRow& row) {
  return metered_w(engine.decode_power_w(row.decode, row.hardware),
                   engine.decode_idle_w(row.hardware), row.decode_metered);
}
double metered_prefill_w(const Engine& engine, const EngineRow& row) {
  return metered_w(engine.prefill_power_w(row.prompt, row.hardware),
                   engine.prefill_idle_w(row.hardware), row.prefill_metered);
}

EngineFits::EngineFits(std::span<const EngineRow> rows) {
  std::map<std::string, std::vector<const EngineRow*>> rows_of;
  for (const EngineRow& row : rows) rows_of[row.engine].push_back(&row);
  std::map<std::string, EngineRowsByPart> of_engine;
  for (const auto& [name, own] : rows_of) of_engine.emplace(name, own);
  mean_.step = terms_as_mean<kStepTerms>(step_terms());
  mean_.prompt = terms_as_mean<kPromptTerms>(prompt_terms());
  mean_.draw = terms_as_mean<kDrawTerms>(draw_terms());
  mean_.prompt_draw = terms_as_mean<kPromptDrawTerms>(prompt_draw_terms());
  for (int round = 0; round < kRounds; ++round) {
    for (const auto& [name, own] : of_engine) {
      Engine engine = drawn_from(engine_traits(name), mean_);
      // The order matters: steps use the products of prompts, and power uses the times.
      fit_part(engine, own.prompt, kPromptPart);
      fit_part(engine, own.step, kStepPart);
      fit_part(engine, own.prompt_draw, kPromptDrawPart);
      fit_part(engine, own.draw, kDrawPart);
      engines_[name] = engine;
    }
    Engine mean;
    mean.step = mean_of(engines_, kStepPart);
    mean.prompt = mean_of(engines_, kPromptPart);
    mean.draw = mean_of(engines_, kDrawPart);
    mean.prompt_draw = mean_of(engines_, kPromptDrawPart);
    mean_ = mean;
  }
}

Engine EngineFits::of(std::string_view name) const {
  const auto found = engines_.find(name);
  Engine engine = found != engines_.end() ? found->second : drawn_from(engine_traits(name), mean_);
  draw_from_like(engine, name, engines_, kPromptPart);
  draw_from_like(engine, name, engines_, kDrawPart);
  draw_from_like(engine, name, engines_, kPromptDrawPart);
  return engine;
}

}  // namespace ridgewatt::llm
