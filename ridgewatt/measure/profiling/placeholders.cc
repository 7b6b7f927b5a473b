#include "ridgewatt/measure/placeholders.h"

#include <algorithm>

#include "ridgewatt/platform/jetson_identity.h"

namespace ridgewatt::measure {

bool has_place(const std::vector<std::string>& command, std::string_view place) {
  return std::any_of(command.begin(), command.end(), [&](const std::string& argument) {
    return argument.find(place) != std::string::npos;
  });
}

void fill_in(std::vector<std::string>& command, std::string_view place, int value) {
  const std::string text = std::to_string(value);
  for (auto& argument : command) {
    for (auto at = argument.find(place); at != std::string::npos; at = argument.find(place)) {
      argument.replace(at, place.size(), text);
    }
  }
}

bool threads_replace_modes(const std::vector<std::string>& command, const platform::Sysfs& sysfs) {
  return has_place(command, kThreadsPlace) && !platform::identify_jetson(sysfs);
}

int online_cpus(const platform::Sysfs& sysfs) {
  const auto online =
      platform::cpu_list(sysfs.text("/sys/devices/system/cpu/online").value_or("0"));
  return std::max(static_cast<int>(online.size()), 1);
}

}  // namespace ridgewatt::measure
