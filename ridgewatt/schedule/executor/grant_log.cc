#include "ridgewatt/schedule/grant_log.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/input_files.h"

namespace ridgewatt::schedule {

GrantLog::GrantLog(const std::string& path) : path_(path) {
  if (path.empty()) return;
  refuse_input(path);
  file_.reset(std::fopen(path.c_str(), "we"));
  if (!file_) throw_errno(errno, "cannot write the log of grants", path);
  put("sequence,worker,kind,pid,granted_s,released_s,outcome,requests,aside\n");
}

void GrantLog::add(const GrantRecord& r) {
  if (!file_) return;
  put(fmt::format("{},{},{},{},{:.6f},{:.6f},{},{},{}\n", r.sequence, r.worker, name_of(r.kind),
                  r.pid, r.granted_s, r.released_s, r.outcome, r.requests, r.aside));
}

void GrantLog::put(const std::string& text) {
  if (std::fputs(text.c_str(), file_.get()) >= 0 && std::fflush(file_.get()) == 0) return;
  if (fault_.empty()) fault_ = fmt::format("{}: {}", path_, std::generic_category().message(errno));
  std::clearerr(file_.get());
}

}  // namespace ridgewatt::schedule
