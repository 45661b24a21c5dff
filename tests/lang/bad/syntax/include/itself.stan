#include itself.stan
