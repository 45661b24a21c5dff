// Scopes that are active while rows run one side of a decision on parameters.
#pragma once
#include "graph/core/gates.hpp"
#include "lang/trace/columns.hpp"

namespace credo::lang {

// Checks apply only to rows that take the side, and values that it reads are gated.
class Columns::Side {
 public:
  Side(Columns& columns, const Expr& which, bool gated);
  ~Side();
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

 private:
  Columns& columns_;
  Mask before_;
  Expr checks_before_;
  std::optional<graph::Gates> gates_;
};

// Active while the machine computes values that are the same in all rows.
class Columns::Invariant {
 public:
  explicit Invariant(Columns& columns);
  ~Invariant();
  Invariant(const Invariant&) = delete;
  Invariant& operator=(const Invariant&) = delete;

 private:
  Machine& machine_;
  Expr mask_before_;
  graph::Gates* gates_before_;
};

}  // namespace credo::lang
