#include "ridgewatt/campaign/fleet/prometheus.h"

#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/http_get.h"
#include "ridgewatt/io/json.h"

namespace ridgewatt::campaign {
namespace {

constexpr std::size_t kMostTargetBytes = std::size_t{16} << 20;

Labels labels_of(const Json& json) {
  Labels labels;
  for (const auto& [name, value] : json.items()) labels[name] = value.get<std::string>();
  return labels;
}

}  // namespace

std::string PromValue::label(const std::string& name) const {
  const auto found = labels.find(name);
  return found == labels.end() ? std::string() : found->second;
}

Prometheus::Prometheus(std::string url) : url_(std::move(url)) {
  while (url_.ends_with('/')) url_.pop_back();
}

std::vector<PromValue> Prometheus::query(const std::string& expression) const {
  const std::string text = http_get(url_ + "/api/v1/query?query=" + url_encoded(expression));
  try {
    const Json reply = Json::parse(text);
    std::vector<PromValue> values;
    for (const auto& series : reply.at("data").at("result")) {
      const auto value = parse_double(series.at("value").at(1).get<std::string>());
      if (value) values.push_back({labels_of(series.at("metric")), *value});
    }
    return values;
  } catch (const Json::exception&) {
    throw IoError("is not a reply of Prometheus", url_, "is --prometheus its address?");
  }
}

std::map<std::string, Labels> read_targets(const std::string& path) {
  std::map<std::string, Labels> targets;
  try {
    const Json groups = Json::parse(read_file(path, kMostTargetBytes));
    if (!groups.is_array())
      throw InputError("is not a JSON list of targets", path,
                       "packaging/metrics/boards.json is an example");
    for (const auto& group : groups) {
      const Labels labels = labels_of(group.value("labels", Json::object()));
      for (const auto& target : group.at("targets")) targets[target.get<std::string>()] = labels;
    }
  } catch (const Json::exception&) {
    throw InputError("is not a JSON list of targets with labels", path,
                     "packaging/metrics/boards.json is an example");
  }
  return targets;
}

}  // namespace ridgewatt::campaign
