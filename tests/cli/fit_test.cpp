// A fit is the same fit wherever its draws are.
#include "results/files/fit.hpp"

#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "cli/results.hpp"
#include "cli/run/repeat.hpp"
#include "infer/mcmc/hamiltonian/nuts.hpp"
#include "io/file.hpp"
#include "io/netcdf_reader.hpp"
#include "model/model.hpp"
#include "results/files/run_spec.hpp"
#include "results/files/run_store.hpp"

namespace credo::cli::fit_test {
namespace {
namespace fs = std::filesystem;

constexpr const char* kProgram =
    "data { int<lower=0> N; vector[N] y; }\n"
    "parameters { real m; matrix[2, 3] B; }\n"
    "transformed parameters { tuple(real, vector[2]) t = (2 * m, B[, 1]); }\n"
    "model { m ~ std_normal(); to_vector(B) ~ std_normal(); y ~ normal(m, 1); }\n"
    "generated quantities { array[2] int k; k[1] = poisson_rng(3); k[2] = N; }\n";

class Fits : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("credo_fit_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    write("m.stan", kProgram);
    write("d.json", "{\"N\": 3, \"y\": [0.5, 1, 2.25]}");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const char* name, std::string_view text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string path(const std::string& name) const { return folder_ / name; }

  int run(std::vector<std::string> words) const {
    ::testing::internal::CaptureStderr();
    const int status = run_command_line(std::move(words));
    said_ = ::testing::internal::GetCapturedStderr();
    return status;
  }
  // A run of two chains; options that are in `more` have no other value.
  void sample(const std::string& output, std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"sample",       path("m.stan"), "--data",
                                      path("d.json"), "-o",           path(output),
                                      "--quiet",      "--chains",     "2"};
    for (const auto& [name, value] : {std::pair("--warmup", "60"), std::pair("--draws", "40")})
      if (std::find(more.begin(), more.end(), name) == more.end())
        words.insert(words.end(), {name, value});
    words.insert(words.end(), more.begin(), more.end());
    ASSERT_EQ(run(words), 0) << said_;
  }
  std::unique_ptr<Fit> open(std::initializer_list<const char*> names) const {
    std::vector<std::string> paths;
    for (const char* name : names) paths.push_back(path(name));
    return open_fit(paths);
  }

