// credo chain: everything about a Markov chain on finitely many states, exactly.
#include <fmt/format.h>

#include "cli/chain_file.hpp"
#include "cli/chain_report.hpp"
#include "cli/command.hpp"

namespace credo::cli {
namespace {
using namespace infer::finite;

class Chain final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positional("file", path_,
                         "transition matrix (.csv, .json) or a kernel with its target (.json)",
                         any_file());
    arguments.option("--epsilon", options_.epsilon,
                     "distance of the mixing time, in total variation",
                     in_range(infer::between(0.0, 1.0)));
    arguments.option("--target", target_, "weights to judge the chain against: 1,2,3");
    arguments.option("--function", function_,
                     "a value for each state, whose autocorrelation time is wanted: 0,0,1");
    arguments.option("--start", start_, "state to start from, with --steps");
    arguments.option("--steps", num_steps_, "print the law after this many steps", at_least(0));
    arguments.option("--tolerance", options_.tolerance,
                     "relative error that counts as rounding in balance and invariance",
                     in_range({.lo = 0.0, .hi = 1.0, .hi_open = true}));
    arguments.flag("--normalise", normalise_, "divide each row of the matrix by its sum");
    arguments.flag("--matrix", show_matrix_, "print the transition matrix");
    arguments.flag("--strict", strict_,
                   "status 8 unless the chain converges, to the target if there is one");
  }

  int run(Output& output) override {
    const ChainFile file = read_chain_file(path_, normalise_);
    options_.target = target_.empty() ? file.target : parse_number_list(target_, "--target");
    options_.function =
        function_.empty() ? file.function : parse_number_list(function_, "--function");
    const Analysis analysis = analyse(file.chain, options_);
    ChainReport report{.chain = file.chain,
                       .options = options_,
                       .analysis = analysis,
                       .num_steps = num_steps_,
                       .show_matrix = show_matrix_};
    if (!start_.empty() || num_steps_ != 0) report.law_after = law_from_start(file.chain);
    output.print(json ? chain_json(report) : chain_text(report));
    return strict_ && !is_good(analysis) ? static_cast<int>(ErrorCode::verdict) : 0;
  }

 private:
  std::vector<double> law_from_start(const FiniteChain& chain) const {
    const Index start = start_.empty() ? 0 : state_called(chain, start_);
    return law_after(chain, point_law(chain.num_states(), start), num_steps_);
  }

  static Index state_called(const FiniteChain& chain, const std::string& name) {
    for (Index x = 0; x < chain.num_states(); ++x) {
      if (chain.name(x) == name) return x;
    }
    throw Error(ErrorCode::usage, fmt::format("there is no state '{}'", name), "--start",
                fmt::format("states are called {} to {}", chain.name(0),
                            chain.name(chain.num_states() - 1)));
  }

  std::string path_, target_, function_, start_;
  Index num_steps_ = 0;
  bool normalise_ = false, show_matrix_ = false, strict_ = false;
  AnalysisOptions options_;
};
}  // namespace

const CommandRow chain_command{
    "chain", "exact analysis of a Markov chain on finitely many states",
    "  credo chain matrix.csv\n  credo chain examples/chain_walk_21.json --epsilon 0.05\n"
    "  credo chain matrix.csv --target 1,2,3 --strict\n",
    make_command<Chain>, "Standard output: the analysis, as text or JSON. No files."};

}  // namespace credo::cli
