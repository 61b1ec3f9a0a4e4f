/* Random sequences of calls of the C API: valid ones and wrong ones, in any order, with null and
 * odd texts, numbers and arguments. Handles are alive, as the contract wants it.
 *
 *     api_calls COUNT SEED      runs the sequences of the seeds SEED … SEED + COUNT - 1
 *
 * Whatever a call answers is right, as long as it answers: exit status 0. */
#include "gluonc/gluonc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- Chance (splitmix64) -------------------------------------------------------------------- */

static uint64_t state;

static uint64_t next(void) {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
static size_t below(size_t n) { return (size_t)(next() % n); }
static int oneIn(size_t n) { return below(n) == 0; }

#define PICK(list) ((list)[below(sizeof(list) / sizeof *(list))])

/* -- What is handed in ---------------------------------------------------------------------- */

static const char prelude[] = "from triton.experimental import gluon\n"
                              "from triton.experimental.gluon import language as gl\n";
static const char *const bodies[] = {
    "@gluon.jit\ndef k(x, y, n, B: gl.constexpr):\n"
    "    i = gl.arange(0, B, layout=gl.BlockedLayout([1], [32], [4], [0]))\n"
    "    gl.store(y + i, gl.load(x + i, mask=i < n, other=0), mask=i < n)\n",
    "@gluon.jit\ndef k(x, t, *rest):\n    gl.store(x, t[0] + rest[0])\n",
    "@gluon.jit\ndef k(x, n):\n    gl.device_print('n', n)\n    gl.store(x + n, gl.load(x) // n)\n",
    "@gluon.jit\ndef f(x):\n    return x * 2\n@gluon.jit\ndef k(x, g: gl.constexpr):\n"
    "    gl.store(x, f(3) + g)\n",
    "@gluon.jit\ndef k(x):\n    gl.static_print('here')\n    undefined\n",
    "@gluon.jit\ndef k(d, y):\n    s = gl.allocate_shared_memory(gl.float16, [64, 64], d.layout)\n"
    "    s._keep_alive()\n",
    "def k(", "x = 1\n", "", "\xff\xfe\0"};
static const char *const names[] = {"k", "f", "x", "", "missing", "k.k", "\xc3\xa9", "\xff"};
static const char *const targets[] = {"cuda:80",   "cuda:90a", "cuda:90", "cuda:100a",
                                      "hip:gfx942", "cuda:",    "",        "cuda:9999999999",
                                      "\xff"};
static const char *const types[] = {
    "*fp32", "*fp32:16", "*i32", "*fp16:16", "i32", "i64", "u8", "fp32", "fp64", "bf16", "i1", "",
    "*", "**fp32", "fp3", "i32:99999999999999999999", "*fp32:3", "constexpr",
    "tensordesc<fp16[64, 64],gl.NVMMASharedLayout(128, 16, 2)>", "tensordesc<fp16[64", "\xff"};
static const char *const expressions[] = {
    "1", "128", "-1", "0", "1 << 70", "2.5", "None", "True", "'text'", "(1, (2, 3))", "gl.float32",
    "gl.BlockedLayout([1], [32], [4], [0])", "gl.BlockedLayout([], [], [], [])",
    "gl.NVMMASharedLayout(128, 16, 2)", "float('nan')", "1 // 0", "[i for i in range(9)]",
    "lambda: 0", "f", "k", "9 ** 9 ** 9", "'a' * 10 ** 12", "range(10 ** 18)", "((((((((((", "", "\xff"};
static const char *const forms[] = {"ttgir", "ptx", "cubin", "llir", "", "exe", "sass", "\xff"};
static const char *const paths[] = {"k.py", "", "/nonexistent/k.py", "/dev/null", "/", "dir/k.py",
                                    "\xff.py", "<text>"};

static const char *text(const char *const *list, size_t count) {
  return oneIn(25) ? NULL : list[below(count)];
}
#define TEXT(list) text(list, sizeof(list) / sizeof *(list))

static char *moduleText(size_t *size) {
  const char *body = PICK(bodies);
  size_t length = strlen(body);
  char *whole = malloc(sizeof prelude + length);
  memcpy(whole, prelude, sizeof prelude - 1);
  memcpy(whole + sizeof prelude - 1, body, length + 1);
  *size = sizeof prelude - 1 + length;
  if (oneIn(10))
    *size = below(*size + 1);
  if (oneIn(10) && *size)
    whole[below(*size)] = (char)next();
  return whole;
}

/* Tuples nest in here; `arguments` is filled from its front. */
enum { mostArguments = 64 };
static gluonc_argument arguments[mostArguments];

static void fillArgument(gluonc_argument *argument, size_t depth) {
  static const int64_t integers[] = {0, 1, -1, 2, 128, 1 << 20, INT64_MIN, INT64_MAX};
  static const double reals[] = {0.0, -0.0, 1.5, 1e300, -1e-300};
  memset(argument, 0, sizeof *argument);
  argument->kind = oneIn(40) ? (gluonc_argument_kind)(int)next() : (gluonc_argument_kind)below(7);
  if (oneIn(3))
    argument->kind = GLUONC_ARGUMENT_TYPE;
  argument->text = argument->kind == GLUONC_ARGUMENT_TYPE         ? TEXT(types)
                   : argument->kind == GLUONC_ARGUMENT_EXPRESSION ? TEXT(expressions)
                   : oneIn(4)                                     ? "a,b"
                                                                  : NULL;
  argument->integer = PICK(integers);
  argument->real = PICK(reals);
  if (argument->kind != GLUONC_ARGUMENT_TUPLE)
    return;
  /* Of what comes later in the list; once in a while the tuple holds itself. */
  size_t at = (size_t)(argument - arguments), rest = mostArguments - at - 1;
  argument->item_count = rest < 4 || depth > 5 ? 0 : below(4);
  argument->items = oneIn(100) ? argument : argument + 1;
}

static size_t fillArguments(void) {
  for (size_t i = mostArguments; i-- > 0;)
    fillArgument(&arguments[i], 0);
  return below(6);
}

static gluonc_kernel_options kernelOptions(void) {
  static const unsigned sizes[] = {4, 4, 4, 1, 8, 0, 3, 64, 4294967295u};
  gluonc_kernel_options options = {oneIn(20) ? below(12) : sizeof options,
                                   PICK(sizes), oneIn(3) ? PICK(sizes) : 1,
                                   oneIn(4) ? (unsigned)next() : 0,
                                   (int)below(2), (int)below(2), (int)below(2), (int)oneIn(5),
                                   (int)oneIn(5),
                                   oneIn(3) ? (gluonc_language)below(4) : GLUONC_LANGUAGE_GLUON};
  return options;
}

/* -- Handles -------------------------------------------------------------------------------- */

enum { mostHandles = 8 };
typedef struct {
  void *handles[mostHandles];
  size_t count;
} Pool;
static Pool modules, kernels, specializations, executables;
static gluonc_engine *engine;
static gluonc_error *failure;
static char buffer[4][4096] __attribute__((aligned(256)));

static void *any(const Pool *pool) {
  return pool->count ? pool->handles[below(pool->count)] : NULL;
}
static void put(Pool *pool, void *handle, void (*destroy)(void *)) {
  if (pool->count == mostHandles) {
    size_t victim = below(mostHandles);
    destroy(pool->handles[victim]);
    pool->handles[victim] = handle;
  } else {
    pool->handles[pool->count++] = handle;
  }
}
static void empty(Pool *pool, void (*destroy)(void *)) {
  while (pool->count)
    destroy(pool->handles[--pool->count]);
}
static void destroyModule(void *module) { gluonc_module_destroy(module); }
static void destroyKernel(void *kernel) { gluonc_kernel_destroy(kernel); }
static void destroySpecialization(void *it) { gluonc_specialization_destroy(it); }
static void destroyExecutable(void *executable) { gluonc_executable_destroy(executable); }

/* Where the caller wants to know why; else null. */
static gluonc_error **wantError(void) { return oneIn(4) ? NULL : &failure; }

static int answered(gluonc_status status) {
  if (status == GLUONC_INTERNAL_ERROR) {
    fprintf(stderr, "%s\n", failure ? gluonc_error_text(failure) : "an internal error");
    exit(70);
  }
  if (failure) {
    /* An error is a text and lines of JSON. */
    if (!gluonc_error_text(failure)[0] || gluonc_error_json(failure)[0] != '{')
      abort();
    gluonc_error_destroy(failure);
    failure = NULL;
  }
  return status == GLUONC_OK;
}

/* -- Calls ---------------------------------------------------------------------------------- */

static int getNothing(void *user, const char *name, void (*give)(void *, const void *, size_t), void *receiver) {
  (void)user;
  if (name[0] < '8')
    give(receiver, name, 64);
  return name[0] == 'f';
}

static int putNowhere(void *user, const char *name, const void *bytes, size_t count) {
  (void)user, (void)name, (void)bytes;
  return count == 0;
}

static void discard(void *user, const char *text, size_t size) { (void)user, (void)text, (void)size; }

static void newEngine(void) {
  gluonc_cache_storage storage = {sizeof storage, NULL, oneIn(5) ? NULL : getNothing, putNowhere, NULL};
  gluonc_engine_options options = {0};
  options.size = sizeof options;
  options.ptxas = oneIn(2) ? NULL : oneIn(2) ? "/bin/true" : "/nonexistent";
  options.import_folder_count = oneIn(9);
  options.remote_cache = oneIn(3) ? TEXT(paths) : oneIn(3) ? "/nonexistent" : NULL;
  options.remote_cache_keys = oneIn(2) ? NULL : TEXT(paths);
  options.remote_cache_storage = oneIn(5) ? &storage : NULL;
  gluonc_engine *made = NULL;
  if (answered(gluonc_engine_create(oneIn(3) ? NULL : &options, &made, wantError()))) {
    gluonc_engine_destroy(engine);
    engine = made;
  }
}

static void load(void) {
  gluonc_module *module = NULL;
  size_t size = 0;
  char *source = moduleText(&size);
  gluonc_status status =
      oneIn(10) ? gluonc_engine_load(engine, TEXT(paths), &module, wantError())
                : gluonc_engine_load_text(engine, TEXT(paths), oneIn(40) ? NULL : source, size,
                                          &module, wantError());
  if (answered(status))
    put(&modules, module, destroyModule);
  free(source);
}

static int resolve(void *context, uint64_t scope, const char *name, gluonc_binding *binding) {
  (void)context, (void)scope, (void)name;
  if (oneIn(2))
    return 0;
  binding->kind = oneIn(10) ? (gluonc_binding_kind)(int)next() : (gluonc_binding_kind)below(6);
  binding->text = binding->kind == GLUONC_BINDING_EXPRESSION ? TEXT(expressions) : TEXT(bodies);
  binding->path = TEXT(paths);
  binding->name = TEXT(names);
  binding->line = (unsigned)below(8);
  binding->scope = below(3);
  return 1;
}

static void loadScope(void) {
  gluonc_module *module = NULL;
  size_t size = 0;
  char *source = moduleText(&size);
  if (answered(gluonc_engine_load_scope(engine, TEXT(paths), source, size, below(3),
                                        oneIn(20) ? NULL : resolve, NULL, NULL, &module,
                                        wantError())))
    put(&modules, module, destroyModule);
  free(source);
}

static void takeKernel(void) {
  gluonc_module *module = any(&modules);
  gluonc_kernel *kernel = NULL;
  if (!module)
    return;
  gluonc_status status =
      oneIn(4) ? gluonc_module_kernel_at(module, oneIn(2) ? "k" : TEXT(names), (unsigned)below(9),
                                         &kernel, wantError())
               : gluonc_module_kernel(module, oneIn(2) ? "k" : TEXT(names), &kernel, wantError());
  if (answered(status))
    put(&kernels, kernel, destroyKernel);
}

static void specialize(void) {
  gluonc_kernel *kernel = any(&kernels);
  gluonc_specialization *made = NULL;
  if (!kernel)
    return;
  size_t count = fillArguments();
  if (oneIn(2)) {
    /* What the first body takes. */
    static const gluonc_argument fitting[] = {{GLUONC_ARGUMENT_TYPE, "*fp32:16", 0, 0, NULL, 0},
                                              {GLUONC_ARGUMENT_TYPE, "*fp32:16", 0, 0, NULL, 0},
                                              {GLUONC_ARGUMENT_TYPE, "i32", 0, 0, NULL, 0},
                                              {GLUONC_ARGUMENT_INTEGER, NULL, 128, 0, NULL, 0}};
    memcpy(arguments, fitting, sizeof fitting);
    count = oneIn(4) ? below(6) : 4;
  }
  gluonc_kernel_options options = kernelOptions();
  if (answered(gluonc_kernel_specialize(kernel, arguments, count, oneIn(2) ? NULL : &options, &made,
                                        wantError())))
    put(&specializations, made, destroySpecialization);
}

static void readSpecialization(void) {
  gluonc_specialization *specialization = any(&specializations);
  gluonc_specialization_info info;
  const char *ir = NULL;
  if (!specialization)
    return;
  gluonc_specialization_get_info(specialization, &info);
  if (!answered(gluonc_specialization_ir(specialization, TEXT(targets), &ir, wantError())))
    return;
  gluonc_specialization *again = NULL;
  gluonc_kernel_options options = kernelOptions();
  size_t size = strlen(ir);
  char *copy = malloc(size + 1);
  memcpy(copy, ir, size + 1);
  if (oneIn(3) && size)
    copy[below(size)] = (char)(32 + below(95));
  if (answered(gluonc_engine_load_ir_text(engine, TEXT(paths), copy, size,
                                          oneIn(2) ? NULL : &options, &again, wantError())))
    put(&specializations, again, destroySpecialization);
  free(copy);
}

static void makeExecutable(void) {
  gluonc_specialization *specialization = any(&specializations);
  gluonc_executable *made = NULL;
  const char *target = oneIn(2) ? "cuda:90a" : TEXT(targets);
  if (!specialization)
    return;
  gluonc_status status =
      oneIn(3) ? gluonc_engine_compile(engine, specialization, target, &made, wantError())
               : gluonc_engine_simulate(engine, specialization, target, &made, wantError());
  if (answered(status))
    put(&executables, made, destroyExecutable);
}

static void readExecutable(void) {
  gluonc_executable *executable = any(&executables);
  gluonc_executable_info info;
  const char *code = NULL;
  size_t size = 0;
  if (!executable)
    return;
  gluonc_executable_get_info(executable, &info);
  (void)gluonc_executable_key(executable);
  code = gluonc_executable_code(executable, TEXT(forms), &size);
  if (code && size && code[size - 1] == (char)below(2))
    puts("");
  answered(gluonc_executable_make_code(executable, TEXT(forms), &code, &size, wantError()));
  if (oneIn(4))
    answered(gluonc_executable_load(executable, (int)below(5) - 1, wantError()));
}

/* A slot of 8 bytes: an address that may be accessed, one that may not, a number, a descriptor. */
static uint64_t slot(const char *type, gluonc_tensor *tensor) {
  if (type && strncmp(type, "tensordesc", 10) == 0) {
    memset(tensor, 0, sizeof *tensor);
    tensor->base = buffer[below(4)];
    tensor->rank = (unsigned)below(8);
    for (size_t i = 0; i != 5; ++i) {
      tensor->shape[i] = (int64_t)below(64) - (oneIn(9) ? 9 : 0);
      tensor->strides[i] = oneIn(9) ? (int64_t)next() : (int64_t)below(64);
      tensor->element_strides[i] = (uint32_t)below(9);
    }
    tensor->dtype = TEXT(types);
    return (uint64_t)(uintptr_t)tensor;
  }
  if (type && type[0] == '*')
    return oneIn(8) ? next() : (uint64_t)(uintptr_t)(buffer[below(4)] + below(64) * 16);
  return oneIn(4) ? next() : below(129);
}

static void launch(void) {
  gluonc_executable *executable = any(&executables);
  uint64_t values[16];
  gluonc_tensor tensors[16];
  unsigned grid[3];
  gluonc_memory_range ranges[4];
  if (!executable)
    return;
  size_t count = gluonc_executable_parameter_count(executable);
  if (count > 16)
    return;
  for (size_t i = 0; i != count; ++i)
    values[i] = slot(gluonc_executable_parameter_type(executable, i), &tensors[i]);
  (void)gluonc_executable_parameter_type(executable, count + below(3));
  for (size_t i = 0; i != 3; ++i)
    grid[i] = oneIn(20) ? 0 : 1 + (unsigned)below(3);
  for (size_t i = 0; i != 4; ++i) {
    ranges[i].name = TEXT(names);
    ranges[i].base = buffer[i];
    ranges[i].bytes = oneIn(9) ? below(4096) : 4096;
    ranges[i].read_only = oneIn(5);
  }
  /* The contract is as many slots as parameters; another number is an error. */
  if (oneIn(20))
    count += count < 15;
  if (oneIn(2))
    answered(gluonc_launch(executable, grid[0], grid[1], grid[2], NULL, values, count, wantError()));
  else
    answered(gluonc_launch_on_ranges(executable, grid[0], grid[1], grid[2], values, count, ranges,
                                     below(5), wantError()));
}

static void touchEngine(void) {
  const char *printed = NULL;
  uint64_t seed = next();
  switch (below(8)) {
  case 0:
    answered(gluonc_engine_add_memory(engine, TEXT(names), buffer[below(4)], below(4097),
                                      wantError()));
    break;
  case 1:
    gluonc_engine_remove_memory(engine, oneIn(3) ? NULL : buffer[below(4)]);
    break;
  case 2:
    gluonc_engine_set_schedule_seed(engine, oneIn(2) ? NULL : &seed);
    break;
  case 3:
    if (oneIn(20))
      gluonc_engine_seal(engine);
    answered(gluonc_engine_remote_cache_statistics(engine, oneIn(3) ? NULL : discard, NULL, wantError()));
    break;
  case 4:
    gluonc_engine_set_races(engine, (gluonc_verdict)below(4));
    gluonc_engine_set_masked_off(engine, (gluonc_verdict)below(4));
    break;
  case 5:
    answered(gluonc_engine_cuda_target(engine, (int)below(4) - 1, &printed, wantError()));
    break;
  default:
    answered(gluonc_engine_evaluate(engine, TEXT(expressions), &printed, wantError()));
  }
}

static void dropSomething(void) {
  switch (below(4)) {
  case 0:
    empty(&modules, destroyModule);
    break;
  case 1:
    empty(&kernels, destroyKernel);
    break;
  case 2:
    empty(&specializations, destroySpecialization);
    break;
  default:
    empty(&executables, destroyExecutable);
  }
}

static void runSequence(uint64_t seed) {
  static void (*const calls[])(void) = {load,       load,           loadScope,      takeKernel,
                                        takeKernel, specialize,     specialize,     specialize,
                                        readSpecialization, makeExecutable, makeExecutable,
                                        readExecutable,     launch,         launch,
                                        touchEngine, touchEngine};
  state = seed;
  newEngine();
  size_t length = 20 + below(60);
  for (size_t i = 0; i != length; ++i)
    if (oneIn(60))
      newEngine();
    else if (oneIn(40))
      dropSomething();
    else
      PICK(calls)();
  /* In any order. */
  if (oneIn(2)) {
    gluonc_engine_destroy(engine);
    engine = NULL;
  }
  empty(&executables, destroyExecutable);
  empty(&specializations, destroySpecialization);
  empty(&modules, destroyModule);
  empty(&kernels, destroyKernel);
  gluonc_engine_destroy(engine);
  engine = NULL;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  uint64_t seed = strtoull(argv[2], NULL, 10);
  for (uint64_t count = strtoull(argv[1], NULL, 10); count != 0; --count, ++seed) {
    fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
    runSequence(seed);
  }
  return 0;
}
