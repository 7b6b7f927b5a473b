// Vision transformers (Dosovitskiy et al., 2021) as exporters write them, with expanded attention:
// ViT, the image towers of CLIP (Radford et al., 2021), DINOv2 (Oquab et al., 2024).
#include <fmt/format.h>

#include "ridgewatt/workload/zoo/encoder_parts.h"
#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

constexpr Encoder kBase = {12, 768, 12};
constexpr std::int64_t kSide = 224;

// Puts the class token before the tokens [batch, tokens, width]. `batch`: the batch as an extent.
Value with_class_token(GraphBuilder& g, const Value& tokens, const Value& batch) {
  const Value shape = g.concat({batch, g.constant({1, kBase.width})}, 0);
  const Value token = g.op("Expand", {g.parameter("class_token", {1, 1, kBase.width}), shape});
  Value x = g.concat({token, tokens}, 1);
  x.channels = kBase.width;
  return x;
}

Value batch_extent(GraphBuilder& g, const Value& x) {
  return g.op("Shape", {x}, {{"start", std::int64_t{0}}, {"end", std::int64_t{1}}});
}

// The patches of an image of kSide as tokens with positions, after the class token.
Value embed_patches(GraphBuilder& g, const Value& image, std::int64_t patch, bool bias) {
  const std::int64_t patches = (kSide / patch) * (kSide / patch);
  const Value batch = batch_extent(g, image);
  const Value map = g.conv(image, kBase.width, {.kernel = patch, .stride = patch, .bias = bias});
  Value x = g.transpose(g.reshape(map, {0, kBase.width, patches}), {0, 2, 1});
  x = with_class_token(g, x, batch);
  return g.add(x, g.parameter("position", {1, patches + 1, kBase.width}));
}

std::string vit(const std::string& name, std::int64_t patch) {
  GraphBuilder g(name, 17);
  const Value image = g.input("input", {"batch", 3, kSide, kSide});
  Value x = embed_patches(g, image, patch, true);
  for (int i = 0; i < kBase.layers; ++i) {
    const auto scope = g.scope(fmt::format("encoder.layer.{}", i));
    x = g.add(x, self_attention(g, g.layer_norm(x, 1e-6), kBase, {}));
    x = g.add(x, feed_forward(g, g.layer_norm(x, 1e-6), kBase));
  }
  return finish_classifier(g, g.linear(first_token(g, g.layer_norm(x, 1e-6)), 1000));
}

// x sigmoid(1.702 x), the GELU that CLIP was trained with.
Value quick_gelu(GraphBuilder& g, const Value& x) {
  return g.mul(x, g.op("Sigmoid", {g.mul(x, g.scalar(1.702F))}));
}

std::string clip_image_tower(const std::string& name, std::int64_t patch) {
  constexpr std::int64_t kProjection = 512;
  GraphBuilder g(name, 17);
  const Value image = g.input("input", {"batch", 3, kSide, kSide});
  Value x = g.layer_norm(embed_patches(g, image, patch, false), 1e-5);
  for (int i = 0; i < kBase.layers; ++i) {
    const auto scope = g.scope(fmt::format("encoder.layer.{}", i));
    x = g.add(x, self_attention(g, g.layer_norm(x, 1e-5), kBase, {}));
    const Value wide = g.dense(g.layer_norm(x, 1e-5), kBase.hidden());
    x = g.add(x, g.dense(quick_gelu(g, wide), kBase.width));
  }
  const Value pooled = g.layer_norm(first_token(g, x), 1e-5);
  g.output(g.dense(pooled, kProjection, false), "image_embeds", {"batch", kProjection});
  return g.serialize();
}

// Resamples the positions of 37x37 patches and the class token to the patches of `map`. A runtime
// does this only once, before the first run.
Value resampled_positions(GraphBuilder& g, const Value& map) {
  constexpr std::int64_t kGrid = 37;
  constexpr std::int64_t kTokens = kGrid * kGrid + 1;
  const Value positions = g.parameter("position", {1, kTokens, kBase.width});
  const Value zero = g.constant({0});
  const Value one = g.constant({1});
  const Value end = g.constant({kTokens});
  const Value of_class = g.op("Slice", {positions, zero, one, one});
  const Value of_patches = g.op("Slice", {positions, one, end, one});
  const Value grid =
      g.transpose(g.reshape(of_patches, {1, kGrid, kGrid, kBase.width}), {0, 3, 1, 2});
  const Value size = g.op("Shape", {map}, {{"start", std::int64_t{2}}});
  const Value sizes = g.concat({g.constant({1, kBase.width}), size}, 0);
  const Value resized =
      g.op("Resize", {grid, {}, {}, sizes}, {{"mode", "cubic"}, {"cubic_coeff_a", -0.75}});
  const Value row = g.transpose(g.reshape(resized, {1, kBase.width, -1}), {0, 2, 1});
  return g.concat({of_class, row}, 1);
}

// `x` scaled by channel (Touvron et al., 2021).
Value layer_scale(GraphBuilder& g, const Value& x, const std::string& name) {
  return g.mul(x, g.parameter(name, {x.channels}));
}

}  // namespace

std::string vit_b_16() {
  return vit("vit_b_16", 16);
}

std::string vit_b_32() {
  return vit("vit_b_32", 32);
}

std::string clip_vit_b_16() {
  return clip_image_tower("clip_vit_b_16", 16);
}

std::string clip_vit_b_32() {
  return clip_image_tower("clip_vit_b_32", 32);
}

std::string dinov2_b() {
  constexpr std::int64_t kPatch = 14;
  GraphBuilder g("dinov2_b", 17);
  g.default_dim("image", kSide);
  g.dim_multiple("image", kPatch);
  const Value image = g.input("input", {"batch", 3, "image", "image"});
  const Value batch = batch_extent(g, image);
  const Value map = g.conv(image, kBase.width, {.kernel = kPatch, .stride = kPatch});
  Value x = g.transpose(g.reshape(map, {0, kBase.width, -1}), {0, 2, 1});
  x = with_class_token(g, x, batch);
  x = g.add(x, resampled_positions(g, map));
  for (int i = 0; i < kBase.layers; ++i) {
    const auto scope = g.scope(fmt::format("encoder.layer.{}", i));
    const Value mixed = self_attention(g, g.layer_norm(x, 1e-6), kBase, {});
    x = g.add(x, layer_scale(g, mixed, "layer_scale1"));
    const Value fed = feed_forward(g, g.layer_norm(x, 1e-6), kBase);
    x = g.add(x, layer_scale(g, fed, "layer_scale2"));
  }
  g.output(first_token(g, g.layer_norm(x, 1e-6)), "class_token_features", {"batch", kBase.width});
  return g.serialize();
}

}  // namespace ridgewatt::workload::zoo_builders
