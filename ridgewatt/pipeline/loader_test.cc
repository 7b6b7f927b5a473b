#include "ridgewatt/pipeline/loader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/pipeline/load_samples.h"
#include "ridgewatt/pipeline/page_cache.h"

namespace ridgewatt::pipeline {
namespace {

// True if `attempt` succeeds at least once. The kernel may reclaim pages of the cache at any time,
// so an attempt can fail although the code is correct.
template <class Attempt>
bool holds_undisturbed(const Attempt& attempt) {
  constexpr int kAttempts = 5;
  for (int i = 0; i < kAttempts; ++i) {
    if (attempt()) return true;
  }
  return false;
}

// Uses a folder on the project's disk, because a file system in memory has no page cache to drop.
class Loader : public ::testing::Test {
 protected:
  Loader() : folder_(testing::build_folder()) {
    generate_samples(path("data"), kFiles, kBytes, 7);
    options_.paths = list_samples(path("data"));
    options_.batch = 8;
  }
  std::string path(const char* name) const { return (folder_.path() / name).string(); }

  static constexpr std::size_t kFiles = 160;
  static constexpr std::size_t kBytes = 9000;  // three pages
  testing::TemporaryFolder folder_;
  LoaderOptions options_;
};

// label: waits
TEST_F(Loader, AnyNumberOfWorkersDeliversTheSameSamplesInTheSameOrder) {
  options_.workers = 0;
  const LoaderRun without = run_loader(options_);
  EXPECT_EQ(without.minibatches.size(), 20u);
  EXPECT_NEAR(without.io.read_bytes, kFiles * kBytes, 0.02 * kFiles * kBytes);
  for (const int workers : {1, 3}) {
    options_.workers = workers;
    const LoaderRun run = run_loader(options_);
    EXPECT_DOUBLE_EQ(run.checksum, without.checksum);
    EXPECT_EQ(run.minibatches.size(), 20u);
    // Workers also read their indices from a pipe.
    EXPECT_NEAR(run.io.read_bytes, kFiles * kBytes, 0.1 * kFiles * kBytes);
    EXPECT_LE(run.stall_s + run.compute_s, run.time_s);
  }
}

// label: waits
TEST_F(Loader, ResidencyIsWhatWasRead) {
  drop_page_cache(options_.paths);
  if (page_cache_residency(options_.paths).resident > 0) {
    GTEST_SKIP() << "skipped: this file system keeps pages that are dropped";
  }
  options_.workers = 2;
  EXPECT_TRUE(holds_undisturbed([&] {
    options_.cold = true;
    options_.minibatches = 10;  // half of the files
    const LoaderRun half = run_loader(options_);
    EXPECT_EQ(half.before.pages, static_cast<std::int64_t>(kFiles) * 3);
    EXPECT_EQ(half.before.resident, 0);
    EXPECT_LE(half.after.resident, half.before.pages / 2);
    // Whole pages that are now resident were read from storage.
    EXPECT_GE(half.io.storage_read_bytes,
              static_cast<double>(half.after.resident * ::sysconf(_SC_PAGESIZE)));
    return half.after.resident == half.before.pages / 2;
  }));
  EXPECT_TRUE(holds_undisturbed([&] {
    options_.cold = false;
    options_.minibatches = 0;
    return run_loader(options_).after.share() == 1;
  }));
}

// The page cache that a measurement fills or drops is restored page by page.
TEST_F(Loader, ThePageCacheComesBack) {
  drop_page_cache(options_.paths);
  if (page_cache_residency(options_.paths).resident > 0) {
    GTEST_SKIP() << "skipped: this file system keeps pages that are dropped";
  }
  EXPECT_EQ(files_below(path("data")).size(), kFiles + 1);  // and the label file
  const auto& files = options_.paths;
  const std::vector<std::string> read = {files[1], files[4]};
  PageCacheState(read).fill();
  EXPECT_EQ(page_cache_residency(read).resident, 0);  // dropped again
  EXPECT_TRUE(holds_undisturbed([&] {
    for (const auto& one : read) read_file(one);
    const auto before = page_cache_residency(files);
    {
      const PageCacheState state(files);
      state.fill();
      const bool filled = page_cache_residency(files).share() == 1;
      state.drop();
      EXPECT_EQ(page_cache_residency(files).resident, 0);
      if (!filled) return false;
    }
    return before.resident == page_cache_residency(read).pages &&
           page_cache_residency(files).resident == before.resident &&
           page_cache_residency(read).share() == 1;
  }));
  EXPECT_THROW(files_below(path("nothing")), NotFoundError);
}

TEST_F(Loader, FaultsAreErrorsAndLeaveNoProcess) {
  options_.workers = 2;
  options_.paths[50] = path("nothing");
  options_.cold = false;
  EXPECT_THROW(run_loader(options_), NotFoundError);
  options_.paths.resize(4);
  EXPECT_THROW(run_loader(options_), UsageError);
  EXPECT_THROW(generate_samples(path("data"), 10, 10, 1), InputError);
  generate_samples(path("data"), kFiles, kBytes, 7);  // same parameters: no effect
  folder_.write("other", "x");
  EXPECT_THROW(generate_samples(folder_.path().string(), 10, 10, 1), InputError);
  EXPECT_THROW(list_samples(path("empty")), NotFoundError);
}

TEST_F(Loader, ComputeMayBeACommand) {
  options_.command = "true";
  options_.minibatches = 3;
  EXPECT_EQ(run_loader(options_).minibatches.size(), 3u);
  options_.command = "false";
  EXPECT_THROW(run_loader(options_), Error);
}

TEST(LoadSamples, PreprocessingNormalizesAnyBytes) {
  std::vector<float> sample(kSampleFloats);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{777}, std::size_t{100000}}) {
    std::vector<unsigned char> bytes(size);
    for (std::size_t i = 0; i < size; ++i)
      bytes[i] = static_cast<unsigned char>(i * 2654435761u >> 7);
    preprocess_sample(bytes, sample);
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < kSampleSide * kSampleSide; ++i) {
      sum += sample[static_cast<std::size_t>(i)];
      squares += std::pow(sample[static_cast<std::size_t>(i)], 2);
    }
    EXPECT_NEAR(sum / (kSampleSide * kSampleSide), 0, 1e-3) << size;
    if (size == 100000) {
      EXPECT_NEAR(squares / (kSampleSide * kSampleSide), 1, 1e-2);
    }
  }
  // A block that has only a mean is constant: the coefficient is 8 times the pixel, by the scaling
  // of the DCT.
  std::vector<unsigned char> flat = {0, 80};
  preprocess_sample(flat, sample);
  EXPECT_GT(sample[0], 0);
  EXPECT_NEAR(sample[0], sample[1], 1e-4);
}

