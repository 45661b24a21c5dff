#include "io/netcdf_file.hpp"

#include <gtest/gtest.h>
#include <netcdf.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "io/file.hpp"
#include "io/netcdf_reader.hpp"

namespace credo::io::netcdf_file_test {
namespace {
namespace fs = std::filesystem;

class NetcdfOnDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("credo_netcdf_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const char* name = "fit.nc") const { return folder_ / name; }
  std::size_t num_files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}));
  }

  fs::path folder_;
};

// 2 x 3 draws of a variable in a group, all of one chain at a time.
void write_sample(const std::string& path, bool finish = true) {
  NetcdfFile file(path);
  file.set(file.root(), "schema", 1);
  file.set(file.root(), "program", "parameters { real x; }");
  const auto group = file.add_group("posterior");
  file.add_dimension(group, "chain", 2);
  file.add_dimension(group, "draw", 3);
  const auto x = file.add_variable(group, "x", {.dimensions = {"chain", "draw"}, .chunks = {1, 3}});
  const auto flag = file.add_variable(group, "diverging",
                                      {.dimensions = {"draw"}, .kind = NetcdfFile::Kind::flag});
  const std::vector<double> first = {0.1, -0.0, 1e300}, second = {4.0, 5.0, 6.0};
  file.write(x, {.start = {0, 0}, .count = {1, 3}}, first);
  file.write(x, {.start = {1, 0}, .count = {1, 3}}, second);
  file.write(flag, std::vector<double>{0.0, 1.0, 0.0});
  if (finish) file.finish();
}

TEST_F(NetcdfOnDisk, holds_what_was_written) {
  write_sample(path());
  int root = 0, group = 0, variable = 0;
  ASSERT_EQ(nc_open(path().c_str(), NC_NOWRITE, &root), NC_NOERR);
  long long schema = 0;
  EXPECT_EQ(nc_get_att_longlong(root, NC_GLOBAL, "schema", &schema), NC_NOERR);
  EXPECT_EQ(schema, 1);
  ASSERT_EQ(nc_inq_ncid(root, "posterior", &group), NC_NOERR);
  ASSERT_EQ(nc_inq_varid(group, "x", &variable), NC_NOERR);
  std::vector<double> values(6);
  ASSERT_EQ(nc_get_var_double(group, variable, values.data()), NC_NOERR);
  EXPECT_EQ(values, (std::vector<double>{0.1, -0.0, 1e300, 4.0, 5.0, 6.0}));
  ASSERT_EQ(nc_inq_varid(group, "diverging", &variable), NC_NOERR);
  nc_type type = 0;
  EXPECT_EQ(nc_inq_vartype(group, variable, &type), NC_NOERR);
  EXPECT_EQ(type, NC_BYTE);
  nc_close(root);
}

TEST_F(NetcdfOnDisk, is_read_back_as_it_was_written) {
  const std::string text = "ünï\n" + std::string(100'000, 'x');
  {
    NetcdfFile file(path());
    file.set(file.root(), "program", text);
    file.set(file.root(), "count", 3);
    file.set_real(file.root(), "share", 0.1);
    const auto group = file.add_group("posterior");
    file.add_dimension(group, "draw", 4);
    file.add_dimension(group, "x_dim_0", 3);
    const auto x = file.add_variable(
        group, "x",
        {.dimensions = {"draw", "x_dim_0"}, .kind = NetcdfFile::Kind::whole, .chunks = {4, 2}});
    file.set(x, "block", "parameters");
    std::vector<double> numbers(12);
    std::iota(numbers.begin(), numbers.end(), 0.0);
    file.write(x, numbers);
    file.add_dimension(group, "text_bytes", ssize(text));
    const auto note = file.add_variable(
        group, "text", {.dimensions = {"text_bytes"}, .kind = NetcdfFile::Kind::text});
    file.write_text(note, text);
    file.finish();
  }
  const NetcdfReader file(path());
  const auto attributes = file.attributes(file.root());
  EXPECT_EQ(attributes.at("program"), text);
  EXPECT_EQ(attributes.at("count"), "3");
  EXPECT_EQ(attributes.at("share"), "0.1");
  const auto group = file.find_group("posterior");
  ASSERT_TRUE(group && !file.find_group("prior"));
  const auto all = file.variables(*group);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "x");
  EXPECT_EQ(all[0].kind, NetcdfReader::Kind::whole);
  EXPECT_EQ(all[0].dimensions, (std::vector<std::string>{"draw", "x_dim_0"}));
  EXPECT_EQ(file.attributes(all[0]).at("block"), "parameters");
  EXPECT_EQ(file.read(all[0], {.start = {1, 1}, .count = {2, 2}}),
            (std::vector<double>{4.0, 5.0, 7.0, 8.0}));
  EXPECT_EQ(file.read_text(all[1]), text);
  EXPECT_FALSE(file.find_variable(*group, "y"));
}