  fs::path folder_;
  mutable std::string said_;
};

std::vector<double> all_of(const Fit& fit, bool warmup = false) {
  const density::Draws draws = fit.quantities(warmup, 0, num_quantities(fit));
  std::vector<double> values;
  for (Index k = 0; k < draws.num_quantities(); ++k) {
    const auto part = draws.quantity(k);
    values.insert(values.end(), part.begin(), part.end());
  }
  return values;
}

std::vector<std::string> names_of(const Fit& fit) {
  std::vector<std::string> names;
  for (Index k = 0; k < num_quantities(fit); ++k) names.push_back(quantity_name(fit, k));
  return names;
}

TEST_F(Fits, netcdf_and_csv_have_the_same_draws_bit_for_bit) {
  sample("fit.nc", {"--save-warmup"});
  sample("fit", {"--save-warmup"});
  const auto netcdf = open({"fit.nc"}), csv = open({"fit_1.csv", "fit_2.csv"});
  EXPECT_EQ(names_of(*netcdf), names_of(*csv));
  EXPECT_EQ(netcdf->num_draws(true), 60);
  for (const bool warmup : {false, true}) EXPECT_EQ(all_of(*netcdf, warmup), all_of(*csv, warmup));
}

TEST_F(Fits, a_part_read_is_that_part_of_the_whole) {
  sample("fit.nc");
  sample("fit");
  for (const auto& fit : {open({"fit.nc"}), open({"fit_1.csv", "fit_2.csv"})}) {
    const Index count = num_quantities(*fit);
    const density::Draws all = fit->quantities(false, 0, count);
    for (Index first = 0; first < count; ++first)
      for (Index num = 1; first + num <= count; ++num) {
        const density::Draws part = fit->read(
            {.first = first, .count = num, .first_chain = 1, .first_draw = 3, .num_draws = 5});
        ASSERT_EQ(part.num_chains(), 1);
        for (Index k = 0; k < num; ++k)
          for (Index s = 0; s < 5; ++s) ASSERT_EQ(part(s, 0, k), all(3 + s, 1, first + k));
      }
  }
}

TEST_F(Fits, the_walkers_of_an_ensemble_are_chains_everywhere) {
  sample("fit.nc", {"--sampler", "ensemble"});
  sample("fit", {"--sampler", "ensemble"});
  const auto netcdf = open({"fit.nc"}), csv = open({"fit_1.csv", "fit_2.csv"});
  EXPECT_GT(netcdf->num_walkers(), 1);
  EXPECT_EQ(netcdf->num_chains(), 2 * netcdf->num_walkers());
  EXPECT_EQ(csv->num_walkers(), netcdf->num_walkers());
  EXPECT_EQ(all_of(*netcdf), all_of(*csv));
}

TEST_F(Fits, variables_have_their_sizes_and_blocks) {
  sample("fit.nc");
  const auto fit = open({"fit.nc"});
  std::string text;
  for (const density::Variable& variable : fit->layout().variables()) {
    text += variable.name + "(";
    for (const Index dim : variable.dims) text += std::to_string(dim) + " ";
    text += ") " + std::string(name_of(variable.block)) + "\n";
  }
  EXPECT_EQ(text,
            "m() parameters\nB(2 3 ) parameters\nt:1() transformed parameters\n"
            "t:2(2 ) transformed parameters\nk(2 ) generated quantities\n");
}

TEST_F(Fits, quantities_are_found_by_every_name_they_have) {
  sample("fit.nc");
  const auto fit = open({"fit.nc"});
  EXPECT_EQ(find_quantity(*fit, "lp__"), 0);
  EXPECT_EQ(find_quantity(*fit, "divergent__"), find_quantity(*fit, "divergent"));
  EXPECT_EQ(find_quantity(*fit, "B.2.1"), find_quantity(*fit, "B[2,1]"));
  EXPECT_EQ(quantity_name(*fit, *find_quantity(*fit, "B[1, 3]")), "B.1.3");
  EXPECT_FALSE(find_quantity(*fit, "B"));
}

TEST_F(Fits, the_model_can_be_made_again_from_the_result_alone) {
  write("inc.stan", "m ~ std_normal();\n");
  write("m.stan", "data { int N; }\nparameters { real m; }\nmodel {\n#include inc.stan\n}\n");
  write("d.json", "{\"N\": 3}");
  sample("fit.nc", {"-I", folder_});
  for (const char* name : {"m.stan", "inc.stan", "d.json"}) fs::remove(folder_ / name);
  const auto model = rebuild_model(*open({"fit.nc"}));
  EXPECT_EQ(model->dimension(), 1);
  EXPECT_EQ(model->evaluate_in_full(std::vector<double>{2.0}).gradient, std::vector<double>{-2.0});
}

// ---- what is beside the draws

std::map<std::string, std::string> attributes_of(const std::string& path) {
  const io::NetcdfReader file(path);
  return file.attributes(file.root());
}

std::string names_in(const std::string& path, const char* group) {
  const io::NetcdfReader file(path);
  const auto found = file.find_group(group);
  if (!found) return "none";
  std::string names;
  for (const auto& variable : file.variables(*found)) {
    if (variable.name.find("_dim_") != std::string::npos) continue;
    const bool whole = variable.kind == io::NetcdfReader::Kind::whole;
    names += variable.name + (whole ? ":int " : " ");
  }
  return names;
}

TEST_F(Fits, data_are_observed_or_constant_and_of_the_declared_kind) {
  write("m.stan",
        "data { int N; vector[N] y; array[N] int k; real s; }\nparameters { real m; }\n"
        "model { y ~ normal(m, s); k ~ poisson(exp(m)); }\n");
  write("d.json", R"({"N": 2, "y": [1, 2], "k": [3, 4], "s": 1, "other": [5]})");
  sample("fit.nc");
  EXPECT_EQ(names_in(path("fit.nc"), "observed_data"), "y k:int ");
  EXPECT_EQ(names_in(path("fit.nc"), "constant_data"), "N:int s other:int ");
}

TEST_F(Fits, whole_numbers_are_whole_unless_a_draw_has_none) {
  const std::string program =
      "data { int N; vector[N] y; }\nparameters { real m; }\nmodel { y ~ normal(m, 1); }\n"
      "generated quantities { int a = N; int b; real c = 1; if (m > LIMIT) reject(1); b = 2; }\n";
  for (const char* limit : {"100", "1.2"}) {
    std::string text = program;
    write("m.stan", text.replace(text.find("LIMIT"), 5, limit));
    sample("fit.nc");
    const bool has_all = std::string(limit) == "100";
    EXPECT_EQ(names_in(path("fit.nc"), "posterior"),
              has_all ? "chain:int draw:int m a:int b:int c " : "chain:int draw:int m a b c ");
    EXPECT_EQ(names_in(path("fit.nc"), "sample_stats"),
              "chain:int draw:int lp acceptance_rate step_size tree_depth:int n_steps:int "
              "diverging:int energy ");
  }
}

TEST_F(Fits, a_generated_quantity_log_lik_is_the_log_likelihood) {
  write("m.stan",
        "data { int N; vector[N] y; }\nparameters { real m; }\nmodel { y ~ normal(m, 1); }\n"
        "generated quantities { real a = m; vector[N] log_lik; real z = m;\n"
        "for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | m, 1); }\n");
  sample("fit.nc", {"--save-warmup"});
  sample("fit", {"--save-warmup"});
  EXPECT_EQ(names_in(path("fit.nc"), "posterior"), "chain:int draw:int m a z ");
  EXPECT_EQ(names_in(path("fit.nc"), "log_likelihood"), "chain:int draw:int log_lik ");
  EXPECT_EQ(names_in(path("fit.nc"), "warmup_log_likelihood"), "chain:int draw:int log_lik ");
  const auto netcdf = open({"fit.nc"}), csv = open({"fit_1.csv", "fit_2.csv"});
  EXPECT_EQ(names_of(*netcdf), names_of(*csv));
  for (const bool warmup : {false, true}) EXPECT_EQ(all_of(*netcdf, warmup), all_of(*csv, warmup));
}

TEST_F(Fits, the_file_does_not_depend_on_how_its_run_was_done) {
  sample("fit.nc");
  const std::string expected = io::read_file(path("fit.nc"));
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--threads", "1"},
                                             {"--threads", "3", "--max-lanes", "2"},
                                             {"--seed", "1"},
                                             {"--format", "netcdf"}}) {
    sample("other.nc", more);
    EXPECT_TRUE(io::read_file(path("other.nc")) == expected) << more[0];
  }
  sample("other.nc", {"--seed", "2"});
  EXPECT_TRUE(io::read_file(path("other.nc")) != expected);
}

