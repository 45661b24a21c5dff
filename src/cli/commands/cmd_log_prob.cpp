// credo log-prob: log density, gradient and matrices of second derivatives at given points.
#include <fmt/format.h>

#include "cli/fit/log_prob_report.hpp"
#include "cli/load.hpp"
#include "io/file.hpp"
#include "io/json_reader.hpp"
#include "model/model.hpp"

namespace credo::cli {
namespace {

class LogProb final : public Command {
 public:
  void describe(Arguments& arguments) override {
    model_.describe(arguments);
    model_.keeps_files = false;
    arguments.option("--unconstrained", unconstrained_,
                     "JSON array of points of the unconstrained space", file_ending(".json"));
    arguments.option("--constrained", constrained_,
                     "JSON array of objects in CmdStan's init format", file_ending(".json"));
    arguments.flag("--drop-constants", drop_constants_,
                   "leave out the constants that Stan's ~ drops");
    arguments.flag("--statements", asked_.statements, "the log density by statements, too");
    arguments.flag("--pointwise", asked_.pointwise, "the log likelihood by rows, too");
    arguments.option("--batches", asked_.num_batches,
                     "the log likelihood and its gradient of so many batches of rows, too, as "
                     "JSON: rows 1, K + 1, ... of each statement, and so on; 0: none",
                     at_least(0));
    arguments.flag("--hessian", asked_.hessian,
                   "the second derivatives by the unconstrained values, too");
    arguments.flag("--information", asked_.information,
                   "the Fisher metric, too: the expected information of the likelihood, less the "
                   "second derivatives of the log prior; with --terms likelihood the information "
                   "of an experiment, whatever comes of it, and with it the logarithm of Jeffreys' "
                   "prior (log_jeffreys), up to a constant");
    arguments.flag("--inverse-information", asked_.inverse_information,
                   "the inverse of that matrix, too: with --terms likelihood the bound of Cramer "
                   "and Rao on covariances of unbiased estimates of the unconstrained values");
    arguments.flag("--by-parameters", asked_.by_parameters,
                   "the information and its inverse by the declared parameters in the place of the "
                   "unconstrained values");
    arguments.flag("--inverse-hessian", asked_.inverse_hessian,
                   "the inverse of minus the second derivatives, too: at a mode the covariance of "
                   "the normal approximation, which credo sample --inv-metric takes");
    arguments.flag("--text", text_, "tables to read in the place of JSON");
  }

  int run(Output& output) override {
    if (text_ && json)
      throw Error(ErrorCode::usage, "--text and --json exclude each other", "--text",
                  "leave out one of them");
    if (unconstrained_.empty() == constrained_.empty()) {
      throw Error(ErrorCode::usage, "give the points by one of --unconstrained and --constrained",
                  "log-prob");
    }
    if (asked_.num_batches > 0 && text_)
      throw Error(ErrorCode::usage, "batches are printed as JSON", "--batches", "leave out --text");
    if ((asked_.information || asked_.inverse_information) && model_.terms == "prior")
      throw Error(ErrorCode::usage, "the information is that of all terms or of the likelihood",
                  asked_.information ? "--information" : "--inverse-information",
                  "leave out --terms, take --terms likelihood, or ask for --hessian");
    if (asked_.by_parameters && !asked_.information && !asked_.inverse_information)
      throw Error(ErrorCode::usage, "only the information is known by the parameters",
                  "--by-parameters", "add --information or --inverse-information");
    asked_.of_likelihood = model_.terms == "likelihood";
    const auto loaded = load_model(model_, output, json);
    const auto whole = loaded->with({});
    const auto model =
        loaded->with({.terms = loaded->options().query.terms, .constants = !drop_constants_});
    const std::vector<std::vector<double>> points =
        constrained_.empty() ? free_points(*model) : constrained_points(*model);
    std::vector<PointReport> reports;
    for (const auto& point : points) reports.push_back(report_at(*model, *whole, point, asked_));
    const std::vector<std::string> names = model->unconstrained().element_names();
    output.print(text_ ? points_text(reports, names) : points_json(reports, names));
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

  ModelArguments model_;
  std::string unconstrained_, constrained_;
  bool drop_constants_ = false, text_ = false;
  PointQuestions asked_;
};
}  // namespace

extern const CommandRow log_prob_command{
    "log-prob", "log density, gradient and Hessian at given points",
    "  credo log-prob model.stan --data d.json --unconstrained points.json\n"
    "  credo log-prob model.stan --data d.json --constrained inits.json --drop-constants\n"
    "  credo log-prob model.stan --data d.json --constrained inits.json --terms prior\n"
    "  credo log-prob model.stan --data d.json --constrained inits.json --pointwise\n"
    "  credo log-prob model.stan --data d.json --constrained mode.json --hessian --text\n"
    "  credo log-prob model.stan --data d.json --constrained truth.json --terms likelihood "
    "--inverse-information\n",
    make_command<LogProb>,
    "Standard output: a JSON array with an object for each point, or text. No files."};

}  // namespace credo::cli
