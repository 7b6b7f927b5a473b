#include "ridgewatt/platform/nvpmodel_conf.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/preset_text.h"

namespace ridgewatt::platform {
namespace {

constexpr std::size_t kMaxLines = 20000;
constexpr std::size_t kMaxLineBytes = 4096;

bool is_cpu_clock(const std::string& param) {
  return param.rfind("CPU", 0) == 0 && param != "CPU_ONLINE";
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& source) : text_(text) { conf_.source = source; }

  NvpConf parse() {
    while (!text_.empty()) {
      ++line_number_;
      const auto end = std::min(text_.find('\n'), text_.size());
      std::string_view line = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      if (line_number_ > kMaxLines || line.size() > kMaxLineBytes)
        fail("the file is too large for nvpmodel.conf");
      if (line.find('\0') != std::string_view::npos) fail("the file contains a NUL byte");
      line = trim(line.substr(0, line.find('#')));
      if (line.empty()) continue;
      if (line.front() == '<')
        header(line);
      else
        body(words_of(line));
    }
    if (conf_.modes.empty()) throw InputError("has no POWER_MODEL section", conf_.source);
    check();
    return std::move(conf_);
  }

 private:
  enum class Section { kNone, kParam, kMode, kSkipped };

  [[noreturn]] void fail(std::string_view what) const {
    throw InputError(what, fmt::format("{} line {}", conf_.source, line_number_));
  }

  void header(std::string_view line) {
    if (line.back() != '>') fail("the section header does not end with '>'");
    const auto words = words_of(line.substr(1, line.size() - 2));
    if (words.empty()) fail("the section header is empty");
    std::map<std::string, std::string> keys;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto equals = words[i].find('=');
      if (equals == std::string::npos) fail("the section header lacks '=' in " + words[i]);
      keys[words[i].substr(0, equals)] = words[i].substr(equals + 1);
    }
    const auto require = [&](const char* key) {
      const auto found = keys.find(key);
      if (found == keys.end() || found->second.empty()) {
        fail(fmt::format("the {} section lacks {}", words[0], key));
      }
      return found->second;
    };
    if (words[0] == "PARAM") {
      section_ = Section::kParam;
      const std::string type = require("TYPE");
      NvpParam param;
      if (type == "CLOCK")
        param.type = NvpParam::Type::kClock;
      else if (type == "HWMON")
        param.type = NvpParam::Type::kHwmon;
      else if (type != "FILE")
        fail("unknown TYPE " + type);
      param.name = require("NAME");
      if (conf_.param(param.name) != nullptr) fail("parameter " + param.name + " is defined twice");
      conf_.params.push_back(std::move(param));
    } else if (words[0] == "POWER_MODEL") {
      section_ = Section::kMode;
      conf_.modes.push_back({integer(require("ID")), require("NAME"), {}});
    } else if (words[0] == "PM_CONFIG") {
      section_ = Section::kSkipped;
      conf_.default_id = integer(require("DEFAULT"));
    } else {
      section_ = Section::kSkipped;
      if (words[0] == "FAN_CONFIG")
        conf_.fan_default = require("DEFAULT");
      else
        ++conf_.skipped_sections;
    }
  }

  int integer(const std::string& text) const {
    const auto value = parse_int(text);
    if (!value || *value < 0 || *value > 1000000)
      fail("the id must be a whole number from 0 to 1000000, but is " + text);
    return static_cast<int>(*value);
  }

  void body(const std::vector<std::string>& words) {
    if (section_ == Section::kParam) {
      auto& param = conf_.params.back();
      const bool hwmon = param.type == NvpParam::Type::kHwmon;
      if (words.size() != (hwmon ? 3u : 2u))
        fail("a line of a parameter must have an argument and a path");
      if (words[1].front() != '/') fail("the path does not begin with '/': " + words[1]);
      param.arguments.push_back({words[0], words[1], hwmon ? words[2] : ""});
    } else if (section_ == Section::kMode) {
      auto& mode = conf_.modes.back();
      if (words.size() == 2 && words[0].front() == '/')
        mode.settings.push_back({"", words[0], words[1]});
      else if (words.size() == 3)
        mode.settings.push_back({words[0], words[1], words[2]});
      else
        fail("a line of a power mode must have a parameter, an argument and a value");
    } else if (section_ == Section::kNone) {
      fail("there is text before the first section");
    }
  }

  void check() const {
    for (std::size_t i = 0; i < conf_.modes.size(); ++i) {
      const auto& mode = conf_.modes[i];
      for (std::size_t j = 0; j < i; ++j) {
        if (conf_.modes[j].id == mode.id || conf_.modes[j].name == mode.name) {
          throw InputError(
              fmt::format("two power modes have the same id or name: {} {}", mode.id, mode.name),
              conf_.source);
        }
      }
      for (const auto& setting : mode.settings) check(mode, setting);
    }
  }

