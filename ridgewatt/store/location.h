// Handles the location of a store: the path of an SQLite file, or the address of a PostgreSQL
// database, "postgresql://USER@HOST:PORT/DATABASE?host=/socket&passfile=FILE" (or "postgres://").
// The password comes from PGPASSWORD, PGPASSFILE, ~/.pgpass or `passfile`. An address that contains
// a password is rejected, because everybody who can read the command could read the password. No
// message repeats a password.
#pragma once

#include <string>

namespace ridgewatt::store {

// True if the location is the address of a server, false if it is the path of a file.
bool is_postgresql(const std::string& location);
// Throws UsageError if the location contains a password. The message does not show it.
void refuse_password(const std::string& location);
// Returns the location for use in messages: an address without the part after "?".
std::string shown_location(const std::string& location);

}  // namespace ridgewatt::store
