/*===- gluonc.h - C API of gluonc -----------------------------------------===*
 *
 * Compiles Gluon kernels in this process and launches them on a GPU, CUDA's or
 * AMD's, or on the built-in simulator. gluonc.hpp is the same in C++; other languages bind
 * this header.
 *
 *   engine -> module -> kernel -> specialization -> executable -> launch
 *
 * Every handle is owned by the caller and freed with its `_destroy` function, in
 * any order: what a handle needs lives as long as the handle. Functions that can
 * fail return a status and, through their last parameter (which may be null), an
 * error. Nothing prints, exits or throws, and no signal handler is installed: a bug of
 * gluonc is a status as well. An engine may be used from several threads. Null is
 * GLUONC_USAGE_ERROR where something is needed; freeing it does nothing.
 *
 * Structures of options begin with their size, so that a program runs with a later library, which
 * has more of them: `gluonc_kernel_options options = {.size = sizeof options};`. Zero, null and
 * what a smaller structure does not have is the default. Structures that the library fills
 * never grow.
 *
 * A process that has used an engine may fork: fork() waits up to ten seconds for threads
 * that compile, and in the child handles stay usable. Where that was not enough, calls in
 * the child that compile are GLUONC_UNAVAILABLE. (CUDA itself does not survive a fork.)
 *
 *===----------------------------------------------------------------------===*/
#ifndef GLUONC_GLUONC_H
#define GLUONC_GLUONC_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define GLUONC_API __attribute__((visibility("default")))
#else
#define GLUONC_API
#endif