  void check(const NvpMode& mode, const NvpSetting& setting) const {
    if (setting.param.empty()) return;
    const std::string where = fmt::format("{} mode {}", conf_.source, mode.name);
    const auto* param = conf_.param(setting.param);
    if (param == nullptr) throw InputError("unknown parameter " + setting.param, where);
    const bool known =
        std::any_of(param->arguments.begin(), param->arguments.end(), [&](const auto& argument) {
          return argument.name == setting.argument || argument.name == setting.argument + "_KNEXT";
        });
    if (!known) {
      throw InputError(fmt::format("{} has no argument {}", setting.param, setting.argument),
                       where);
    }
    if (param->type == NvpParam::Type::kClock && !parse_int(setting.value)) {
      throw InputError("the value must be a whole number, but is " + setting.value, where);
    }
  }

  std::string_view text_;
  std::size_t line_number_ = 0;
  Section section_ = Section::kNone;
  NvpConf conf_;
};

}  // namespace

const NvpParam* NvpConf::param(std::string_view name) const {
  for (const auto& entry : params) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

const NvpMode& NvpConf::mode(const std::string& name) const {
  std::vector<std::string> names;
  for (const auto& entry : modes) {
    if (entry.name == name || fmt::format("{}", entry.id) == name) return entry;
    names.push_back(entry.name);
  }
  const auto meant = presets_meant(names, name);
  if (meant.size() == 1) return modes[meant.front()];
  if (meant.empty()) {
    throw NotFoundError("the board has no power mode of this name or id", name,
                        hint_for(name, preset_name_set(std::move(names))));
  }
  std::vector<std::string> fitting;
  for (const auto i : meant) fitting.push_back(names[i]);
  throw UsageError(fmt::format("'{}' is the name of {} presets of the board", name, meant.size()),
                   "", fmt::format("name one: {}", fmt::join(fitting, ", ")));
}

NvpConf parse_nvpmodel_conf(std::string_view text, const std::string& source) {
  return Parser(text, source).parse();
}

PowerMode limits_of(const NvpConf& conf, const NvpMode& mode) {
  static constexpr double kNoLimit = 2147483647;
  PowerMode limits;
  for (const auto& setting : mode.settings) {
    const double value = parse_double(setting.value).value_or(0);
    const bool limit =
        setting.argument == "MAX_FREQ" && value > 0 && value < kNoLimit * 1e3 && value != kNoLimit;
    if (setting.param == "CPU_ONLINE" && value == 1) ++limits.cpu_cores;
    if (!limit || conf.param(setting.param) == nullptr) continue;
    if (is_cpu_clock(setting.param))
      limits.cpu_clock_hz = std::max(limits.cpu_clock_hz, value * 1e3);
    else if (setting.param == "GPU")
      limits.gpu_clock_hz = value;
    else if (setting.param == "EMC")
      limits.mem_clock_hz = value;
  }
  return limits;
}

std::string power_model_section(const NvpConf& conf, const PowerMode& mode, int id,
                                const std::string& name) {
  if (name.empty() || name.find_first_of(" \t\r\n<>#=") != std::string::npos) {
    throw UsageError("the name of a power mode must be one word without < > # =", name,
                     "choose another --name");
  }
  for (const auto& entry : conf.modes) {
    if (entry.id == id || entry.name == name) {
      throw UsageError("the board already has a power mode with this id or name",
                       fmt::format("{} {}", entry.id, entry.name), "choose another --id or --name");
    }
  }
  std::string text = fmt::format("< POWER_MODEL ID={} NAME={} >\n", id, name);
  const auto* online = conf.param("CPU_ONLINE");
  if (online != nullptr && mode.cpu_cores > 0) {
    int core = 0;
    for (const auto& argument : online->arguments) {
      text += fmt::format("CPU_ONLINE {} {}\n", argument.name, core++ < mode.cpu_cores ? 1 : 0);
    }
  }
  const auto fix = [&](const std::string& param, double value) {
    const auto* found = conf.param(param);
    if (found == nullptr || value <= 0) return;
    for (const auto& argument : found->arguments) {
      if (argument.name == "MIN_FREQ" || argument.name == "MAX_FREQ") {
        text += fmt::format("{} {} {:.0f}\n", param, argument.name, value);
      }
    }
  };
  for (const auto& param : conf.params) {
    if (is_cpu_clock(param.name) && param.type == NvpParam::Type::kClock) {
      fix(param.name, mode.cpu_clock_hz / 1e3);
    }
  }
  fix("GPU", mode.gpu_clock_hz);
  fix("EMC", mode.mem_clock_hz);
  return text;
}

}  // namespace ridgewatt::platform
