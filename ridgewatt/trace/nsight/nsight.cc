#include "ridgewatt/trace/nsight/nsight.h"

#include <fmt/format.h>

#include <filesystem>

#include "ridgewatt/base/error.h"
#include "ridgewatt/store/sqlite.h"
#include "ridgewatt/trace/nsight/nvtx_ranges.h"
#include "ridgewatt/trace/text/kernel_line.h"
#include "ridgewatt/trace/text/layer_sums.h"

namespace ridgewatt::trace {
namespace {

constexpr char kKernels[] = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr char kCalls[] = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr double kNs = 1e-9;
constexpr std::int64_t kMostNs = std::int64_t{1} << 62;

// Times are counted from the first kernel, so that doubles keep the nanoseconds.
std::int64_t first_start(store::Database& database) {
  store::Statement first(database, fmt::format("SELECT min(start) FROM {}", kKernels));
  return first.step() ? first.integer(0) : 0;
}

// start, end, name, start and end of the call that launched it (or NULL), its thread; kernels and,
// as rows of kind 1, copies: by rising start.
std::string kernel_query(store::Database& database) {
  const bool calls = has_table(database, kCalls);
  const bool processes = calls && has_column(database, kKernels, "globalPid");
  const char* name = has_column(database, kKernels, "shortName") ? "shortName" : "demangledName";
  std::string query =
      fmt::format("SELECT 0 AS kind, k.start AS start, k.end, s.value, {} FROM {} k",
                  calls ? "c.start, c.end, c.globalTid" : "NULL, NULL, NULL", kKernels);
  query += fmt::format(" LEFT JOIN StringIds s ON s.id = k.{}", name);
  if (calls) {
    query += fmt::format(" LEFT JOIN {} c ON c.correlationId = k.correlationId", kCalls);
    // The upper bits of a thread's number are its process's.
    if (processes) query += " AND (c.globalTid >> 24) = (k.globalPid >> 24)";
  }
  for (const char* copies : {"CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"}) {
    if (!has_table(database, copies)) continue;
    query += fmt::format(" UNION ALL SELECT 1, start, end, NULL, NULL, NULL, NULL FROM {}", copies);
  }
  return query + " ORDER BY start";
}

// SQLite reads what is missing of the last page as zeros. A log beside the file may hold the rest.
void check_whole(store::Database& database) {
  std::error_code none;
  if (std::filesystem::exists(database.path() + "-wal", none)) return;
  const auto number = [&](const char* pragma) {
    store::Statement statement(database, pragma);
    return statement.step() ? statement.integer(0) : 0;
  };
  const auto wanted = static_cast<std::uintmax_t>(number("PRAGMA page_count")) *
                      static_cast<std::uintmax_t>(number("PRAGMA page_size"));
  const auto size = std::filesystem::file_size(database.path(), none);
  if (!none && size < wanted) throw InputError("the database is cut off", database.path());
}

std::string device_name(store::Database& database) {
  if (!has_table(database, "TARGET_INFO_GPU")) return {};
  if (!has_column(database, "TARGET_INFO_GPU", "name")) return {};
  store::Statement gpu(database, "SELECT name FROM TARGET_INFO_GPU LIMIT 1");
  return gpu.step() ? gpu.text(0) : std::string();
}

}  // namespace

LayerTrace read_nsight(const std::string& path, const TraceOptions& options) {
  store::Database database(path, store::Database::Access::kReadOnly);
  database.execute("PRAGMA trusted_schema = OFF");  // the schema is the file's, too
  check_whole(database);
  if (!has_table(database, kKernels) || !has_table(database, "StringIds")) {
    throw InputError("has no CUDA kernels", path,
                     "record with `nsys profile --trace=cuda,nvtx` and export with `nsys export "
                     "--type sqlite`");
  }
  LayerTrace trace;
  trace.source = TraceSource::kNsight;
  trace.device = device_name(database);
  const NvtxRanges ranges(database);
  const std::int64_t origin = first_start(database);
  const auto since = [&](std::int64_t ns) { return static_cast<double>(ns - origin) * kNs; };
  store::Statement rows(database, kernel_query(database));
  KernelLine line;
  LayerSums sums;
  std::size_t outside = 0;
  while (rows.step()) {
    const std::int64_t begin = rows.integer(1), end = rows.integer(2);
    if (begin < 0 || end < begin || end > kMostNs) {
      throw InputError("a kernel has no sound start and end", path);
    }
    const double idle_s = line.add(since(begin), since(end));
    if (rows.integer(0) != 0) continue;  // a copy
    const std::int64_t call = rows.integer(4), returned = rows.integer(5);
    const bool called = !rows.is_null(4) && call >= 0 && returned >= call && returned <= kMostNs;
    const std::string* range = called ? ranges.at(rows.integer(6), call) : nullptr;
    outside += range == nullptr;
    const std::string kernel = rows.text(3);
    TracedLayer& layer = sums.of(range != nullptr ? *range
                                 : kernel.empty() ? std::string("(kernel without a name)")
                                                  : kernel);
    layer.time_s += static_cast<double>(end - begin) * kNs;
    layer.kernels += 1;
    layer.gap_s += idle_s;
    if (!called) continue;
    const double launch_s = static_cast<double>(returned - call) * kNs;
    layer.launch_s += launch_s;
    line.add_launch(launch_s);
  }
  sums.finish(options.runs.value_or(1), trace);
  if (trace.layers.empty()) throw InputError("has no CUDA kernels", path);
  trace.gaps = line.gaps();
  if (!ranges.empty() && outside > 0) {
    trace.remarks.push_back(fmt::format(
        "{} kernels were launched outside of any NVTX range; they stand under their own names",
        outside));
  }
  return trace;
}

}  // namespace ridgewatt::trace
