// A multilayer perceptron with ReLU and one linear output, trained by minibatch Adam on the mean
// squared error. It is a small and fast implementation of the network of the published neural
// predictors (4-256-128-64-1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ridgewatt::predict {

struct MlpOptions {
  std::vector<std::size_t> hidden = {256, 128, 64};  // multiples of 32
  double dropout = 0.5;         // after each of the first two layers, during training
  double learning_rate = 1e-3;  // Adam, beta 0.9 and 0.999, epsilon 1e-7
  int epochs = 100;
  std::size_t batch_size = 64;
  // Share of the rows for validation. The weights of the epoch with the least validation loss are
  // used.
  double validation_share = 0.1;
  std::function<void()> on_epoch = {};  // called after each epoch, for progress

  void check() const;  // throws UsageError with field, value and constraint
};

class Mlp {
 public:
  // Uniform initial weights within sqrt(6 / (inputs + outputs)) (Glorot and Bengio 2010), biases 0.
  Mlp(std::size_t inputs, const std::vector<std::size_t>& hidden, std::uint64_t seed);

  // `inputs`: rows x inputs(), row-major. `targets`: one per row. The seed determines the
  // result.
  void train(std::span<const float> inputs, std::span<const float> targets,
             const MlpOptions& options, std::uint64_t seed);
  std::vector<float> predict(std::span<const float> inputs) const;
  // Replaces the output layer by a new one on the trained hidden layers, to begin transfer
  // learning.
  void replace_last_layer(std::uint64_t seed);

  std::size_t inputs() const { return widths_.front(); }
  const std::vector<std::size_t>& widths() const { return widths_; }
  // All weights and biases, layer by layer: weights inputs x outputs row-major, then biases.
  const std::vector<float>& parameters() const { return parameters_; }
  void set_parameters(std::vector<float> parameters);

 private:
  struct Workspace;
  std::size_t layers() const { return widths_.size() - 1; }
  const float* weights(std::size_t layer) const { return parameters_.data() + offsets_[layer]; }
  const float* biases(std::size_t layer) const {
    return weights(layer) + widths_[layer] * widths_[layer + 1];
  }
  void initialize(std::size_t layer, std::uint64_t seed);
  void forward(const float* inputs, std::size_t rows, Workspace& work) const;
  void backward(const float* inputs, std::size_t rows, Workspace& work) const;
  double loss(std::span<const float> inputs, std::span<const float> targets, Workspace& work) const;

  std::vector<std::size_t> widths_;   // inputs, hidden layers, 1
  std::vector<std::size_t> offsets_;  // of the weights of each layer
  std::vector<float> parameters_;
};

}  // namespace ridgewatt::predict
