// For tests of servers: an unused port on the loopback interface.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/fd.h"

namespace ridgewatt::testing {

// The kernel chooses the port and does not reuse it for a while. Throws Error if none is free.
inline int free_port() {
  const OwnedFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* name = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket.get(), name, size) != 0 || ::getsockname(socket.get(), name, &size) != 0) {
    throw Error("no port is free", "127.0.0.1");
  }
  return ntohs(address.sin_port);
}

}  // namespace ridgewatt::testing
