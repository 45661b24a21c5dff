// credo log-prob: log density and gradient at given points, as one JSON array.
#include <fmt/format.h>

#include <set>

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
    arguments.flag("--statements", statements_, "the log density by statements, too");
    arguments.flag("--pointwise", pointwise_, "the log likelihood by rows, too");
  }

  int run(Output& output) override {
    if (unconstrained_.empty() == constrained_.empty()) {
      throw Error(ErrorCode::usage, "give the points by one of --unconstrained and --constrained",
                  "log-prob");
    }
    const auto loaded = load_model(model_, output, json);
    const auto whole = loaded->with({});
    const auto model =
        loaded->with({.terms = loaded->options().query.terms, .constants = !drop_constants_});
    const std::vector<std::vector<double>> points =
        constrained_.empty() ? free_points(*model) : constrained_points(*model);
    io::JsonWriter writer;
    writer.begin_array();
    for (const auto& point : points) {
      if (!write_point(*model, point, writer.line_break())) continue;
      if (statements_) write_statements(*whole, point, writer);
      if (pointwise_) write_rows(*whole, point, writer);
      writer.end_object();
    }
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

  // The object stays open; false, and it is closed, where the point is refused.
  static bool write_point(const model::Model& model, const std::vector<double>& point,
                          io::JsonWriter& writer) {
    const auto result = model.evaluate_in_full(point);
    writer.begin_object();
    if (!result.status.ok()) {
      writer.key("error").string(model.describe(result.status)).end_object();
      return false;
    }
    writer.key("log_density").number(result.log_density);
    writer.key("log_density_no_jacobian").number(result.log_density_no_jacobian);
    writer.key("gradient").numbers(result.gradient);
    return true;
  }

  // Each statement that adds to the target, in the order of the text.
  static void write_statements(const model::Model& model, const std::vector<double>& point,
                               io::JsonWriter& writer) {
    std::set<std::int32_t> statements;
    for (const model::TermSummary& term : model.trace(point)->terms)
      statements.insert(term.statement);
    writer.key("statements").begin_array();
    for (const std::int32_t k : statements) {
      const auto asked = model.with({.terms = density::Terms::statement, .statement = k});
      writer.begin_object().key("where").string(model.source().where(k));
      writer.key("log_density").number(asked->evaluate_in_full(point).log_density).end_object();
    }
    writer.end_array();
  }

  static void write_rows(const model::Model& model, const std::vector<double>& point,
                         io::JsonWriter& writer) {
    const std::vector<model::StatementRowCount> statements = model.rows(point);
    std::vector<double> values(static_cast<std::size_t>(model.num_rows()));
    density::Request request{.position = point, .gradient = {}, .status = {}, .pointwise = values};
    model.make_evaluator()->evaluate(density::Want::pointwise, std::array{&request});
    if (!request.status.ok()) {
      writer.key("pointwise_error").string(model.describe(request.status));
      return;
    }
    writer.key("pointwise").begin_array();
    std::span<const double> rest = values;
    for (const auto& [statement, count] : statements) {
      writer.begin_object().key("where").string(model.source().where(statement));
      writer.key("log_likelihood").numbers(rest.first(static_cast<std::size_t>(count)));
      writer.end_object();
      rest = rest.subspan(static_cast<std::size_t>(count));
    }
    writer.end_array();
  }

  ModelArguments model_;
  std::string unconstrained_, constrained_;
  bool drop_constants_ = false, statements_ = false, pointwise_ = false;
};
}  // namespace

const CommandRow log_prob_command{
    "log-prob", "log density and gradient at given points",
    "  credo log-prob model.stan --data d.json --unconstrained points.json\n"
    "  credo log-prob model.stan --data d.json --constrained inits.json --drop-constants\n"
    "  credo log-prob model.stan --data d.json --constrained inits.json --terms prior\n"
    "  credo log-prob model.stan --data d.json --constrained inits.json --pointwise\n",
    make_command<LogProb>,
    "Standard output: a JSON array with an object for each point. No files."};

}  // namespace credo::cli
