// credo cluster: groups of the rows of a table, by a mixture of normal distributions.
#include <fmt/format.h>

#include "base/stop.hpp"
#include "cli/tables/cluster_report.hpp"
#include "cli/options/field_options.hpp"
#include "cli/project/program_words.hpp"
#include "cli/results.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/run/runner.hpp"
#include "cli/term/stop.hpp"
#include "cli/term/terminal.hpp"
#include "io/file.hpp"
#include "models/ready/ready_models.hpp"
#include "results/files/facts.hpp"

namespace credo::cli {
namespace {

class Cluster final : public Command {
 public:
  void describe(Arguments& a) override {
    a.positional("formula", columns_, "columns by which rows are grouped: 'a + log(b)'; . is all",
                 {.word = "COLUMNS"});
    run_.program.reading.describe(a, "the table: a CSV or TSV file");
    a.group("Groups");
    a.option("--groups", num_groups_,
             "number of components, some of which may stay empty; 0: any number, by a Dirichlet "
             "process",
             at_least(0));
    a.option("--concentration", concentration_,
             "concentration of the Dirichlet prior of the groups' shares: larger for more groups",
             in_range(infer::positive()));
    a.option("--within", within_,
             "prior guess of the sd within a group, for columns of sd 1: smaller for more groups",
             in_range(infer::positive()));
    a.option("--assign", assign_, "write the group of each row into this CSV file",
             output_file(".csv"));
    a.group("Run");
    for (const char* name :
         {"num_chains", "num_warmup", "num_draws", "thin", "seed", "num_threads"})
      field_option(a, run_.options, name);
    a.option("--max-time", run_.conduct.max_time,
             "stop after so long: seconds, or as 90s, 15m, 2h; credo resume continues",
             changing(Changes::nothing));
    a.option("-o,--output", run_.out.file, "draws of the labels: FILE.nc",
             output_file(".nc", Writes::draws));
    a.changes_nothing("--threads");
    describe_like(a, *this);
    a.stands_for_positionals("--like");
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    const models::ClusterTable table = read(output);
    const models::Ready ready = models::collapsed_mixture_model(
        table.points, prior(table.dimension()),
        num_groups_ > 0 ? models::PartitionPrior::dirichlet_multinomial(concentration_, num_groups_)
                        : models::PartitionPrior::chinese_restaurant(concentration_));
    run_.options.sampler = ready.algorithm;
    run_.options.init_prior = true;
    density::Draws labels;
    if (run_.out.file.empty()) {
      infer::StoredDraws kept;
      run_.options.stop = current_stop();
      ready.run(run_.options, kept);
      stop_if_asked();
      labels = kept.draws.part(0, table.num_rows);
    } else {
      const int status = sample(ready, output);
      if (status != 0 && status != 8) return status;
      const auto fit = open_fit(std::span(&run_.out.file, 1));
      labels = fit->quantities(false, *find_quantity(*fit, "labels.1"), table.num_rows);
    }
    const ClusterReport report = make_cluster_report(table, labels, words());
    if (!assign_.empty()) {
      io::OutputFile file(assign_);
      file.write(report.assignments());
      file.commit();
    }
    print_answer(report.answer(), report.text(), "", json, output);
    return 0;
  }

  std::optional<std::string> run_file() const override { return run_.run_file(); }

 private:
  models::ClusterTable read(Output& output) {
    run_.program.settle();
    const io::DataRecipe recipe = io::parse_data_recipe(run_.program.data);
    if (recipe.files.empty())
      throw Error(ErrorCode::usage, "groups are of the rows of a table", "--data",
                  "add --data FILE.csv");
    if (!recipe.columns.empty())
      throw Error(ErrorCode::usage, "the first argument says which columns are used", "--columns",
                  "name them there: 'eruptions + waiting'");
    models::FormulaFaults faults;
    models::ClusterTable table = models::make_points(
        columns_, recipe, is_free_in_programs,
        [&](const std::string& path) -> const std::string& {
          return run_.program.files.read(path);
        },
        faults);
    if (faults.empty()) return table;
    output.note(visible(faults.text(table.formula)));
    throw Error(ErrorCode::data, fmt::format("columns and table have {} fault{}", faults.size(),
                                             faults.size() == 1 ? "" : "s"));
  }

  // Columns are standardised: means of groups spread as wide as the rows do, and covariances have the expectation within^2 times
  // the identity.
  models::NormalInverseWishart prior(Index d) const {
    constexpr double kMeanWeight = 0.05;
    numerics::RowMatrix scale(d);
    for (Index i = 0; i < d; ++i)
      for (Index j = 0; j < d; ++j) scale(i, j) = i == j ? within_ * within_ : 0.0;
    return {.mean = std::vector<double>(static_cast<std::size_t>(d), 0.0),
            .mean_weight = kMeanWeight,
            .scale = scale,
            .dof = static_cast<double>(d) + 2.0};
  }
  std::string words() const {
    return num_groups_ > 0
               ? fmt::format("{} normal components, concentration {:.3g}, sd within about {:.3g}",
                             num_groups_, concentration_, within_)
               : fmt::format(
                     "a Dirichlet process of normal distributions, concentration {:.3g}, "
                     "sd within about {:.3g}",
                     concentration_, within_);
  }

  // The draws as a run: with its run file, and resumed. Its own words are left out.
  int sample(const models::Ready& ready, Output& output) {
    io::RunFile::Facts facts = results::facts_of_run(*ready.model, {.run = run_.options});
    facts[results::kSpecFact] = with_inputs(asked, run_.program.files.contents()).text();
    std::string printed;
    Output own;
    own.captured = &printed;
    own.note_sink = [&](std::string_view text) { output.note(text); };
    run_.program.data.clear();
    return begin_own_run(run_, {.model = ready.model, .run_chains = ready.run, .facts = facts}, own,
                         json);
  }

  std::string columns_, assign_;
  Index num_groups_ = 0;
  double concentration_ = 1.0, within_ = 0.5;
  RunArguments run_;
};
}  // namespace

extern const CommandRow cluster_command{
    "cluster", "how many groups the rows of a table have, and which rows belong together",
    "  credo cluster 'eruptions + waiting' --data faithful.csv\n"
    "  credo cluster 'eruptions + waiting' --data faithful.csv --groups 3 --assign groups.csv\n"
    "  credo cluster 'log(income) + age' --data people.csv --within 0.3 -o labels.nc\n"
    "  credo cluster . --data measured.csv --missing drop\n",
    make_command<Cluster>,
    "Standard output: the probability of each number of groups, the groups with their figures. "
    "With --assign: the table with the group of each row. With --output: the draws of the labels; "
    "until then OUTPUT.run, from which credo resume continues."};

}  // namespace credo::cli
