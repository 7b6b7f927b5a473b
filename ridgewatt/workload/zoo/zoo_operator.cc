// Neural networks that learn operators of differential equations (Lu et al., 2021).
#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

struct DeepOnet {
  std::int64_t sensors, basis, width, layers;
};

Value perceptron(GraphBuilder& g, const char* name, Value x, const DeepOnet& net) {
  const auto scope = g.scope(name);
  for (std::int64_t i = 1; i < net.layers; ++i) x = g.gelu(g.linear(x, net.width));
  return g.linear(x, net.basis);
}

// On a one-dimensional grid. The branch reads the function and the coordinate at a few sensors. The
// trunk reads each point with the sine and cosine of its position.
std::string deeponet(const char* name, const DeepOnet& net) {
  constexpr std::int64_t kChannels = 2;
  constexpr float kTurn = 6.2831853F;
  GraphBuilder g(name, 18);
  g.default_dim("points", 2048);
  const Value input = g.input("input", {"batch", "points", kChannels});
  Value x = g.transpose(input, {0, 2, 1});
  x = g.op("Resize", {x, {}, {}, g.constant(std::vector<std::int64_t>{net.sensors})},
           {{"mode", "linear"},
            {"coordinate_transformation_mode", "align_corners"},
            {"axes", std::vector<std::int64_t>{2}}});
  x = g.flatten(g.transpose(x, {0, 2, 1}), kChannels * net.sensors);
  const Value branch = perceptron(g, "branch", x, net);
  const Value first = g.op("Gather", {input, g.constant(std::vector<std::int64_t>{0})});
  Value place = g.op("Gather", {first, g.constant(std::vector<std::int64_t>{1})},
                     {{"axis", std::int64_t{2}}});
  place = g.reshape(place, {-1, 1});
  const Value turned = g.mul(place, g.scalar(kTurn));
  const Value again = g.mul(place, g.scalar(kTurn));
  const Value trunk = perceptron(
      g, "trunk", g.concat({place, g.op("Sin", {turned}), g.op("Cos", {again})}, 1), net);
  const Value y = g.matmul(branch, g.transpose(trunk, {1, 0}));
  g.output(g.add(y, g.parameter("bias", {1})), "output", {"batch", "points"});
  return g.serialize();
}

}  // namespace

// Sizes in a published benchmark of neural operators on an Orin Nano (Burgers' equation).
std::string deeponet_small() {
  return deeponet("deeponet_small", {128, 64, 128, 3});
}

std::string deeponet_base() {
  return deeponet("deeponet_base", {256, 128, 256, 4});
}

std::string deeponet_large() {
  return deeponet("deeponet_large", {512, 256, 512, 5});
}

}  // namespace ridgewatt::workload::zoo_builders
