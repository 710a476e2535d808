// SPDX-License-Identifier: Apache-2.0
#ifndef ROOST_APPLE_STAND_IN_DARWIN_H
#define ROOST_APPLE_STAND_IN_DARWIN_H

#include <stddef.h>

/* Apple's C library as far as Roost uses it: a stand-in, see README.md. Linux's own headers are loaded beside this one,
   and clang compares types of one name. So everything that differs between the systems has a name of its own in C, and
   Apple's name in Swift. */
#define APPLE(name) __attribute__((swift_name(name)))
#define NULLABLE _Nullable
#define NONNULL _Nonnull

/* MARK: sys/types.h, sys/_types */

typedef unsigned short apple_mode_t APPLE("mode_t");
typedef long long apple_off_t APPLE("off_t");
typedef long apple_time_t APPLE("time_t");
typedef unsigned int apple_nfds_t APPLE("nfds_t");
typedef unsigned int apple_uid_t APPLE("uid_t");
typedef unsigned int apple_gid_t APPLE("gid_t");

struct APPLE("timespec") apple_timespec {
    apple_time_t tv_sec;
    long tv_nsec;
};

/* MARK: errno.h */

#define ENOENT 2
#define EINTR 4
#define EACCES 13
#define EEXIST 17
#define ENOTDIR 20
#define EISDIR 21
#define ENOSPC 28
#define EAGAIN 35
#define EWOULDBLOCK EAGAIN
#define EDQUOT 69

/* MARK: fcntl.h, unistd.h, stdio.h */

#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x00000004
#define O_APPEND 0x00000008
#define O_NOFOLLOW 0x00000100
#define O_CREAT 0x00000200
#define O_TRUNC 0x00000400
#define O_EXCL 0x00000800
#define O_EVTONLY 0x00008000
#define O_DIRECTORY 0x00100000
#define O_CLOEXEC 0x01000000
#define F_GETFD 1
#define F_SETFD 2
#define F_SETFL 4
#define F_FULLFSYNC 51
#define FD_CLOEXEC 1
#define AT_FDCWD (-2)
#define F_OK 0
#define SEEK_END 2
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2

int close(int);
int pipe(int[2]);
long apple_read(int, void *, size_t) APPLE("read(_:_:_:)");
long apple_write(int, const void *, size_t) APPLE("write(_:_:_:)");
long apple_pwrite(int, const void *, size_t, apple_off_t) APPLE("pwrite(_:_:_:_:)");
int apple_access(const char *, int) APPLE("access(_:_:)");
int apple_unlink(const char *) APPLE("unlink(_:)");
int apple_rename(const char *, const char *) APPLE("rename(_:_:)");
int apple_ftruncate(int, apple_off_t) APPLE("ftruncate(_:_:)");
apple_off_t apple_lseek(int, apple_off_t, int) APPLE("lseek(_:_:_:)");
int apple_fchown(int, apple_uid_t, apple_gid_t) APPLE("fchown(_:_:_:)");
int fsync(int);
apple_uid_t apple_geteuid(void) APPLE("geteuid()");
int isatty(int);
int apple_getpid(void) APPLE("getpid()");
void apple__exit(int) APPLE("_exit(_:)") __attribute__((noreturn));

/* MARK: sys/file.h */

#define LOCK_SH 0x01
#define LOCK_EX 0x02
#define LOCK_NB 0x04
#define LOCK_UN 0x08
int flock(int, int);

/* MARK: sys/stat.h */

struct APPLE("stat") apple_stat {
    int st_dev;
    apple_mode_t st_mode;
    unsigned short st_nlink;
    unsigned long long st_ino;
    apple_uid_t st_uid;
    apple_gid_t st_gid;
    struct apple_timespec st_mtimespec;
    apple_off_t st_size;
};
int apple_stat(const char *, struct apple_stat *) APPLE("stat(_:_:)");
int apple_lstat(const char *, struct apple_stat *) APPLE("lstat(_:_:)");
int apple_fstat(int, struct apple_stat *) APPLE("fstat(_:_:)");
int apple_chmod(const char *, apple_mode_t) APPLE("chmod(_:_:)");
int apple_fchmod(int, apple_mode_t) APPLE("fchmod(_:_:)");
int apple_mkdir(const char *, apple_mode_t) APPLE("mkdir(_:_:)");
int apple_utimensat(int, const char *, const struct apple_timespec[2], int) APPLE("utimensat(_:_:_:_:)");

/* MARK: sys/statvfs.h */

struct APPLE("statvfs") apple_statvfs {
    unsigned long f_bsize;
    unsigned long f_frsize;
    unsigned int f_blocks;
    unsigned int f_bfree;
    unsigned int f_bavail;
};
int apple_statvfs(const char *, struct apple_statvfs *) APPLE("statvfs(_:_:)");

/* MARK: dlfcn.h */

#define RTLD_NOW 0x2
#define RTLD_LOCAL 0x4
void *apple_dlopen(const char *, int) APPLE("dlopen(_:_:)");
void *apple_dlsym(void *, const char *) APPLE("dlsym(_:_:)");

/* MARK: dirent.h */

