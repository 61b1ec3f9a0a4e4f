/*===- gluonc_rt.h - C API of gluonc's launcher ----------------------------===*
 *
 * Launches kernels that `gluonc build` compiled ahead of time. libgluonc_rt has nothing of the
 * compiler in it; libgluonc has these functions, too. gluonc_rt.hpp is the same in C++, and what
 * headers that `gluonc build` writes are made of.
 *
 *   bundle -> kernel -> launch
 *
 * A bundle is owned by the caller, kernels belong to their bundle. Functions that can fail return
 * a status and, through their last parameter (which may be null), an error. Nothing prints, exits
 * or throws, and the environment is not read. A bundle may be used from several threads. Null is
 * GLUONC_RT_USAGE_ERROR where something is needed; freeing it does nothing.
 *
 * Structures of options begin with their size, so that a program runs with a later library. Zero,
 * null and what a smaller structure does not have is the default.
 *
 *===----------------------------------------------------------------------===*/
#ifndef GLUONC_GLUONC_RT_H
#define GLUONC_GLUONC_RT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define GLUONC_RT_API __attribute__((visibility("default")))
#else
#define GLUONC_RT_API
#endif

#ifdef __cplusplus
#define GLUONC_RT_ENUM_BASE : unsigned
extern "C" {
#else
#define GLUONC_RT_ENUM_BASE
#endif

/* The numbers of gluonc_status. */
typedef enum gluonc_rt_status GLUONC_RT_ENUM_BASE {
  GLUONC_RT_OK = 0,
  /* The bundle is damaged, or none, or not the one that was asked for. */
  GLUONC_RT_INPUT_ERROR = 1,
  /* The API was called with something that it does not take, or no variant of the kernel is for
   * such arguments. */
  GLUONC_RT_USAGE_ERROR = 2,
  /* A device or driver is not there, or has refused something. */
  GLUONC_RT_UNAVAILABLE = 4
} gluonc_rt_status;

typedef struct gluonc_rt_error gluonc_rt_error;
typedef struct gluonc_rt_bundle gluonc_rt_bundle;
typedef struct gluonc_rt_kernel gluonc_rt_kernel;

/* "0.1.0". */
GLUONC_RT_API const char *gluonc_rt_version(void);

/* What is wrong; valid as long as the error. */
GLUONC_RT_API const char *gluonc_rt_error_text(const gluonc_rt_error *error);
GLUONC_RT_API void gluonc_rt_error_destroy(gluonc_rt_error *error);

/*===- Bundles --------------------------------------------------------------===*/

typedef struct gluonc_rt_bundle_options {
  size_t size;
  /* The digest that the bundle must have (`gluonc bundle list`, or the header that was made with
   * it): anything else is GLUONC_RT_INPUT_ERROR. */
  const char *digest;
  /* Nothing will be compiled by anybody: a bundle that has PTX, which a driver compiles when it
   * loads it, is GLUONC_RT_INPUT_ERROR. */
  int sealed;
  /* The CUDA driver, by a path or by the name under which the loader finds it; by default
   * libcuda.so.1. */
  const char *cuda_library;
} gluonc_rt_bundle_options;

/* Maps a file, which must not be changed as long as the bundle lives, and checks its index.
 * Machine code is checked and loaded when it is launched first. `options` may be null. */
GLUONC_RT_API gluonc_rt_status gluonc_rt_bundle_open(const char *path,
                                                     const gluonc_rt_bundle_options *options,
                                                     gluonc_rt_bundle **bundle,
                                                     gluonc_rt_error **error);
/* The same of bytes that live as long as the bundle, on a multiple of 8. */
GLUONC_RT_API gluonc_rt_status gluonc_rt_bundle_open_memory(const void *bytes, size_t size,
                                                            const gluonc_rt_bundle_options *options,
                                                            gluonc_rt_bundle **bundle,
                                                            gluonc_rt_error **error);
/* No kernel of it may be at work in another thread. */
GLUONC_RT_API void gluonc_rt_bundle_destroy(gluonc_rt_bundle *bundle);

/* 64 hexadecimal digits that stand for all of it; valid as long as the bundle. */
GLUONC_RT_API const char *gluonc_rt_bundle_digest(const gluonc_rt_bundle *bundle);
GLUONC_RT_API size_t gluonc_rt_bundle_kernel_count(const gluonc_rt_bundle *bundle);
/* In the order of names; null past the end. */
GLUONC_RT_API gluonc_rt_kernel *gluonc_rt_bundle_kernel_at(gluonc_rt_bundle *bundle, size_t index);
/* `parameters` (may be null) is what the caller believes the kernel takes: types as
 * gluonc_rt_kernel_parameter_type gives them, separated by ", ". Other ones are
 * GLUONC_RT_USAGE_ERROR. */
GLUONC_RT_API gluonc_rt_status gluonc_rt_bundle_kernel(gluonc_rt_bundle *bundle, const char *name,
                                                       const char *parameters,
                                                       gluonc_rt_kernel **kernel,
                                                       gluonc_rt_error **error);

/*===- Kernels --------------------------------------------------------------===*/

GLUONC_RT_API const char *gluonc_rt_kernel_name(const gluonc_rt_kernel *kernel);
GLUONC_RT_API size_t gluonc_rt_kernel_parameter_count(const gluonc_rt_kernel *kernel);
/* "src"; null past the end. */
GLUONC_RT_API const char *gluonc_rt_kernel_parameter_name(const gluonc_rt_kernel *kernel,
                                                          size_t index);
/* "*fp32", "i32", "tensor fp16[2]" (element, rank), "constexpr"; null past the end. */
GLUONC_RT_API const char *gluonc_rt_kernel_parameter_type(const gluonc_rt_kernel *kernel,
                                                          size_t index);

/* What a slot of a parameter "tensor …" holds the address of. Dims are outermost first, strides
 * count elements. Read during the launch. The layout is that of gluonc_tensor without its last
 * field. */
typedef struct gluonc_rt_tensor {
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
} gluonc_rt_tensor;

typedef struct gluonc_rt_variant {
  /* Of the machine code: "cuda:90a"; valid as long as the bundle. */
  const char *target;
  unsigned threads;
  unsigned ctas;
  unsigned shared_bytes;
  unsigned scratch_bytes;
} gluonc_rt_variant;

GLUONC_RT_API size_t gluonc_rt_kernel_variant_count(const gluonc_rt_kernel *kernel);
GLUONC_RT_API gluonc_rt_status gluonc_rt_kernel_variant(const gluonc_rt_kernel *kernel,
                                                        size_t index, gluonc_rt_variant *variant,
                                                        gluonc_rt_error **error);
/* A compile-time value of a variant, as text: how large its blocks are, for instance. Null where
 * the variant has no such parameter. */
GLUONC_RT_API const char *gluonc_rt_kernel_variant_value(const gluonc_rt_kernel *kernel,
                                                         size_t index, const char *name);

/* Which variant a launch on `target` ("cuda:90a") takes: of those for the target that is nearest,
 * the first whose conditions hold. No device is asked. */
GLUONC_RT_API gluonc_rt_status gluonc_rt_kernel_select(const gluonc_rt_kernel *kernel,
                                                       const char *target, const uint64_t *values,
                                                       size_t count, size_t *variant,
                                                       gluonc_rt_error **error);

/* Loads all variants for a device, so that no launch there has to; checks their machine code. */
GLUONC_RT_API gluonc_rt_status gluonc_rt_kernel_load(gluonc_rt_kernel *kernel, int device,
                                                     gluonc_rt_error **error);

/* Launches x * y * z programs on the thread's current device, or else device 0. `values` holds one
 * 8-byte slot per parameter: an address, a scalar in the low bytes in its own format, or a
 * compile-time integer. An integer that its parameter cannot hold is GLUONC_RT_USAGE_ERROR, and so
 * are arguments that no variant is for: the error says why each was refused. `stream` is a
 * CUstream, a hipStream_t or null. */
GLUONC_RT_API gluonc_rt_status gluonc_rt_launch(gluonc_rt_kernel *kernel, unsigned x, unsigned y,
                                                unsigned z, void *stream, const uint64_t *values,
                                                size_t count, gluonc_rt_error **error);

#ifdef __cplusplus
}
#endif

#endif /* GLUONC_GLUONC_RT_H */
