// Networks on the command line: published answers, the program of a network against its file, and refusals.
#include <gtest/gtest.h>

#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::network_test {
namespace {

const std::string kNetworks = CREDO_SOURCE_DIR "/examples/network/";

class NetworkRun : public testing::CommandRun {
 protected:
  NetworkRun() : CommandRun("network") {}

  static double probability(const testing::Json& found, const std::string& node,
                            std::size_t state) {
    for (const testing::Json& parameter : found.at("parameters").items)
      if (parameter.at("name").text == node)
        return parameter.at("probabilities").items.at(state).number;
    ADD_FAILURE() << "no node " << node;
    return -1.0;
  }
  std::string text_of(const std::string& name) const {
    std::ifstream file(at(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

// The joint probability of the tables of Lauritzen & Spiegelhalter (1988), written out.
double asia_at(bool asia, bool tub, bool smoke, bool lung, bool bronc, bool xray, bool dysp) {
  const auto p = [](bool yes, double probability) { return yes ? probability : 1.0 - probability; };
  const bool either = tub || lung;
  return p(asia, 0.01) * p(tub, asia ? 0.05 : 0.01) * p(smoke, 0.5) * p(lung, smoke ? 0.1 : 0.01) *
         p(bronc, smoke ? 0.6 : 0.3) * p(xray, either ? 0.98 : 0.05) *
         p(dysp, bronc ? (either ? 0.9 : 0.8) : (either ? 0.7 : 0.1));
}
// P(tub), P(lung), P(bronc) and the evidence, given that asia and dysp are so; -1: any.
std::array<double, 4> asia_given(int asia, int dysp) {
  std::array<double, 4> sums{};
  for (int k = 0; k < 128; ++k) {
    const auto bit = [k](int b) { return ((k >> b) & 1) != 0; };
    if ((asia >= 0 && bit(0) != (asia == 1)) || (dysp >= 0 && bit(6) != (dysp == 1))) continue;
    const double p = asia_at(bit(0), bit(1), bit(2), bit(3), bit(4), bit(5), bit(6));
    for (const auto& [place, b] : {std::pair(0, 1), std::pair(1, 3), std::pair(2, 4)})
      if (bit(b)) sums[static_cast<std::size_t>(place)] += p;
    sums[3] += p;
  }
  for (std::size_t k = 0; k < 3; ++k) sums[k] /= sums[3];
  return sums;
}
}  // namespace

// The paper prints 0.01, 0.055 and 0.45 without findings, and 0.088, 0.10 and 0.81 after a visit to Asia and shortness of breath.
TEST_F(NetworkRun, of_the_chest_clinic_are_the_published_probabilities) {
  const testing::Json prior = json({"exact", kNetworks + "asia.bif"});
  EXPECT_NEAR(probability(prior, "tub", 0), 0.0104, 1e-14);
  EXPECT_NEAR(probability(prior, "lung", 0), 0.055, 1e-14);
  EXPECT_NEAR(probability(prior, "bronc", 0), 0.45, 1e-14);
  EXPECT_NEAR(prior.at("log_sum").number, 0.0, 1e-13);
  const testing::Json ill =
      json({"exact", kNetworks + "asia.bif", "--given", "asia=yes", "--given", "dysp=yes"});
  const auto exact = asia_given(1, 1);
  EXPECT_NEAR(probability(ill, "tub", 0), 0.088, 5e-4);
  EXPECT_NEAR(probability(ill, "lung", 0), 0.10, 5e-3);
  EXPECT_NEAR(probability(ill, "bronc", 0), 0.81, 5e-3);
  EXPECT_NEAR(probability(ill, "tub", 0), exact[0], 1e-13);
  EXPECT_NEAR(probability(ill, "lung", 0), exact[1], 1e-13);
  EXPECT_NEAR(probability(ill, "bronc", 0), exact[2], 1e-13);
  EXPECT_NEAR(ill.at("log_given").number, std::log(exact[3]), 1e-13);
}

// Murphy (2012), sec. 10.2: P(sprinkler | wet) = 0.4298, P(rain | wet) = 0.7079, P(wet) = 0.6471; rain explains the sprinkler away: 0.1945.
TEST_F(NetworkRun, of_the_sprinkler_are_the_published_probabilities) {
  const testing::Json wet = json({"exact", kNetworks + "sprinkler.json", "--given", "wet=yes"});
  EXPECT_NEAR(probability(wet, "sprinkler", 1), 0.4298, 5e-5);
  EXPECT_NEAR(probability(wet, "rain", 1), 0.7079, 5e-5);
  EXPECT_NEAR(std::exp(wet.at("log_given").number), 0.6471, 5e-5);
  const testing::Json both =
      json({"exact", kNetworks + "sprinkler.json", "--given", "wet=yes", "--given", "rain=yes"});
  EXPECT_NEAR(probability(both, "sprinkler", 1), 0.1945, 5e-5);
}

TEST_F(NetworkRun, a_query_leaves_out_nodes_that_do_not_matter) {
  const testing::Json all = json({"exact", kNetworks + "asia.bif", "--given", "smoke=yes"});
  const testing::Json two =
      json({"exact", kNetworks + "asia.bif", "--given", "smoke=yes", "--query", "lung, bronc"});
  ASSERT_EQ(two.at("parameters").items.size(), 2u);
  EXPECT_LT(two.at("num_entries").number, all.at("num_entries").number);
  for (const char* node : {"lung", "bronc"})
    EXPECT_NEAR(probability(two, node, 0), probability(all, node, 0), 1e-14);
}

// The program's terms are read back by the path of all programs, so each is a check of the other.
TEST_F(NetworkRun, the_written_program_has_the_same_answers) {
  EXPECT_EQ(run({"network", kNetworks + "asia.bif", "--write", at("asia.stan")}), 0) << said();
  const testing::Json program =
      json({"exact", at("asia.stan"), "--given", "xray=1", "--given", "dysp=2"});
  const testing::Json file =
      json({"exact", kNetworks + "asia.bif", "--given", "xray=yes", "--given", "dysp=no"});
  for (const char* node : {"asia", "tub", "smoke", "lung", "bronc", "either"})
    EXPECT_NEAR(probability(program, node, 0), probability(file, node, 0), 1e-13) << node;
  EXPECT_NEAR(program.at("log_given").number, file.at("log_given").number, 1e-12);
  EXPECT_NEAR(program.at("most_probable").at("probability").number,
              file.at("most_probable").at("probability").number, 1e-12);
  EXPECT_EQ(run({"network", kNetworks + "asia.bif", "--given", "dysp=no", "--write", at("b.stan")}),
            0)
      << said();
  const testing::Json given = json({"exact", at("b.stan")});
  EXPECT_NEAR(given.at("log_sum").number,
              json({"exact", kNetworks + "asia.bif", "--given", "dysp=no"}).at("log_sum").number,
              1e-12);
}

TEST_F(NetworkRun, elimination_and_enumeration_agree) {
  const testing::Json a =
      json({"exact", kNetworks + "asia.bif", "--given", "xray=yes", "--joint", "lung, bronc"});
  const testing::Json b = json({"exact", kNetworks + "asia.bif", "--given", "xray=yes", "--joint",
                                "lung, bronc", "--method", "enumeration"});
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_NEAR(a.at("joints").items[0].at("probabilities").items[k].number,
                b.at("joints").items[0].at("probabilities").items[k].number, 1e-14);
}

TEST_F(NetworkRun, separation_names_the_path_that_is_active) {
  const std::string asia = kNetworks + "asia.bif";
  EXPECT_TRUE(json({"network", asia, "--separated", "asia, smoke"}).at("separated").truth);
  const testing::Json open =
      json({"network", asia, "--separated", "asia, smoke", "--given", "dysp"});
  EXPECT_FALSE(open.at("separated").truth);
  EXPECT_EQ(open.at("path").text, "asia -> tub -> either <- lung <- smoke");
  EXPECT_TRUE(json({"network", asia, "--separated", "asia + tub, smoke + bronc", "--given", "lung"})
                  .at("separated")
                  .truth);
}

// Draws given a state, from which all tables are learned again. The share of lung cancer has a standard error of 0.0047; 4.5 of these.
TEST_F(NetworkRun, draws_are_rows_from_which_tables_are_learned) {
  EXPECT_EQ(run({"network", kNetworks + "asia.bif", "--rows", at("rows.csv"), "--draws", "4000",
                 "--given", "smoke=yes", "--seed", "3"}),
            0)
      << said();
  EXPECT_EQ(run({"network", kNetworks + "asia.bif", "--data", at("rows.csv"), "--write",
                 at("learned.bif")}),
            0)
      << said();
  const testing::Json learned = json({"exact", at("learned.bif"), "--given", "smoke=yes"});
  EXPECT_NEAR(probability(learned, "lung", 0), 0.1, 4.5 * std::sqrt(0.09 / 4000));
  EXPECT_NEAR(probability(learned, "bronc", 0), 0.6, 4.5 * std::sqrt(0.24 / 4000));
  const testing::Json graph = json({"network", "--data", at("rows.csv"), "--parents",
                                    "lung ~ smoke", "--prior", "bdeu", "--counts", "4"});
  EXPECT_LT(graph.at("log_evidence").number, 0.0);
  EXPECT_EQ(graph.at("num_rows").number, 4000.0);
}

// A network of 45 nodes that all meet: the width is named before memory is asked for.
TEST_F(NetworkRun, sums_that_are_too_wide_are_refused_with_their_width) {
  std::string text = "MARKOV\n45\n", scopes, tables;
  for (int v = 0; v < 45; ++v) text += "2 ";
  for (int a = 0; a < 45; ++a)
    for (int b = 0; b < a; ++b)
      scopes += "2 " + std::to_string(b) + " " + std::to_string(a) + "\n", tables += "4 2 1 1 2\n";
  write("dense.uai", text + "\n990\n" + scopes + tables);
  EXPECT_EQ(run({"exact", at("dense.uai")}), 3);
  EXPECT_NE(said().find("45 of them meet"), std::string::npos) << said();
  EXPECT_NE(said().find("gibbs"), std::string::npos) << said();
}

TEST_F(NetworkRun, faults_of_requests_are_named) {
  const std::string asia = kNetworks + "asia.bif";
  EXPECT_EQ(run({"exact", asia, "--given", "smok=yes"}), 2);
  EXPECT_NE(said().find("smoke"), std::string::npos) << said();
  EXPECT_EQ(run({"exact", asia, "--given", "smoke=maybe"}), 2);
  EXPECT_NE(said().find("yes, no"), std::string::npos) << said();
  EXPECT_EQ(run({"exact", asia, "--method", "conjugate"}), 3);
  EXPECT_EQ(run({"exact", asia, "--data", asia}), 2);
  EXPECT_EQ(run({"network", asia, "--given", "smoke=yes"}), 2);
  write("rows.csv", "smoke,lung\nyes,no\n,yes\n");
  EXPECT_EQ(run({"network", "--data", at("rows.csv"), "--parents", "lung ~ smoke"}), 4);
  EXPECT_NE(said().find("--missing"), std::string::npos) << said();
  EXPECT_EQ(run({"network", "--data", at("rows.csv"), "--parents", "lung ~ smoke", "--missing",
                 "complete"}),
            0)
      << said();
  const testing::Json learned = json(
      {"network", "--data", at("rows.csv"), "--parents", "lung ~ smoke", "--missing", "complete"});
  EXPECT_TRUE(learned.at("converged").truth);
  EXPECT_LT(learned.at("last_change").number, 1e-8);
}

}  // namespace credo::cli::network_test
