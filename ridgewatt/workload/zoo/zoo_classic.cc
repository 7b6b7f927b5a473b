// Classifiers of plain convolution stacks: LeNet-5, AlexNet, VGG.
#include <span>

#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {

std::string lenet5() {
  GraphBuilder g("lenet5", 17);
  auto x = g.input("input", {"batch", 1, 28, 28});
  x = g.max_pool(g.relu(g.conv(x, 6, {.kernel = 5, .padding = 2})), 2, 2);
  x = g.max_pool(g.relu(g.conv(x, 16, {.kernel = 5})), 2, 2);
  x = g.relu(g.linear(g.flatten(x, x.channels * 5 * 5), 120));
  x = g.relu(g.linear(x, 84));
  return finish_classifier(g, g.linear(x, 10));
}

std::string alexnet() {
  GraphBuilder g("alexnet", 17);
  auto x = g.input("input", {"batch", 3, 224, 224});
  x = g.relu(g.conv(x, 64, {.kernel = 11, .stride = 4, .padding = 2}));
  x = g.max_pool(x, 3, 2);
  x = g.relu(g.conv(x, 192, {.kernel = 5, .padding = 2}));
  x = g.max_pool(x, 3, 2);
  for (const int channels : {384, 256, 256}) {
    x = g.relu(g.conv(x, channels, {.kernel = 3, .padding = 1}));
  }
  x = g.max_pool(x, 3, 2);
  x = g.relu(g.linear(g.flatten(x, x.channels * 6 * 6), 4096));
  x = g.relu(g.linear(x, 4096));
  return finish_classifier(g, g.linear(x, 1000));
}

namespace {

constexpr int kPool = 0;

// `plan`: output channels of the 3x3 convolutions; kPool halves the image.
std::string vgg(const std::string& name, std::span<const int> plan) {
  GraphBuilder g(name, 17);
  auto x = g.input("input", {"batch", 3, 224, 224});
  for (const int channels : plan) {
    if (channels == kPool)
      x = g.max_pool(x, 2, 2);
    else
      x = g.relu(g.conv(x, channels, {.kernel = 3, .padding = 1}));
  }
  x = g.relu(g.linear(g.flatten(x, x.channels * 7 * 7), 4096));
  x = g.relu(g.linear(x, 4096));
  return finish_classifier(g, g.linear(x, 1000));
}

}  // namespace

std::string vgg11() {
  constexpr int kPlan[] = {64,  kPool, 128,   kPool, 256, 256,  kPool,
                           512, 512,   kPool, 512,   512, kPool};
  return vgg("vgg11", kPlan);
}

std::string vgg16() {
  constexpr int kPlan[] = {64,    64,  kPool, 128, 128,   kPool, 256, 256, 256,
                           kPool, 512, 512,   512, kPool, 512,   512, 512, kPool};
  return vgg("vgg16", kPlan);
}

}  // namespace ridgewatt::workload::zoo_builders
