// Each command that writes a file, and each command that reads results: the second does its work on the file of the first, or
// says in one message why it can't.
#include <gtest/gtest.h>

#include "io/file.hpp"
#include "results/arrays/array_file.hpp"
#include "results/files/fit_arrays.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"
#include "support/share.hpp"

namespace credo::cli::answers_test {
namespace {

constexpr const char* kMean = R"(data { int N; vector[N] y; }
parameters { real mu; real<lower=0> s; }
model { mu ~ normal(0, 1); s ~ normal(0, 1); y ~ normal(mu, s); }
generated quantities { vector[N] y_rep; for (n in 1:N) y_rep[n] = normal_rng(mu, s); }
)";
constexpr const char* kStates = R"(functions {
  real initial_rng() { return normal_rng(0, 1); }
  real initial_lpdf(real h) { return normal_lpdf(h | 0, 1); }
  real transition_rng(real before, real s) { return normal_rng(before, s); }
  real transition_lpdf(real h, real before, real s) { return normal_lpdf(h | before, s); }
  real observation_lpdf(real y, real h) { return normal_lpdf(y | h, 1); }
}
data { int N; vector[N] y; }
parameters { real<lower=0> s; }
model { s ~ normal(0, 1); }
)";
constexpr const char* kSwitch = R"(data { int N; vector[N] y; }
parameters { array[2] int<lower=1, upper=2> z; }
model { for (k in 1:2) z[k] ~ categorical([0.3, 0.7]'); y[1] ~ normal(z[1] + z[2], 1); }
)";
constexpr const char* kConjugate = R"(data { int N; vector[N] y; }
parameters { real mu; }
model { mu ~ normal(0, 2); y ~ normal(mu, 1); }
)";

