#include "ridgewatt/serve/security/guard.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/text.h"
#include "ridgewatt/serve/security/secret.h"

namespace ridgewatt::serve {
namespace {

constexpr std::size_t kBuckets = 4096;  // chosen: maximum number of addresses that are counted

// "localhost:8470" -> "localhost"; "[::1]:8470" -> "[::1]".
std::string_view without_port(std::string_view host) {
  const auto bracket = host.find(']');
  const auto colon = host.find(':', bracket == std::string_view::npos ? 0 : bracket);
  return host.substr(0, colon);
}

std::string_view cookie_value(std::string_view cookies, std::string_view name) {
  while (!cookies.empty()) {
    const auto end = std::min(cookies.find(';'), cookies.size());
    auto part = cookies.substr(0, end);
    cookies.remove_prefix(std::min(end + 1, cookies.size()));
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    if (part.size() > name.size() && part.starts_with(name) && part[name.size()] == '=') {
      return part.substr(name.size() + 1);
    }
  }
  return {};
}

bool needs_no_token(const RequestHead& head) {
  const auto path = head.path();
  if (path == "/healthz" || path == "/api/v1/session") return true;
  return head.method != "POST" && head.method != "DELETE" && !path.starts_with("/api/") &&
         !path.starts_with("/metrics");
}

}  // namespace

void refuse_other_sites(const RequestHead& head, bool secure) {
  const auto origin = head.header("origin");
  const auto site = head.header("sec-fetch-site");
  const bool api = head.path().starts_with("/api/") || head.path() == "/metrics";
  const bool changes = head.method == "POST" || head.method == "DELETE";
  if (!api && !changes) return;  // a link to the application
  const std::string own = (secure ? "https://" : "http://") + lower_case(head.header("host"));
  if (!origin.empty() && lower_case(origin) != own) {
    throw HttpError(403, "pages of other sites may not use this server");
  }
  if (!site.empty() && site != "same-origin" && site != "none") {
    throw HttpError(403, "pages of other sites may not use this server");
  }
}

void Guard::check_host(const RequestHead& head) const {
  const std::string host = lower_case(without_port(head.header("host")));
  if (host.empty()) throw HttpError(400, "the request lacks the header Host");
  if (!options_.loopback) return;
  if (host != "localhost" && host != "127.0.0.1" && host != "[::1]") {
    throw HttpError(403, "this server answers only on localhost or 127.0.0.1");
  }
}

void Guard::take_from_bucket(const std::string& address) {
  const auto now = std::chrono::steady_clock::now();
  const double most = std::max(2.0, 2 * options_.rate);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (buckets_.size() > kBuckets) buckets_.clear();
  auto [place, is_new] = buckets_.try_emplace(address, Bucket{most, now});
  Bucket& bucket = place->second;
  const double passed_s = std::chrono::duration<double>(now - bucket.at).count();
  bucket.requests = std::min(most, bucket.requests + passed_s * options_.rate);
  bucket.at = now;
  if (bucket.requests < 1) {
    const auto wait_s = static_cast<int>(std::ceil((1 - bucket.requests) / options_.rate));
    throw HttpError(429, "too many requests per second: try again later",
                    {"Retry-After", std::to_string(std::max(1, wait_s))});
  }
  bucket.requests -= 1;
}

void Guard::admit(const RequestHead& head, const std::string& address, bool secure) {
  take_from_bucket(address);
  check_host(head);
  refuse_other_sites(head, secure);
  if (!needs_no_token(head) && !has_token(head)) {
    throw HttpError(401, "the token is missing or wrong: open the address that the server printed");
  }
}

bool Guard::has_token(const RequestHead& head) const {
  if (options_.token.empty()) return true;
  static constexpr std::string_view kBearer = "bearer ";  // compared without case: RFC 9110, 11.1
  const auto authorization = head.header("authorization");
  if (lower_case(authorization.substr(0, kBearer.size())) == kBearer) {
    std::string_view token = authorization.substr(kBearer.size());
    while (token.starts_with(' ')) token.remove_prefix(1);  // 1*SP: RFC 9110, 11.4
    return equal_secrets(token, options_.token);
  }
  const auto cookie = cookie_value(head.header("cookie"), options_.cookie);
  return !cookie.empty() && equal_secrets(cookie, options_.token);
}

std::string Guard::open_session(std::string_view token, bool secure) const {
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.remove_suffix(1);
  if (options_.token.empty()) return {};
  if (!equal_secrets(token, options_.token)) throw HttpError(401, "the token is wrong");
  return options_.cookie + "=" + options_.token + "; Path=/; HttpOnly; SameSite=Strict" +
         (secure ? "; Secure" : "");
}

}  // namespace ridgewatt::serve
