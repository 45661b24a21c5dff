functions {
  real f0(real x) { return f0(f0(x)); }
  real f1(real x) { return f0(f0(x)); }
  real f2(real x) { return f1(f1(x)); }
  real f3(real x) { return f2(f2(x)); }
  real f4(real x) { return f3(f3(x)); }
  real f5(real x) { return f4(f4(x)); }
  real f6(real x) { return f5(f5(x)); }
  real f7(real x) { return f6(f6(x)); }
  real f8(real x) { return f7(f7(x)); }
  real f9(real x) { return f8(f8(x)); }
  real f10(real x) { return f9(f9(x)); }
  real f11(real x) { return f10(f10(x)); }
  real f12(real x) { return f11(f11(x)); }
  real f13(real x) { return f12(f12(x)); }
  real f14(real x) { return f13(f13(x)); }
  real f15(real x) { return f14(f14(x)); }
  real f16(real x) { return f15(f15(x)); }
  real f17(real x) { return f16(f16(x)); }
  real f18(real x) { return f17(f17(x)); }
  real f19(real x) { return f18(f18(x)); }
  real f20(real x) { return f19(f19(x)); }
  real f21(real x) { return f20(f20(x)); }
  real f22(real x) { return f21(f21(x)); }
  real f23(real x) { return f22(f22(x)); }
  real f24(real x) { return f23(f23(x)); }
  real f25(real x) { return f24(f24(x)); }
  real f26(real x) { return f25(f25(x)); }
  real f27(real x) { return f26(f26(x)); }
  real f28(real x) { return f27(f27(x)); }
  real f29(real x) { return f28(f28(x)); }
  real f30(real x) { return f29(f29(x)); }
  real f31(real x) { return f30(f30(x)); }
  real f32(real x) { return f31(f31(x)); }
  real f33(real x) { return f32(f32(x)); }
  real f34(real x) { return f33(f33(x)); }
  real f35(real x) { return f34(f34(x)); }
  real f36(real x) { return f35(f35(x)); }
  real f37(real x) { return f36(f36(x)); }
  real f38(real x) { return f37(f37(x)); }
  real f39(real x) { return f38(f38(x)); }
}
model {
  target += f39(1);
}
