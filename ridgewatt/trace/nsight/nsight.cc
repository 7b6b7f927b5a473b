#include "ridgewatt/trace/nsight/nsight.h"

#include <fmt/format.h>

#include <filesystem>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
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

// Times are relative to the first kernel, so that doubles keep the nanoseconds.
std::int64_t first_start(store::Database& database) {
  store::Statement first(database, fmt::format("SELECT min(start) FROM {}", kKernels));
  return first.step() ? first.integer(0) : 0;
}

// Rows by rising start: kind, start, end, name, and the start, end and thread of the launching call
// (or NULL). The kind is 0 for kernels, 2 for copies to or from the host, 1 for other copies.
std::string kernel_query(store::Database& database) {
  const bool calls = database.has_table(kCalls);
  const bool processes = calls && has_column(database, kKernels, "globalPid");
  const char* name = has_column(database, kKernels, "shortName") ? "shortName" : "demangledName";
  std::string query =
      fmt::format("SELECT 0 AS kind, k.start AS start, k.end, s.value, {} FROM {} k",
                  calls ? "c.start, c.end, c.globalTid" : "NULL, NULL, NULL", kKernels);
  query += fmt::format(" LEFT JOIN StringIds s ON s.id = k.{}", name);
  if (calls) {
    query += fmt::format(" LEFT JOIN {} c ON c.correlationId = k.correlationId", kCalls);
    // The upper bits of a thread id are the process id.
    if (processes) query += " AND (c.globalTid >> 24) = (k.globalPid >> 24)";
  }
  for (const char* copies : {"CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"}) {
    if (!database.has_table(copies)) continue;
    // CUPTI_ACTIVITY_MEMCPY_KIND_HTOD and _DTOH.
    const char* kind = has_column(database, copies, "copyKind") ? "1 + (copyKind IN (1, 2))" : "1";
    query += fmt::format(" UNION ALL SELECT {}, start, end, NULL, NULL, NULL, NULL FROM {}", kind,
                         copies);
  }
  return query + " ORDER BY start";
}

// SQLite reads missing bytes of the last page as zeros. A write-ahead log may contain missing
// pages.
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

// A row of kernel_query.
struct NsightRow {
  bool copy, host_copy, called;
  std::int64_t begin, end, call, returned, thread;
  std::string kernel;

  NsightRow(const store::Statement& row, const std::string& path)
      : copy(row.integer(0) != 0),
        host_copy(row.integer(0) == 2),
        begin(row.integer(1)),
        end(row.integer(2)),
        call(row.integer(4)),
        returned(row.integer(5)),
        thread(row.integer(6)),
        kernel(row.text(3)) {
    if (begin < 0 || end < begin || end > kMostNs) {
      throw InputError("a kernel in the profile has no valid start and end", path);
    }
    called = !row.is_null(4) && call >= 0 && returned >= call && returned <= kMostNs;
    if (kernel.empty()) kernel = "(kernel without a name)";
  }
  double time_s() const { return static_cast<double>(end - begin) * kNs; }
  double launch_s() const { return static_cast<double>(returned - call) * kNs; }
};

std::string device_name(store::Database& database) {
  if (!database.has_table("TARGET_INFO_GPU")) return {};
  if (!has_column(database, "TARGET_INFO_GPU", "name")) return {};
  store::Statement gpu(database, "SELECT name FROM TARGET_INFO_GPU LIMIT 1");
  return gpu.step() ? gpu.text(0) : std::string();
}

void require_kernels(store::Database& database, const std::string& path) {
  check_whole(database);
  if (!database.has_table(kKernels) || !database.has_table("StringIds")) {
    throw InputError("has no CUDA kernels", path,
                     "record with `nsys profile --trace=cuda,nvtx` and export with `nsys export "
                     "--type sqlite`");
  }
}

}  // namespace

LayerTrace read_nsight(const std::string& path, const TraceOptions& options) {
  store::Database database(path, store::Database::Access::kReadOnly);
  database.execute("PRAGMA trusted_schema = OFF");  // the file also defines the schema
  require_kernels(database, path);
  LayerTrace trace;
  trace.source = TraceSource::kNsight;
  trace.device = device_name(database);
  const NvtxRanges ranges(database);
  const std::int64_t origin = first_start(database);
  store::Statement rows(database, kernel_query(database));
  KernelLine line;
  LayerSums sums;
  std::size_t outside = 0;
  while (rows.step()) {
    const NsightRow row(rows, path);
    const double begin_s = static_cast<double>(row.begin - origin) * kNs;
    const double idle_s = line.add(begin_s, begin_s + row.time_s());
    if (row.host_copy) line.add_copy(row.time_s());
    if (row.copy) continue;
    const std::string* range = row.called ? ranges.at(row.thread, row.call) : nullptr;
    outside += range == nullptr;
    TracedLayer& layer = sums.of(range != nullptr ? *range : row.kernel);
    layer.time_s += row.time_s();
    layer.kernels += 1;
    layer.gap_s += idle_s;
    if (!row.called) continue;
    layer.launch_s += row.launch_s();
    line.add_launch(row.launch_s());
  }
  sums.finish(options.runs.value_or(1), trace);
  if (trace.layers.empty()) {
    throw InputError("has no CUDA kernels", path,
                     "record a run on the GPU with `nsys profile --trace=cuda,nvtx`");
  }
  trace.gaps = line.gaps();
  if (!ranges.empty() && outside > 0) {
    trace.remarks.push_back(fmt::format(
        "launched outside of any NVTX range and listed by kernel: {}", counted(outside, "kernel")));
  }
  return trace;
}

}  // namespace ridgewatt::trace
