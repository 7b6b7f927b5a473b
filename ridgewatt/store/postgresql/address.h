// Where a store in PostgreSQL is: "postgresql://USER@HOST:PORT/DATABASE?host=/socket&passfile=FILE"
// (or "postgres://"), as libpq reads it, without a password (store/location.h).
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ridgewatt::store {

struct PostgresqlAddress {
  std::vector<std::pair<std::string, std::string>> settings;  // libpq's, those of a session added
  std::string shown;      // the address without what stands behind "?"
  double timeout_s = 10;  // to connect
};
// UsageError: not an address, or one with a password.
PostgresqlAddress parse_address(const std::string& location);

}  // namespace ridgewatt::store
