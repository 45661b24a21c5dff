// credo network: the graph of a discrete network, independence by separation, tables from rows, draws, and other formats.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/stream.hpp"
#include "cli/fit/exact_network.hpp"
#include "cli/project/program_words.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/tables/network_report.hpp"
#include "cli/tables/network_rows.hpp"
#include "cli/term/stop.hpp"
#include "cli/term/terminal.hpp"
#include "io/file.hpp"
#include "io/input_files.hpp"
#include "models/network/network_program.hpp"

namespace credo::cli {
namespace {
using models::Network;
constexpr std::uint32_t kForwardDraws = stream("network.forward");  // iteration: the draw

class NetworkCommand final : public Command {
 public:
  void describe(Arguments& a) override {
    a.optional_positional("network", path_,
                          "network: .bif, .net (Hugin), .uai or .json; without it the graph is "
                          "that of --parents",
                          any_file());
    a.flag("--normalise", rules_.normalise,
           "divide rows of tables by their sums; without it rows that don't sum to 1 are refused");
    a.group("Graph");
    a.option("--separated", separated_,
             "are the nodes on both sides of the comma independent by the graph, as \"a + b, c\"?",
             {.word = "NODES, NODES"});
    a.option("--given", given_,
             "a given node, for --separated; the state of a node, as smoke=yes, for --rows and "
             "--write; may be repeated",
             {.word = "NODE[=STATE]"});
    a.group("Tables from data");
    a.option("-d,--data", data_,
             "CSV table with a column for each node, from which all tables are learned",
             file_ending(".csv"));
    a.option("--parents", parents_,
             "arrows of the graph without a file, as \"dysp ~ lung + bronc\"; other columns of "
             "--data have no parents; may be repeated",
             needing("--data", {.word = "NODE ~ NODES"}));
    a.option("--prior", prior_,
             "Dirichlet prior of each row: --counts for each state, or bdeu: --counts rows in all "
             "tables",
             needing("--data", one_of({"uniform", "bdeu"})));
    a.option("--counts", learning_.counts, "counts of the prior",
             needing("--data", in_range(infer::positive())));
    a.option("--missing", missing_,
             "rows with empty cells: refuse, or complete them by their expected counts",
             needing("--data", one_of({"refuse", "complete"})));
    a.group("Output");
    a.option("--draws", num_draws_, "independent draws of all nodes, given the states of --given",
             needing("--rows", at_least(1)));
    a.option("--rows", rows_, "write the draws to this CSV file", output_file(".csv"));
    a.option("--seed", seed_, "seed of the draws");
    a.option("--write", write_,
             "write the network in another format (.bif, .json, .uai), or as a program with int "
             "parameters (.stan)",
             output_file("*"));
    a.option("-o,--output", file_, kAnswerFile, output_file("*"));
    describe_like(a, *this);
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    std::vector<std::string> notes;
    NetworkReport report{.network = network(notes)};
    if (!data_.empty()) learn(report);
    if (!separated_.empty()) separate(report);
    for (const std::string& note : notes) output.note(visible(note) + "\n");
    if (!write_.empty()) write(report.network);
    if (write_.ends_with(".stan") && models::has_impossible_states(report.network))
      output.note(
          "tables have zeros: chains of credo sample may never leave some states. credo exact of "
          "the program, or --rows, draws without chains\n");
    if (!rows_.empty()) write_draws(report.network);
    require_use_of_given();
    print_answer(with_spec(report.answer(), with_inputs(asked, files_.contents())), report.text(),
                 file_, json, output);
    return 0;
  }

 private:
  Network network(std::vector<std::string>& notes) {
    if (path_.empty() && parents_.empty())
      throw Error(ErrorCode::usage, "no network is named", "NETWORK",
                  "credo network asia.bif, or --data rows.csv --parents \"b ~ a\"");
    if (!path_.empty() && !parents_.empty())
      throw Error(ErrorCode::usage, "the file has the parents of all nodes", "--parents",
                  "leave it out, or name no file");
    rules_.needs_tables = data_.empty();
    if (!path_.empty()) return models::read_network(path_, files_.read(path_), rules_, notes);
    return structure_of(NetworkTable(files_.read(data_), data_), parents_);
  }

