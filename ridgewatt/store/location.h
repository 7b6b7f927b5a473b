// Where a store is: the path of an SQLite file, or the address of a PostgreSQL database,
// "postgresql://USER@HOST:PORT/DATABASE?host=/socket&passfile=FILE" (or "postgres://"). The
// password comes from PGPASSWORD, PGPASSFILE, ~/.pgpass or `passfile`; one in the address would be
// seen by all who see the command, so it is refused, and no message repeats it.
#pragma once

#include <string>

namespace ridgewatt::store {

// Whether a location is the address of a server, and not the path of a file.
bool is_postgresql(const std::string& location);
// Throws UsageError when a location holds a password; the line does not.
void refuse_password(const std::string& location);
// For messages: an address without what stands behind "?".
std::string shown_location(const std::string& location);

}  // namespace ridgewatt::store
