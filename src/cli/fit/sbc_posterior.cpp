// Parameters that are draws of a fit of the model's own data.
#include "cli/command.hpp"
#include "cli/fit/fitted_model.hpp"
#include "cli/fit/sbc_source.hpp"
#include "results/draws/simulate.hpp"

namespace credo::cli {
namespace {

class Posterior final : public SbcSource {
 public:
  void describe(Arguments& arguments, const std::string& alone) override {
    arguments.option(
        "--posterior", file_,
        "a result of the same program and data: parameters are drawn from it, and each fit "
        "is given its data and new ones",
        needing(alone, any_file()));
  }
  bool is_chosen() const override { return !file_.empty(); }
  void complete(ModelArguments& model, Output& output) override {
    fit_ = open_draws(std::array{file_}, output);
    read_like(*fit_, model, results::GivenData::own);
  }
  void apply(const SbcQuestion& question, results::SbcOptions& options) override {
    require_data_of(*fit_, question.model, question.output, question.json);
    options.posterior = spread_draws(*fit_, question.model, options.num_replicates);
  }

 private:
  std::string file_;
  std::unique_ptr<Fit> fit_;
};
}  // namespace

extern const SbcSourceRow posterior_source{.name = "posterior",
                                           .chosen_by = "--posterior",
                                           .group = kCalibrationGroup,
                                           .example = "--posterior FILE.nc",
                                           .make = make_chosen<SbcSource, Posterior>};

}  // namespace credo::cli
