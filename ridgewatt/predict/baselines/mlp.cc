// A network for the published baselines. Its kernels (mlp_kernels.cc) are our own code instead of a
// library, so that a seed gives the same bits on every machine: the order of sums does not depend
// on the vector width. In a library, it depends on the processor.
#include "ridgewatt/predict/mlp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ridgewatt/base/check_option.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/predict/baselines/mlp_kernels.h"

namespace ridgewatt::predict {
namespace {

constexpr std::size_t kPredictRows = 256;  // rows per block outside training

// Fills `mask` with 0 (a fraction `rate`) and 1 / (1 - rate), eight draws from each random number.
// Widths, and so the size of a mask, are multiples of eight. Branch-free, because a branch could
// not be predicted at a rate of a half.
void draw_dropout(Random& random, double rate, std::vector<float>& mask) {
  constexpr std::size_t kDraws = 8;
  const auto limit = static_cast<unsigned>(std::lround(rate * 256));
  const float keep = 1 / (1 - static_cast<float>(limit) / 256);
  for (std::size_t i = 0; i + kDraws <= mask.size(); i += kDraws) {
    const std::uint64_t bits = random.next();
    for (std::size_t j = 0; j < kDraws; ++j) {
      const bool kept = static_cast<unsigned>(bits >> (8 * j) & 255) >= limit;
      mask[i + j] = keep * static_cast<float>(kept);
    }
  }
}

// to[columns x rows] = from[rows x columns] transposed, in blocks that stay in the cache. `columns`
// is a multiple of the block size.
void transpose(const float* from, std::size_t rows, std::size_t columns, float* to) {
  constexpr std::size_t kBlock = 16;
  for (std::size_t i = 0; i < rows; i += kBlock) {
    for (std::size_t j = 0; j < columns; j += kBlock) {
      for (std::size_t jj = j; jj < j + kBlock; ++jj) {
        for (std::size_t ii = i; ii < i + kBlock; ++ii)
          to[jj * rows + ii] = from[ii * columns + jj];
      }
    }
  }
}

}  // namespace

// Activations and gradients of one minibatch.
struct Mlp::Workspace {
  std::vector<std::vector<float>> activation, delta, mask;  // by layer
  std::vector<float> output, output_delta;
  std::vector<float> gradient;   // like parameters
  std::vector<float> transpose;  // of a layer's weights

