; What kernels of extern-libs.test call.
target triple = "nvptx64-nvidia-cuda"

@__CUDA_FTZ = private constant [11 x i8] c"__CUDA_FTZ\00"
declare i32 @__nvvm_reflect(ptr)

define internal float @half(float %x) {
  %y = fmul float %x, 5.000000e-01
  ret float %y
}
define float @mean(float %x, float %y) {
  %sum = fadd float %x, %y
  %mean = call float @half(float %sum)
  ret float %mean
}
define double @mean64(double %x, double %y) {
  %sum = fadd double %x, %y
  %mean = fmul double %sum, 5.000000e-01
  ret double %mean
}
; In the place of gluonc's own.
define float @__nv_expf(float %x) {
  %y = fadd float %x, 1.000000e+02
  ret float %y
}
define float @flushes() {
  %is = call i32 @__nvvm_reflect(ptr @__CUDA_FTZ)
  %y = sitofp i32 %is to float
  ret float %y
}
define i32 @count_up(ptr %place, i32 %by) noinline {
  %old = atomicrmw add ptr %place, i32 %by monotonic
  ret i32 %old
}
define float @incomplete(float %x) {
  %y = call float @elsewhere(float %x)
  ret float %y
}
declare float @elsewhere(float)
define float @unused(float %x) {
  ret float %x
}
