// The table of the sources of data, and the one that is taken if no other is chosen: the model's own prior.
#include "cli/fit/sbc_source.hpp"

namespace credo::cli {
namespace {
class OwnPrior final : public SbcSource {
 public:
  void describe(Arguments&, const std::string&) override {}
  bool is_chosen() const override { return false; }
  void apply(const SbcQuestion&, results::SbcOptions&) override {}
};
constexpr SbcSourceRow kPrior{.name = "prior",
                              .chosen_by = "",
                              .group = kCalibrationGroup,
                              .example = "",
                              .make = make_chosen<SbcSource, OwnPrior>};
}  // namespace

extern const SbcSourceRow generator_source, posterior_source;
ChosenTable<SbcSource> sbc_sources() {
  static constexpr std::array kAll{&kPrior, &generator_source, &posterior_source};
  return kAll;
}

}  // namespace credo::cli