  Workspace(const std::vector<std::size_t>& widths, std::size_t rows, std::size_t parameters)
      : output(rows), output_delta(rows), gradient(parameters) {
    std::size_t largest = 0;
    for (std::size_t layer = 0; layer + 2 < widths.size(); ++layer) {
      activation.emplace_back(rows * widths[layer + 1]);
      delta.emplace_back(rows * widths[layer + 1]);
      mask.emplace_back();
      largest = std::max(largest, widths[layer] * widths[layer + 1]);
    }
    transpose.resize(largest);
  }
};

void MlpOptions::check() const {
  require_option(!hidden.empty(), "MlpOptions::hidden", hidden.size(), "one layer or more");
  for (const std::size_t width : hidden) {
    require_option(width > 0 && width % 32 == 0, "MlpOptions::hidden", width, "a multiple of 32");
  }
  require_option(dropout >= 0 && dropout <= 0.99, "MlpOptions::dropout", dropout, "from 0 to 0.99");
  require_option(learning_rate > 0 && std::isfinite(learning_rate), "MlpOptions::learning_rate",
                 learning_rate, "positive");
  require_option(epochs >= 1, "MlpOptions::epochs", epochs, "1 or more");
  require_option(batch_size >= 1, "MlpOptions::batch_size", batch_size, "1 or more");
  require_option(validation_share >= 0 && validation_share < 1, "MlpOptions::validation_share",
                 validation_share, "from 0 to less than 1");
}

Mlp::Mlp(std::size_t inputs, const std::vector<std::size_t>& hidden, std::uint64_t seed) {
  if (inputs == 0 || hidden.empty())
    throw UsageError("a neural network needs at least one input and one hidden layer");
  widths_.push_back(inputs);
  for (const std::size_t width : hidden) {
    if (width == 0 || width % 32 != 0)
      throw UsageError("the width of a hidden layer must be a multiple of 32");
    widths_.push_back(width);
  }
  widths_.push_back(1);
  std::size_t size = 0;
  for (std::size_t layer = 0; layer < layers(); ++layer) {
    offsets_.push_back(size);
    size += (widths_[layer] + 1) * widths_[layer + 1];
  }
  parameters_.resize(size);
  for (std::size_t layer = 0; layer < layers(); ++layer) initialize(layer, seed);
}

void Mlp::initialize(std::size_t layer, std::uint64_t seed) {
  Random random = Random(seed).fork(layer);
  const auto fan = static_cast<double>(widths_[layer] + widths_[layer + 1]);
  const double limit = std::sqrt(6 / fan);
  float* w = parameters_.data() + offsets_[layer];
  const std::size_t count = widths_[layer] * widths_[layer + 1];
  for (std::size_t i = 0; i < count; ++i) w[i] = static_cast<float>(random.uniform(-limit, limit));
  std::fill(w + count, w + count + widths_[layer + 1], 0.0F);
}

void Mlp::replace_last_layer(std::uint64_t seed) {
  initialize(layers() - 1, seed);
}

void Mlp::set_parameters(std::vector<float> parameters) {
  if (parameters.size() != parameters_.size())
    throw UsageError("the number of parameters does not fit the shape of the neural network");
  parameters_ = std::move(parameters);
}

void Mlp::forward(const float* inputs, std::size_t rows, Workspace& work) const {
  const float* below = inputs;
  for (std::size_t layer = 0; layer + 1 < layers(); ++layer) {
    const std::size_t in = widths_[layer], out = widths_[layer + 1];
    float* y = work.activation[layer].data();
    const float* bias = biases(layer);
    for (std::size_t i = 0; i < rows; ++i) std::copy(bias, bias + out, y + i * out);
    kernels::multiply(below, in, 1, weights(layer), y, rows, in, out, true);
    const auto& mask = work.mask[layer];
    kernels::rectify(y, mask.empty() ? nullptr : mask.data(), rows * out);
    below = y;
  }
  const std::size_t last = layers() - 1;
  kernels::output_unit(below, weights(last), biases(last)[0], work.output.data(), rows,
                       widths_[last]);
}

void Mlp::backward(const float* inputs, std::size_t rows, Workspace& work) const {
  const std::size_t last = layers() - 1;
  const std::size_t top = widths_[last];
  float* gradient = work.gradient.data() + offsets_[last];
  kernels::output_unit_gradient(work.output_delta.data(), work.activation[last - 1].data(),
                                weights(last), work.delta[last - 1].data(), gradient, rows, top);
  gradient[top] = 0;
  for (std::size_t i = 0; i < rows; ++i) gradient[top] += work.output_delta[i];
  for (std::size_t layer = last; layer-- > 0;) {
    const std::size_t in = widths_[layer], out = widths_[layer + 1];
    float* d = work.delta[layer].data();
    const auto& mask = work.mask[layer];
    const float* below = layer == 0 ? inputs : work.activation[layer - 1].data();
    float* g = work.gradient.data() + offsets_[layer];
    kernels::rectify_gradient(d, work.activation[layer].data(),
                              mask.empty() ? nullptr : mask.data(), g + in * out, rows, out);
    kernels::multiply(below, 1, in, d, g, in, rows, out, false);
    if (layer == 0) break;
    const float* weight = weights(layer);
    transpose(weight, in, out, work.transpose.data());
    kernels::multiply(d, out, 1, work.transpose.data(), work.delta[layer - 1].data(), rows, out, in,
                      false);
  }
}

double Mlp::loss(std::span<const float> inputs, std::span<const float> targets,
                 Workspace& work) const {
  double sum = 0;
  for (auto& mask : work.mask) mask.clear();
  for (std::size_t begin = 0; begin < targets.size(); begin += work.output.size()) {
    const std::size_t rows = std::min(work.output.size(), targets.size() - begin);
    forward(inputs.data() + begin * widths_[0], rows, work);
    for (std::size_t i = 0; i < rows; ++i) {
      const double error = work.output[i] - targets[begin + i];
      sum += error * error;
    }
  }
  return sum / static_cast<double>(targets.size());
}

void Mlp::train(std::span<const float> inputs, std::span<const float> targets,
                const MlpOptions& options, std::uint64_t seed) {
  options.check();
  const std::size_t width = widths_[0], rows = targets.size();
  if (inputs.size() != rows * width)
    throw UsageError("the inputs and the targets have different numbers of rows");
  if (rows == 0) throw UsageError("the neural network needs at least one row to train on");
  Random random(seed);
  // Gathers the rows held out for validation once. With too few rows, all rows serve for both.
  std::vector<std::size_t> order = random.sample(rows, rows);
  const auto held = static_cast<std::size_t>(options.validation_share * static_cast<double>(rows));
  std::vector<float> held_inputs, held_targets;
  for (std::size_t i = 0; i < (held > 0 ? held : rows); ++i) {
    held_inputs.insert(held_inputs.end(),
                       inputs.begin() + static_cast<std::ptrdiff_t>(order[i] * width),
                       inputs.begin() + static_cast<std::ptrdiff_t>((order[i] + 1) * width));
    held_targets.push_back(targets[order[i]]);
  }
  std::vector<std::size_t> training(order.begin() + static_cast<std::ptrdiff_t>(held), order.end());

  Workspace work(widths_, options.batch_size, parameters_.size());
  Workspace check(widths_, kPredictRows, 0);
  std::vector<float> batch(options.batch_size * width), wanted(options.batch_size);
  std::vector<float> first(parameters_.size(), 0), second(parameters_.size(), 0);
  std::vector<float> best = parameters_;
  double best_loss = std::numeric_limits<double>::infinity();
  constexpr double kBeta1 = 0.9, kBeta2 = 0.999;
  double power1 = 1, power2 = 1;
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    random.shuffle(training);
    for (std::size_t begin = 0; begin < training.size(); begin += options.batch_size) {
      const std::size_t count = std::min(options.batch_size, training.size() - begin);
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t row = training[begin + i];
        std::copy_n(inputs.data() + row * width, width, batch.data() + i * width);
        wanted[i] = targets[row];
      }
      for (std::size_t layer = 0; layer < std::min<std::size_t>(2, layers() - 1); ++layer) {
        if (options.dropout <= 0) continue;
        work.mask[layer].resize(options.batch_size * widths_[layer + 1]);
        draw_dropout(random, options.dropout, work.mask[layer]);
      }
      forward(batch.data(), count, work);
      for (std::size_t i = 0; i < count; ++i) {
        const float error = work.output[i] - wanted[i];
        const auto scale = 1 / static_cast<float>(count);
        work.output_delta[i] = 2 * error * scale;
      }
      backward(batch.data(), count, work);
      power1 *= kBeta1, power2 *= kBeta2;
      const double rate = options.learning_rate * std::sqrt(1 - power2) / (1 - power1);
      kernels::adam_step(parameters_.data(), work.gradient.data(), first.data(), second.data(),
                         parameters_.size(), static_cast<float>(rate), kBeta1, kBeta2, 1e-7F);
    }
    const double now = loss(held_inputs, held_targets, check);
    if (now < best_loss) best_loss = now, best = parameters_;
    if (options.on_epoch) options.on_epoch();
  }
  parameters_ = std::move(best);
}

std::vector<float> Mlp::predict(std::span<const float> inputs) const {
  const std::size_t rows = inputs.size() / widths_[0];
  std::vector<float> result(rows);
  Workspace work(widths_, kPredictRows, 0);
  for (std::size_t begin = 0; begin < rows; begin += kPredictRows) {
    const std::size_t count = std::min(kPredictRows, rows - begin);
    forward(inputs.data() + begin * widths_[0], count, work);
    std::copy_n(work.output.begin(), count, result.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  return result;
}

}  // namespace ridgewatt::predict
