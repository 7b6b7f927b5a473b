// Classifiers of parallel branches: GoogLeNet (Inception v1) and Inception v3, as torchvision
// builds them, without the auxiliary classifiers that only training uses.
#include <fmt/format.h>

#include <array>
#include <span>
#include <vector>

#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

// Convolution without bias, batch normalization, ReLU.
Value basic_unit(GraphBuilder& g, const Value& x, std::int64_t channels,
                 GraphBuilder::ConvOptions options = {}) {
  options.bias = false;
  return g.relu(g.batch_norm(g.conv(x, channels, options), 1e-3));
}

// Convolutions that keep the size of the image.
Value square_unit(GraphBuilder& g, const Value& x, std::int64_t channels, std::int64_t kernel) {
  return basic_unit(g, x, channels, {.kernel = kernel, .padding = kernel / 2});
}
Value row_unit(GraphBuilder& g, const Value& x, std::int64_t channels, std::int64_t width) {
  return basic_unit(g, x, channels, {.kernel = 1, .width = width});
}
Value column_unit(GraphBuilder& g, const Value& x, std::int64_t channels, std::int64_t height) {
  return basic_unit(g, x, channels, {.kernel = height, .padding = height / 2, .width = 1});
}

std::string finish_pooled(GraphBuilder& g, const Value& x) {
  return finish_classifier(g, g.linear(g.flatten(g.global_average_pool(x), x.channels), 1000));
}

// Output channels in the branches of GoogLeNet's module. `_in`: of the 1x1 convolution before.
struct Branches {
  int one, three_in, three, five_in, five, pool;
};

// The branch of 5x5 windows has 3x3 windows, as in TensorFlow's and torchvision's networks.
Value module_v1(GraphBuilder& g, const Value& x, const Branches& b) {
  const Value one = basic_unit(g, x, b.one);
  const Value three = square_unit(g, basic_unit(g, x, b.three_in), b.three, 3);
  const Value five = square_unit(g, basic_unit(g, x, b.five_in), b.five, 3);
  const Value pool = basic_unit(g, g.max_pool(x, 3, 1, 1, true), b.pool);
  return g.concat({one, three, five, pool}, 1);
}

Value average_branch(GraphBuilder& g, const Value& x, std::int64_t channels) {
  return basic_unit(g, g.average_pool(x, 3, 1, 1), channels);
}

Value twice_three(GraphBuilder& g, const Value& x, std::int64_t stride) {
  const Value y = square_unit(g, basic_unit(g, x, 64), 96, 3);
  return basic_unit(g, y, 96, {.kernel = 3, .stride = stride, .padding = stride == 1 ? 1 : 0});
}

Value module_a(GraphBuilder& g, const Value& x, std::int64_t pooled) {
  const Value one = basic_unit(g, x, 64);
  const Value five = square_unit(g, basic_unit(g, x, 48), 64, 5);
  const Value three = twice_three(g, x, 1);
  return g.concat({one, five, three, average_branch(g, x, pooled)}, 1);
}

Value reduce_a(GraphBuilder& g, const Value& x) {
  const Value one = basic_unit(g, x, 384, {.kernel = 3, .stride = 2});
  const Value two = twice_three(g, x, 2);
  return g.concat({one, two, g.max_pool(x, 3, 2)}, 1);
}

Value module_b(GraphBuilder& g, const Value& x, std::int64_t inner) {
  const Value one = basic_unit(g, x, 192);
  const Value seven = column_unit(g, row_unit(g, basic_unit(g, x, inner), inner, 7), 192, 7);
  Value twice = column_unit(g, basic_unit(g, x, inner), inner, 7);
  twice = column_unit(g, row_unit(g, twice, inner, 7), inner, 7);
  twice = row_unit(g, twice, 192, 7);
  return g.concat({one, seven, twice, average_branch(g, x, 192)}, 1);
}

Value reduce_b(GraphBuilder& g, const Value& x) {
  const Value three = basic_unit(g, basic_unit(g, x, 192), 320, {.kernel = 3, .stride = 2});
  const Value seven = column_unit(g, row_unit(g, basic_unit(g, x, 192), 192, 7), 192, 7);
  const Value strided = basic_unit(g, seven, 192, {.kernel = 3, .stride = 2});
  return g.concat({three, strided, g.max_pool(x, 3, 2)}, 1);
}

Value fan_out(GraphBuilder& g, const Value& x) {
  const Value wide = row_unit(g, x, 384, 3);
  return g.concat({wide, column_unit(g, x, 384, 3)}, 1);
}

Value module_c(GraphBuilder& g, const Value& x) {
  const Value one = basic_unit(g, x, 320);
  const Value three = fan_out(g, basic_unit(g, x, 384));
  const Value twice = fan_out(g, square_unit(g, basic_unit(g, x, 448), 384, 3));
  return g.concat({one, three, twice, average_branch(g, x, 192)}, 1);
}

Value stem_v3(GraphBuilder& g) {
  auto x = g.input("input", {"batch", 3, 299, 299});
  x = basic_unit(g, x, 32, {.kernel = 3, .stride = 2});
  x = square_unit(g, basic_unit(g, x, 32, {.kernel = 3}), 64, 3);
  x = basic_unit(g, basic_unit(g, g.max_pool(x, 3, 2), 80), 192, {.kernel = 3});
  return g.max_pool(x, 3, 2);
}

}  // namespace

std::string googlenet() {
  // Table 1 of the paper. A pooling halves the image before 3a, 4a and 5a.
  constexpr Branches kThree[] = {{64, 96, 128, 16, 32, 32}, {128, 128, 192, 32, 96, 64}};
  constexpr Branches kFour[] = {{192, 96, 208, 16, 48, 64},
                                {160, 112, 224, 24, 64, 64},
                                {128, 128, 256, 24, 64, 64},
                                {112, 144, 288, 32, 64, 64},
                                {256, 160, 320, 32, 128, 128}};
  constexpr Branches kFive[] = {{256, 160, 320, 32, 128, 128}, {384, 192, 384, 48, 128, 128}};
  GraphBuilder g("googlenet", 17);
  auto x = g.input("input", {"batch", 3, 224, 224});
  x = basic_unit(g, x, 64, {.kernel = 7, .stride = 2, .padding = 3});
  x = square_unit(g, basic_unit(g, g.max_pool(x, 3, 2, 0, true), 64), 192, 3);
  struct Stage {
    const char* name;
    std::int64_t window;
    std::span<const Branches> modules;
  };
  for (const auto& stage : {Stage{"3", 3, kThree}, Stage{"4", 3, kFour}, Stage{"5", 2, kFive}}) {
    x = g.max_pool(x, stage.window, 2, 0, true);
    char letter = 'a';
    for (const auto& branches : stage.modules) {
      const auto scope = g.scope(fmt::format("inception{}{}", stage.name, letter++));
      x = module_v1(g, x, branches);
    }
  }
  return finish_pooled(g, x);
}

std::string inception_v3() {
  GraphBuilder g("inception_v3", 17);
  auto x = stem_v3(g);
  int index = 0;
  const auto scoped = [&](const auto& module, auto... inner) {
    const auto scope = g.scope(fmt::format("mixed{}", index++));
    x = module(g, x, inner...);
  };
  for (const std::int64_t pooled : {32, 64, 64}) scoped(module_a, pooled);
  scoped(reduce_a);
  for (const std::int64_t inner : {128, 160, 160, 192}) scoped(module_b, inner);
  scoped(reduce_b);
  for (int i = 0; i < 2; ++i) scoped(module_c);
  return finish_pooled(g, x);
}

}  // namespace ridgewatt::workload::zoo_builders
