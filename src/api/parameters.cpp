#include <fmt/format.h>

#include "api/declaration.hpp"

namespace credo {
namespace {
using detail::Type;
using Kind = Constraint::Kind;

void require_constraint(const std::string& name, const Constraint& c) {
  const auto refuse = [&](const char* rule) {
    throw Error(ErrorCode::usage, fmt::format("bounds {} and {}", c.a, c.b), name, rule);
  };
  if (std::isnan(c.a) || std::isnan(c.b)) refuse("bounds are numbers");
  if (c.kind == Kind::interval && !(c.a < c.b)) refuse("the lower bound is less than the upper");
  if (c.kind == Kind::affine && !(c.b > 0.0 && std::isfinite(c.a) && std::isfinite(c.b)))
    refuse("the multiplier is positive, both are finite");
}

std::string constraint_text(const Constraint& c) {
  switch (c.kind) {
    case Kind::none:
      return "";
    case Kind::lower:
      return fmt::format("<lower={}>", number_text(c.a));
    case Kind::upper:
      return fmt::format("<upper={}>", number_text(c.a));
    case Kind::interval:
      return fmt::format("<lower={}, upper={}>", number_text(c.a), number_text(c.b));
    case Kind::affine:
      return fmt::format("<offset={}, multiplier={}>", number_text(c.a), number_text(c.b));
  }
  return "";
}
}  // namespace

void require_name(const std::string& name) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  const bool good = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
                    std::all_of(name.begin(), name.end(), is_word) && !name.ends_with("__");
  if (!good)
    throw Error(ErrorCode::usage, fmt::format("the name '{}'", name), {},
                "use letters, digits and underscores, a letter first, not __ at the end");
}

std::string number_text(double number) {
  if (std::isnan(number)) return "not_a_number()";
  if (std::isinf(number)) return number > 0.0 ? "positive_infinity()" : "negative_infinity()";
  std::string text = fmt::format("{}", std::abs(number));
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return std::signbit(number) ? "(-" + text + ")" : text;
}

std::string declared_text(const Declaration& d) {
  std::string sizes;
  if (d.type == Type::vector) sizes = fmt::format("[{}]", d.rows);
  if (d.type == Type::matrix)
    sizes = d.constrained.empty() || d.constrained == "cholesky_factor_cov"
                ? fmt::format("[{}, {}]", d.rows, d.cols)
                : fmt::format("[{}]", d.rows);
  std::string word = d.constrained;
  if (word.empty())
    word = (d.type == Type::real     ? "real"
            : d.type == Type::vector ? "vector"
                                     : "matrix") +
           constraint_text(d.constraint);
  return fmt::format("{}{} {};", word, sizes, d.name);
}

Parameters::Parameters() : impl_(std::make_unique<Impl>()) {}
Parameters::~Parameters() = default;
Parameters::Parameters(const Parameters& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
Parameters& Parameters::operator=(const Parameters& other) {
  *impl_ = *other.impl_;
  return *this;
}
Index Parameters::size() const { return impl_->size; }

namespace {
template <class T>
Parameter<T> declare(Parameters::Impl& to, Declaration declaration) {
  require_name(declaration.name);
  require_constraint(declaration.name, declaration.constraint);
  if (declaration.rows < 0 || declaration.cols < 0)
    throw Error(ErrorCode::usage,
                fmt::format("a size of {}", std::min(declaration.rows, declaration.cols)),
                declaration.name, "sizes are at least 0");
  for (const Declaration& known : to.all)
    if (known.name == declaration.name)
      throw Error(ErrorCode::usage, "there is a parameter of this name", declaration.name,
                  "give each a name of its own");
  declaration.first = to.size;
  to.size += declaration.size();
  to.all.push_back(std::move(declaration));
  const Declaration& last = to.all.back();
  return {.number = std::ssize(to.all) - 1, .first = last.first, .size = last.size()};
}

Declaration constrained_vector(const std::string& name, const char* constrained, Index size) {
  return {.name = name, .type = Type::vector, .constrained = constrained, .rows = size};
}
Declaration constrained_matrix(const std::string& name, const char* constrained, Index size) {
  return {
      .name = name, .type = Type::matrix, .constrained = constrained, .rows = size, .cols = size};
}
}  // namespace

Parameter<Real> Parameters::real(const std::string& name, Constraint constraint) {
  return declare<Real>(*impl_, {.name = name, .constraint = constraint});
}
Parameter<Vector> Parameters::vector(const std::string& name, Index size, Constraint constraint) {
  return declare<Vector>(
      *impl_, {.name = name, .type = Type::vector, .constraint = constraint, .rows = size});
}
Parameter<Matrix> Parameters::matrix(const std::string& name, Index rows, Index cols,
                                     Constraint constraint) {
  return declare<Matrix>(
      *impl_,
      {.name = name, .type = Type::matrix, .constraint = constraint, .rows = rows, .cols = cols});
}
Parameter<Vector> Parameters::simplex(const std::string& name, Index size) {
  return declare<Vector>(*impl_, constrained_vector(name, "simplex", size));
}
Parameter<Vector> Parameters::ordered(const std::string& name, Index size) {
  return declare<Vector>(*impl_, constrained_vector(name, "ordered", size));
}
Parameter<Vector> Parameters::positive_ordered(const std::string& name, Index size) {
  return declare<Vector>(*impl_, constrained_vector(name, "positive_ordered", size));
}
Parameter<Vector> Parameters::unit_vector(const std::string& name, Index size) {
  return declare<Vector>(*impl_, constrained_vector(name, "unit_vector", size));
}
Parameter<Vector> Parameters::sum_to_zero_vector(const std::string& name, Index size) {
  return declare<Vector>(*impl_, constrained_vector(name, "sum_to_zero_vector", size));
}
Parameter<Matrix> Parameters::corr_matrix(const std::string& name, Index size) {
  return declare<Matrix>(*impl_, constrained_matrix(name, "corr_matrix", size));
}
Parameter<Matrix> Parameters::cov_matrix(const std::string& name, Index size) {
  return declare<Matrix>(*impl_, constrained_matrix(name, "cov_matrix", size));
}
Parameter<Matrix> Parameters::cholesky_factor_corr(const std::string& name, Index size) {
  return declare<Matrix>(*impl_, constrained_matrix(name, "cholesky_factor_corr", size));
}
Parameter<Matrix> Parameters::cholesky_factor_cov(const std::string& name, Index size) {
  return declare<Matrix>(*impl_, constrained_matrix(name, "cholesky_factor_cov", size));
}

}  // namespace credo