TEST_F(Fits, settings_are_attributes_and_come_back) {
  sample("fit.nc", {"--adapt-delta", "0.9", "--max-depth", "7", "--metric", "dense_e"});
  const auto attributes = attributes_of(path("fit.nc"));
  EXPECT_EQ(attributes.at("num_draws"), "40");
  EXPECT_EQ(attributes.at("target_accept"), "0.9");
  EXPECT_EQ(attributes.at("max_tree_depth"), "7");
  EXPECT_EQ(attributes.at("metric"), "dense_e");
  EXPECT_FALSE(attributes.contains("num_threads"));
  const auto fit = open({"fit.nc"});
  EXPECT_EQ(fit->origin().settings.at("max_tree_depth"), "7");
  EXPECT_EQ(fit->origin().sampler, "nuts");
  EXPECT_EQ(fit->origin().seed, "1");
  const RunSpec spec = parse_run_spec(fit->origin().spec, "fit.nc");
  EXPECT_EQ(spec.model.model, path("m.stan"));
  EXPECT_EQ(spec.model.data, path("d.json"));
  EXPECT_EQ(spec.run.num_chains, 2);
  EXPECT_EQ(spec.run.num_draws, 40);
  EXPECT_EQ(spec.run.adapt.step_size.target_accept, 0.9);
  EXPECT_EQ(spec.run.kernel.as<infer::NutsOptions>()->max_tree_depth, 7);
  EXPECT_TRUE(spec.output.file.empty());
  EXPECT_EQ(fit->files().at(path("d.json")), "{\"N\": 3, \"y\": [0.5, 1, 2.25]}");
}

