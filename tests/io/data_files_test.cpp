// Claims about data of several formats, and of several files.
#include "io/data/data_files.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "io/data/r_dump.hpp"
#include "io/file.hpp"
#include "io/netcdf_file.hpp"

namespace credo::io::data_files_test {
namespace {
using Ints = std::vector<std::int32_t>;
using Reals = std::vector<double>;
using Dims = std::vector<Index>;

std::string error_of(const std::function<void()>& work) {
  try {
    work();
    return "no error";
  } catch (const Error& error) {
    return error.what() + std::string(" | ") + error.hint();
  }
}
void expect_contains(const std::string& text, std::string_view words) {
  EXPECT_NE(text.find(words), std::string::npos) << text;
}

// As R 4.2 writes them: dump(c("N", "y", "m", "g", "h"), "").
constexpr const char* kDump =
    "N <-\n3L\ny <-\nc(1.5, 2, NA)\nm <-\nstructure(1:6, dim = 2:3)\n"
    "g <-\nstructure(c(2L, 1L, 2L), levels = c(\"a\", \"b\"), class = \"factor\")\n"
    "h <- structure(c(1, 2.5, -3e-2, 4), .Dim = c(2, 2)) # stan_rdump\nz <- integer(0)\n"
    "\"t\" = c(TRUE, FALSE)\n";

TEST(r_dump, has_the_values_that_r_reads) {
  const DataTable data = parse_r_dump(kDump, "d.R");
  EXPECT_EQ(data.names(), (std::vector<std::string>{"N", "y", "m", "g", "h", "z", "t"}));
  EXPECT_TRUE(data.find("N")->dims.empty());
  EXPECT_EQ(data.find("N")->integers, Ints{3});
  EXPECT_EQ(data.find("m")->dims, (Dims{2, 3}));
  EXPECT_EQ(data.find("m")->integers, (Ints{1, 3, 5, 2, 4, 6}));  // R's columns are our rows
  EXPECT_EQ(data.find("h")->reals, (Reals{1, -0.03, 2.5, 4}));
  EXPECT_EQ(data.find("g")->column->levels, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(data.find("z")->kind, DataKind::empty);
  EXPECT_EQ(data.find("t")->integers, (Ints{1, 0}));
  EXPECT_EQ(data.find("y")->column->missing, Dims{2});
}

TEST(r_dump, refuses_what_it_does_not_know_with_its_place) {
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"x <- 1\ny <- rnorm(3)", "d.R:2:6: R's dump format: expected a number"},
           {"y <- structure(1:6, .Dim = c(2, 2))", "6 numbers for sizes 2 x 2"},
           {"y <- \"a\"", "texts are no data"},
           {"y <- c(1, 2", "expected )"},
           {"1 <- 2", "expected the name of a variable"},
           {"y <- 1:1000000000", "a range a:b has at most"},
           {"y <- structure(c(1L, 2L), class = \"Date\")", "objects of a class other than factor"},
           {"y <- list(a = 1)", "expected a number"},
           {"y <- structure(c(1L, 3L), levels = c(\"a\", \"b\"), class = \"factor\")",
            "3 is no code of a factor with 2 levels"},
           {"y <- 1\ny <- 2", "variable y is given twice"}})
    expect_contains(error_of([&] { (void)parse_r_dump(text, "d.R"); }), words);
}

