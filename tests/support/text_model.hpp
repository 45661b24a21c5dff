// Models from the text of a program.
#pragma once
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "io/json_reader.hpp"
#include "model/model.hpp"

namespace credo::model {

// Throws what the compiler says, rendered.
inline std::unique_ptr<Model> model_from(const std::string& text, const std::string& data = "{}",
                                         ModelOptions options = {}) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  auto program = compile_text("test.stan", text, diagnostics, source);
  if (program == nullptr) throw Error(ErrorCode::program, lang::render(source, diagnostics));
  return std::make_unique<Model>(std::move(program), io::parse_json_data(data, "data"),
                                 std::move(options));
}

// One density and gradient, to `relative` of 1 + |value|.
inline void expect_same_density(const Model& found, const Model& exact,
                                std::span<const double> point, std::array<double, 2> relative) {
  const PointEvaluation a = found.evaluate_in_full(point), b = exact.evaluate_in_full(point);
  ASSERT_TRUE(a.status.ok()) << found.describe(a.status);
  EXPECT_NEAR(a.log_density, b.log_density, relative[0] * (1 + std::abs(b.log_density)));
  for (std::size_t d = 0; d < point.size(); ++d)
    EXPECT_NEAR(a.gradient[d], b.gradient[d], relative[1] * (1 + std::abs(b.gradient[d])))
        << "component " << d;
}

}  // namespace credo::model
