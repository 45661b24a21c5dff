// Bayesian inference in C++: declare parameters, write a log density, draw from it. docs/cpp.md has
// a tour.
#pragma once
#include "credo/adaptive_rejection.hpp"
#include "credo/check.hpp"
#include "credo/distributions.hpp"
#include "credo/error.hpp"
#include "credo/functions.hpp"
#include "credo/gaussian.hpp"
#include "credo/generators.hpp"
#include "credo/kernel.hpp"
#include "credo/model.hpp"
#include "credo/monte_carlo.hpp"
#include "credo/parameters.hpp"
#include "credo/parts.hpp"
#include "credo/ready.hpp"
#include "credo/sample.hpp"
#include "credo/scheme.hpp"
#include "credo/value.hpp"