class Answers : public testing::CommandRun {
 protected:
  Answers() : CommandRun("answers") {
    write("mean.stan", kMean);
    write("states.stan", kStates);
    write("switch.stan", kSwitch);
    write("conjugate.stan", kConjugate);
    write("next.json", R"({"N": 2, "y": [0.3, -0.2]})");
    write("d.json", R"({"N": 4, "y": [0.1, 0.7, -0.4, 1.2]})");
    write("at.json", R"({"s": 0.7})");
    write("p.csv", "y,p_no,p_yes\nno,0.8,0.2\nyes,0.3,0.7\nyes,0.6,0.4\nno,0.9,0.1\n");
    write("ready.json", R"({"y": [1, 2, 4]})");
    write("words.csv", "document,word,count\na,x,2\na,y,1\nb,x,1\nb,y,3\n");
    write("network.json",
          R"({"nodes": [{"name": "a", "states": ["x", "y"], "table": [0.5, 0.5]},
              {"name": "b", "states": ["x", "y"], "parents": ["a"], "table": [[0.9, 0.1], [0.2, 0.8]]}]})");
    write("table.csv", "x,y\n1,0.3\n2,1.4\n3,1.1\n4,2.6\n5,2.2\n");
    sample("fit.nc");
    EXPECT_EQ(run({"regression", "y ~ x", "--data", at("table.csv"), "--chains", "2", "--warmup",
                   "200", "--draws", "200", "--seed", "1", "--output", at("line.nc")}),
              0);
    EXPECT_EQ(run({"sample", at("mean.stan"), "--data", at("d.json"), "--chains", "2", "--warmup",
                   "50", "--draws", "50", "--print-spec"}),
              0);
    write("run.json", printed());
  }
  int sample(const std::string& file) {
    return run({"sample", at("mean.stan"), "--data", at("d.json"), "--chains", "2", "--warmup",
                "200", "--draws", "200", "--output", at(file)});
  }

  // A file, and the command that writes it, without --output.
  struct Written {
    const char* file;
    std::vector<std::string> words;
    const char* program;
    bool has_draws = false;
  };
  std::vector<Written> all() const {
    const std::string mean = at("mean.stan"), states = at("states.stan"), data = at("d.json");
    return {
        {"s.nc",
         {"sample", mean, "--data", data, "--chains", "2", "--warmup", "200", "--draws", "200"},
         "mean.stan",
         true},
        {"o.nc", {"optimize", mean, "--data", data}, "mean.stan", true},
        {"a.nc", {"approximate", mean, "--data", data}, "mean.stan", true},
        {"a2.nc", {"laplace", mean, "--data", data}, "mean.stan", true},
        {"a3.nc", {"pathfinder", mean, "--data", data}, "mean.stan", true},
        {"p.nc", {"predict", at("fit.nc")}, "mean.stan", true},
        {"f.nc",
         {"filter", states, "--data", data, "--parameters", at("at.json"), "--repeats", "2"},
         "states.stan"},
        {"m.nc",
         {"smooth", states, "--data", data, "--parameters", at("at.json"), "--method", "kalman"},
         "states.stan"},
        {"x.nc", {"exact", at("switch.stan"), "--data", data}, "switch.stan"},
        {"posterior.nc", {"exact", at("conjugate.stan"), "--data", data}, "conjugate.stan"},
        {"next.nc",
         {"exact", at("conjugate.stan"), "--data", at("next.json"), "--after", at("posterior.nc"),
          "--predict", at("d.json")},
         "conjugate.stan"},
        {"e.nc", {"evidence", mean, "--data", data, "--method", "laplace"}, "mean.stan"},
        {"h.nc", {"expect", mean, "--data", data, "--of", "mu"}, "mean.stan"},
        {"u.nc", {"expect", mean, "--data", data, "--probability", "mu > 3"}, "mean.stan"},
        {"v.nc", {"sensitivity", at("fit.nc")}, "mean.stan"},
        {"y.nc", {"ppc", at("fit.nc")}, "mean.stan"},
        {"z.nc", {"score", at("p.csv")}, "mean.stan"},
        {"w.nc", {"compare", at("fit.nc"), at("fit.nc")}, "mean.stan"},
        {"c.nc",
         {"sbc", mean, "--data", data, "--replicates", "3", "--draws", "50", "--warmup", "50"},
         "mean.stan"},
        {"l.nc", {"loo", at("fit.nc")}, "mean.stan"},
        {"k.nc",
         {"loo", at("fit.nc"), "--folds", "2", "--draws", "50", "--warmup", "50"},
         "mean.stan"},
        {"e.json", {"evidence", mean, "--data", data, "--method", "laplace"}, "mean.stan"},
        {"l.json", {"loo", at("fit.nc")}, "mean.stan"},
        {"r.nc", {"run", at("run.json")}, "mean.stan", true},
        {"b.nc",
         {"ready", "--model", "normal_precision", "--data", at("ready.json"), "--chains", "2",
          "--warmup", "50", "--draws", "50"},
         "mean.stan",
         true},
        {"g.nc",
         {"regression", "y ~ x", "--data", at("table.csv"), "--chains", "2", "--warmup", "200",
          "--draws", "200"},
         "mean.stan",
         true},
        {"sr.nc",
         {"series", "y ~ level", "--data", at("table.csv"), "--chains", "2", "--warmup", "200",
          "--draws", "200"},
         "mean.stan",
         true},
        {"im.nc",
         {"impact", "y ~ level", "--data", at("table.csv"), "--from", "4", "--no-checks",
          "--chains", "2", "--warmup", "50", "--draws", "50"},
         "mean.stan"},
        {"d.nc", {"effects", at("line.nc")}, "mean.stan"},
        {"labels.nc",
         {"cluster", "x + y", "--data", at("table.csv"), "--chains", "2", "--warmup", "50",
          "--draws", "50"},
         "mean.stan",
         true},
        {"topics.nc",
         {"topics", "--data", at("words.csv"), "--number", "2", "--warmup", "5", "--draws", "5"},
         "mean.stan"},
        {"words.nc",
         {"label", "word ~ count", "--data", at("words.csv"), "--by", "document"},
         "mean.stan"},
        {"nw.nc", {"network", at("network.json")}, "mean.stan"},
        {"o.nc",
         {"gp", "y ~ se(x) + linear(x)", "--data", at("table.csv"), "--draws", "3", "--starts",
          "2"},
         "mean.stan"},
        {"n.nc", {"select", "y ~ x", "--data", at("table.csv")}, "mean.stan"},
        {"in.nc", {"information", "--data", at("words.csv"), "--of", "word"}, "mean.stan"},
        {"bo.nc",
         {"bottleneck", "--data", at("words.csv"), "--between", "word", "--and", "document",
          "--smoothing", "1"},
         "mean.stan"},
        {"i.json", {"simulate", mean, "--data", data}, "mean.stan"},
        {"t.json", {"export", at("f.nc")}, "mean.stan"},
        {"j.svg", {"plot", at("fit.nc"), "trace"}, "mean.stan"},
        {"q.html", {"report", at("fit.nc")}, "mean.stan"},
    };
  }
  void write_file(const Written& written) {
    auto words = written.words;
    words.insert(words.end(), {"--output", at(written.file)});
    if (takes(words.front(), "--seed")) words.insert(words.end(), {"--seed", "1"});
    EXPECT_EQ(run(words), 0) << written.words.front() << said();
  }
  static bool takes(const std::string& command, const std::string& option) {
    const CommandRow& row = find_command(command);
    return arguments_of(row, *row.make()).find(option) != nullptr;
  }
};

