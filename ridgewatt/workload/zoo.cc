#include "ridgewatt/workload/zoo.h"

#include <array>
#include <filesystem>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload {
namespace {

using namespace zoo_builders;

constexpr std::string_view kPrefix = "zoo:";

constexpr std::array kZoo = {
    ZooEntry{"lenet5", "lenet", "LeNet-5, 1x28x28, ReLU and max pooling (LeCun et al., 1998)",
             lenet5},
    ZooEntry{"alexnet", "", "AlexNet, 3x224x224, one tower (Krizhevsky, 2014)", alexnet},
    ZooEntry{"vgg11", "", "VGG-11, 3x224x224 (Simonyan and Zisserman, 2015)", vgg11},
    ZooEntry{"vgg16", "", "VGG-16, 3x224x224 (Simonyan and Zisserman, 2015)", vgg16},
    ZooEntry{"resnet18", "", "ResNet-18, 3x224x224 (He et al., 2016)", resnet18},
    ZooEntry{
        "resnet18_cifar", "",
        "ResNet-18 with instance normalization, 3x32x32, 10 classes (of a study of training on "
        "Jetson boards, 2023)",
        resnet18_cifar},
    ZooEntry{"resnet50", "", "ResNet-50 with stride in the 3x3, 3x224x224 (He et al., 2016)",
             resnet50},
    ZooEntry{"resnet18_qat", "",
             "ResNet-18 after quantization-aware training in INT8, as PyTorch exports it "
             "(Wu et al., 2020)",
             resnet18_qat},
    ZooEntry{"resnext50_32x4d", "resnext50", "ResNeXt-50 32x4d, 3x224x224 (Xie et al., 2017)",
             resnext50_32x4d},
    ZooEntry{"googlenet", "inception_v1",
             "GoogLeNet (Inception v1) with batch normalization, 3x224x224 (Szegedy et al., 2015)",
             googlenet},
    ZooEntry{"inception_v3", "", "Inception v3, 3x299x299 (Szegedy et al., 2016)", inception_v3},
    ZooEntry{"squeezenet1_0", "squeezenet", "SqueezeNet 1.0, 3x224x224 (Iandola et al., 2016)",
             squeezenet1_0},
    ZooEntry{"squeezenet1_1", "", "SqueezeNet 1.1, 3x224x224 (Iandola et al., 2016)",
             squeezenet1_1},
    ZooEntry{"densenet121", "densenet", "DenseNet-121, 3x224x224 (Huang et al., 2017)",
             densenet121},
    ZooEntry{"mobilenet_v2", "", "MobileNetV2, 3x224x224 (Sandler et al., 2018)", mobilenet_v2},
    ZooEntry{"mobilenet_v3_large", "mobilenet_v3",
             "MobileNetV3-Large, 3x224x224 (Howard et al., 2019)", mobilenet_v3_large},
    ZooEntry{"mobilenet_v3_gld", "",
             "MobileNetV3-Large, 3x224x224, 203 classes (of a study of training on Jetson boards, "
             "2023)",
             mobilenet_v3_gld},
    ZooEntry{"efficientnet_b0", "", "EfficientNet-B0, 3x224x224 (Tan and Le, 2019)",
             efficientnet_b0},
    ZooEntry{"shufflenet_v2", "shufflenet_v2_x1_0", "ShuffleNetV2 1x, 3x224x224 (Ma et al., 2018)",
             shufflenet_v2},
    ZooEntry{"shufflenet_v2_cifar", "", "ShuffleNetV2 1x for 3x32x32, 100 classes",
             shufflenet_v2_cifar},
    ZooEntry{"neumf", "ncf", "NeuMF recommender for MovieLens 1M, 32 factors (He et al., 2017)",
             neumf},
    ZooEntry{"yolov5n", "",
             "YOLOv5n detector of release 6, 3x640x640, 80 classes (Jocher et al., 2020)", yolov5n},
    ZooEntry{"yolov5s", "", "YOLOv5s, the same detector, small", yolov5s},
    ZooEntry{"yolov5m", "", "YOLOv5m, the same detector, medium", yolov5m},
    ZooEntry{"yolov5l", "", "YOLOv5l, the same detector, large", yolov5l},
    ZooEntry{"yolov5x", "", "YOLOv5x, the same detector, extra large", yolov5x},
    ZooEntry{"yolov7_tiny", "yolov7t",
             "YOLOv7-tiny detector, 3x640x640, 80 classes, leaky ReLU, as deployed (Wang et al., "
             "2023)",
             yolov7_tiny},
    ZooEntry{"yolov7", "yolov7m", "YOLOv7, the same detector, medium, with SiLU", yolov7},
    ZooEntry{"yolov7x", "", "YOLOv7-X, the same detector, extra large, with SiLU", yolov7x},
    ZooEntry{"yolov8n", "", "YOLOv8n detector, 3x640x640, 80 classes (Jocher et al., 2023)",
             yolov8n},
    ZooEntry{"yolov8s", "", "YOLOv8s, the same detector, small", yolov8s},
    ZooEntry{"yolov8m", "", "YOLOv8m, the same detector, medium", yolov8m},
    ZooEntry{"yolov8l", "", "YOLOv8l, the same detector, large", yolov8l},
    ZooEntry{"yolov8x", "", "YOLOv8x, the same detector, extra large", yolov8x},
    ZooEntry{"yolov9t", "",
             "YOLOv9-T detector, 3x640x640, 80 classes, as deployed (Wang et al., 2024)", yolov9t},
    ZooEntry{"yolov9s", "", "YOLOv9-S, the same detector, small", yolov9s},
    ZooEntry{"yolov9m", "", "YOLOv9-M, the same detector, medium", yolov9m},
    ZooEntry{"yolov9c", "", "YOLOv9-C, the same detector, compact", yolov9c},
    ZooEntry{"yolov10n", "",
             "YOLOv10-N detector without non-maximum suppression, 3x640x640, 80 classes, as "
             "exported (Wang et al., 2024)",
             yolov10n},
    ZooEntry{"yolov10s", "", "YOLOv10-S, the same detector, small", yolov10s},
    ZooEntry{"yolov10m", "", "YOLOv10-M, the same detector, medium", yolov10m},
    ZooEntry{"yolov10b", "", "YOLOv10-B, the same detector, balanced", yolov10b},
    ZooEntry{"yolov10l", "", "YOLOv10-L, the same detector, large", yolov10l},
    ZooEntry{"yolov10x", "", "YOLOv10-X, the same detector, extra large", yolov10x},
    ZooEntry{"yolox_nano", "",
             "YOLOX-Nano detector, 3x416x416, 80 classes, separable convolutions (Ge et al., 2021)",
             yolox_nano},
    ZooEntry{"yolox_tiny", "", "YOLOX-Tiny, 3x416x416, full convolutions", yolox_tiny},
    ZooEntry{"yolox_s", "", "YOLOX-S, 3x640x640", yolox_s},
    ZooEntry{"yolox_m", "", "YOLOX-M, 3x640x640", yolox_m},
    ZooEntry{"yolox_l", "", "YOLOX-L, 3x640x640", yolox_l},
    ZooEntry{"yolox_x", "", "YOLOX-X, 3x640x640", yolox_x},
    ZooEntry{"yolo11n", "yolo11",
             "YOLO11n detector, 3x640x640, 80 classes, as exported (Jocher and Qiu, 2024)",
             yolo11n},
    ZooEntry{"yolo11s", "", "YOLO11s, the same detector, small", yolo11s},
    ZooEntry{"yolo11m", "", "YOLO11m, the same detector, medium", yolo11m},
    ZooEntry{"yolo11l", "", "YOLO11l, the same detector, large", yolo11l},
    ZooEntry{"yolo11x", "", "YOLO11x, the same detector, extra large", yolo11x},
    ZooEntry{"yolov4_tiny", "", "YOLOv4-tiny detector, 3x416x416, 80 classes (Wang et al., 2021)",
             yolov4_tiny},
    ZooEntry{
        "retinanet_resnext50", "retinanet",
        "RetinaNet detector with ResNeXt-50, 3x800x800, 264 classes (MLPerf; Lin et al., 2017)",
        retinanet_resnext50},
    ZooEntry{"ssd_mobilenet_v1", "ssd_mobilenet",
             "SSD detector with MobileNet v1, 3x300x300, 91 classes (MLPerf; Liu et al., 2016)",
             ssd_mobilenet_v1},
    ZooEntry{"bert_tiny", "", "BERT, 2 layers of width 128 (Turc et al., 2019)", bert_tiny},
    ZooEntry{"bert_base", "bert", "BERT-base, 12 layers of width 768 (Devlin et al., 2019)",
             bert_base},
    ZooEntry{"bert_large", "", "BERT-large, 24 layers of width 1024 (Devlin et al., 2019)",
             bert_large},
    ZooEntry{"distilbert", "", "DistilBERT, 6 layers of width 768 (Sanh et al., 2019)", distilbert},
    ZooEntry{"vit_b_16", "vit", "ViT-B/16, 3x224x224 (Dosovitskiy et al., 2021)", vit_b_16},
    ZooEntry{"vit_b_32", "", "ViT-B/32, 3x224x224 (Dosovitskiy et al., 2021)", vit_b_32},
    ZooEntry{"clip_vit_b_16", "", "CLIP ViT-B/16, image tower, 3x224x224 (Radford et al., 2021)",
             clip_vit_b_16},
    ZooEntry{"clip_vit_b_32", "clip",
             "CLIP ViT-B/32, image tower, 3x224x224 (Radford et al., 2021)", clip_vit_b_32},
    ZooEntry{"dinov2_b", "dinov2", "DINOv2 ViT-B/14, 3x224x224 (Oquab et al., 2024)", dinov2_b},
    ZooEntry{"gptj_block", "gptj",
             "one block of GPT-J 6B, width 4096, reading a prompt (Wang and Komatsuzaki, 2021)",
             gptj_block},
    ZooEntry{"deeponet_small", "",
             "DeepONet on 2048 points, 3 layers of width 128, for Burgers' equation (Lu et al., "
             "2021; sizes of a benchmark on an Orin Nano)",
             deeponet_small},
    ZooEntry{"deeponet_base", "deeponet", "the same with 4 layers of width 256", deeponet_base},
    ZooEntry{"deeponet_large", "", "the same with 5 layers of width 512", deeponet_large},
    ZooEntry{"lstm_lm", "lstm",
             "2-layer LSTM language model of width 256, vocabulary 29,423 (WikiText)", lstm_lm},
    ZooEntry{"llama_small_prefill", "llama_small",
             "Llama-style decoder of 1.1 billion parameters, grouped heads, reading a prompt "
             "(shape of TinyLlama, Zhang et al., 2024)",
             llama_small_prefill},
    ZooEntry{"llama_small_decode", "",
             "the same decoder producing one token with a key and value cache", llama_small_decode},
};

}  // namespace

