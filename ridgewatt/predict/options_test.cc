// Options are checked by the function that takes them, before anything else happens.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/predict/auto_predictor.h"
#include "ridgewatt/predict/nn_predictor.h"

namespace ridgewatt::predict {
namespace {

template <class Function>
void expect_refused(const std::string& message, const Function& function) {
  try {
    function();
    ADD_FAILURE() << message;
  } catch (const UsageError& error) {
    EXPECT_EQ(error.what(), message);
  }
}

TEST(PredictOptions, DefaultsAreValid) {
  EXPECT_NO_THROW(MlpOptions{}.check());
  EXPECT_NO_THROW(NnOptions{}.check());
  EXPECT_NO_THROW(AutoOptions{}.check());
}

TEST(PredictOptions, EachBadOneIsRefusedByName) {
  const std::pair<MlpOptions, std::string> bad[] = {
      {{.hidden = {}}, "MlpOptions::hidden is 0, but must be one layer or more"},
      {{.hidden = {64, 33}}, "MlpOptions::hidden is 33, but must be a multiple of 32"},
      {{.dropout = 1}, "MlpOptions::dropout is 1, but must be from 0 to 0.99"},
      {{.learning_rate = 0}, "MlpOptions::learning_rate is 0, but must be positive"},
      {{.epochs = 0}, "MlpOptions::epochs is 0, but must be 1 or more"},
      {{.batch_size = 0}, "MlpOptions::batch_size is 0, but must be 1 or more"},
      {{.validation_share = 1},
       "MlpOptions::validation_share is 1, but must be from 0 to less than 1"},
  };
  const Observation sample{{}, 1, 1};
  for (const auto& [options, message] : bad) {
    expect_refused(message, [&] { Mlp(1, {32}, 1).train({}, {}, options, 1); });
    NnOptions network;
    network.network = options;
    expect_refused(message, [&] { NnPredictor(network).fit({&sample, 1}); });
  }
  NnOptions network;
  network.rows_per_mode = 0;
  expect_refused("NnOptions::rows_per_mode is 0, but must be 1 or more", [&] {
    NnPredictor(network).fit({&sample, 1});
  });
  network = {};
  network.threads = -1;
  expect_refused("NnOptions::threads is -1, but must be 0 (all processors) or more", [&] {
    NnPredictor(network).fit({&sample, 1});
  });
  AutoOptions few_shot;
  few_shot.exact_samples = 0;
  expect_refused("AutoOptions::exact_samples is 0, but must be 1 or more",
                 [&] { AutoPredictor{few_shot}; });
}

}  // namespace
}  // namespace ridgewatt::predict
