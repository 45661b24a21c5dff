#include "io/netcdf_file.hpp"

#include <gtest/gtest.h>
#include <netcdf.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.hpp"
#include "io/file.hpp"

namespace credo::io {
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

}  // namespace
}  // namespace credo::io