std::span<const ZooEntry> zoo() {
  return kZoo;
}

bool is_zoo_name(std::string_view model) {
  return model.substr(0, kPrefix.size()) == kPrefix;
}

NameSet zoo_names() {
  NameSet set;
  for (const auto& entry : kZoo) {
    set.names.emplace_back(entry.name);
    if (!entry.alias.empty()) {
      set.synonyms.push_back({std::string(entry.alias), std::string(entry.name)});
    }
  }
  return set;
}

const ZooEntry& find_zoo_entry(std::string_view name) {
  if (is_zoo_name(name)) name.remove_prefix(kPrefix.size());
  for (const auto& entry : kZoo) {
    if (same_word(name, entry.name) || (!entry.alias.empty() && same_word(name, entry.alias))) {
      return entry;
    }
  }
  const NameSet names = zoo_names();
  const std::string closest = closest_name(name, names);
  throw NotFoundError("the zoo has no model '" + escape_terminal(name) + "'", "",
                      closest.empty()
                          ? "`ridgewatt zoo list` prints the names, and `zoo list --language` "
                            "those of language models, for `llm`, `fits`, `explain "
                            "--tokens-per-second` and `zoo write`"
                          : "did you mean zoo:" + closest + "?");
}

void suggest_zoo_model(const std::string& path, const NameSet& names) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return;
  std::string name = std::filesystem::path(path).filename().string();
  for (const std::string_view ending : {".onnx", ".gguf", ".safetensors"}) {
    if (name.ends_with(ending)) name.erase(name.size() - ending.size());
  }
  const std::string meant = find_meant(name, names).value_or(closest_name(name, names));
  if (meant.empty()) return;
  throw NotFoundError("cannot read model: " + path, "",
                      "no such file; did you mean zoo:" + meant + "?");
}

}  // namespace ridgewatt::workload
