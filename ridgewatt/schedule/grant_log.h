// Log of grants: a CSV file with one line per grant, written when the grant ends.
//
//   GrantLog log("grants.csv");
//   options.on_grant = [&](const GrantRecord& record) { log.add(record); };
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "ridgewatt/schedule/executor.h"

namespace ridgewatt::schedule {

class GrantLog {
 public:
  // An empty path disables the log. Throws IoError, or another Error that matches errno, if the
  // file cannot be created.
  explicit GrantLog(const std::string& path);
  void add(const GrantRecord& record);
  // Why grants are missing in the file; empty if none are. A failure does not stop the workers.
  const std::string& fault() const { return fault_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void put(const std::string& text);
  std::string path_, fault_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace ridgewatt::schedule
