// Parameters and data of another program.
#include "cli/fit/sbc_source.hpp"

namespace credo::cli {
namespace {

class Generator final : public SbcSource {
 public:
  void describe(Arguments& arguments, const std::string& alone) override {
    arguments.option("--generator", program_,
                     "another program, with the same data, that parameters and data are drawn from",
                     needing(alone, file_ending(".stan")));
  }
  bool is_chosen() const override { return !program_.empty(); }
  void apply(const SbcQuestion& question, results::SbcOptions& options) override {
    ModelArguments other = question.arguments;
    other.model = program_;
    model_ = load_model(other, question.output, question.json);
    question.arguments.files = std::move(other.files);
    options.generator = model_.get();
  }

 private:
  std::string program_;
  std::unique_ptr<model::Model> model_;
};
}  // namespace

extern const SbcSourceRow generator_source{.name = "generator",
                                           .chosen_by = "--generator",
                                           .group = kCalibrationGroup,
                                           .example = "--generator FILE.stan",
                                           .make = make_chosen<SbcSource, Generator>};

}  // namespace credo::cli