// Commands whose files are no results: programs, projects and pages of the manual.
const std::set<std::string_view> kOther = {"check", "examples", "man", "new"};

TEST_F(Answers, of_every_command_that_writes_a_file_are_read) {
  std::set<std::string_view> known = kOther;
  const std::vector<Written> files = all();
  for (const Written& written : files) known.insert(written.words.front());
  for (const CommandRow* row : commands()) {
    const auto command = row->make();
    const Arguments arguments = arguments_of(*row, *command);
    for (const Argument& argument : arguments.all()) {
      if (argument.values.writes != Writes::nothing) {
        EXPECT_TRUE(known.contains(row->name)) << "add a file of credo " << row->name;
      }
    }
  }
}

TEST_F(Answers, every_reader_works_on_every_file_or_says_why_not) {
  Index number = 0;
  for (const Written& written : all()) {
    write_file(written);
    if (!testing::in_this_share(number++)) continue;
    const std::string file = at(written.file);
    const std::vector<std::vector<std::string>> readers = {
        {"summary", file},
        {"summary", file, "--json"},
        {"diagnose", file},
        {"plot", file, "trace", "-o", at("trace.svg")},
        {"report", file, "-o", at("r.html")},
        {"export", file, "-o", at("exported.json")},
        {"export", file, "-o", at("exported")},
        {"resume", file},
        {"sample", at(written.program), "--like", file, "-o", at("like.nc")},
        {written.words[0], "--like", file, "-o", at("like." + file.substr(file.rfind('.') + 1))},
    };
    for (const std::vector<std::string>& words : readers) {
      const int status = run(words);
      const std::string name = words[0] + " of " + written.file;
      const bool is_json = words.back() == "--json";
      const std::string told = on_one_line(is_json ? printed() : said());
      if (status == 0) continue;
      if (words[0] == "diagnose" && status == 8) continue;  // the verdict's own status
      // One error, with a place and a way out; never an internal fault.
      EXPECT_TRUE(status == 2 || status == 4 || status == 6) << name << ": " << status << told;
      EXPECT_NE(told.find(is_json ? "\"error\":" : "error: "), std::string::npos) << name << told;
      EXPECT_NE(told.find(is_json ? "\"hint\":" : "hint: "), std::string::npos) << name << told;
    }
    const bool is_table = std::string_view(written.file).ends_with(".nc");
    EXPECT_EQ(run({"summary", file}), is_table ? 0 : 2) << written.file << said();
    if (!is_table || !takes(written.words[0], "--like")) continue;
    EXPECT_EQ(run(readers.back()), 0) << "--like of " << written.file << said();
    EXPECT_TRUE(std::filesystem::exists(at("like.nc"))) << written.file;
    std::filesystem::remove(at("like.nc"));
  }
}

