// Written by tools/make_special_tables.py; see there for the functions and their errors.
#pragma once

namespace credo::numerics::tables {

// Rows of degree + 1 coefficients; 16 rows an octave from 2^first_exponent on.
struct Shape {
  int degree, first_exponent, num_octaves;
};

inline constexpr Shape kMillsShape{9, 0, 6};
extern const double kMills[960];
inline constexpr Shape kLgammaShape{9, -1, 5};
extern const double kLgamma[800];
inline constexpr Shape kDigammaShape{9, -1, 5};
extern const double kDigamma[800];
inline constexpr Shape kDigammaLessLogShape{9, -1, 5};
extern const double kDigammaLessLog[800];
inline constexpr Shape kTrigammaShape{10, -1, 5};
extern const double kTrigamma[880];
inline constexpr Shape kTetragammaShape{10, -1, 5};
extern const double kTetragamma[880];
inline constexpr Shape kPentagammaShape{11, -1, 5};
extern const double kPentagamma[960];
inline constexpr Shape kQuantileCentreShape{8, -4, 3};
extern const double kQuantileCentre[432];
inline constexpr Shape kQuantileTailShape{8, 1, 5};
extern const double kQuantileTail[720];
inline constexpr Shape kLogI0Shape{9, 0, 5};
extern const double kLogI0[800];
inline constexpr Shape kBesselRatioShape{9, 0, 5};
extern const double kBesselRatio[800];
inline constexpr Shape kBesselRatio1Shape{10, 0, 5};
extern const double kBesselRatio1[880];
inline constexpr Shape kBesselRatio2Shape{11, 0, 5};
extern const double kBesselRatio2[960];
inline constexpr Shape kLog1pmxShape{9, -1, 3};
extern const double kLog1pmx[480];
inline constexpr Shape kEntropyShape{8, -1, 3};
extern const double kEntropy[432];

// Polynomials in one piece, constant term first.
inline constexpr double kErf[] = {
    0x1.20dd750429b6dp+0,
    -0x1.812746b0379e6p-2,
    0x1.ce2f21a042b30p-4,
    -0x1.b82ce31284e00p-6,
    0x1.565bcd0dbaa38p-8,
    -0x1.c02db3dac435fp-11,
    0x1.f9a321d5b8e1ep-14,
    -0x1.f4d1e3183f7aep-17,
    0x1.b9df224ca4b97p-20,
    -0x1.5f1ecb6f0764cp-23,
    0x1.f7b4bf3b13964p-27,
    -0x1.389d4f2641625p-30,
    0x1.05ffd737fb32ep-34,
};
inline constexpr double kSinPi[] = {
    -0x1.a51a6625307d3p+0,
    0x1.9f9cb402bc45dp-1,
    -0x1.86a8e4720c749p-3,
    0x1.ac6805cdf308ap-6,
    -0x1.33816a0620ac5p-9,
    0x1.3746c57917ca7p-13,
    -0x1.d3f28cd7ed530p-18,
    0x1.080d6f89e0a7bp-22,
};
inline constexpr double kCosPi[] = {
    0x1.0000000000000p+2,
    -0x1.de9e64df22ef3p+1,
    0x1.472be12243485p+0,
    -0x1.d4fcd831141f3p-3,
    0x1.9f05cafefd16ep-6,
    -0x1.f309e72a40936p-10,
    0x1.b267f6e69eed9p-14,
    -0x1.1e560aad98474p-18,
    0x1.1f94ce943d27ap-23,
};
inline constexpr double kLogI0Large[] = {
    0x1.0000000000000p-3,
    0x1.ffffffffffed1p-5,
    0x1.0aaaaaaad6cb8p-4,
    0x1.9fffffb00a30ep-4,
    0x1.ad33582b9de55p-3,
    0x1.12a5b640dad74p-1,
    0x1.a42a689835552p+0,
    0x1.68cbafe5d58c1p+2,
    0x1.d4ce89fee189dp+4,
    -0x1.55bc98f0f1f23p+3,
    0x1.b0977c0a7216fp+10,
};
inline constexpr double kBesselRatioLarge[] = {
    0x1.0000000000000p-1,
    0x1.ffffffffffed2p-4,
    0x1.000000002bf51p-3,
    0x1.8fffffb0599afp-3,
    0x1.a00024d39b790p-2,
    0x1.0c3b1089a0ec2p+0,
    0x1.9cd14c6a9f09cp+1,
    0x1.63f019590ebe5p+3,
    0x1.d0a912a5cccabp+5,
    -0x1.6108f0b27eb3ep+4,
    0x1.ae816a1f90f40p+11,
};
inline constexpr double kBesselRatio1Large[] = {
    0x1.0000000000000p-1,
    0x1.0000000000057p-2,
    0x1.7fffffffe1c8dp-2,
    0x1.90000020c276bp-1,
    0x1.03fff6de5ec94p+1,
    0x1.9262fc72bf8c7p+2,
    0x1.68315ba40d8d2p+4,
    0x1.743252d6eef30p+6,
    0x1.66f43f291f91cp+8,
    0x1.df097317054ffp+11,
    -0x1.1d8dbea23c94ap+14,
    0x1.45aafbf831aa4p+18,
};
inline constexpr double kBesselRatio2Large[] = {
    -0x1.0000000000000p+0,
    -0x1.7ffffffffffb9p-1,
    -0x1.800000000e831p+0,
    -0x1.f3ffffed745eap+1,
    -0x1.86000620ddb2cp+3,
    -0x1.6012cd2988da5p+5,
    -0x1.68a641301bcbfp+7,
    -0x1.99a0344a1d9d5p+9,
    -0x1.1c1df0ae29a6bp+12,
    -0x1.20ea3918488f7p+13,
    -0x1.e1ece5472f8f9p+18,
    0x1.113c89363980ap+22,
    -0x1.699ee6a67884dp+25,
};

// Asymptotic series of lgamma and its first four derivatives.
inline constexpr double kStirling[] = {
    0x1.5555555555555p-4,
    -0x1.6c16c16c16c17p-9,
    0x1.a01a01a01a01ap-11,
    -0x1.3813813813814p-11,
    0x1.b951e2b18ff23p-11,
    -0x1.f6ab0d9993c7dp-10,
    0x1.a41a41a41a41ap-8,
    -0x1.e4286cb0f5398p-6,
    0x1.6fe96381e0680p-3,
    -0x1.6476701181f3ap+0,
    0x1.ace44322ce006p+3,
};
inline constexpr double kStirling1[] = {
    -0x1.5555555555555p-4,
    0x1.1111111111111p-7,
    -0x1.0410410410410p-8,
    0x1.1111111111111p-8,
    -0x1.f07c1f07c1f08p-8,
    0x1.5995995995996p-6,
    -0x1.5555555555555p-4,
    0x1.c5e5e5e5e5e5ep-2,
    -0x1.86e7f9b9fe6e8p+1,
    0x1.a74ca514ca515p+4,
    -0x1.1975cc0ed7304p+8,
    0x1.c2f0566566566p+11,
};
inline constexpr double kStirling2[] = {
    0x1.5555555555555p-3,
    -0x1.1111111111111p-5,
    0x1.8618618618618p-6,
    -0x1.1111111111111p-5,
    0x1.364d9364d9365p-4,
    -0x1.0330330330330p-2,
    0x1.2aaaaaaaaaaabp+0,
    -0x1.c5e5e5e5e5e5ep+2,
    0x1.b7c4f8f13e3c5p+5,
    -0x1.088fe72cfe72dp+9,
    0x1.8301f89467e25p+12,
    -0x1.523440cc0cc0dp+16,
    0x1.5c06d2aaaaaabp+20,
};
inline constexpr double kStirling3[] = {
    -0x1.0000000000000p-1,
    0x1.5555555555555p-3,
    -0x1.5555555555555p-3,
    0x1.3333333333333p-2,
    -0x1.aaaaaaaaaaaabp-1,
    0x1.a52e52e52e52ep+1,
    -0x1.1800000000000p+4,
    0x1.e244444444444p+6,
    -0x1.051cf3cf3cf3dp+10,
    0x1.5b3cdf6b0df6bp+13,
    -0x1.16296aaaaaaabp+17,
    0x1.0838d29f69f6ap+21,
    -0x1.25a5c1c000000p+25,
};
inline constexpr double kStirling4[] = {
    0x1.0000000000000p+1,
    -0x1.0000000000000p+0,
    0x1.5555555555555p+0,
    -0x1.8000000000000p+1,
    0x1.4000000000000p+3,
    -0x1.7088888888889p+5,
    0x1.1800000000000p+8,
    -0x1.0f46666666666p+11,
    0x1.466430c30c30cp+14,
    -0x1.dd73b33333333p+17,
    0x1.a13e200000000p+21,
    -0x1.ad5c56430c30cp+25,
    0x1.00f1098800000p+30,
    -0x1.61e5010940000p+34,
};

// The positive root of digamma, as a sum.
inline constexpr double kDigammaRoot = 0x1.762d86356be3fp+0;
inline constexpr double kDigammaRootLow = 0x1.b86a722197829p-54;

}  // namespace credo::numerics::tables
