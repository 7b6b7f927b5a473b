// Sweeps from files, columns and stores, prepared for the questions.
#include <cmath>
#include <utility>

#include "python/binding/questions.h"
#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/platform/example_sweep.h"
#include "ridgewatt/store/store.h"
#include "ridgewatt/sweep/board_fit.h"
#include "ridgewatt/sweep/kind_word.h"
#include "ridgewatt/sweep/trusted_sweep.h"
#include "ridgewatt/tune/comparison.h"

namespace ridgewatt::python {
namespace {

// The bound class: rows and their common properties.
struct BoundSweep {
  Sweep sweep;
  const std::vector<Observation>& rows;

  explicit BoundSweep(Sweep held) : sweep(std::move(held)), rows(sweep.observations) {}
  BoundSweep(const BoundSweep&) = delete;
  BoundSweep& operator=(const BoundSweep&) = delete;
  Json json() const;
  std::vector<std::string> remarks() const {
    const std::string flags = flags_remark(sweep);
    return flags.empty() ? std::vector<std::string>() : std::vector{flags};
  }
};

const Fields<Observation>& observation_fields() {
  static const Fields<Observation> fields = {
      {"mode", [](const Observation& o) { return o.point.mode; }, "power mode"},
      {"batch", [](const Observation& o) { return o.point.batch; },
       "samples per minibatch; 0 if the sweep has no batch"},
      {"time_s", [](const Observation& o) { return o.time_s; },
       "mean time from one minibatch to the next (s)"},
      {"power_w", [](const Observation& o) { return o.power_w; }, "mean power over that time (W)"},
      {"energy_j", [](const Observation& o) { return o.energy_j(); },
       "energy of a minibatch: measured, or time_s x power_w (J)"},
      {"time_median_s", [](const Observation& o) { return o.time_median_s; },
       "median time of a minibatch (s); None if unknown"},
      {"fetch_stall_s", [](const Observation& o) { return o.fetch_stall_s; },
       "mean wait for data per minibatch (s); None if unknown"}};
  return fields;
}

const Fields<BoundSweep>& sweep_fields() {
  static const Fields<BoundSweep> fields = {
      {"source", [](const BoundSweep& s) { return s.sweep.source; },
       "name of the file, for messages"},
      {"workload", [](const BoundSweep& s) { return s.sweep.workload; },
       "name of the workload, such as \"resnet18\""},
      {"kind", [](const BoundSweep& s) { return s.sweep.kind; },
       "\"inference\", \"training\", or the name of a phase"},
      {"board", [](const BoundSweep& s) { return s.sweep.board; },
       "name of the board; empty if unknown"},
      {"provenance", [](const BoundSweep& s) { return std::string(name_of(s.sweep.provenance)); },
       "provenance of the rows: measured, replayed, modelled, .."},
      {"runtime",
       [](const BoundSweep& s) {
         return std::string(s.sweep.runtime ? name_of(*s.sweep.runtime) : "");
       },
       "runtime of modelled rows; otherwise empty"},
      {"twin", [](const BoundSweep& s) { return s.sweep.twin; },
       "for modelled rows, \"fitted\" or \"scaled, not validated\"; otherwise empty"}};
  return fields;
}

// Each row becomes an object with the columns that have a value in this row.
Json BoundSweep::json() const {
  Json list = Json::array();
  for (const Observation& row : rows) {
    Json one;
    for (const Knob knob : kKnobs) {
      if (row.point.mode.has(knob)) {
        one[std::string(knob_field(knob))] = knob_in_field_unit(row.point.mode, knob);
      }
    }
    if (!row.point.mode.governor.empty()) one["governor"] = row.point.mode.governor;
    if (row.point.batch > 0) one["batch"] = row.point.batch;
    one["time_ms"] = 1e3 * row.time_s;
    one["power_w"] = row.power_w;
    one["energy_j"] = row.energy_j();
    list.push_back(one);
  }
  return {{"workload", sweep.workload},
          {"kind", sweep.kind},
          {"board", sweep.board},
          {"provenance", std::string(name_of(sweep.provenance))},
          {"rows", list}};
}

constexpr Quantity kStall = units::seconds().within(0, 1e9);
constexpr Quantity kBatchColumn = units::count().within(0, 1 << 20);
constexpr Quantity kCoreColumn = units::count().within(0, 1024);
constexpr Quantity kClockColumn = units::megahertz().in_si().within(0, 2e10);

// Reads a clock in Hz; 0 means unknown.
double read_clock(const std::string& column, py::handle value) {
  const double clock_hz = read_number(column, value, kClockColumn);
  if (clock_hz > 0 && clock_hz < 1e6) {
    throw UsageError("a clock below 1 MHz", column, "clocks are in Hz");
  }
  return clock_hz;
}

// Sets the value of one column in a row.
void set_column(const std::string& column, py::handle value, Observation& row) {
  if (column == "cpu_cores") {
    row.point.mode.cpu_cores = static_cast<int>(read_whole(column, value, kCoreColumn));
  } else if (column == "cpu_clock_hz") {
    row.point.mode.cpu_clock_hz = read_clock(column, value);
  } else if (column == "gpu_clock_hz") {
    row.point.mode.gpu_clock_hz = read_clock(column, value);
  } else if (column == "mem_clock_hz") {
    row.point.mode.mem_clock_hz = read_clock(column, value);
  } else if (column == "governor") {
    const bool fixed = PyUnicode_Check(value.ptr()) && py::len(value) == 0;
    row.point.mode.governor = fixed ? "" : read_text(column, value);
  } else if (column == "batch") {
    row.point.batch = static_cast<int>(read_whole(column, value, kBatchColumn));
  } else if (column == "time_s") {
    row.time_s = read_number(column, value, kSeconds);
  } else if (column == "power_w") {
    row.power_w = read_number(column, value, kWatts);
  } else if (column == "energy_j") {
    row.measured_energy_j = read_number(column, value, kJoules);
  } else if (column == "time_median_s") {
    row.time_median_s = read_number(column, value, kSeconds);
  } else {
    row.fetch_stall_s = read_number(column, value, kStall);
  }
}

const std::vector<std::string> kColumns = {
    "cpu_cores", "cpu_clock_hz", "gpu_clock_hz", "mem_clock_hz",  "governor",     "batch",
    "time_s",    "power_w",      "energy_j",     "time_median_s", "fetch_stall_s"};

// A dict of columns, or a DataFrame.
py::dict columns_of(const py::object& given) {
  if (PyDict_Check(given.ptr())) return py::reinterpret_borrow<py::dict>(given);
  if (!py::hasattr(given, "to_dict") || !py::hasattr(given, "columns")) {
    throw UsageError("columns: a dict of columns by name, or a DataFrame, is needed");
  }
  return given.attr("to_dict")("list");
}

// Whether the value is NaN in an optional column, where it means unknown.
bool not_known(const std::string& column, py::handle value) {
  const bool optional = column == "energy_j" || column == "time_median_s" ||
                        column == "fetch_stall_s" || column == "governor";
  return optional && PyFloat_Check(value.ptr()) && std::isnan(PyFloat_AS_DOUBLE(value.ptr()));
}

std::vector<Observation> rows_of_columns(const py::dict& columns) {
  std::vector<Observation> rows;
  bool first = true;
  for (const auto& [key, values] : columns) {
    const std::string column = read_text("columns", key);
    if (!contains(kColumns, column)) {
      throw UsageError("unknown column", column, hint_for(column, {kColumns}));
    }
    const auto members = read_list(column, values);
    if (!std::exchange(first, false) && members.size() != rows.size()) {
      throw UsageError("columns of different length", column,
                       std::to_string(members.size()) + " values where others have " +
                           std::to_string(rows.size()));
    }
    rows.resize(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (!not_known(column, members[i])) set_column(column, members[i], rows[i]);
    }
  }
  return rows;
}

// Returns an entry of the `attrs` that to_frame() sets, or `otherwise`.
std::string attribute_of(const py::object& frame, const char* name, const char* otherwise) {
  const py::object attrs = py::getattr(frame, "attrs", py::none());
  if (!PyDict_Check(attrs.ptr())) return otherwise;
  const py::object value = attrs.attr("get")(name);
  return PyUnicode_Check(value.ptr()) ? value.cast<std::string>() : otherwise;
}

std::shared_ptr<BoundSweep> sweep_of_columns(const py::object& given, const py::kwargs& kwargs) {
  Arguments asked(kwargs);
  const py::dict columns = columns_of(given);
  for (const char* needed : {"time_s", "power_w"}) {
    if (!columns.contains(needed)) throw UsageError("columns without", needed);
  }
  Sweep sweep;
  sweep.source = "columns";
  sweep.observations = rows_of_columns(columns);
  const auto stated = [&](const char* name, const char* otherwise) {
    return asked.text(name, attribute_of(given, name, otherwise));
  };
  sweep.workload = stated("workload", "unnamed");
  sweep.kind = kind_meant(stated("kind", "inference"), "kind");
  sweep.board = stated("board", "");
  sweep.provenance = parse_word<Provenance>(stated("provenance", "replayed"), "provenance");
  if (const std::string runtime = attribute_of(given, "runtime", ""); !runtime.empty()) {
    sweep.runtime = parse_word<Runtime>(runtime, "runtime");
  }
  sweep.twin = attribute_of(given, "twin", "");
  asked.done();
  for (std::size_t i = 0; i < sweep.observations.size(); ++i) sweep.lines.push_back(i + 1);
  return std::make_shared<BoundSweep>(std::move(sweep));
}

using store::Holding;

const Fields<Holding>& holding_fields() {
  static const Fields<Holding> fields = {
      {"board", [](const Holding& h) { return h.series.board; }, "name of the board"},
      {"serial", [](const Holding& h) { return h.series.serial; },
       "serial number of the board; empty if unknown"},
      {"workload", [](const Holding& h) { return h.series.workload; }, "name of the workload"},
      {"kind", [](const Holding& h) { return h.series.kind; }, "\"training\", \"inference\", .."},
      {"provenance", [](const Holding& h) { return std::string(name_of(h.series.provenance)); },
       "provenance of the points: measured, replayed, modelled, .."},
      {"points", [](const Holding& h) { return h.points; }, "number of profiled points"},
      {"flagged", [](const Holding& h) { return h.flagged; },
       "number of points with a warning about their quality"}};
  return fields;
}

// A store that Python code can close.
class BoundStore {
 public:
  explicit BoundStore(std::string path) : path_(std::move(path)) {
    store_.emplace(path_, store::Database::Access::kReadOnly);
  }
  store::Store& open() {
    if (!store_) throw UsageError("the store is closed", path_, "open it again");
    return *store_;
  }
  void close() { store_.reset(); }
  const std::string& path() const { return path_; }

