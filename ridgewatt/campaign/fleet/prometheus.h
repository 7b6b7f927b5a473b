// Questions to Prometheus' HTTP API (prometheus.io/docs/prometheus/latest/querying/api), and the
// targets that its file_sd reads.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ridgewatt::campaign {

using Labels = std::map<std::string, std::string>;

// One series of an instant query.
struct PromValue {
  Labels labels;
  double value = 0;
  std::string label(const std::string& name) const;  // empty: it has none
};

class Prometheus {
 public:
  explicit Prometheus(std::string url);
  // IoError in one line when there is no reply, or none that can be read.
  std::vector<PromValue> query(const std::string& expression) const;

 private:
  std::string url_;
};

// Instances ("orin-1.example:8470") with their labels. InputError when the file is no such list.
std::map<std::string, Labels> read_targets(const std::string& path);

}  // namespace ridgewatt::campaign
