transformed data {
  int k = size({{{{{{{{{{{{1}}}}}}}}}}}});
}
model {
}
