// credo chain: everything about a Markov chain on finitely many states, exactly.
#include <fmt/format.h>

#include "cli/chain/chain_file.hpp"
#include "cli/chain/chain_report.hpp"
#include "cli/chain/chain_shuffle.hpp"
#include "cli/command.hpp"

namespace credo::cli {
extern const CommandRow chain_command;
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
                     "a value for each state; its autocorrelation time is reported: 0,0,1");
    arguments.option("--start", start_, "state to start from; none: the first one");
    arguments.option("--steps", num_steps_,
                     "print the distribution after this many steps from --start", at_least(0));
    arguments.flag(
        "--limit", limit_,
        "limit of the chain that starts from --start: the distribution in the limit, and the "
        "probability of each closed class");
    arguments.option("--coupling", num_coupled_,
                     "so many steps of two chains that move independently until they meet, from "
                     "--start and --partner: the probability that they haven't met bounds the "
                     "distance of their distributions; 0: none",
                     in_range({.lo = 0.0, .hi = 1e6}));
    arguments.option("--partner", partner_,
                     "state of the second chain of --coupling; none: it is stationary");
    arguments.option("--tolerance", options_.tolerance,
                     "relative error that counts as rounding in balance and invariance",
                     in_range({.lo = 0.0, .hi = 1.0, .hi_open = true}));
    arguments.flag("--normalise", normalise_, "divide each row of the matrix by its sum");
    arguments.flag("--matrix", show_matrix_, "print the transition matrix");
    arguments.flag("--strict", strict_,
                   "status 8 unless the chain converges, to the target if there is one");
  }

  int run(Output& output) override {
    if (const auto cards = cards_of_riffle(path_)) return print_shuffles(*cards, output);
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
    if (!partner_.empty() && num_coupled_ == 0)
      throw Error(ErrorCode::usage, "the state of a second chain needs a number of steps",
                  "--partner", "say how many: --coupling 20");
    report_from_start(file.chain, report);
    output.print(json ? chain_json(report) : chain_text(report));
    return strict_ && !is_good(analysis) ? static_cast<int>(ErrorCode::verdict) : 0;
  }

 private:
  // The other options are about states, which decks have too many of.
  int print_shuffles(Index num_cards, Output& output) {
    Given own = read_words(arguments_of(chain_command, *this), given);
    for (const char* known : {"file", "--epsilon", "--json", "--config"}) own.erase(known);
    if (!own.empty())
      throw Error(ErrorCode::usage, "the option isn't known of riffle shuffles", own.begin()->first,
                  "leave it out; --epsilon and --json are taken");
    const ShuffleReport report = report_of_riffles(num_cards, options_.epsilon);
    output.print(json ? shuffle_json(report) : shuffle_text(report));
    return 0;
  }

  void report_from_start(const FiniteChain& chain, ChainReport& report) const {
    const Index start = start_.empty() ? 0 : state_called(chain, start_, "--start");
    const bool is_alone = !start_.empty() && !limit_ && num_coupled_ == 0;
    if (is_alone || num_steps_ != 0)
      report.distribution_after =
          distribution_after(chain, point_distribution(chain.num_states(), start), num_steps_);
    if (limit_) report.limit = limit_from(chain, report.analysis.structure, start);
    if (num_coupled_ == 0) return;
    std::optional<Index> partner;
    if (!partner_.empty()) partner = state_called(chain, partner_, "--partner");
    report.coupling = couple(chain, report.analysis.distributions, start, partner, num_coupled_);
  }

  static Index state_called(const FiniteChain& chain, const std::string& name, const char* option) {
    for (Index x = 0; x < chain.num_states(); ++x) {
      if (chain.name(x) == name) return x;
    }
    throw Error(ErrorCode::usage, fmt::format("there is no state '{}'", name), option,
                fmt::format("states are called {} to {}", chain.name(0),
                            chain.name(chain.num_states() - 1)));
  }

  std::string path_, target_, function_, start_, partner_;
  Index num_steps_ = 0, num_coupled_ = 0;
  bool normalise_ = false, show_matrix_ = false, strict_ = false, limit_ = false;
  AnalysisOptions options_;
};
}  // namespace

extern const CommandRow chain_command{
    "chain", "exact analysis of a Markov chain on finitely many states",
    "  credo chain matrix.csv\n  credo chain examples/chain_walk_21.json --epsilon 0.05\n"
    "  credo chain matrix.csv --target 1,2,3 --strict\n"
    "  credo chain matrix.csv --start a --limit --coupling 50\n",
    make_command<Chain>, "Standard output: the analysis, as text or JSON. No files."};

}  // namespace credo::cli