  void learn(NetworkReport& report) {
    const NetworkTable table(files_.read(data_), data_);
    const models::NetworkRows rows = table.rows_of(report.network);
    for (std::size_t n = 0; missing_ == "refuse" && n < rows.size(); ++n)
      for (std::size_t v = 0; v < rows[n].size(); ++v)
        if (rows[n][v] < 0)
          throw Error(
              ErrorCode::data, fmt::format("{} has no value", report.network.nodes[v].name),
              table.place(static_cast<Index>(n), report.network.nodes[v].name),
              "leave the row out, or complete rows by their expected counts: --missing complete");
    learning_.prior = prior_ == "bdeu" ? models::TablePrior::bdeu : models::TablePrior::uniform;
    report.learned = models::learn_tables(report.network, rows, learning_);
    report.network = report.learned->network;
  }

  void separate(NetworkReport& report) {
    report.separation = separation_question(separated_, given_, report.network);
    report.path = models::active_path(report.network, *report.separation);
  }

  void require_use_of_given() const {
    if (given_.empty() || !separated_.empty() || !rows_.empty() || !write_.empty()) return;
    throw Error(ErrorCode::usage, "given nodes need a question", "--given",
                "add --separated or --rows; probabilities are answered by credo exact " + path_);
  }

  std::vector<std::int32_t> states(const Network& network) const {
    return given_states(separated_.empty() ? given_ : std::vector<std::string>{}, network);
  }

  void write(const Network& network) {
    std::string text;
    if (write_.ends_with(".stan")) {
      text = models::network_program(network, states(network),
                                     models::program_names(network, is_free_in_programs));
    } else {
      if (!given_.empty() && separated_.empty())
        throw Error(ErrorCode::usage, "only programs (.stan) are written with given states",
                    "--given", "leave it out");
      text = models::network_text(network, write_);
    }
    put_file(write_, text);
  }

  // Forward along the arrows; given states, backwards along an order of elimination.
  void write_draws(const Network& network) {
    const std::vector<std::int32_t> known = states(network);
    const bool conditions = std::ranges::any_of(known, [](auto state) { return state >= 0; });
    std::string text = header_text(network);
    if (conditions || !network.is_directed) {
      const results::ExactRun run = results::exact_distribution(
          models::factors_of(network), names_of_network(network, known),
          {.num_draws = num_draws_, .seed = seed_, .is_normalised = network.is_directed});
      for (std::vector<std::int32_t> draw : run.draws) {
        for (std::int32_t& value : draw) --value;
        text += row_text(network, draw);
      }
    } else {
      const std::vector<std::int32_t> order = models::sampling_order(network);
      for (Index s = 0; s < num_draws_; ++s) {
        stop_if_asked();
        Rng rng(
            {.seed = seed_, .purpose = kForwardDraws, .iteration = static_cast<std::uint32_t>(s)});
        text += row_text(network, models::draw_forward(network, order, rng));
      }
    }
    put_file(rows_, text);
  }

  static void put_file(const std::string& path, const std::string& text) {
    io::OutputFile file(path);
    file.write(text);
    file.commit();
  }

  std::string path_, separated_, data_, prior_ = "uniform", missing_ = "refuse", rows_, write_,
                                        file_;
  std::vector<std::string> given_, parents_;
  Index num_draws_ = 1000;
  std::uint64_t seed_ = 1;
  models::NetworkRules rules_;
  models::LearningOptions learning_;
  io::InputFiles files_;
};
}  // namespace

extern const CommandRow network_command{
    "network", "the graph of a discrete network: independence, cliques, tables from rows, draws",
    "  credo network asia.bif\n"
    "  credo network asia.bif --separated \"asia, smoke\" --given dysp\n"
    "  credo network asia.bif --rows rows.csv --draws 1000 --given smoke=yes\n"
    "  credo network asia.bif --data rows.csv --counts 1 --write learned.bif\n"
    "  credo network --data rows.csv --parents \"dysp ~ either + bronc\" --prior bdeu\n"
    "  credo network asia.bif --write asia.stan\n",
    make_command<NetworkCommand>,
    "Standard output: nodes, the order of forward sampling, the undirected form and its cliques; "
    "answers on independence; scores of learned tables. With --output: these as arrays or JSON; "
    "with --rows a CSV file of draws; with --write the network or its program."};

}  // namespace credo::cli
