// The location of a store: the path of an SQLite file, or the address of a PostgreSQL database,
// "postgresql://USER@HOST:PORT/DATABASE?host=/socket&passfile=FILE" (or "postgres://"). The
// password comes from PGPASSWORD, PGPASSFILE, ~/.pgpass or `passfile`. An address with a password
// is rejected, because everybody who sees the command would see it; no message repeats it.
#pragma once

#include <string>

namespace ridgewatt::store {

// Whether a location is the address of a server rather than the path of a file.
bool is_postgresql(const std::string& location);
// Throws UsageError if a location contains a password; the message does not show it.
void refuse_password(const std::string& location);
// For messages: the address without the part after "?".
std::string shown_location(const std::string& location);

}  // namespace ridgewatt::store
