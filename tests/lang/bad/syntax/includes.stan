// Each kind of trouble with includes.
#include missing.stan
#include
#include "itself.stan"
data {
  #include <declarations.stan> and more
}
// #include nothing.stan
transformed data { print("#include nothing.stan"); }
// expect error: include-not-found 2:10
// expect error: include-malformed 3:1
// expect error: include-recursive itself.stan:1:1
// expect warning: include-trailing-text 6:32
// expect error: removed-array-syntax declarations.stan:2:7
