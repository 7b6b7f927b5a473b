// Tests databases in the layout of `nsys export --type sqlite`. The test writes them, so the times
// are known.
#include <gtest/gtest.h>

#include <fstream>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/store/sqlite.h"
#include "ridgewatt/trace/layer_trace.h"

namespace ridgewatt::trace {
namespace {

constexpr char kTables[] = R"(
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, streamId INTEGER,
  correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER,
  correlationId INTEGER, nameId INTEGER);
INSERT INTO StringIds VALUES (1, 'conv_kernel'), (2, 'relu_kernel'), (3, 'layer "two"');
INSERT INTO TARGET_INFO_GPU VALUES (0, 'Orin (nvgpu)');
-- The process is 7, its thread 7 << 24 | 1.
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (900000, 905000, (7 << 24) + 1, 1, 0),
  (910000, 915000, (7 << 24) + 1, 2, 0), (930000, 940000, (7 << 24) + 1, 3, 0),
  (0, 100, (8 << 24) + 1, 1, 0);  -- another process with the same number
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000000, 1100000, 7, 1, 7 << 24, 1, 1),
  (1100000, 1150000, 7, 2, 7 << 24, 2, 2), (1200000, 1230000, 7, 3, 7 << 24, 2, 2);
)";

std::string database(const testing::TemporaryFolder& folder, const std::string& more = "") {
  const std::string path = (folder.path() / "report.sqlite").string();
  store::Database file(path, store::Database::Access::kCreate);
  file.execute(kTables + more);
  return path;
}

TEST(Nsight, WithoutRangesKernelsAreTheLayers) {
  const testing::TemporaryFolder folder;
  const LayerTrace trace = read_layer_trace(database(folder), {.runs = 2});
  EXPECT_EQ(trace.source, TraceSource::kNsight);
  EXPECT_EQ(trace.device, "Orin (nvgpu)");
  ASSERT_EQ(trace.layers.size(), 2U);
  EXPECT_EQ(trace.layers[0].name, "conv_kernel");
  EXPECT_NEAR(trace.layers[0].time_s, 50e-6, 1e-12);  // 100 us in two runs
  EXPECT_NEAR(trace.layers[1].time_s, 40e-6, 1e-12);
  EXPECT_NEAR(trace.layers[1].gap_s, 25e-6, 1e-12);
  ASSERT_TRUE(trace.gaps);
  EXPECT_EQ(trace.gaps->gaps, 1U);
  EXPECT_NEAR(trace.gaps->longest_s, 50e-6, 1e-12);
  EXPECT_NEAR(trace.gaps->idle_s(), 50e-6, 1e-12);
  EXPECT_EQ(trace.gaps->launches, 3U);
  EXPECT_NEAR(trace.gaps->launch_mean_s, 20e-6 / 3, 1e-12);
}

TEST(Nsight, TheInnermostRangeAroundALaunchIsItsLayer) {
  const testing::TemporaryFolder folder;
  // An older export has no textId, ranges may be nested, and a mark is not a range.
  const LayerTrace trace = read_layer_trace(database(folder, R"(
CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT,
  globalTid INTEGER, textId INTEGER);
INSERT INTO NVTX_EVENTS VALUES (890000, 2000000, 59, 'enqueue', (7 << 24) + 1, NULL),
  (895000, 920000, 59, 'layer one', (7 << 24) + 1, NULL),
  (925000, 950000, 59, NULL, (7 << 24) + 1, 3), (931000, NULL, 34, 'mark', (7 << 24) + 1, NULL),
  (890000, 950000, 59, 'another thread', (7 << 24) + 2, NULL);)"));
  ASSERT_EQ(trace.layers.size(), 2U);
  EXPECT_EQ(trace.layers[0].name, "layer one");
  EXPECT_NEAR(trace.layers[0].time_s, 150e-6, 1e-12);
  EXPECT_EQ(trace.layers[0].kernels, 2);
  EXPECT_EQ(trace.layers[1].name, "layer \"two\"");
  EXPECT_NEAR(trace.layers[1].gap_s, 50e-6, 1e-12);
}

TEST(Nsight, CopiesKeepTheDeviceBusyButAreNoLayers) {
  const testing::TemporaryFolder folder;
  const LayerTrace trace = read_layer_trace(database(folder, R"(
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, bytes INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1150000, 1190000, 100);)"));
  EXPECT_EQ(trace.layers.size(), 2U);
  EXPECT_NEAR(trace.gaps->idle_s(), 10e-6, 1e-12);
}

// CUPTI_ACTIVITY_MEMCPY_KIND: 1 host to device, 2 device to host, 8 device to device.
TEST(Nsight, CopiesToAndFromTheHostAreSummed) {
  const testing::TemporaryFolder folder;
  const LayerTrace trace = read_layer_trace(database(folder, R"(
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, copyKind INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1150000, 1190000, 1), (1190000, 1200000, 2),
                                              (1200000, 1300000, 8);)"));
  EXPECT_EQ(trace.layers.size(), 2U);
  EXPECT_NEAR(trace.gaps->copy_s, 50e-6, 1e-12);
}

TEST(Nsight, WhatIsNoSoundRecordingIsRefused) {
  const testing::TemporaryFolder folder;
  const std::string path = database(folder);
  const auto size = std::filesystem::file_size(path);
  for (const double share : {0.001, 0.3, 0.6, 0.9}) {
    std::filesystem::copy_file(path, folder.path() / "cut",
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(folder.path() / "cut",
                                 static_cast<std::uintmax_t>(static_cast<double>(size) * share));
    EXPECT_THROW(read_layer_trace((folder.path() / "cut").string()), InputError) << share;
  }
  const std::string empty = (folder.path() / "empty.sqlite").string();
  store::Database(empty, store::Database::Access::kCreate)
      .execute("CREATE TABLE StringIds (id, value)");
  EXPECT_THROW(read_layer_trace(empty), InputError);
  // A view that never ends must not be read as a table.
  const std::string view = (folder.path() / "view.sqlite").string();
  store::Database(view, store::Database::Access::kCreate)
      .execute(
          "CREATE TABLE StringIds (id, value); CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS "
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n");
  EXPECT_THROW(read_layer_trace(view), InputError);
}

}  // namespace
}  // namespace ridgewatt::trace
