#include "ridgewatt/campaign/engine/host.h"

#include <unistd.h>

#include <cerrno>

#include "ridgewatt/base/environment.h"
#include "ridgewatt/base/error.h"

namespace ridgewatt::campaign {

std::string engine_host() {
  for (const char* name : {"SLURMD_NODENAME", "PARALLEL_SSHLOGIN"}) {
    if (const auto host = environment_variable(name)) return *host;
  }
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0) {
    throw_errno(errno, "cannot read the host name of this machine", "");
  }
  return name;
}

}  // namespace ridgewatt::campaign
