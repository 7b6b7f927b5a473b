#include "ridgewatt/store/postgresql/libpq.h"

#include <dlfcn.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/shared_library.h"

namespace ridgewatt::store {
namespace {

constexpr const char* kLibpqName = "libpq.so.5";

template <typename Function>
void load_function(void* handle, Function& function, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(handle, name));
  if (function == nullptr) {
    throw NotSupportedError("is older than PostgreSQL 14", kLibpqName,
                            "install libpq5 of PostgreSQL 14 or newer");
  }
}

Libpq load_libpq() {
  void* handle = open_library(kLibpqName);
  if (handle == nullptr) {
    throw NotSupportedError(no_library(kLibpqName), "",
                            "a store in PostgreSQL needs it; install libpq5");
  }
  Libpq pq;
  const auto load = [&](auto& function, const char* name) {
    load_function(handle, function, name);
  };
  load(pq.conninfo_parse, "PQconninfoParse");
  load(pq.conninfo_free, "PQconninfoFree");
  load(pq.freemem, "PQfreemem");
  load(pq.connect_start, "PQconnectStartParams");
  load(pq.connect_poll, "PQconnectPoll");
  load(pq.finish, "PQfinish");
  load(pq.status, "PQstatus");
  load(pq.socket, "PQsocket");
  load(pq.error_message, "PQerrorMessage");
  load(pq.set_verbosity, "PQsetErrorVerbosity");
  load(pq.needs_password, "PQconnectionNeedsPassword");
  load(pq.backend_pid, "PQbackendPID");
  load(pq.set_notice, "PQsetNoticeProcessor");
  load(pq.exec, "PQexec");
  load(pq.exec_params, "PQexecParams");
  load(pq.prepare, "PQprepare");
  load(pq.send_prepared, "PQsendQueryPrepared");
  load(pq.send_params, "PQsendQueryParams");
  load(pq.enter_pipeline, "PQenterPipelineMode");
  load(pq.exit_pipeline, "PQexitPipelineMode");
  load(pq.pipeline_sync, "PQpipelineSync");
  load(pq.get_result, "PQgetResult");
  load(pq.get_copy_data, "PQgetCopyData");
  load(pq.result_status, "PQresultStatus");
  load(pq.error_field, "PQresultErrorField");
  load(pq.rows, "PQntuples");
  load(pq.value, "PQgetvalue");
  load(pq.length, "PQgetlength");
  load(pq.is_null, "PQgetisnull");
  load(pq.clear, "PQclear");
  return pq;
}

}  // namespace

const Libpq& Libpq::get() {
  static const Libpq pq = load_libpq();
  return pq;
}

}  // namespace ridgewatt::store
