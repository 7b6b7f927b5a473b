// ridgewatt sensors: what the board, or a tegrastats log, says of power, clocks and temperatures.
#include "ridgewatt/base/file.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/platform/tegrastats.h"
#include "ridgewatt/report/tegrastats_json.h"

namespace ridgewatt::cli {
namespace {

struct SensorsOptions {
  std::string tegrastats;
};

void read_log(const Context& context, const std::string& path) {
  static constexpr std::size_t kLimitBytes = std::size_t{256} << 20;
  const auto lines = parse_tegrastats(read_file(path, kLimitBytes), path);
  if (context.json())
    print(tegrastats_to_json(lines));
  else
    print(context, tegrastats_table(lines));
}

}  // namespace

void add_sensors(CLI::App& app, Context& context) {
  auto* command = add_command(app, context, "sensors", "Power, clocks, loads and temperatures",
                              "ridgewatt sensors --tegrastats log.txt --format json");
  auto options = std::make_shared<SensorsOptions>();
  command->add_option("--tegrastats", options->tegrastats, "Read a tegrastats log")->required();
  command->callback([&context, options] { read_log(context, options->tegrastats); });
}

}  // namespace ridgewatt::cli
