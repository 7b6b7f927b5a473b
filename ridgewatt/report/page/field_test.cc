#include "ridgewatt/report/field.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace ridgewatt::report {
namespace {

struct Stages {
  double fetch_s = 0.25;
};
struct Sample {
  Stages stages;
  std::optional<double> power_w;
  std::string note;
  bool warm = true;
  std::size_t count = 3;
};

TEST(FieldOfMember, AMemberOfAMemberIsACellInItsOwnUnit) {
  EXPECT_EQ((at<&Sample::stages, &Stages::fetch_s>)(Sample()), Cell(0.25));
  EXPECT_EQ((times<1000, &Sample::stages, &Stages::fetch_s>)(Sample()), Cell(250.0));
  EXPECT_EQ(at<&Sample::count>(Sample()), Cell(std::int64_t{3}));
  EXPECT_EQ(at<&Sample::warm>(Sample()), Cell(std::string("yes")));
}

TEST(FieldOfMember, WithoutAValueTheCellIsEmptyAndTheKeyNull) {
  EXPECT_EQ(at<&Sample::power_w>(Sample()), Cell());
  EXPECT_EQ((times<100, &Sample::power_w>)(Sample()), Cell());
  EXPECT_EQ(text_in<&Sample::note>(Sample()), Cell());
  const Fields<Sample> fields = {{{"power_w"}, at<&Sample::power_w>},
                                 {{"fetch_ms"}, times<1000, &Sample::stages, &Stages::fetch_s>}};
  Json json;
  write_json(fields, Sample(), json);
  EXPECT_TRUE(json.at("power_w").is_null());
  EXPECT_EQ(json.at("fetch_ms"), 250.0);  // not multiplied again
}

TEST(Fields, HaveTheirNamesAndUnitsInSi) {
  EXPECT_EQ(si_name("time_lo_ms"), "time_lo_s");
  EXPECT_EQ(si_name("memory_needed_gb"), "memory_needed_bytes");
  EXPECT_EQ(si_name("gpu_load_pct"), "gpu_load");
  EXPECT_EQ(si_name("job_energy_wh"), "job_energy_j");
  EXPECT_EQ(si_name("steady_c"), "steady_celsius");
  EXPECT_EQ(si_name("board"), "board");
  EXPECT_EQ(si_unit("memory_needed_bytes"), " (bytes)");
  EXPECT_EQ(si_unit("board"), "");
}

}  // namespace
}  // namespace ridgewatt::report
