// credo log-prob: log density and gradient at given points, as one JSON array.
#include <fmt/format.h>

#include "cli/load.hpp"
#include "io/file.hpp"
#include "io/json_reader.hpp"
#include "io/json_writer.hpp"

namespace credo::cli {
namespace {

class LogProb final : public Command {
 public:
  void describe(Arguments& arguments) override {
    model_.describe(arguments);
    arguments.option("--unconstrained", unconstrained_, "JSON array of points of the free vector",
                     file_ending(".json"));
    arguments.option("--constrained", constrained_,
                     "JSON array of objects in CmdStan's init format", file_ending(".json"));
    arguments.flag("--drop-constants", drop_constants_,
                   "leave out the constants that Stan's ~ drops");
  }

  int run(Output& output) override {
    if (unconstrained_.empty() == constrained_.empty()) {
      throw Error(ErrorCode::usage, "give the points by one of --unconstrained and --constrained",
                  "log-prob");
    }
    auto model = load_model(model_, output, json);
    if (drop_constants_) model = model->with_form({.jacobian = true, .constants = false});
    const std::vector<std::vector<double>> points =
        constrained_.empty() ? free_points(*model) : constrained_points(*model);
    io::JsonWriter writer;
    writer.begin_array();
    for (const auto& point : points) write_point(*model, point, writer.line_break());
    writer.end_array();
    output.print(writer.text() + "\n");
    return 0;
  }

 private:
  std::vector<std::vector<double>> free_points(const model::Model& model) const {
    const io::DataValue array = io::parse_json_array(io::read_file(unconstrained_), unconstrained_);
    const Index dimension = model.dimension();
    if (array.num_elements() == 0 && dimension > 0) return {};
    if (array.dims.size() != 2 || array.dims[1] != dimension) {
      throw Error(ErrorCode::data,
                  fmt::format("found {}, expected an array of points of {} numbers",
                              io::describe(array), dimension),
                  array.where);
    }
    std::vector<std::vector<double>> points(static_cast<std::size_t>(array.dims[0]));
    for (std::size_t p = 0; p < points.size(); ++p) {
      for (Index d = 0; d < dimension; ++d) {
        const std::size_t i = p * static_cast<std::size_t>(dimension) + static_cast<std::size_t>(d);
        points[p].push_back(array.reals.empty() ? double(array.integers[i]) : array.reals[i]);
      }
    }
    return points;
  }

  std::vector<std::vector<double>> constrained_points(const model::Model& model) const {
    std::vector<std::vector<double>> points;
    for (const io::DataTable& table :
         io::parse_json_tables(io::read_file(constrained_), constrained_)) {
      points.push_back(model.unconstrain(table));
    }
    return points;
  }

  void write_point(const model::Model& model, const std::vector<double>& point,
                   io::JsonWriter& writer) const {
    const auto result = model.evaluate_in_full(point);
    writer.begin_object();
    if (!result.status.ok()) {
      writer.key("error").string(model.describe(result.status)).end_object();
      return;
    }
    writer.key("log_density").number(result.log_density);
    writer.key("log_density_no_jacobian").number(result.log_density_no_jacobian);
    writer.key("gradient").numbers(result.gradient).end_object();
  }

  ModelArguments model_;
  std::string unconstrained_, constrained_;
  bool drop_constants_ = false;
};
}  // namespace

const CommandRow log_prob_command{
    "log-prob", "log density and gradient at given points",
    "  credo log-prob model.stan --data d.json --unconstrained points.json\n"
    "  credo log-prob model.stan --data d.json --constrained inits.json --drop-constants\n",
    make_command<LogProb>,
    "Standard output: a JSON array with an object for each point. No files."};

}  // namespace credo::cli
