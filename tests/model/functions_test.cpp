// Which of the language's functions can't be run yet: these and no others.
#include <gtest/gtest.h>

#include <iostream>
#include <set>

#include "lang/trace/builtins.hpp"
#include "lang/typed/signatures.hpp"

namespace credo::lang::functions_test {
namespace {

const std::set<std::string_view> kMissing{
    // complex numbers
    "arg", "complex_schur_decompose", "complex_schur_decompose_t", "complex_schur_decompose_u",
    "conj", "eigendecompose", "eigenvalues", "eigenvectors", "fft", "fft2", "get_imag", "get_real",
    "inv_fft", "inv_fft2", "norm", "polar", "proj", "to_complex",
    // sub-distributions of the first passage
    "wiener_lccdf_unnorm", "wiener_lcdf_unnorm"};
constexpr std::string_view kBuiltIn = "target";  // of the grammar

TEST(functions, are_there_but_for_these) {
  int missing = 0;
  for (int k = 0; k < num_builtins(); ++k) {
    const std::string_view name = builtin_name(k);
    if (name == kBuiltIn) continue;
    missing += is_implemented(name) ? 0 : 1;
    EXPECT_EQ(is_implemented(name), !kMissing.contains(name)) << name;
  }
  std::cout << missing << " of " << num_builtins() << " functions of the language are missing\n";
}

}  // namespace
}  // namespace credo::lang::functions_test
