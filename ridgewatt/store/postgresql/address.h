// Parses the address of a store in PostgreSQL as libpq does:
// "postgresql://USER@HOST:PORT/DATABASE?host=/socket&passfile=FILE" (or "postgres://"), without a
// password (store/location.h).
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ridgewatt::store {

struct PostgresqlAddress {
  // Settings of libpq, completed by those of a session.
  std::vector<std::pair<std::string, std::string>> settings;
  std::string shown;      // address without the part after "?", for messages
  double timeout_s = 10;  // time limit for connecting
};
// Throws UsageError if `location` is not an address or contains a password.
PostgresqlAddress parse_address(const std::string& location);

}  // namespace ridgewatt::store
