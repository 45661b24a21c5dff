// A result that is asserted.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>

// Ends the program where a result isn't what is known. Tolerances are given with their reason.
inline void check_near(const char* what, double value, double known, double tolerance) {
  std::printf("%-22s %10.4f   known %10.4f +- %.4f\n", what, value, known, tolerance);
  if (std::abs(value - known) <= tolerance) return;
  std::printf("WRONG\n");
  std::exit(1);
}
