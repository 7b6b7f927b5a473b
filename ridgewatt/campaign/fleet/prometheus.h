// Queries the HTTP API of Prometheus (prometheus.io/docs/prometheus/latest/querying/api), and reads
// the JSON files that list its targets (file_sd).
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ridgewatt::campaign {

using Labels = std::map<std::string, std::string>;

// One series in the result of an instant query.
struct PromValue {
  Labels labels;
  double value = 0;
  std::string label(const std::string& name) const;  // empty if there is no such label
};

class Prometheus {
 public:
  explicit Prometheus(std::string url);
  // Throws IoError if there is no valid reply.
  std::vector<PromValue> query(const std::string& expression) const;

 private:
  std::string url_;
};

// Returns the instances ("orin-1.example:8470") with their labels. Throws InputError if the file is
// not a list of targets.
std::map<std::string, Labels> read_targets(const std::string& path);

}  // namespace ridgewatt::campaign