class DataFiles : public ::testing::Test {
 protected:
  DataFiles() { std::filesystem::create_directories(folder_); }
  ~DataFiles() override { std::filesystem::remove_all(folder_); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return at(name);
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("credo_data_files_" + std::to_string(getpid()));
};

TEST_F(DataFiles, formats_are_known_by_names_and_else_by_what_is_in_them) {
  for (const auto& [name, text, format] :
       std::vector<std::tuple<std::string, std::string, DataFormat>>{
           {"a.json", "x <- 1", DataFormat::json},
           {"a.CSV", "{", DataFormat::table},
           {"a.tsv", "", DataFormat::table},
           {"a.data.R", "{", DataFormat::r_dump},
           {"a.nc", "", DataFormat::netcdf},
           {"stdin", "\xEF\xBB\xBF {\"x\": 1}", DataFormat::json},
           {"stdin", "a,b\n1,2\n", DataFormat::table},
           {"stdin", "y <-\nc(1)", DataFormat::r_dump},
           {"stdin", "\x89HDF\r\n\x1a\n...", DataFormat::netcdf}})
    EXPECT_EQ(data_format(name, text), format) << name << " " << text;
}

TEST_F(DataFiles, several_files_are_one_table_whose_places_are_their_own) {
  const DataRecipe recipe{
      .files = {write("t.csv", "a,b\n1,x\n2,y\n"), write("c.json", "{\"K\": 3,\n \"s\": [1, 2]}")},
      .columns = {"y=a"},
      .missing = {},
      .separator = {}};
  const DataTable data = read_data(recipe.text());
  EXPECT_EQ(data.names(), (std::vector<std::string>{"b", "y", "K", "s"}));
  EXPECT_EQ(data.where_element("s", 1), at("c.json") + ":2:11");
  EXPECT_EQ(data.where_element("y", 1), at("t.csv") + ":3");
  EXPECT_EQ(data.where_name("K"), at("c.json") + ":1:2");
}

TEST_F(DataFiles, faults_of_a_recipe_are_told) {
  const auto with = [&](DataRecipe recipe) {
    return error_of([&] { (void)read_data(recipe.text()); });
  };
  const std::string t = write("t.csv", "weight,b\n1,x\n"), j = write("c.json", "{\"b\": 1}");
  expect_contains(with({{t, j}, {}, "", ""}), "variable b is given twice");
  expect_contains(with({{t}, {"y=wieght"}, "", ""}), "did you mean weight?");
  expect_contains(with({{j}, {"y=x"}, "", ""}), "no data file is a table");
  expect_contains(with({{t}, {}, "skip", ""}), "unknown word 'skip'");
  expect_contains(with({{t}, {}, "", "blank"}), "unknown word 'blank'");
  expect_contains(with({{t, write("u.csv", "c\n1\n")}, {"X=[weight,c]"}, "", ""}),
                  "different files");
  expect_contains(with({{at("none.csv")}, {}, "", ""}), "can't read the file");
}

TEST_F(DataFiles, netcdf_variables_are_data_and_missing_numbers_are_known) {
  {
    NetcdfFile file(at("d.nc"), {});
    file.add_dimension(file.root(), "row", 2);
    file.add_dimension(file.root(), "col", 3);
    const auto m = file.add_variable(
        file.root(), "m.n", {.dimensions = {"row", "col"}, .kind = NetcdfFile::Kind::real});
    file.write(m, std::vector<double>{1, 2, 3, 4, kNaN, 6.5});
    const auto n = file.add_variable(file.root(), "n",
                                     {.dimensions = {"row"}, .kind = NetcdfFile::Kind::whole});
    file.write(n, std::vector<double>{7, -8});
    file.finish();
  }
  const DataTable data = read_data(at("d.nc"));
  EXPECT_EQ(data.find("m_n")->dims, (Dims{2, 3}));
  EXPECT_EQ(data.find("m_n")->reals[5], 6.5);
  EXPECT_EQ(data.find("m_n")->column->missing, Dims{4});
  EXPECT_EQ(data.find("n")->integers, (Ints{7, -8}));
  expect_contains(error_of([&] {
                    (void)real_values(data, {"m_n", "matrix", "", {2, 3}});
                  }),
                  "has no value");
  expect_contains(error_of([&] { (void)parse_data("no file", "x.nc"); }),
                  "can't read the NetCDF file");
}

// Memory and time of 10^6 rows are in docs/benchmarks; here that pieces of a file are its text.
TEST_F(DataFiles, a_large_table_is_read_in_pieces_to_the_same_numbers) {
  std::string text = "i,x,g\n";
  for (int k = 0; k < 60'000; ++k)
    text += std::to_string(k) + "," + std::to_string(0.25 * k) + ",level" + std::to_string(k % 7) +
            "\n";
  const std::string path = write("large.csv", text);
  const DataTable streamed = read_data(path), whole = parse_data(text, path);
  for (const std::string& name : whole.names()) {
    EXPECT_EQ(streamed.find(name)->integers, whole.find(name)->integers);
    EXPECT_EQ(streamed.find(name)->reals, whole.find(name)->reals);
  }
  EXPECT_EQ(streamed.find("x")->reals[59'999], 0.25 * 59'999);
  EXPECT_EQ(streamed.find("i")->column->where(59'999), path + ":60001");
}
}  // namespace
}  // namespace credo::io::data_files_test
