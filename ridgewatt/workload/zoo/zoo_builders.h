// Functions that build the models of the zoo. Each returns the bytes of an ONNX file.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "ridgewatt/workload/graph_builder.h"

namespace ridgewatt::workload::zoo_builders {

std::string lenet5();
std::string alexnet();
std::string vgg11();
std::string vgg16();
std::string resnet18();
std::string resnet18_cifar();
std::string resnet50();
std::string resnet18_qat();
std::string resnext50_32x4d();
std::string googlenet();
std::string inception_v3();
std::string squeezenet1_0();
std::string squeezenet1_1();
std::string densenet121();
std::string mobilenet_v2();
std::string mobilenet_v3_large();
std::string mobilenet_v3_gld();
std::string efficientnet_b0();
std::string shufflenet_v2();
std::string shufflenet_v2_cifar();
std::string neumf();
std::string yolov5n();
std::string yolov5s();
std::string yolov5m();
std::string yolov5l();
std::string yolov5x();
std::string yolov7_tiny();
std::string yolov7();
std::string yolov7x();
std::string yolov8n();
std::string yolov8s();
std::string yolov8m();
std::string yolov8l();
std::string yolov8x();
std::string yolov9t();
std::string yolov9s();
std::string yolov9m();
std::string yolov9c();
std::string yolov10n();
std::string yolov10s();
std::string yolov10m();
std::string yolov10b();
std::string yolov10l();
std::string yolov10x();
std::string yolo11n();
std::string yolo11s();
std::string yolo11m();
std::string yolo11l();
std::string yolo11x();
std::string yolox_nano();
std::string yolox_tiny();
std::string yolox_s();
std::string yolox_m();
std::string yolox_l();
std::string yolox_x();
std::string yolov4_tiny();
std::string retinanet_resnext50();
std::string ssd_mobilenet_v1();
std::string bert_tiny();
std::string bert_base();
std::string bert_large();
std::string distilbert();
std::string vit_b_16();
std::string vit_b_32();
std::string clip_vit_b_16();
std::string clip_vit_b_32();
std::string dinov2_b();
std::string gptj_block();
std::string lstm_lm();
std::string deeponet_small();
std::string deeponet_base();
std::string deeponet_large();
std::string llama_small_prefill();
std::string llama_small_decode();

// Adds a ResNeXt-50 32x4d and returns the result of each of its four stages.
std::array<GraphBuilder::Value, 4> resnext50_stages(GraphBuilder& g,
                                                    const GraphBuilder::Value& image);

// Adds the logits as the output of a classifier, and returns the bytes of the ONNX file.
inline std::string finish_classifier(GraphBuilder& g, const GraphBuilder::Value& logits) {
  g.output(logits, "output", {"batch", logits.channels});
  return g.serialize();
}

}  // namespace ridgewatt::workload::zoo_builders
