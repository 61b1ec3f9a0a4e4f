define float @elsewhere(float %x) {
  %y = fadd float %x, 7.000000e+00
  ret float %y
}
