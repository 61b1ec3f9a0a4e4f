"""triton.runtime._async_compile."""

from gluonc._async import AsyncCompileMode, FutureKernel, active_mode