TEST_F(NetcdfOnDisk, that_is_none_or_is_cut_off_is_refused_with_its_name) {
  write_sample(path());
  std::ofstream(path("text.nc")) << "not a NetCDF file";
  const std::string whole = read_file(path());
  std::ofstream(path("short.nc"), std::ios::binary)
      << std::string_view(whole).substr(0, whole.size() / 2);
  for (const char* name : {"text.nc", "short.nc", "absent.nc"}) {
    try {
      const NetcdfReader file(path(name));
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::io);
      EXPECT_NE(error.where().find(name), std::string::npos);
    }
  }
}

TEST_F(NetcdfOnDisk, leaves_nothing_behind_that_isnt_finished) {
  write_sample(path(), false);
  EXPECT_EQ(num_files(), 0u);
}

TEST_F(NetcdfOnDisk, replaces_a_file_only_when_it_is_complete) {
  write_sample(path());
  const std::string before = read_file(path());
  write_sample(path(), false);
  EXPECT_EQ(read_file(path()), before);
}

TEST_F(NetcdfOnDisk, has_equal_bytes_for_equal_contents) {
  write_sample(path("a.nc"));
  sleep(1);  // a time stamp would differ
  write_sample(path("b.nc"));
  EXPECT_EQ(read_file(path("a.nc")), read_file(path("b.nc")));
}

TEST_F(NetcdfOnDisk, refuses_a_folder_that_isnt_there_and_a_name_given_twice) {
  EXPECT_THROW(NetcdfFile(path("none/fit.nc")), Error);
  NetcdfFile file(path());
  file.add_group("posterior");
  EXPECT_THROW(file.add_group("posterior"), Error);
}

// ---- as others store numbers

// A variable of 16-bit integers 0, 1, -9, 3, of dimensions a and b, with numbers as attributes.
void write_packed(const std::string& path, const std::map<std::string, double>& attributes) {
  int root = 0, variable = 0;
  std::array<int, 2> dimensions{};
  ASSERT_EQ(nc_create(path.c_str(), NC_NETCDF4 | NC_CLOBBER, &root), NC_NOERR);
  nc_def_dim(root, "a", 2, &dimensions[0]);
  nc_def_dim(root, "b", 2, &dimensions[1]);
  nc_def_var(root, "x", NC_SHORT, 2, dimensions.data(), &variable);
  for (const auto& [name, value] : attributes)
    ASSERT_EQ(nc_put_att_double(root, variable, name.c_str(),
                                name == "_FillValue" ? NC_SHORT : NC_DOUBLE, 1, &value),
              NC_NOERR);
  const std::array<short, 4> values{0, 1, -9, 3};
  ASSERT_EQ(nc_put_var_short(root, variable, values.data()), NC_NOERR);
  ASSERT_EQ(nc_close(root), NC_NOERR);
}

std::vector<double> read_x(const std::string& path) {
  const NetcdfReader file(path);
  return file.read(*file.find_variable(file.root(), "x"));
}

TEST_F(NetcdfOnDisk, numbers_are_scaled_and_shifted_as_their_attributes_say) {
  write_packed(path(), {{"scale_factor", 0.5}, {"add_offset", 10.0}});
  EXPECT_EQ(read_x(path()), (std::vector<double>{10.0, 10.5, 5.5, 11.5}));
}

TEST_F(NetcdfOnDisk, values_that_stand_for_none_are_nan) {
  for (const char* name : {"_FillValue", "missing_value"}) {
    write_packed(path(), {{name, -9.0}, {"scale_factor", 2.0}});
    const std::vector<double> values = read_x(path());
    EXPECT_TRUE(std::isnan(values[2])) << name;
    EXPECT_EQ(values[3], 6.0);
  }
}

TEST_F(NetcdfOnDisk, reals_that_were_never_written_are_nan) {
  {
    NetcdfFile file(path());
    file.add_dimension(file.root(), "draw", 3);
    const auto x = file.add_variable(file.root(), "x", {.dimensions = {"draw"}});
    file.write(x, {.start = {0}, .count = {1}}, std::vector<double>{1.0});
    file.finish();
  }
  const std::vector<double> values = read_x(path());
  EXPECT_EQ(values[0], 1.0);
  EXPECT_TRUE(std::isnan(values[1]) && std::isnan(values[2]));
}

TEST_F(NetcdfOnDisk, dimensions_are_read_in_the_order_that_is_asked_for) {
  write_packed(path(), {});
  const NetcdfReader file(path());
  const std::array<std::string_view, 1> first{"b"}, none{"c"};
  const auto x = *file.find_variable(file.root(), "x");
  const auto turned = *NetcdfReader::with_first(x, first);
  EXPECT_EQ(turned.dimensions, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(file.read(turned), (std::vector<double>{0.0, -9.0, 1.0, 3.0}));
  EXPECT_EQ(file.read(turned, {.start = {1, 0}, .count = {1, 2}}), (std::vector<double>{1.0, 3.0}));
  EXPECT_FALSE(NetcdfReader::with_first(x, none));
}

}  // namespace
}  // namespace credo::io::netcdf_file_test
