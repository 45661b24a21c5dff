// The main function of every test program.
#include "support/share.hpp"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  credo::testing::leave_out_other_shares();
  return RUN_ALL_TESTS();
}
