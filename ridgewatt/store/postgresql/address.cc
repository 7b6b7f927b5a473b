#include "ridgewatt/store/postgresql/address.h"

#include <algorithm>
#include <cstdlib>

#include "ridgewatt/base/error.h"
#include "ridgewatt/store/location.h"
#include "ridgewatt/store/postgresql/libpq.h"

namespace ridgewatt::store {
namespace {

// Settings that apply unless the address specifies them. A network that drops packets is noticed
// within half a minute.
const std::vector<std::pair<std::string, std::string>>& session_settings() {
  static const std::vector<std::pair<std::string, std::string>> settings = {
      {"application_name", "ridgewatt"}, {"client_encoding", "UTF8"},
      {"keepalives_idle", "10"},         {"keepalives_interval", "5"},
      {"keepalives_count", "3"},         {"tcp_user_timeout", "20000"}};
  return settings;
}

}  // namespace

PostgresqlAddress parse_address(const std::string& location) {
  refuse_password(location);
  const Libpq& pq = Libpq::get();
  PostgresqlAddress address;
  address.shown = shown_location(location);
  char* fault = nullptr;
  libpq::ConnectionOption* options = pq.conninfo_parse(location.c_str(), &fault);
  if (options == nullptr) {
    if (fault != nullptr) pq.freemem(fault);
    throw UsageError("is not the address of a PostgreSQL database", address.shown,
                     "write postgresql://USER@HOST:PORT/DATABASE");
  }
  bool secret = false;
  for (auto* option = options; option->keyword != nullptr; ++option) {
    if (option->value == nullptr) continue;
    const std::string keyword = option->keyword;
    secret = secret || keyword == "password" || keyword == "sslpassword";
    if (keyword == "connect_timeout") address.timeout_s = std::atof(option->value);
    address.settings.emplace_back(keyword, option->value);
  }
  pq.conninfo_free(options);
  // refuse_password(location) does not recognize every spelling of a password.
  if (secret) refuse_password("password=");
  if (!(address.timeout_s >= 1)) address.timeout_s = 1;
  for (const auto& setting : session_settings()) {
    const auto given = std::find_if(address.settings.begin(), address.settings.end(),
                                    [&](const auto& one) { return one.first == setting.first; });
    if (given == address.settings.end()) address.settings.push_back(setting);
  }
  return address;
}

}  // namespace ridgewatt::store