TEST(LoaderFit, PredictsFromStagesWithoutAndWithOneWorker) {
  LoaderRun without;
  without.workers = 0;
  without.minibatches.resize(100);
  without.mean = {0.01, 0.04, 0, 0.02};
  LoaderRun one = without;
  one.workers = 1;
  one.mean.hand_over_s = 0.001;
  const LoaderFit fit(without, one, 4);
  EXPECT_NEAR(fit.predict(0).time_s, 7, 1e-9);
  EXPECT_NEAR(fit.predict(1).interval_s, 0.05, 1e-9);
  EXPECT_NEAR(fit.predict(2).interval_s, 0.025, 1e-9);
  EXPECT_NEAR(fit.predict(8).interval_s, 0.021, 1e-9);
  // On one core, everything except the fetch runs in sequence.
  EXPECT_NEAR(LoaderFit(without, one, 1).predict(4).interval_s, 0.061, 1e-9);
  EXPECT_THROW(LoaderFit(one, one, 2), UsageError);
  // 5 of the 10 ms of a fetch are CPU time, which two workers on one core cannot overlap.
  one.fetch_cpu_s = 0.005;
  EXPECT_NEAR(LoaderFit(without, one, 1).predict(4).interval_s, 0.066, 1e-9);
}

}  // namespace
}  // namespace ridgewatt::pipeline
