// Loads libpq, the client library of PostgreSQL, at run time if it is installed. The structure has
// the functions that the store uses, with their library names (postgresql.org/docs/15/libpq.html).
// Version 14 or later is required, because earlier versions have no pipelines.
#pragma once

#include <cstddef>

namespace ridgewatt::store {

namespace libpq {
struct Connection;
struct Result;
struct ConnectionOption {
  char* keyword;
  char* environment;
  char* compiled;
  char* value;
  char* label;
  char* display;
  int display_size;
};
using NoticeProcessor = void (*)(void*, const char*);

inline constexpr int kConnectionOk = 0;
inline constexpr int kPollFailed = 0;
inline constexpr int kPollReading = 1;
inline constexpr int kPollWriting = 2;
inline constexpr int kPollOk = 3;
inline constexpr int kVerbose = 2;
inline constexpr int kCommandOk = 1;
inline constexpr int kTuplesOk = 2;
inline constexpr int kCopyOut = 3;
inline constexpr int kPipelineSync = 10;
inline constexpr int kPipelineAborted = 11;
inline constexpr int kBinary = 1;
}  // namespace libpq

struct Libpq {
  // Loads the library once per process. Throws NotSupportedError if it is not installed or too old.
  static const Libpq& get();

  libpq::ConnectionOption* (*conninfo_parse)(const char*, char**) = nullptr;
  void (*conninfo_free)(libpq::ConnectionOption*) = nullptr;
  void (*freemem)(void*) = nullptr;
  libpq::Connection* (*connect_start)(const char* const*, const char* const*, int) = nullptr;
  int (*connect_poll)(libpq::Connection*) = nullptr;
  void (*finish)(libpq::Connection*) = nullptr;
  int (*status)(const libpq::Connection*) = nullptr;
  int (*socket)(const libpq::Connection*) = nullptr;
  char* (*error_message)(const libpq::Connection*) = nullptr;
  int (*set_verbosity)(libpq::Connection*, int) = nullptr;
  int (*needs_password)(const libpq::Connection*) = nullptr;
  int (*backend_pid)(const libpq::Connection*) = nullptr;
  libpq::NoticeProcessor (*set_notice)(libpq::Connection*, libpq::NoticeProcessor, void*) = nullptr;
  libpq::Result* (*exec)(libpq::Connection*, const char*) = nullptr;
  libpq::Result* (*exec_params)(libpq::Connection*, const char*, int, const unsigned*,
                                const char* const*, const int*, const int*, int) = nullptr;
  libpq::Result* (*prepare)(libpq::Connection*, const char*, const char*, int,
                            const unsigned*) = nullptr;
  int (*send_prepared)(libpq::Connection*, const char*, int, const char* const*, const int*,
                       const int*, int) = nullptr;
  int (*send_params)(libpq::Connection*, const char*, int, const unsigned*, const char* const*,
                     const int*, const int*, int) = nullptr;
  int (*enter_pipeline)(libpq::Connection*) = nullptr;
  int (*exit_pipeline)(libpq::Connection*) = nullptr;
  int (*pipeline_sync)(libpq::Connection*) = nullptr;
  libpq::Result* (*get_result)(libpq::Connection*) = nullptr;
  int (*get_copy_data)(libpq::Connection*, char**, int) = nullptr;
  int (*result_status)(const libpq::Result*) = nullptr;
  char* (*error_field)(const libpq::Result*, int) = nullptr;
  int (*rows)(const libpq::Result*) = nullptr;
  char* (*value)(const libpq::Result*, int, int) = nullptr;
  int (*length)(const libpq::Result*, int, int) = nullptr;
  int (*is_null)(const libpq::Result*, int, int) = nullptr;
  void (*clear)(libpq::Result*) = nullptr;
};

}  // namespace ridgewatt::store
