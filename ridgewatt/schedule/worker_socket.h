// The default path of the socket between executor and workers, in a folder that no other user can
// write to. ridgewatt_worker.h and ridgewatt.py use the same path.
#pragma once

#include <string>

namespace ridgewatt::schedule {

// Returns the path of "ridgewatt.sock" in $XDG_RUNTIME_DIR. Without this variable: in
// /run/ridgewatt for root, otherwise in ~/.local/state/ridgewatt/run, created with mode 0700.
// Throws NotFoundError if the environment variables name no folder, and PermissionError if the
// folder is a link, belongs to another user or can be written by others.
std::string default_worker_socket();

}  // namespace ridgewatt::schedule