TEST_F(Answers, summary_of_a_file_has_the_figures_of_the_command) {
  const auto of_expect = json({"expect", at("mean.stan"), "--data", at("d.json"), "--of", "mu",
                               "--of", "s > 1", "--output", at("h.nc")});
  const auto stored = json({"summary", at("h.nc")});
  const auto& fields = stored.at("groups").at("expectations").at("fields");
  for (std::size_t k = 0; k < 2; ++k) {
    const auto& row = of_expect.at("expectations").items[k];
    EXPECT_EQ(fields.at("expression").at("values").items[k].text, row.at("expression").text);
    EXPECT_EQ(fields.at("mean").at("values").items[k].value(), row.at("mean").value());
    EXPECT_EQ(fields.at("error").at("values").items[k].value(), row.at("error").value());
  }
  const auto of_loo = json({"loo", at("fit.nc"), "--output", at("l.nc")});
  const auto rows = json({"summary", at("l.nc")}).at("groups").at("rows").at("fields");
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_EQ(rows.at("elpd_loo").at("values").items[k].value(),
              of_loo.at("rows").items[k].at("elpd_loo").value());
  EXPECT_EQ(json({"summary", at("l.nc")}).at("attributes").at("elpd_loo").value(),
            of_loo.at("elpd_loo").at("value").value());
}

TEST_F(Answers, draws_are_exported_as_json) {
  EXPECT_EQ(run({"export", at("fit.nc"), "-o", at("fit.json"), "--drop", "mu"}), 0) << said();
  const auto all = testing::parse_json(io::read_file(at("fit.json")));
  EXPECT_EQ(all.at("attributes").at("sampler").text, "nuts");
  const auto& fields = all.at("groups").at("posterior").at("fields");
  EXPECT_EQ(fields.find("mu"), nullptr);
  const auto& chains = fields.at("y_rep").at("values").items;
  const std::vector<double> stored = results::read_arrays(at("fit.nc"))->find("posterior", "y_rep");
  ASSERT_EQ(chains.size(), 2u);
  ASSERT_EQ(stored.size(), 2u * 200 * 4);
  for (std::size_t k = 0; k < stored.size(); ++k)
    EXPECT_EQ(chains[k / 800].items.at(k / 4 % 200).items.at(k % 4).value(), stored[k]) << k;
}

TEST_F(Answers, every_kind_of_file_gives_the_same_arrays) {
  EXPECT_EQ(run({"export", at("fit.nc"), "-o", at("fit")}), 0) << said();
  const auto stored = results::read_arrays(at("fit.nc"));
  const auto netcdf = results::open_arrays(std::vector{at("fit.nc")});
  const auto csv = results::open_arrays(std::vector{at("fit_1.csv"), at("fit_2.csv")});
  for (const auto& [group, field] : {std::pair("posterior", "y_rep"),
                                     {"posterior", "mu"},
                                     {"sample_stats", "lp"},
                                     {"sample_stats", "diverging"}}) {
    EXPECT_EQ(netcdf->find(group, field), stored->find(group, field)) << field;
    EXPECT_EQ(csv->find(group, field), stored->find(group, field)) << field;
    EXPECT_FALSE(stored->find(group, field).empty()) << field;
  }
  EXPECT_EQ(netcdf->find("adaptation", "step_size"), stored->find("adaptation", "step_size"));
  EXPECT_EQ(netcdf->find("adaptation", "inv_metric"), stored->find("adaptation", "inv_metric"));
  EXPECT_EQ(run({"expect", at("mean.stan"), "--data", at("d.json"), "--of", "mu", "--output",
                 at("h.nc")}),
            0);
  EXPECT_EQ(results::open_arrays(std::vector{at("h.nc")})->text("question"), "expect");
}

TEST_F(Answers, export_of_a_filter_gives_its_tables) {
  EXPECT_EQ(run({"filter", at("states.stan"), "--data", at("d.json"), "--parameters", at("at.json"),
                 "--method", "kalman", "--output", at("f.nc")}),
            0)
      << said();
  EXPECT_EQ(run({"export", at("f.nc"), "-o", at("f")}), 0) << said();
  const std::string text = io::read_file(at("f.filtered.csv"));
  EXPECT_TRUE(text.starts_with("time,h_mean,h_sd,h_q5,h_q50,h_q95\n1,0.05,")) << text;
  EXPECT_EQ(run({"export", at("f.nc"), "-o", at("again.nc")}), 2);
  EXPECT_NE(on_one_line(said()).find("name FILE.json"), std::string::npos) << said();
}

}  // namespace
}  // namespace credo::cli::answers_test
