// The address of a store in PostgreSQL,
// "postgresql://USER@HOST:PORT/DATABASE?host=/socket&passfile=FILE" (or "postgres://"), as libpq
// reads it, without a password (store/location.h).
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ridgewatt::store {

struct PostgresqlAddress {
  // of libpq, with those of a session added
  std::vector<std::pair<std::string, std::string>> settings;
  std::string shown;      // the address without the part after "?"
  double timeout_s = 10;  // to connect
};
// Throws UsageError for anything that is not an address, and for one with a password.
PostgresqlAddress parse_address(const std::string& location);

}  // namespace ridgewatt::store