// A funnel diverges; what is known of it is in the file.
TEST_F(Fits, divergences_and_adaptation_come_back) {
  write(
      "m.stan",
      "parameters { real v; vector[3] x; }\nmodel { v ~ normal(0, 9); x ~ normal(0, exp(v)); }\n");
  sample("fit.nc", {"--warmup", "300", "--draws", "300"});
  const auto fit = open({"fit.nc"});
  const infer::RunResult& result = fit->result();
  ASSERT_EQ(result.chains.size(), 2u);
  EXPECT_EQ(fit->origin().free_names, (std::vector<std::string>{"v", "x.1", "x.2", "x.3"}));
  const auto step_size = fit->quantities(false, *find_quantity(*fit, "stepsize__"), 1);
  const auto divergent = fit->quantities(false, *find_quantity(*fit, "divergent__"), 1);
  Index num_divergent = 0;
  for (Index c = 0; c < 2; ++c) {
    const infer::ChainResult& chain = result.chains[static_cast<std::size_t>(c)];
    EXPECT_EQ(chain.step_size, step_size(0, c, 0));
    EXPECT_EQ(chain.inv_metric.size(), 4u);
    EXPECT_EQ(chain.metric, infer::MetricKind::diagonal);
    EXPECT_EQ(chain.num_kept, 300);
    EXPECT_EQ(chain.initial_point.size(), 4u);
    Index count = 0;
    for (const double flag : divergent.chain(c, 0)) count += flag != 0.0 ? 1 : 0;
    EXPECT_EQ(chain.num_divergent, count);
    num_divergent += count;
  }
  ASSERT_GT(num_divergent, 0);
  Index after_warmup = 0;
  for (const infer::Divergence& divergence : result.divergences) {
    EXPECT_EQ(divergence.start.size(), 4u);
    EXPECT_EQ(divergence.warmup, divergence.iteration < 300);
    after_warmup += divergence.warmup ? 0 : 1;
  }
  EXPECT_EQ(after_warmup, num_divergent);
}

// ---- what is kept

TEST_F(Fits, only_chosen_outputs_are_kept_with_the_draws_they_have_among_all) {
  sample("all.nc", {"--save-warmup"});
  const auto all = open({"all.nc"});
  const std::tuple<std::vector<std::string>, const char*> cases[] = {
      {{"--keep", "m"}, "m"},
      {{"--keep", "B*", "--keep", "k[2]"}, "B.1.1 B.2.1 B.1.2 B.2.2 B.1.3 B.2.3 k.2"},
      {{"--keep", "B[*,2]"}, "B.1.2 B.2.2"},
      {{"--drop", "t:*", "--drop", "B"}, "m k.1 k.2"},
      {{"--keep", "?", "--drop", "B.1.*"}, "m B.2.1 B.2.2 B.2.3 k.1 k.2"}};
  for (const auto& [words, kept] : cases) {
    std::vector<std::string> more = words;
    more.push_back("--save-warmup");
    sample("fit.nc", more);
    sample("fit", more);
    ASSERT_EQ(run([&] {
                std::vector<std::string> out = {"export", path("all.nc"), "-o", path("part.nc")};
                out.insert(out.end(), words.begin(), words.end());
                return out;
              }()),
              0)
        << said_;
    for (const auto& fit :
         {open({"fit.nc"}), open({"fit_1.csv", "fit_2.csv"}), open({"part.nc"})}) {
      std::string names;
      for (const std::string& name : fit->layout().element_names())
        names += (names.empty() ? "" : " ") + name;
      EXPECT_EQ(names, kept);
      for (Index k = 0; k < num_quantities(*fit); ++k) {
        const Index same = *find_quantity(*all, quantity_name(*fit, k));
        for (const bool warmup : {false, true})
          for (Index c = 0; c < 2; ++c) {
            const auto part = fit->quantities(warmup, k, 1),
                       whole = all->quantities(warmup, same, 1);
            EXPECT_TRUE(std::ranges::equal(part.chain(c, 0), whole.chain(c, 0)));
          }
      }
    }
  }
}

