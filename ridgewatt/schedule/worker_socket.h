// The default path of the socket between controller and workers, in a folder that no other user can
// write. ridgewatt_worker.h and ridgewatt.py use the same path.
#pragma once

#include <string>

namespace ridgewatt::schedule {

// "ridgewatt.sock" in $XDG_RUNTIME_DIR; without it in /run/ridgewatt (root) or in
// ~/.local/state/ridgewatt/run, which is made with mode 0700. Throws NotFoundError when the
// environment names no folder, PermissionError when it is a link, belongs to another user or can be
// written by others.
std::string default_worker_socket();

}  // namespace ridgewatt::schedule