/* In C++, as in C, an enumeration then holds any number, so that the library can refuse it. */
#ifdef __cplusplus
#define GLUONC_ENUM_BASE : unsigned
extern "C" {
#else
#define GLUONC_ENUM_BASE
#endif

/* The exit statuses of the program `gluonc` mean the same. */
typedef enum gluonc_status {
  GLUONC_OK = 0,
  /* The kernel, its arguments or the target have errors. */
  GLUONC_INPUT_ERROR = 1,
  /* The API was called with something that it does not take. */
  GLUONC_USAGE_ERROR = 2,
  /* The kernel ran and did something wrong. */
  GLUONC_FAULT = 3,
  /* A device, driver or tool is not there. */
  GLUONC_UNAVAILABLE = 4,
  /* A simulated launch or a compilation was told to end before it was done. */
  GLUONC_CANCELLED = 5,
  /* A bug of gluonc, or no memory left. What was in use is forgotten; engine and modules stay
   * usable. */
  GLUONC_INTERNAL_ERROR = 70
} gluonc_status;

typedef struct gluonc_error gluonc_error;
typedef struct gluonc_engine gluonc_engine;
typedef struct gluonc_module gluonc_module;
typedef struct gluonc_kernel gluonc_kernel;
typedef struct gluonc_specialization gluonc_specialization;
typedef struct gluonc_executable gluonc_executable;

/* "0.1.0". */
GLUONC_API const char *gluonc_version(void);
/* Hexadecimal; another build of the library has another one. What is kept of compilations by other
 * programs can be told apart by it. */
GLUONC_API const char *gluonc_build_id(void);

/* -- Errors --------------------------------------------------------------- */

/* The diagnostics as gluonc prints them, with places and carets. */
GLUONC_API const char *gluonc_error_text(const gluonc_error *error);
/* The same, one JSON object a line. */
GLUONC_API const char *gluonc_error_json(const gluonc_error *error);
/* Of GLUONC_INTERNAL_ERROR: a file that shows the bug, with the command in its first lines. Else
 * empty. */
GLUONC_API const char *gluonc_error_reproducer(const gluonc_error *error);
GLUONC_API void gluonc_error_destroy(gluonc_error *error);

/* -- Engine --------------------------------------------------------------- */

/* Bytes under names of 64 letters and digits, for a remote cache of the host's own. Calls come from
 * threads of the library, several at once, and may be given up after two seconds: `user` must then
 * still be there. What it gives is checked as what anybody could have put there. */
typedef struct gluonc_cache_storage {
  size_t size;
  void *user;
  /* Gives what is under `name` to `give`, once; nothing where there is nothing. Not 0: failed. */
  int (*get)(void *user, const char *name,
             void (*give)(void *receiver, const void *bytes, size_t count), void *receiver);
  /* Not 0: failed. */
  int (*put)(void *user, const char *name, const void *bytes, size_t count);
  /* Once nobody calls any more. May be null. */
  void (*release)(void *user);
} gluonc_cache_storage;

/* A null or empty string turns the feature off. */
typedef struct gluonc_engine_options {
  size_t size;
  /* Folder of compiled kernels. */
  const char *cache_directory;
  /* NVIDIA's assembler; without it the CUDA driver compiles PTX when it loads a kernel. */
  const char *ptxas;
  /* Folders in which imports of kernel files are looked for, behind the file's own folder and
   * package. */
  const char *const *import_folders;
  size_t import_folder_count;
  /* Kernels that machines share, behind `cache_directory`: an absolute path of a folder, or a URL
   * of http:// or https://. docs/remote-cache.md. */
  const char *remote_cache;
  /* File of keys: whose entries are believed, and by which they are signed. */
  const char *remote_cache_keys;
  /* In place of the client for `remote_cache`, which then only names it. */
  const gluonc_cache_storage *remote_cache_storage;
  /* Not 0: nothing is put there, even with a key that signs. */
  int remote_cache_read_only;
} gluonc_engine_options;

/* `options` may be null. */
GLUONC_API gluonc_status gluonc_engine_create(const gluonc_engine_options *options,
                                              gluonc_engine **engine, gluonc_error **error);
GLUONC_API void gluonc_engine_destroy(gluonc_engine *engine);

/* Looks for ptxas in PATH, CUDA_HOME, /usr/local/cuda and Python packages. Returns an empty string
 * where there is none. Reads the environment: call it once, at start. */
GLUONC_API const char *gluonc_find_ptxas(void);

/* Number of GPUs that kernels can be launched on; 0 where there is no driver. They are CUDA's, and
 * AMD's where CUDA has none. */
GLUONC_API int gluonc_engine_device_count(gluonc_engine *engine);
/* The target of a device, e.g. "cuda:90a"; valid as long as the engine. */
GLUONC_API gluonc_status gluonc_engine_device_target(gluonc_engine *engine, int device,
                                                     const char **target, gluonc_error **error);
/* The same for devices of CUDA only, and for those of HIP (AMD). Each driver counts from 0. */
GLUONC_API int gluonc_engine_cuda_device_count(gluonc_engine *engine);
GLUONC_API gluonc_status gluonc_engine_cuda_target(gluonc_engine *engine, int device,
                                                   const char **target, gluonc_error **error);
GLUONC_API int gluonc_engine_hip_device_count(gluonc_engine *engine);
GLUONC_API gluonc_status gluonc_engine_hip_target(gluonc_engine *engine, int device,
                                                  const char **target, gluonc_error **error);

/* What is known of a chip, whether there is one or not: threads of a warp, and what a CTA may have
 * of threads, of shared memory in bytes, and of CTAs in its cluster. */
typedef struct gluonc_target_info {
  unsigned warp_size;
  unsigned max_threads;
  unsigned max_shared_bytes;
  unsigned max_ctas;
} gluonc_target_info;
GLUONC_API gluonc_status gluonc_target_get_info(const char *target, gluonc_target_info *info,
                                                gluonc_error **error);

/* From now on nothing is compiled: what is neither loaded nor in the cache is GLUONC_UNAVAILABLE,
 * with the key that is missing. */
GLUONC_API void gluonc_engine_seal(gluonc_engine *engine);

/* What is set here, and the memory that is added, holds for launches that begin afterwards, on
 * whichever threads; gluonc_launch_options has the same for one launch. */

/* Receives what simulated kernels print, after each launch, in grid order, on the thread that
 * launched; and after each compilation what `static_print` wrote. Null, as at the start, discards
 * it. */
typedef void (*gluonc_output)(void *user, const char *text, size_t size);
GLUONC_API void gluonc_engine_set_output(gluonc_engine *engine, gluonc_output output, void *user);
/* Receives warnings, after each compilation and simulated launch that succeeded. Null, as at the
 * start: they go where output goes. */
GLUONC_API void gluonc_engine_set_warnings(gluonc_engine *engine, gluonc_output warnings,
                                           void *user);

/* Is asked about every 50 ms while a simulated launch runs or a kernel is compiled, on the thread
 * that does so: whether to end that, which is then GLUONC_CANCELLED. (Within one pass of LLVM
 * nobody is asked; a ptxas that runs is ended.) For hosts that take signals there. Null, as at the
 * start: nobody is asked. */
typedef int (*gluonc_interrupt)(void *user);
GLUONC_API void gluonc_engine_set_interrupt(gluonc_engine *engine, gluonc_interrupt interrupt,
                                            void *user);
/* Ends the simulated launches and the compilations that run now, on whichever threads. What
 * launches wrote stays. */
GLUONC_API void gluonc_engine_cancel_launches(gluonc_engine *engine);

/* What the remote cache gave in this process, as an object of JSON: numbers `hits`, `misses`,
 * `stores`, `failures`, and `refused`, an object of a number for each reason. Without a remote
 * cache an empty object. */
GLUONC_API gluonc_status gluonc_engine_remote_cache_statistics(gluonc_engine *engine,
                                                               gluonc_output receive, void *user,
                                                               gluonc_error **error);

/* How the simulator interleaves the partitions of a kernel from now on. Null, as at the start: each
 * runs until it waits. Else they take turns of random length and order, which the number decides:
 * a race that one seed shows, it shows again. */
GLUONC_API void gluonc_engine_set_schedule_seed(gluonc_engine *engine, const uint64_t *seed);

/* What the simulator makes of something that may be intended: nothing, a warning to the receiver of
 * output, or an error. */
typedef enum gluonc_verdict GLUONC_ENUM_BASE {
  GLUONC_VERDICT_IGNORE = 0,
  GLUONC_VERDICT_WARN = 1,
  GLUONC_VERDICT_FAULT = 2
} gluonc_verdict;

/* Accesses of several programs of a grid to the same global memory, one of them a store, that no
 * atomics order; and elements of one store that go to one place with different values. At the start
 * GLUONC_VERDICT_FAULT. Counts from the next launch on, like those below. */
GLUONC_API void gluonc_engine_set_races(gluonc_engine *engine, gluonc_verdict verdict);
/* Stores, addresses and conditions that depend on elements which the mask of a load without `other`
 * leaves out. At the start GLUONC_VERDICT_WARN. */
GLUONC_API void gluonc_engine_set_masked_off(gluonc_engine *engine, gluonc_verdict verdict);
/* Loads of memory that nothing has written, and of what lies behind the end of the memory that
 * their address was computed from, which give anything on a GPU and zero, or what was there, here.
 * At the start GLUONC_VERDICT_FAULT. */
GLUONC_API void gluonc_engine_set_unknown_reads(gluonc_engine *engine, gluonc_verdict verdict);
/* How many branches a simulated program may execute before it counts as endless, at the start 2^26;
 * 0: any number. */
GLUONC_API void gluonc_engine_set_max_branches(gluonc_engine *engine, uint64_t count);
/* Not 0: simulated launches for NVIDIA's GPUs execute the PTX that a GPU would get, thread by
 * thread on the CPU, in place of the kernel's IR. At the start 0. */
GLUONC_API void gluonc_engine_set_executes_ptx(gluonc_engine *engine, int executes_ptx);

/* Tells the simulator about host memory that kernels may access. Accesses to other addresses are
 * faults. `name` appears in reports. */
GLUONC_API gluonc_status gluonc_engine_add_memory(gluonc_engine *engine, const char *name,
                                                  const void *base, size_t bytes,
                                                  gluonc_error **error);
GLUONC_API void gluonc_engine_remove_memory(gluonc_engine *engine, const void *base);

/* -- Source --------------------------------------------------------------- */

GLUONC_API gluonc_status gluonc_engine_load(gluonc_engine *engine, const char *path,
                                            gluonc_module **module, gluonc_error **error);
/* `path` names the text in diagnostics, and is where its relative imports start. */
GLUONC_API gluonc_status gluonc_engine_load_text(gluonc_engine *engine, const char *path,
                                                 const char *text, size_t size,
                                                 gluonc_module **module, gluonc_error **error);
GLUONC_API void gluonc_module_destroy(gluonc_module *module);

/* What a name is bound to in the host program. */
typedef enum gluonc_binding_kind GLUONC_ENUM_BASE {
  /* `text` is an expression over gl, gluon, triton, tl and math. */
  GLUONC_BINDING_EXPRESSION = 0,
  /* A definition in the file `path`, whose text is `text`: `name`, at `line` (of its first
   * decorator), whose own names are bound in `scope`. */
  GLUONC_BINDING_JIT_FUNCTION = 1,
  GLUONC_BINDING_CONSTEXPR_FUNCTION = 2,
  GLUONC_BINDING_FUNCTION = 3,
  GLUONC_BINDING_CLASS = 4,
  /* The file itself; where `path` is null or empty, a module of Python or the language, `name`. */
  GLUONC_BINDING_MODULE = 5,
  GLUONC_BINDING_INSTANCE = 6,
  /* What kernels cannot use; `text` says why. */
  GLUONC_BINDING_OPAQUE = 7,
  /* Nothing: the source is not asked either. */
  GLUONC_BINDING_UNBOUND = 8
} gluonc_binding_kind;

typedef struct gluonc_binding {
  gluonc_binding_kind kind;
  const char *text;
  const char *path;
  const char *name;
  unsigned line;
  uint64_t scope;
  /* Bindings of one object have one number, other than 0, and are one value. */
  uint64_t object;
  /* An expression for what the object says itself, ahead of the text of its definition; may be
   * null. Function: {'defaults': {name: value}, 'noinline': bool, 'body': (line, column) of a
   * lambda}. Class: {'bases': (…), 'members': text of a dict name -> (access, value)}; `line` is
   * any inside; one without a `path` is no aggregate and has 'fields': (name, …), 'named_tuple':
   * bool; `access` is '', 'property', 'static' or 'class'. Instance: {'fields': {name: value}};
   * `name` is an expression for its class. */
  const char *attributes;
} gluonc_binding;

/* Tells what `name` is bound to in a scope; returns 0 for what it does not know, which is then
 * looked up in the source. Strings are read before the next call. */
typedef int (*gluonc_resolver)(void *context, uint64_t scope, const char *name,
                               gluonc_binding *binding);

/* As gluonc_engine_load_text, for a program that has the file loaded itself: names are what
 * `resolve` says. `scope` is not 0. `release` (may be null) is called with `context` when the
 * module and what was made of it are gone. `resolve` runs under the engine's lock. */
GLUONC_API gluonc_status gluonc_engine_load_scope(gluonc_engine *engine, const char *path,
                                                  const char *text, size_t size, uint64_t scope,
                                                  gluonc_resolver resolve, void *context,
                                                  void (*release)(void *), gluonc_module **module,
                                                  gluonc_error **error);

GLUONC_API gluonc_status gluonc_module_kernel(gluonc_module *module, const char *name,
                                              gluonc_kernel **kernel, gluonc_error **error);
/* The function `name` whose definition starts at `line`, nested or not. */
GLUONC_API gluonc_status gluonc_module_kernel_at(gluonc_module *module, const char *name,
                                                 unsigned line, gluonc_kernel **kernel,
                                                 gluonc_error **error);
GLUONC_API void gluonc_kernel_destroy(gluonc_kernel *kernel);

/* Evaluates an expression of the language's compile-time subset, with `gl`, `gluon` and `math` in
 * scope: checks a layout, for instance. `text` is the value in printed form, valid until the
 * thread's next call. */
GLUONC_API gluonc_status gluonc_engine_evaluate(gluonc_engine *engine, const char *expression,
                                                const char **text, gluonc_error **error);
/* Every name of the language that is a function or class, one a line, as a path below `gl`:
 * "load", "nvidia.hopper.tma.async_load". */
GLUONC_API const char *gluonc_language_names(void);
/* What `gluonc doc` says about one of them: signature and documentation. "" where there is nothing
 * to say. Valid until the thread's next call. */
GLUONC_API const char *gluonc_language_doc(const char *path);

/* The classes of layouts, one a line: path below `gl`, then the fields with their defaults as
 * Python writes them: "SharedLinearLayout offset_bases block_bases=() alignment=16". */
GLUONC_API const char *gluonc_language_layouts(void);

/* -- Specialization ------------------------------------------------------- */

typedef enum gluonc_argument_kind GLUONC_ENUM_BASE {
  /* `text` is a type: "*fp32:16" (pointer, divisible by 16), "i32", "fp16",
   * "tensordesc<fp16[64, 64],gl.NVMMASharedLayout(…)>" (element, block, layout), for kernels of
   * Triton "tensordesc<fp16[64, 64]>", behind which ",nan", ",tf32", ",aligned" may stand,
   * "tensordesc_im2col<fp16[64, 64],input_rank=4,gl.NVMMASharedLayout(…)>". */
  GLUONC_ARGUMENT_TYPE = 0,
  /* Compile-time values. */
  GLUONC_ARGUMENT_INTEGER = 1,
  GLUONC_ARGUMENT_REAL = 2,
  GLUONC_ARGUMENT_BOOLEAN = 3,
  GLUONC_ARGUMENT_NONE = 4,
  /* `text` is an expression in the scope of the kernel's module: "gl.BlockedLayout(…)". */
  GLUONC_ARGUMENT_EXPRESSION = 5,
  /* `items`; `text` has the field names of a named tuple, separated by commas, or is null. A
   * parameter `*args` takes one. */
  GLUONC_ARGUMENT_TUPLE = 6
} gluonc_argument_kind;

typedef struct gluonc_argument {
  gluonc_argument_kind kind;
  const char *text;
  int64_t integer;
  double real;
  const struct gluonc_argument *items;
  size_t item_count;
} gluonc_argument;

/* What a kernel and its tensors are written in. */
typedef enum gluonc_language GLUONC_ENUM_BASE {
  /* What the kernel's decorator says; Gluon where that says nothing. */
  GLUONC_LANGUAGE_AS_DECORATED = 0,
  GLUONC_LANGUAGE_GLUON = 1,
  /* The Triton language: the compiler chooses layouts. */
  GLUONC_LANGUAGE_TRITON = 2
} gluonc_language;

typedef struct gluonc_kernel_options {
  size_t size;
  /* 0: 4 warps, 1 CTA. */
  unsigned num_warps;
  unsigned num_ctas;
  /* 0: no limit. */
  unsigned max_registers;
  int debug;
  int no_fp_fusion;
  int line_info;
  /* Launches may begin while the kernel before them in the stream still runs, which then is waited
   * for in the kernel (programmatic dependent launch). */
  int programmatic_dependent_launch;
  /* All programs run at the same time, or the launch fails. */
  int cooperative_launch;
  /* Of loops in Triton that load ahead; 1 to 64, 0: 3. */
  unsigned num_stages;
  gluonc_language language;
  /* "consan", "fpsan", "gsan" or "iisan": simulated launches give the verdicts of Triton's
   * sanitizer of that name (docs/sanitizers.md). Null: none. */
  const char *sanitizer;
  /* Files of LLVM IR, text or bitcode, whose functions the kernel calls (`extern_elementwise`), one
   * path a line; each may call functions of those behind it. Read at once. Null: none. */
  const char *libraries;
  /* Approximations of NVIDIA's chips and libraries (`__nvvm_reflect`) keep subnormal float32. */
  int keep_subnormals;
  /* With `debug`: signed integers may overflow. */
  int no_overflow_checks;
  /* Options for ptxas, as a command line has them. Null: none. */
  const char *ptxas_options;
  /* The PTX ISA, times ten; a newer one where the chip or the code needs it. 0: the least. */
  unsigned ptx_version;
  /* Waves that a SIMD of AMD's chips is to hold at least. 0: as many as come. */
  unsigned waves_per_simd;
} gluonc_kernel_options;

/* One argument per parameter; missing trailing ones take their defaults. `options` may be null. */
GLUONC_API gluonc_status gluonc_kernel_specialize(gluonc_kernel *kernel,
                                                  const gluonc_argument *arguments, size_t count,
                                                  const gluonc_kernel_options *options,
                                                  gluonc_specialization **specialization,
                                                  gluonc_error **error);
GLUONC_API void gluonc_specialization_destroy(gluonc_specialization *specialization);

/* Reads a kernel from a file of ttg IR: Triton's, or what an executable has as "ttgir", edited or
 * not. The parameters, `num_warps` and `num_ctas` are what the text says, and so is
 * `max_registers` unless `options` (may be null) gives one. The target is said by who compiles it.
 * A descriptor among the parameters is followed by extents and strides there, but not in a launch.
 */
GLUONC_API gluonc_status gluonc_engine_load_ir(gluonc_engine *engine, const char *path,
                                               const gluonc_kernel_options *options,
                                               gluonc_specialization **specialization,
                                               gluonc_error **error);
/* `path` names the text in diagnostics. */
GLUONC_API gluonc_status gluonc_engine_load_ir_text(gluonc_engine *engine, const char *path,
                                                    const char *text, size_t size,
                                                    const gluonc_kernel_options *options,
                                                    gluonc_specialization **specialization,
                                                    gluonc_error **error);

typedef struct gluonc_specialization_info {
  /* Of the kernel; valid as long as the specialization. */
  const char *name;
  unsigned num_warps;
  unsigned num_ctas;
  /* 0: no limit. */
  unsigned max_registers;
} gluonc_specialization_info;
GLUONC_API void gluonc_specialization_get_info(const gluonc_specialization *specialization,
                                               gluonc_specialization_info *info);
/* The IR of a specialization before any pass. Valid until the thread's next call. */
GLUONC_API gluonc_status gluonc_specialization_ir(gluonc_specialization *specialization,
                                                  const char *target, const char **text,
                                                  gluonc_error **error);

/* Machine code is then made of `text`, which is "llir" or "assembly" (or "ptx", "amdgcn"), in place
 * of what the kernel would be in that form. It has a function of the kernel's name and parameters,
 * and gets the shared memory that the kernel would. The simulator executes no such text:
 * gluonc_engine_simulate is a GLUONC_USAGE_ERROR. */
GLUONC_API gluonc_status gluonc_specialization_replace_code(gluonc_specialization *specialization,
                                                            const char *form, const char *text,
                                                            size_t size, gluonc_error **error);

/* -- Executables ---------------------------------------------------------- */

/* Machine code for `target`, e.g. "cuda:90a". No device is needed before the first launch. */
GLUONC_API gluonc_status gluonc_engine_compile(gluonc_engine *engine,
                                               gluonc_specialization *specialization,
                                               const char *target, gluonc_executable **executable,
                                               gluonc_error **error);
/* A program for the simulator, which pretends to be `target`. */
GLUONC_API gluonc_status gluonc_engine_simulate(gluonc_engine *engine,
                                                gluonc_specialization *specialization,
                                                const char *target, gluonc_executable **executable,
                                                gluonc_error **error);
GLUONC_API void gluonc_executable_destroy(gluonc_executable *executable);

/* "ttgir" (as the simulator or the code generator reads it, but for places in shared memory, which
 * are found anew when it is compiled), "assembly", "binary"; the latter also by the names that they
 * have for the target, "ptx" and "cubin", "amdgcn" and "hsaco". Null where the executable has no
 * such form. */
GLUONC_API const char *gluonc_executable_code(const gluonc_executable *executable, const char *form,
                                              size_t *size);
/* The same, and "llir": a form that is not at hand is made from the source, for the executable's
 * target. Valid as long as the executable. */
GLUONC_API gluonc_status gluonc_executable_make_code(gluonc_executable *executable,
                                                     const char *form, const char **code,
                                                     size_t *size, gluonc_error **error);
typedef struct gluonc_executable_info {
  /* Warps of a CTA, specialized ones included. */
  unsigned num_warps;
  /* Dynamic shared memory of a CTA. */
  unsigned shared_bytes;
  /* Global scratch memory of a CTA. */
  unsigned scratch_bytes;
  /* Registers of a thread and bytes that it spills: as the driver tells once it is loaded, as
   * ptxas tells before; zero where neither was asked. */
  unsigned registers;
  unsigned spilled_bytes;
  /* Threads that a CTA may have, and the driver's CUfunction or hipFunction_t; zero and null before
   * it is loaded. */
  unsigned max_threads;
  void *function;
} gluonc_executable_info;
GLUONC_API void gluonc_executable_get_info(const gluonc_executable *executable,
                                           gluonc_executable_info *info);
/* Under what the machine code is cached: 64 hexadecimal digits that stand for the kernel's IR, as
 * gluonc_specialization_ir gives it, for options, target and compiler. Valid as long as the
 * executable. */
GLUONC_API const char *gluonc_executable_key(const gluonc_executable *executable);
/* Parameters that a launch gives: tuples are flattened, depth first. */
GLUONC_API size_t gluonc_executable_parameter_count(const gluonc_executable *executable);
/* "*fp32", "i32", …; null past the end. */
GLUONC_API const char *gluonc_executable_parameter_type(const gluonc_executable *executable,
                                                        size_t index);

/* What `bytes` says can be kept in a file and made an executable again, by this version of gluonc,
 * without source and compiler: machine code, what a launch needs to know, and the parameters. Of
 * machine code only. Valid as long as the executable. */
GLUONC_API gluonc_status gluonc_executable_save(gluonc_executable *executable, const char **bytes,
                                                size_t *size, gluonc_error **error);
/* The executable that was saved. Such bytes are code: take them from nobody else. */
GLUONC_API gluonc_status gluonc_engine_load_executable(gluonc_engine *engine, const char *bytes,
                                                       size_t size, gluonc_executable **executable,
                                                       gluonc_error **error);

/* Loads machine code on a device of its target's driver, so that the first launch does not have to,
 * which takes the thread's current one, or else device 0. An executable is loaded on one device:
 * another one is GLUONC_USAGE_ERROR. Nothing for simulated executables. */
GLUONC_API gluonc_status gluonc_executable_load(gluonc_executable *executable, int device,
                                                gluonc_error **error);

/* The slot of a `tensordesc` parameter holds the address of one: the tensor that the kernel moves
 * blocks of. Dims are outermost first, strides count elements. Read during the launch. */
typedef struct gluonc_tensor {
  const void *base;
  unsigned rank;
  int64_t shape[5];
  int64_t strides[5];
  /* Elements outside the tensor read as NaN, not zero. */
  int nan_padding;
  /* Of fp32: rounded on the way. */
  int round_to_tf32;
  /* Of im2col; element strides of zero mean one. */
  uint32_t element_strides[5];
  int32_t lower_corner[3];
  int32_t upper_corner[3];
  /* Type of the elements: "fp16". Null: that of the parameter, on the caller's word. */
  const char *dtype;
} gluonc_tensor;

/* The block that one copy of a kernel moves, and the NVMMASharedLayout that it has there. */
typedef struct gluonc_tensor_block {
  unsigned rank;
  int64_t shape[5];
  int is_im2col;
  unsigned layout_rank, swizzle_bytes, element_bits;
  int transposed;
  int fp4_padded;
} gluonc_tensor_block;

/* Whether there can be a descriptor of such blocks of the tensor, whose dtype is not null;
 * GLUONC_USAGE_ERROR says which rule is broken. What the chip at hand lacks is not looked at. */
GLUONC_API gluonc_status gluonc_check_descriptor(const gluonc_tensor *tensor,
                                                 const gluonc_tensor_block *block,
                                                 gluonc_error **error);

/* Launches x * y * z programs. `values` holds one 8-byte slot per parameter: an address, or a
 * scalar in the low bytes in its own format. An integer that its parameter cannot hold is
 * GLUONC_USAGE_ERROR. `stream` is a CUstream, a hipStream_t or null. Prepared: no hashing, no
 * allocation, one driver call (two of HIP), and one more for each descriptor. The simulator returns
 * when the grid is done. */
GLUONC_API gluonc_status gluonc_launch(gluonc_executable *executable, unsigned x, unsigned y,
                                       unsigned z, void *stream, const uint64_t *values,
                                       size_t count, gluonc_error **error);

/* Host memory that one simulated launch may access. */
typedef struct gluonc_memory_range {
  /* Appears in reports. */
  const char *name;
  const void *base;
  size_t bytes;
  int read_only;
} gluonc_memory_range;

/* Launches a simulated executable on `ranges` and nothing else; ranges may overlap. Unlike memory
 * that the engine knows, ranges concern this launch only, so threads need not agree on them. */
GLUONC_API gluonc_status gluonc_launch_on_ranges(gluonc_executable *executable, unsigned x,
                                                 unsigned y, unsigned z, const uint64_t *values,
                                                 size_t count, const gluonc_memory_range *ranges,
                                                 size_t range_count, gluonc_error **error);

/* Of one simulated launch. What is null is as the engine has it. */
typedef struct gluonc_launch_options {
  size_t size;
  /* The memory that it may access, in place of the engine's. */
  const gluonc_memory_range *ranges;
  size_t range_count;
  const uint64_t *schedule_seed;
  gluonc_output output;
  void *output_user;
  gluonc_interrupt interrupt;
  void *interrupt_user;
  gluonc_output warnings;
  void *warnings_user;
  /* Beside `ranges`, what addresses may lead to that the kernel finds in memory. Pointers that are
   * computed from an argument stay in the range that it leads into. */
  const gluonc_memory_range *reachable;
  size_t reachable_count;
} gluonc_launch_options;

/* Launches a simulated executable; `options` may be null. Launches with options of their own may
 * run on several threads at once. */
GLUONC_API gluonc_status gluonc_launch_simulated(gluonc_executable *executable, unsigned x,
                                                 unsigned y, unsigned z, const uint64_t *values,
                                                 size_t count, const gluonc_launch_options *options,
                                                 gluonc_error **error);

/* What a launch would take on the GPU that simulated launches stand for, by the performance model:
 * a prediction, no measurement. */
typedef struct gluonc_prediction {
  double milliseconds;
  /* Launches that it is of. */
  unsigned launches;
  /* The unit that is at work most of the longest launch, or what its warps wait for; a constant. */
  const char *limit;
  /* Whose figures it is from ("H100 SXM"), and whether they were measured there or published. */
  const char *chip;
  int is_measured;
  /* A timeline of the launches, JSON of Chrome's trace events and an HTML page; valid until the
   * next prediction begins. */
  const char *timeline;
  const char *timeline_page;
} gluonc_prediction;

/* From now on launches of simulated executables are predicted: the machine code of a few programs
 * of the grid is executed (products leave their results as they are), the others do nothing. Of a
 * chip that the model does not know such a launch is GLUONC_UNAVAILABLE. */
GLUONC_API void gluonc_engine_begin_prediction(gluonc_engine *engine);
/* Whether the model has figures of a chip. */
GLUONC_API int gluonc_target_is_predicted(const char *target);
/* The same, and launches on NVIDIA's GPUs are of code with timestamps, which measures when its
 * warps wait. They compute what they would else, and a call returns when its kernel has ended. The
 * numbers of gluonc_engine_end_prediction are of these too: `chip` is the GPU, `limit` is null. Not
 * of launches that a graph captures, nor of saved executables: those are GLUONC_UNAVAILABLE. */
GLUONC_API void gluonc_engine_begin_trace(gluonc_engine *engine);
/* Launches are simulated again. What those since the beginning would take together. */
GLUONC_API void gluonc_engine_end_prediction(gluonc_engine *engine, gluonc_prediction *prediction);

/*===- Bundles --------------------------------------------------------------===*/

/* Of gluonc_rt.h, whose functions launch its kernels. */
typedef struct gluonc_rt_bundle gluonc_rt_bundle;
/* What `gluonc build` makes of a manifest, in this process: for programs that launch kernels from
 * bundles and have the compiler at hand while they are developed. `target` takes the place of the
 * manifest's targets; null: these. Without ptxas NVIDIA's chips get PTX. The engine's cache has
 * what is unchanged. Freed with gluonc_rt_bundle_destroy. */
GLUONC_API gluonc_status gluonc_engine_build_bundle(gluonc_engine *engine, const char *manifest,
                                                    const char *target, gluonc_rt_bundle **bundle,
                                                    gluonc_error **error);

#ifdef __cplusplus
}
#endif
#endif
