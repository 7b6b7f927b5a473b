#include "ridgewatt/platform/jetson_identity.h"

#include <cctype>
#include <utility>

#include "ridgewatt/base/text.h"

namespace ridgewatt {
namespace {

// Module part numbers; a prefix without a suffix stands for every variant.
constexpr std::pair<const char*, const char*> kModules[] = {
    {"p3834-0000", "thor-t4000"},
    {"p3834", "thor"},
    {"p3767-0003", "orin-nano"},
    {"p3767-0005", "orin-nano"},
    {"p3767-0004", "orin-nano-4gb"},
    {"p3767-0001", "orin-nx-8gb"},
    {"p3767-0000", "orin-nx"},
    {"p3701-0004", "agx-orin-32gb"},
    {"p3701", "agx-orin"},
    {"p3668", "xavier-nx"},
    {"p2888", "agx-xavier"},
    {"p3448-0003", "nano-2gb"},
    {"p3448", "nano"},
    {"p3450", "nano"},
    {"p3636", "tx2-nx"},
    {"p3489", "tx2"},
    {"p3310", "tx2"},
    {"p2771", "tx2"},
    {"p2180", "tx1"},
};

constexpr std::pair<const char*, const char*> kJetpacks[] = {
    {"39.2.0", "7.2"},   {"38.4.0", "7.1"},   {"38.2", "7.0"},     {"36.5.0", "6.2.2"},
    {"36.4.7", "6.2.1"}, {"36.4.4", "6.2.1"}, {"36.4.3", "6.2"},   {"36.4.0", "6.1"},
    {"36.3.0", "6.0"},   {"35.6", "5.1.4"},   {"35.5.0", "5.1.3"}, {"35.4.1", "5.1.2"},
    {"35.3.1", "5.1.1"}, {"35.2.1", "5.1"},   {"35.1.0", "5.0.2"}, {"32.7", "4.6.1"},
    {"32.6.1", "4.6"},   {"32.5", "4.5"},     {"32.4.4", "4.4.1"}, {"32.4.3", "4.4"},
    {"32.3.1", "4.3"},   {"32.2", "4.2.1"},   {"32.1", "4.2"},     {"31.1", "4.1.1"},
};

// "p3701-0005" in "nvidia,p3737-0000+p3701-0005-super": the module stands after the carrier's '+'.
std::string module_part(std::string text) {
  const auto comma = text.rfind(',');
  if (comma != std::string::npos) text.erase(0, comma + 1);
  const auto plus = text.rfind('+');
  if (plus != std::string::npos) text.erase(0, plus + 1);
  const bool part =
      text.size() >= 5 && text[0] == 'p' && std::isdigit(static_cast<unsigned char>(text[1])) != 0;
  if (!part) return "";
  return text.substr(0, 10);  // pXXXX-YYYY
}

const char* board_of_module(const std::string& module) {
  for (const auto& [prefix, board] : kModules) {
    if (module.rfind(prefix, 0) == 0) return board;
  }
  return nullptr;
}

void find_module(JetsonIdentity& identity) {
  for (const auto& entry : identity.compatible) {
    if (entry.find("-super") != std::string::npos) identity.super = true;
    const auto tegra = entry.find("nvidia,tegra");
    if (tegra == 0 && identity.soc.empty()) identity.soc = entry.substr(7);
    const std::string module = module_part(entry);
    const char* board = board_of_module(module);
    // A later entry may name the module where an earlier one names only the carrier board.
    if (board != nullptr && (identity.module.empty() || identity.module.rfind("p3450", 0) == 0)) {
      identity.module = module;
      identity.board = board;
    }
  }
  if (identity.board.empty()) {
    // Device trees that name no part: by the model, whole words only.
    static constexpr std::pair<const char*, const char*> kModels[] = {
        {"AGX Orin", "agx-orin"},
        {"Orin NX", "orin-nx"},
        {"Orin Nano", "orin-nano"},
        {"Xavier NX", "xavier-nx"},
        {"Jetson-AGX", "agx-xavier"},
        {"AGX Xavier", "agx-xavier"},
        {"Thor", "thor"},
        {"TX2 NX", "tx2-nx"},
        {"TX2", "tx2"},
        {"quill", "tx2"},
        {"TX1", "tx1"},
        {"Jetson Nano", "nano"},
    };
    for (const auto& [name, board] : kModels) {
      if (identity.model.find(name) != std::string::npos) {
        identity.board = board;
        break;
      }
    }
  }
}

// "# R36 (release), REVISION: 4.3, ..." gives "36.4.3".
std::string l4t_release(const std::string& text) {
  const auto release = text.find("# R");
  const auto revision = text.find("REVISION: ");
  if (release == std::string::npos || revision == std::string::npos) return "";
  std::string result;
  const auto append = [&](std::size_t position) {
    while (
        position < text.size() &&
        (std::isdigit(static_cast<unsigned char>(text[position])) != 0 || text[position] == '.')) {
      result += text[position++];
    }
  };
  append(release + 3);
  result += '.';
  append(revision + 10);
  return result;
}

}  // namespace

std::string jetpack_of_l4t(const std::string& l4t) {
  for (const auto& [prefix, jetpack] : kJetpacks) {
    const std::string name = prefix;
    // "38.2" stands for 38.2 and 38.2.x, not for 38.20.
    if (l4t == name || l4t.rfind(name + ".", 0) == 0) return jetpack;
  }
  return "";
}

std::optional<JetsonIdentity> identify_jetson(const Sysfs& sysfs) {
  JetsonIdentity identity;
  const auto read = [&](const std::string& name) {
    if (auto text = sysfs.text("/proc/device-tree/" + name)) return *text;
    return sysfs.text("/sys/firmware/devicetree/base/" + name).value_or("");
  };
  identity.model = read("model");
  for (auto& entry : split(read("compatible"), '\0')) {
    if (!entry.empty()) identity.compatible.push_back(std::move(entry));
  }
  bool tegra = false;
  for (const auto& entry : identity.compatible)
    tegra = tegra || entry.rfind("nvidia,tegra", 0) == 0;
  const auto release = sysfs.text("/etc/nv_tegra_release");
  if (!tegra && !release) return std::nullopt;
  find_module(identity);
  if (release) identity.l4t = l4t_release(*release);
  identity.jetpack = jetpack_of_l4t(identity.l4t);
  if (const auto memory = sysfs.text("/proc/meminfo")) {
    const auto position = memory->find("MemTotal:");
    if (position != std::string::npos) {
      const auto line = memory->substr(position + 9, memory->find('\n', position) - position - 9);
      const auto end = line.find(" kB");
      if (end != std::string::npos) {
        identity.memory_bytes = parse_double(line.substr(0, end)).value_or(0) * 1024;
      }
    }
  }
  return identity;
}

}  // namespace ridgewatt
