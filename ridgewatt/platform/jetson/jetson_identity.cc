#include "ridgewatt/platform/jetson_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/platform/nvpmodel_conf.h"

namespace ridgewatt::platform {
namespace {

constexpr std::pair<const char*, const char*> kJetpacks[] = {
    {"39.2.0", "7.2"},   {"38.4.0", "7.1"},   {"38.2", "7.0"},     {"36.5.0", "6.2.2"},
    {"36.4.7", "6.2.1"}, {"36.4.4", "6.2.1"}, {"36.4.3", "6.2"},   {"36.4.0", "6.1"},
    {"36.3.0", "6.0"},   {"35.6", "5.1.4"},   {"35.5.0", "5.1.3"}, {"35.4.1", "5.1.2"},
    {"35.3.1", "5.1.1"}, {"35.2.1", "5.1"},   {"35.1.0", "5.0.2"}, {"32.7", "4.6.1"},
    {"32.6.1", "4.6"},   {"32.5", "4.5"},     {"32.4.4", "4.4.1"}, {"32.4.3", "4.4"},
    {"32.3.1", "4.3"},   {"32.2", "4.2.1"},   {"32.1", "4.2"},     {"31.1", "4.1.1"},
};

// "p3701-0005" in "nvidia,p3737-0000+p3701-0005-super": the module follows the '+' of the carrier.
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

// The part number of the module: the one after the '+' of a carrier board, else one that the board
// file lists, else the first.
std::string find_module(const std::vector<std::string>& compatible,
                        const std::vector<std::string>& known) {
  std::string first;
  for (const auto& entry : compatible) {
    std::string part = module_part(entry);
    if (part.empty()) continue;
    const bool named = entry.find('+') != std::string::npos;
    if (named || contains(known, part)) return part;
    if (first.empty()) first = std::move(part);
  }
  return first;
}

// The BSP that shares the most presets with nvpmodel.conf. On a tie: the default BSP.
std::string bsp_of_presets(const Board& board, const Sysfs& sysfs) {
  const auto text = sysfs.text("/etc/nvpmodel.conf");
  if (!text) return board.bsp;
  NvpConf conf;
  try {
    conf = parse_nvpmodel_conf(*text, "/etc/nvpmodel.conf");
  } catch (const InputError&) {
    return board.bsp;
  }
  const auto shared = [&](const Bsp& bsp) {
    return std::count_if(bsp.presets.begin(), bsp.presets.end(), [&](const Preset& preset) {
      return std::any_of(conf.modes.begin(), conf.modes.end(),
                         [&](const NvpMode& mode) { return mode.name == preset.name; });
    });
  };
  const Bsp* best = &board.find_bsp();
  for (const auto& bsp : board.bsps) {
    if (shared(bsp) > shared(*best)) best = &bsp;
  }
  return best->name;
}

// Finds the board file by the device tree. If that leaves the BSP open, the presets decide.
void find_board_file(const Sysfs& sysfs, JetsonIdentity& identity) {
  const auto found = find_board(identity.compatible);
  if (!found) {
    identity.module = find_module(identity.compatible, {});
    return;
  }
  Board board = load_board(*found);
  if (found->find('@') == std::string::npos) board.bsp = bsp_of_presets(board, sysfs);
  const bool is_default = board.bsp == load_board(board.name).bsp;
  identity.board = board.name + (is_default ? "" : "@" + board.bsp);
  identity.super = board.bsp == "super";
  identity.module = find_module(identity.compatible, board.modules);
}

// Converts "# R36 (release), REVISION: 4.3, ..." to "36.4.3".
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
    // "38.2" matches 38.2 and 38.2.x, not 38.20.
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
  for (const auto& entry : identity.compatible) {
    if (identity.soc.empty() && entry.starts_with("nvidia,tegra")) identity.soc = entry.substr(7);
  }
  find_board_file(sysfs, identity);
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

}  // namespace ridgewatt::platform