  std::vector<Holding> list() { return open().holdings(); }

 private:
  std::string path_;
  std::optional<store::Store> store_;
};

py::list sweeps_of_store(Self<BoundStore> self, const py::kwargs& kwargs) {
  Arguments asked(kwargs);
  store::SeriesFilter filter;
  filter.workload = asked.text("workload");
  filter.kind = asked.text("kind");
  filter.board = device_of(asked);
  filter.serial = asked.text("serial");
  asked.done();
  auto sweeps = self->open().sweeps(filter);
  if (sweeps.empty() && !self->open().all_series().empty()) {
    throw UsageError("the store has no points of this workload, kind and board", self->path(),
                     "`ridgewatt store list` shows what it has");
  }
  py::list list;
  for (auto& sweep : sweeps) {
    sweep.source = self->path();
    list.append(std::make_shared<BoundSweep>(std::move(sweep)));
  }
  return list;
}

void bind_store(py::module_& module) {
  record<Holding>(module, "Holding",
                  "Summary of the points of one workload, kind and board in a store.",
                  holding_fields());
  Class<BoundStore>(
      module, "Store",
      "Store(path)\n\nProfiled points in an SQLite file or a PostgreSQL database "
      "(postgresql://USER@HOST/DATABASE), opened for reading. Use it in a `with` block, or call "
      "close(). Raises NotFoundError if there is no such file, and InputError if the file is not a "
      "store. The methods raise UsageError after close().")
      .def(py::init([](const py::object& path) {
             return std::make_shared<BoundStore>(read_text("path", path, true));
           }),
           py::arg("path"))
      .def_property_readonly(
          "path", [](Self<BoundStore> self) { return self->path(); }, "path, as given")
      .def(
          "list",
          [](Self<BoundStore> self) {
            py::list list;
            for (const auto& held : self->list()) list.append(held);
            return list;
          },
          "Returns a list of Holding, one per workload, kind, board and provenance.")
      .def("sweeps", &sweeps_of_store,
           "sweeps(*, workload=None, kind=None, device=None, serial=None)\n\nReturns the points as "
           "a list of Sweep. The arguments select points; None selects all. Points that were "
           "profiled repeatedly are replaced by their median. Raises UsageError if no point "
           "matches.")
      .def(
          "close", [](Self<BoundStore> self) { self->close(); },
          "Closes the store. Closing it again is no error.")
      .def("__enter__", [](const py::object& self) { return self; })
      .def("__exit__", [](Self<BoundStore> self, const py::args&) { self->close(); });
}

}  // namespace

Sweep raw_sweep(const std::string& name, const py::object& given,
                const std::optional<std::string>& workload) {
  if (py::isinstance<BoundSweep>(given)) {
    if (workload) throw UsageError("workload has no effect with a Sweep");
    return held<BoundSweep>(given)->sweep;
  }
  if (PyDict_Check(given.ptr()) || py::hasattr(given, "columns")) {
    throw UsageError("columns are not a sweep yet", name, "wrap them: ridgewatt.Sweep(columns)");
  }
  const std::string path = read_text(name, given, true);
  return without_gil([&] { return choose_sweep(read_sweeps(path), workload, path); });
}

Sweep with_remark(Arguments& asked, TrustedSweep trusted) {
  static const std::string kOption = "--keep-outliers keeps",
                           kArgument = "keep_outliers=True keeps";
  std::string text = trusted.remark();
  if (const auto at = text.find(kOption); at != std::string::npos) {
    text.replace(at, kOption.size(), kArgument);
  }
  asked.remark(text, trusted.dropped > 0);
  return std::move(trusted.sweep);
}

Sweep trusted_sweep(Arguments& asked, Sweep raw, bool keep_outliers) {
  const std::string source = raw.source;
  if (!keep_outliers) return with_remark(asked, drop_flagged_rows(raw, source));
  const std::size_t rows = raw.observations.size();
  return with_remark(asked, {average_repeats(std::move(raw)), source, rows, 0});
}

Sweep trusted_samples(Arguments& asked, Sweep raw, bool keep_outliers, const std::string& device) {
  Sweep samples = trusted_sweep(asked, std::move(raw), keep_outliers);
  tune::take_governed(samples);
  if (!device.empty()) fit_to_board(samples, load_board(device));
  return samples;
}

std::vector<Sweep> references_of(Arguments& asked, bool keep_outliers) {
  std::vector<Sweep> references;
  const py::object given = asked.object("references");
  if (given.is_none()) return references;
  for (const auto& one : read_list("references", given)) {
    references.push_back(
        trusted_sweep(asked, raw_sweep("references", one, std::nullopt), keep_outliers));
  }
  return references;
}

void bind_sweeps(py::module_& module) {
  record<Observation>(module, "Observation", "Time, power and energy of one operating point.",
                      observation_fields());
  auto made = answer_class<BoundSweep>(
      module, "Sweep",
      "Sweep(columns, *, workload=\"unnamed\", kind=\"inference\", board=None, "
      "provenance=\"replayed\")\n\nOperating points of one workload with their costs: a sequence "
      "of Observation. `columns` is a DataFrame, or a dict of lists or arrays of equal length. The "
      "columns time_s and power_w are required. The columns cpu_cores, cpu_clock_hz, gpu_clock_hz, "
      "mem_clock_hz, governor, batch, energy_j, time_median_s and fetch_stall_s are optional, and "
      "NaN in the last three means unknown. If `columns` is the result of to_frame(), its `attrs` "
      "are the defaults of workload, kind, board and provenance, and state runtime and twin of "
      "modelled rows. Raises UsageError if there is any other column, if lengths differ, or if a "
      "value is not finite or out of range.",
      sweep_fields(), observation_fields());
  made.def(py::init(&sweep_of_columns), py::arg("columns"));
  made.def(py::pickle(
      [](Self<BoundSweep> self) {
        return py::make_tuple(self->sweep.source, write_sweep_csv({self->sweep}));
      },
      [](const py::tuple& state) {
        auto sweeps = parse_sweeps(state[1].cast<std::string>(), state[0].cast<std::string>());
        return std::make_shared<BoundSweep>(std::move(sweeps.front()));
      }));
  made.def(
      "write",
      [](Self<BoundSweep> self, const py::object& path) {
        write_output(read_text("path", path, true), write_sweep_csv({self->sweep}));
      },
      py::arg("path"),
      "Writes the sweep as a CSV file, completely or not at all. Raises IoError or PermissionError "
      "if writing fails.");
  module.def("read_sweep", [](const py::kwargs& kwargs) {
    Arguments asked(kwargs);
    const auto workload = asked.maybe_text("workload");
    const py::object path = asked.object("path");
    asked.done();
    return std::make_shared<BoundSweep>(raw_sweep("path", path, workload));
  });
  module.def("example_sweep", [](const py::kwargs& kwargs) {
    Arguments asked(kwargs);
    platform::ExampleWorkload workload{asked.text("model", "zoo:mobilenet_v3_large")};
    if (asked.flag("training")) workload.kind = WorkloadKind::kTraining;
    workload.batches = asked.wholes("batch", kBatches);
    platform::ExampleSweepOptions options;
    options.modes = static_cast<std::size_t>(asked.whole("modes", kCounts, 96));
    options.seed = asked.seed();
    const std::string device = device_of(asked);
    asked.done();
    options.workloads = {workload};
    return std::make_shared<BoundSweep>(without_gil([&] {
      const Board board = load_board(device.empty() ? "agx-orin" : device);
      return platform::example_sweeps(board, options).front();
    }));
  });
  bind_store(module);
}

}  // namespace ridgewatt::python