TEST_F(Fits, a_pattern_that_fits_nothing_is_refused_before_the_run) {
  const std::tuple<std::vector<std::string>, const char*> cases[] = {
      {{"--keep", "kk"}, "did you mean k?"},
      {{"--drop", "B[7,*]"}, "there are m, B"},
      {{"--keep", "gamma"}, "there are m, B, t:1, t:2, k"},
      {{"--drop", "*"}, "every output is left out"}};
  for (const auto& [words, says] : cases) {
    std::vector<std::string> all = {"sample", path("m.stan"), "--data", path("d.json"), "--quiet"};
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_EQ(run(all), 2);
    EXPECT_NE(said_.find(says), std::string::npos) << said_;
  }
}

// ---- exports

TEST_F(Fits, an_export_has_the_draws_of_its_source) {
  sample("fit.nc", {"--save-warmup"});
  sample("fit", {"--save-warmup"});
  ASSERT_EQ(run({"export", path("fit.nc"), "-o", path("from_nc")}), 0) << said_;
  ASSERT_EQ(run({"export", path("fit_1.csv"), path("fit_2.csv"), "-o", path("from_csv.nc")}), 0);
  ASSERT_EQ(run({"export", path("fit.nc"), "-o", path("again.nc")}), 0);
  const auto source = open({"fit.nc"});
  for (const auto& fit :
       {open({"from_nc_1.csv", "from_nc_2.csv"}), open({"from_csv.nc"}), open({"again.nc"})}) {
    EXPECT_EQ(names_of(*fit), names_of(*source));
    for (const bool warmup : {false, true})
      EXPECT_EQ(all_of(*fit, warmup), all_of(*source, warmup));
  }
  EXPECT_TRUE(io::read_file(path("again.nc")) == io::read_file(path("fit.nc")));
  const auto head = [this](const char* name) {
    const std::string text = io::read_file(path(name));
    return text.substr(0, text.find("Elapsed"));
  };
  EXPECT_EQ(head("from_nc_2.csv"), head("fit_2.csv"));
}

TEST_F(Fits, a_run_without_draws_can_be_written_and_read) {
  sample("fit.nc", {"--draws", "0", "--save-warmup"});
  const auto fit = open({"fit.nc"});
  EXPECT_EQ(fit->num_draws(false), 0);
  EXPECT_EQ(fit->num_draws(true), 60);
  EXPECT_EQ(all_of(*fit), std::vector<double>{});
  sample("none.nc", {"--draws", "0"});
  EXPECT_EQ(run({"export", path("none.nc"), "-o", path("other.nc")}), 2);
  EXPECT_NE(said_.find("no draw"), std::string::npos) << said_;
}

TEST_F(Fits, another_file_is_refused_with_its_name) {
  write("other.nc", "this is text");
  write("empty.csv", "");
  for (const char* name : {"other.nc", "empty.csv", "absent.nc"}) {
    try {
      open({name});
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace credo::cli::fit_test
