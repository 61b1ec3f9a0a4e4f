/* The C API from C: machine code for a chip that need not be there. */
#include <gluonc/gluonc.h>

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  gluonc_engine *engine = NULL;
  gluonc_module *module = NULL;
  gluonc_kernel *kernel = NULL;
  gluonc_specialization *specialization = NULL;
  gluonc_executable *executable = NULL;
  gluonc_error *error = NULL;
  size_t size = 0;
  const char *ptx = NULL;
  const gluonc_argument arguments[] = {
      {GLUONC_ARGUMENT_TYPE, "*fp32:16", 0, 0},
      {GLUONC_ARGUMENT_TYPE, "*fp32:16", 0, 0},
      {GLUONC_ARGUMENT_TYPE, "i32", 0, 0},
      {GLUONC_ARGUMENT_INTEGER, NULL, 256, 0},
      {GLUONC_ARGUMENT_EXPRESSION, "gl.BlockedLayout([1], [32], [4], [0])", 0, 0},
  };
  if (argc != 2)
    return 2;
  if (gluonc_engine_create(NULL, &engine, &error) ||
      gluonc_engine_load(engine, argv[1], &module, &error) ||
      gluonc_module_kernel(module, "memcpy", &kernel, &error) ||
      gluonc_kernel_specialize(kernel, arguments, 5, NULL, &specialization, &error) ||
      gluonc_engine_compile(engine, specialization, "cuda:80", &executable, &error)) {
    fprintf(stderr, "%s\n", gluonc_error_text(error));
    return 1;
  }
  /* Handles may go in any order. */
  gluonc_engine_destroy(engine);
  gluonc_module_destroy(module);
  gluonc_kernel_destroy(kernel);
  gluonc_specialization_destroy(specialization);
  ptx = gluonc_executable_code(executable, "ptx", &size);
  if (!ptx || !strstr(ptx, ".target sm_80") || gluonc_executable_parameter_count(executable) != 3 ||
      strcmp(gluonc_executable_parameter_type(executable, 0), "*fp32")) {
    fprintf(stderr, "the executable is not what was asked for\n");
    return 1;
  }
  printf("gluonc %s: %zu bytes of PTX\n", gluonc_version(), size);
  gluonc_executable_destroy(executable);
  return 0;
}
