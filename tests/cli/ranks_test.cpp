// What mpirun's environment means for a command that is alone: ranks that can't be joined are refused, not copied.
#include <cstdlib>

#include "support/command_run.hpp"

namespace credo::cli::ranks_test {
namespace {

class RanksCommand : public testing::CommandRun {
 protected:
  RanksCommand() : CommandRun("ranks") {
    write("normal.stan", "parameters { real x; } model { x ~ normal(0, 1); }");
    ::setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
    ::setenv("OMPI_COMM_WORLD_RANK", "0", 1);
  }
  ~RanksCommand() override {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "CREDO_MPI"})
      ::unsetenv(name);
  }
  std::vector<std::string> words() const {
    return {"sample", at("normal.stan"), "--draws", "20",        "--warmup",
            "20",     "--quiet",         "-o",      at("fit.nc")};
  }
};

TEST_F(RanksCommand, without_the_part_that_knows_mpi_is_refused_and_writes_nothing) {
  ::setenv("CREDO_MPI", at("nothing.so").c_str(), 1);
  EXPECT_EQ(run(words()), 2);
  EXPECT_NE(said().find("started as 2 ranks"), std::string::npos) << said();
  EXPECT_NE(said().find("nothing.so"), std::string::npos) << said();
  EXPECT_NE(said().find("CREDO_MPI=off"), std::string::npos) << said();
  EXPECT_FALSE(std::filesystem::exists(at("fit.nc")));
}

TEST_F(RanksCommand, runs_alone_where_it_is_told_to) {
  ::setenv("CREDO_MPI", "off", 1);
  EXPECT_EQ(run(words()), 0) << said();
  EXPECT_TRUE(std::filesystem::exists(at("fit.nc")));
}

TEST_F(RanksCommand, of_a_single_rank_is_one_process) {
  ::setenv("CREDO_MPI", at("nothing.so").c_str(), 1);
  ::setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
  EXPECT_EQ(run(words()), 0) << said();
}

}  // namespace
}  // namespace credo::cli::ranks_test
