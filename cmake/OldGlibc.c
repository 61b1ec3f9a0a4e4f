//===- OldGlibc.c - What libgluonc, module and command need of glibc -------===//
//
// Binaries that are built with a new glibc ask for the newest version of each symbol, and do not
// start where glibc is older. Wheels are for glibc 2.28 (manylinux_2_28): this object, linked into
// what they hold, stands in for everything newer. Most of it is in every glibc under an older
// version, which is asked for here; a few functions are made of others.
//
// tools/check_wheel says what a binary asks for. docs/packaging.md has the whole way.
//
//===----------------------------------------------------------------------===//
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#define HERE __attribute__((visibility("hidden")))

/// `name` as every glibc for x86-64 has had it.
#define OLD(result, name, parameters, arguments)                                                   \
  extern result old_##name parameters;                                                             \
  __asm__(".symver old_" #name ", " #name "@GLIBC_2.2.5");                                         \
  HERE result name parameters { return old_##name arguments; }

OLD(double, exp, (double x), (x))
OLD(double, exp2, (double x), (x))
OLD(double, log, (double x), (x))
OLD(double, log2, (double x), (x))
OLD(double, pow, (double x, double y), (x, y))
OLD(double, hypot, (double x, double y), (x, y))

OLD(int, dladdr, (const void *address, Dl_info *info), (address, info))
OLD(char *, dlerror, (void), ())
OLD(void *, dlopen, (const char *name, int mode), (name, mode))
OLD(void *, dlsym, (void *restrict handle, const char *restrict name), (handle, name))

OLD(int, pthread_create,
    (pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*start)(void *),
     void *restrict argument),
    (thread, attributes, start, argument))
OLD(int, pthread_join, (pthread_t thread, void **result), (thread, result))
OLD(int, pthread_detach, (pthread_t thread), (thread))
OLD(int, pthread_once, (pthread_once_t * once, void (*start)(void)), (once, start))
OLD(int, pthread_attr_setstacksize, (pthread_attr_t * attributes, size_t size), (attributes, size))
OLD(int, pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock))
OLD(int, pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock))
OLD(int, pthread_rwlock_unlock, (pthread_rwlock_t * lock), (lock))
OLD(int, pthread_sigmask, (int how, const sigset_t *restrict set, sigset_t *restrict before),
    (how, set, before))
OLD(int, pthread_key_create, (pthread_key_t * key, void (*destroy)(void *)), (key, destroy))

/// Came with 2.12.
extern int old_pthread_setname_np(pthread_t thread, const char *name);
__asm__(".symver old_pthread_setname_np, pthread_setname_np@GLIBC_2.12");
HERE int pthread_setname_np(pthread_t thread, const char *name) {
  return old_pthread_setname_np(thread, name);
}
HERE int __pthread_key_create(pthread_key_t *key, void (*destroy)(void *)) {
  return old_pthread_key_create(key, destroy);
}

// -- stat and its kin: once macros over functions that take the version of the structure ----------

extern int old_xstat(int version, const char *path, struct stat *status);
extern int old_lxstat(int version, const char *path, struct stat *status);
extern int old_fxstat(int version, int file, struct stat *status);
extern int old_fxstatat(int version, int folder, const char *path, struct stat *status, int flags);
__asm__(".symver old_xstat, __xstat@GLIBC_2.2.5");
__asm__(".symver old_lxstat, __lxstat@GLIBC_2.2.5");
__asm__(".symver old_fxstat, __fxstat@GLIBC_2.2.5");
__asm__(".symver old_fxstatat, __fxstatat@GLIBC_2.4");
enum { statVersion = 1 };

HERE int stat(const char *restrict path, struct stat *restrict status) {
  return old_xstat(statVersion, path, status);
}
HERE int lstat(const char *restrict path, struct stat *restrict status) {
  return old_lxstat(statVersion, path, status);
}
HERE int fstat(int file, struct stat *status) { return old_fxstat(statVersion, file, status); }
HERE int fstatat(int folder, const char *restrict path, struct stat *restrict status, int flags) {
  return old_fxstatat(statVersion, folder, path, status, flags);
}

// -- What older ones do not have -------------------------------------------------------------------

/// Whether there is one thread: libstdc++ counts references without atomic instructions then.
HERE char __libc_single_threaded = 0;

HERE uint32_t arc4random(void) {
  uint32_t number;
  while (getrandom(&number, sizeof number, 0) != sizeof number)
    ;
  return number;
}

/// LLVM reads the number of bytes in use.
HERE struct mallinfo2 mallinfo2(void) {
  struct mallinfo2 made = {0};
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
  struct mallinfo found = mallinfo();
#pragma clang diagnostic pop
  made.arena = (unsigned)found.arena;
  made.hblkhd = (unsigned)found.hblkhd;
  made.uordblks = (unsigned)found.uordblks;
  made.fordblks = (unsigned)found.fordblks;
  return made;
}

/// Condition variables are made for the real-time clock: the time that is left counts.
HERE int pthread_cond_clockwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                                clockid_t clock, const struct timespec *restrict until) {
  struct timespec end = *until;
  if (clock != CLOCK_REALTIME) {
    struct timespec now, real;
    clock_gettime(clock, &now);
    clock_gettime(CLOCK_REALTIME, &real);
    end.tv_sec += real.tv_sec - now.tv_sec;
    end.tv_nsec += real.tv_nsec - now.tv_nsec;
    if (end.tv_nsec < 0) {
      end.tv_nsec += 1000000000;
      --end.tv_sec;
    } else if (end.tv_nsec >= 1000000000) {
      end.tv_nsec -= 1000000000;
      ++end.tv_sec;
    }
  }
  return pthread_cond_timedwait(condition, mutex, &end);
}

/// The loaded object that holds an address, for libgcc's unwinder.
struct Search {
  uintptr_t address;
  struct dl_find_object *found;
};

static int look(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  struct Search *search = context;
  uintptr_t begin = UINTPTR_MAX, end = 0;
  const ElfW(Phdr) *frames = NULL;
  int isHere = 0;
  for (int i = 0; i != info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uintptr_t from = info->dlpi_addr + part->p_vaddr, to = from + part->p_memsz;
    if (part->p_type == PT_GNU_EH_FRAME)
      frames = part;
    if (part->p_type != PT_LOAD)
      continue;
    begin = from < begin ? from : begin;
    end = to > end ? to : end;
    isHere |= from <= search->address && search->address < to;
  }
  if (!isHere)
    return 0;
  if (!frames)
    return -1;
  *search->found = (struct dl_find_object){
      .dlfo_map_start = (void *)begin,
      .dlfo_map_end = (void *)end,
      .dlfo_eh_frame = (void *)(info->dlpi_addr + frames->p_vaddr),
  };
  return 1;
}

HERE int _dl_find_object(void *address, struct dl_find_object *found) {
  struct Search search = {(uintptr_t)address, found};
  return dl_iterate_phdr(look, &search) == 1 ? 0 : -1;
}

#ifdef OLD_GLIBC_PROGRAM
/// What a program begins with. It may have no constructors: an older glibc leaves them to `init`.
extern int old_libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
                               void (*init)(void), void (*fini)(void), void (*rtldFini)(void),
                               void *stackEnd);
__asm__(".symver old_libc_start_main, __libc_start_main@GLIBC_2.2.5");
HERE int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
                           void (*init)(void), void (*fini)(void), void (*rtldFini)(void),
                           void *stackEnd) {
  return old_libc_start_main(main, argc, argv, init, fini, rtldFini, stackEnd);
}
#endif
