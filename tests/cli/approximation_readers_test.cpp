// The result of every method of credo approximate is read by every command that reads fits, and by xarray. A new row of the table is in this
// suite by itself; if no program here suits it, or a reader refuses its result, the suite fails with its name.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/short_fits.hpp"
#include "infer/variational/approximation.hpp"
#include "io/file.hpp"
#include "results/arrays/array_file.hpp"
#include "support/command_run.hpp"
#include "support/share.hpp"

namespace credo::cli::approximation_readers_test {
namespace {

using Words = std::vector<std::string>;

class ApproximationReaders : public testing::CommandRun {
 protected:
  ApproximationReaders() : CommandRun("approximation_readers") {
    write("mean.stan", R"(data { int N; vector[N] y; }
parameters { real mu; real<lower=0> s; }
model { mu ~ normal(0, 1); s ~ normal(0, 1); y ~ normal(mu, s); }
generated quantities { vector[N] y_rep; for (n in 1:N) y_rep[n] = normal_rng(mu, s); }
)");
    write("rates.stan", R"(data { int N; vector[N] x; array[N] int k; }
parameters { real a; real b; }
model { a ~ normal(0, 1); b ~ normal(0, 1); k ~ poisson_log(a + b * x); }
generated quantities { array[N] int k_rep = poisson_log_rng(a + b * x); }
)");
    write("d.json",
          R"({"N": 12, "y": [0.3, 1.2, -0.4, 0.8, 1.9, 0.1, -0.9, 0.6, 0.7, 1.1, -0.2, 0.5],
"x": [-1, -0.8, -0.6, -0.4, -0.2, 0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.2], "k": [0, 1, 0, 2, 1, 1, 3, 2, 4, 3, 6, 5]})");
    write("read.py", R"(import sys
import netCDF4, numpy, xarray
for path in sys.argv[1:]:
    with netCDF4.Dataset(path) as file:
        groups = list(file.groups)
    for group in groups:
        with xarray.open_dataset(path, group=group, engine="netcdf4", mask_and_scale=False) as data:
            for name, variable in data.variables.items():
                if variable.dtype.kind in "fi" and name not in variable.dims:
                    values = numpy.asarray(variable.values, dtype=float).ravel()
                    print(group, name, values.size, float(numpy.nansum(numpy.abs(values))).hex())
)");
  }

  // Writes the result of a method on the first program that it takes.
  bool writes(const infer::SamplerSpec& row, const std::string& file) {
    std::string why;
    for (const char* program : {"mean.stan", "rates.stan"}) {
      Words words{
          "approximate", at(program), "--data",  at("d.json"), "--method", std::string(row.name),
          "--chains",    "2",         "--draws", "500",        "--seed",   "3",
          "--quiet",     "-o",        at(file)};
      const Words more = testing::words_of_short_fit(row.options());
      words.insert(words.end(), more.begin(), more.end());
      if (run(std::move(words)) == 0) return true;
      why += said();
    }
    ADD_FAILURE() << "no program of this suite suits " << row.name << ": add one\n" << why;
    return false;
  }

  // Groups and variables as xarray reads them, with their sizes and sums; without xarray nothing.
  std::map<std::string, std::string> read_by_xarray(const std::string& file) const {
    const std::string command =
        fmt::format("/usr/bin/python3 {} {} > {}", at("read.py"), at(file), at("read.txt"));
    EXPECT_EQ(std::system(command.c_str()), 0) << file;
    std::istringstream lines(io::read_file(at("read.txt")));
    std::map<std::string, std::string> found;
    std::string group, name, size, sum;
    while (lines >> group >> name >> size >> sum) found[group + "/" + name] = size + " " + sum;
    return found;
  }
  static bool has_xarray() {
    return std::system("/usr/bin/python3 -c 'import xarray, netCDF4' > /dev/null 2>&1") == 0;
  }
};

TEST_F(ApproximationReaders, take_the_results_of_every_method) {
  int num_methods = 0;
  for (const infer::SamplerSpec* row : infer::samplers()) {
    if (!infer::is_approximation(row->name)) continue;
    ++num_methods;
    if (!testing::this_share().has(std::string(row->name))) continue;
    const std::string file = std::string(row->name) + ".nc";
    if (!writes(*row, file)) continue;
    for (const Words& words :
         {Words{"summary", at(file)}, Words{"summary", at(file), "--json"},
          Words{"diagnose", at(file)}, Words{"report", at(file), "-o", at("r.html")},
          Words{"plot", at(file), "trace", "-o", at("t.svg")}, Words{"loo", at(file)},
          Words{"ppc", at(file)}})
      EXPECT_EQ(run(words), 0) << words[0] << " of " << row->name << said();
  }
  EXPECT_GE(num_methods, 14);
}

TEST_F(ApproximationReaders, are_xarray_too) {
  if (!has_xarray()) GTEST_SKIP() << "python3-xarray or python3-netcdf4 isn't installed";
  for (const infer::SamplerSpec* row : infer::samplers()) {
    if (!infer::is_approximation(row->name)) continue;
    if (!testing::this_share().has(std::string(row->name))) continue;
    const std::string file = std::string(row->name) + ".nc";
    if (!writes(*row, file)) continue;
    const auto found = read_by_xarray(file);
    const auto stored = results::read_arrays(at(file));
    Index num_compared = 0;
    for (const results::Group& group : stored->groups())
      for (const results::Field& field : group.fields) {
        const auto place = found.find(group.name + "/" + field.name);
        if (place == found.end()) continue;
        std::istringstream text(place->second);
        std::size_t size = 0;
        std::string sum;
        text >> size >> sum;
        const std::vector<double> values = stored->read(group, field);
        double expected = 0.0;
        for (const double x : values) expected += std::isnan(x) ? 0.0 : std::fabs(x);
        EXPECT_EQ(size, values.size()) << row->name << " " << place->first;
        // Sums in another order.
        EXPECT_NEAR(std::strtod(sum.c_str(), nullptr), expected, 1e-12 * expected)
            << row->name << " " << place->first;
        ++num_compared;
      }
    EXPECT_GE(num_compared, 5) << row->name;
  }
}

}  // namespace
}  // namespace credo::cli::approximation_readers_test