typedef struct { int __dd_fd; } apple_DIR APPLE("DIR");
struct APPLE("dirent") apple_dirent {
    unsigned long long d_ino;
    unsigned char d_type;
    char d_name[1024];
};
apple_DIR *apple_opendir(const char *) APPLE("opendir(_:)");
int apple_closedir(apple_DIR *) APPLE("closedir(_:)");
struct apple_dirent *apple_readdir(apple_DIR *) APPLE("readdir(_:)");

/* MARK: string.h, strings.h, stdlib.h */

typedef int errno_t;
char *apple_strerror(int) APPLE("strerror(_:)");
void *apple_memchr(const void *, int, size_t) APPLE("memchr(_:_:_:)");
int apple_memcmp(const void *, const void *, size_t) APPLE("memcmp(_:_:_:)");
errno_t memset_s(void *, size_t, int, size_t);
int timingsafe_bcmp(const void *, const void *, size_t);
void apple_arc4random_buf(void *, size_t) APPLE("arc4random_buf(_:_:)");

char *apple_strdup(const char *) APPLE("strdup(_:)");

/* MARK: stdio.h */

typedef struct { int _file; } apple_FILE APPLE("FILE");
apple_FILE *apple_fopen(const char *, const char *) APPLE("fopen(_:_:)");
int apple_fclose(apple_FILE *) APPLE("fclose(_:)");
size_t apple_fread(void *, size_t, size_t, apple_FILE *) APPLE("fread(_:_:_:_:)");

/* MARK: math.h */

double log(double);

/* MARK: time.h */

typedef enum {
    apple_CLOCK_REALTIME APPLE("CLOCK_REALTIME") = 0,
} apple_clockid_t APPLE("clockid_t");
int apple_clock_gettime(apple_clockid_t, struct apple_timespec *)
    APPLE("clock_gettime(_:_:)");
int apple_nanosleep(const struct apple_timespec *, struct apple_timespec *)
    APPLE("nanosleep(_:_:)");

/* MARK: poll.h, signal.h */

#define SIGHUP 1
#define SIGINT 2
#define SIGTERM 15

typedef void (*apple_sig_t)(int) APPLE("sig_t");
apple_sig_t NULLABLE apple_signal(int, apple_sig_t NULLABLE) APPLE("signal(_:_:)");

#define POLLIN 0x0001
#define POLLOUT 0x0004
struct APPLE("pollfd") apple_pollfd {
    int fd;
    short events;
    short revents;
};
int apple_poll(struct apple_pollfd *, apple_nfds_t, int) APPLE("poll(_:_:_:)");

/* MARK: pthread.h, with nullability as in the original */

struct APPLE("_opaque_pthread_t") apple_opaque_thread { long __sig; };
typedef struct apple_opaque_thread *apple_pthread_t APPLE("pthread_t");
typedef struct { long __sig; } apple_pthread_attr_t APPLE("pthread_attr_t");
typedef struct { long __sig; } apple_pthread_mutex_t APPLE("pthread_mutex_t");
typedef struct { long __sig; } apple_pthread_mutexattr_t APPLE("pthread_mutexattr_t");
typedef struct { long __sig; } apple_pthread_cond_t APPLE("pthread_cond_t");
typedef struct { long __sig; } apple_pthread_condattr_t APPLE("pthread_condattr_t");
int apple_pthread_create(
    apple_pthread_t NULLABLE *NONNULL, const apple_pthread_attr_t *NULLABLE,
    void *NULLABLE (*NONNULL)(void *NONNULL), void *NULLABLE) APPLE("pthread_create(_:_:_:_:)");
int apple_pthread_join(apple_pthread_t NONNULL, void *NULLABLE *NULLABLE)
    APPLE("pthread_join(_:_:)");
int apple_pthread_detach(apple_pthread_t NONNULL) APPLE("pthread_detach(_:)");
int apple_pthread_equal(apple_pthread_t NULLABLE, apple_pthread_t NULLABLE)
    APPLE("pthread_equal(_:_:)");
apple_pthread_t NONNULL apple_pthread_self(void) APPLE("pthread_self()");
int apple_mutex_init(apple_pthread_mutex_t *NONNULL, const apple_pthread_mutexattr_t *NULLABLE)
    APPLE("pthread_mutex_init(_:_:)");
int apple_mutex_destroy(apple_pthread_mutex_t *NONNULL) APPLE("pthread_mutex_destroy(_:)");
int apple_mutex_lock(apple_pthread_mutex_t *NONNULL) APPLE("pthread_mutex_lock(_:)");
int apple_mutex_unlock(apple_pthread_mutex_t *NONNULL) APPLE("pthread_mutex_unlock(_:)");
int apple_cond_init(apple_pthread_cond_t *NONNULL, const apple_pthread_condattr_t *NULLABLE)
    APPLE("pthread_cond_init(_:_:)");
int apple_cond_destroy(apple_pthread_cond_t *NONNULL) APPLE("pthread_cond_destroy(_:)");
int apple_cond_wait(apple_pthread_cond_t *NONNULL, apple_pthread_mutex_t *NONNULL)
    APPLE("pthread_cond_wait(_:_:)");
int apple_cond_signal(apple_pthread_cond_t *NONNULL) APPLE("pthread_cond_signal(_:)");

#undef APPLE
#undef NULLABLE
#undef NONNULL
#endif
