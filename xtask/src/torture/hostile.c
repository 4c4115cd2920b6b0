/* A machine on which things fail, for `cargo xtask torture`: put before the C library (LD_PRELOAD),
 * it lets calls fail as an operating system may let them. Only regular files are touched.
 *
 *   HOSTILE_SPACE=N     after N bytes that were written the disk is full, to the byte
 *   HOSTILE_SYNC=1      what was written does not reach the disk: fsync fails
 *   HOSTILE_EVERY=K     every K-th call is interrupted, and reads and writes are cut short
 *   HOSTILE_ALARM_US=N  a signal every N microseconds whose handler lets calls not go on by themselves
 *   HOSTILE_CLOCK=N     the time of day jumps by years, forwards and backwards
 *   HOSTILE_READONLY=P  nothing can be made, renamed or removed in the folder P
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static atomic_long space = -1;
static atomic_ulong calls;
static unsigned long every;
static int sync_fails;
static unsigned long jumps;
static atomic_ulong asked;
static const char *readonly;

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void nothing(int signal) { (void)signal; }

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("HOSTILE_SPACE");
    if (text) atomic_store(&space, atol(text));
    if ((text = getenv("HOSTILE_EVERY"))) every = strtoul(text, 0, 10);
    if ((text = getenv("HOSTILE_CLOCK"))) jumps = strtoul(text, 0, 10);
    sync_fails = getenv("HOSTILE_SYNC") != 0;
    readonly = getenv("HOSTILE_READONLY");
    if ((text = getenv("HOSTILE_ALARM_US"))) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = nothing;
        sigaction(SIGALRM, &action, 0);
        struct itimerval timer = {{0, atol(text)}, {0, atol(text)}};
        setitimer(ITIMER_REAL, &timer, 0);
    }
}

static int is_file(int fd) {
    struct stat found;
    return fd > 2 && fstat(fd, &found) == 0 && S_ISREG(found.st_mode);
}

static int interrupted(void) {
    return every && atomic_fetch_add(&calls, 1) % every == 0;
}

/* How much of `size` goes, or -1. */
static ssize_t allowed(size_t size) {
    if (interrupted()) {
        errno = EINTR;
        return -1;
    }
    if (every && size > 1 && atomic_load(&calls) % 3 == 0) size = size / 2 + 1;
    long left = atomic_load(&space);
    if (left < 0) return (ssize_t)size;
    if (left == 0 && size > 0) {
        errno = ENOSPC;
        return -1;
    }
    if ((long)size > left) size = (size_t)left;
    atomic_fetch_sub(&space, (long)size);
    return (ssize_t)size;
}

ssize_t write(int fd, const void *bytes, size_t size) {
    if (is_file(fd)) {
        ssize_t part = allowed(size);
        if (part < 0) return -1;
        size = (size_t)part;
    }
    return NEXT(write)(fd, bytes, size);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
    if (is_file(fd)) {
        ssize_t part = allowed(size);
        if (part < 0) return -1;
        size = (size_t)part;
    }
    return NEXT(pwrite64)(fd, bytes, size, at);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    for (int i = 0; i < count; i++)
        if (parts[i].iov_len) return write(fd, parts[i].iov_base, parts[i].iov_len);
    return 0;
}

ssize_t read(int fd, void *bytes, size_t size) {
    if (every && is_file(fd)) {
        if (interrupted()) {
            errno = EINTR;
            return -1;
        }
        if (size > 1 && atomic_load(&calls) % 3 == 0) size = size / 2 + 1;
    }
    return NEXT(read)(fd, bytes, size);
}

/* Copies within the kernel are not offered, as on many file systems. */
ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t size, unsigned flags) {
    (void)in, (void)from, (void)out, (void)to, (void)size, (void)flags;
    errno = ENOSYS;
    return -1;
}

ssize_t sendfile64(int out, int in, off64_t *from, size_t size) {
    (void)in, (void)from, (void)out, (void)size;
    errno = ENOSYS;
    return -1;
}

static int sync_of(int fd) {
    if (sync_fails && is_file(fd)) {
        errno = EIO;
        return -1;
    }
    if (interrupted()) {
        errno = EINTR;
        return -1;
    }
    return 0;
}

int fsync(int fd) { return sync_of(fd) ? -1 : NEXT(fsync)(fd); }

int fdatasync(int fd) { return sync_of(fd) ? -1 : NEXT(fdatasync)(fd); }

static int refused(const char *path) {
    if (readonly && strncmp(path, readonly, strlen(readonly)) == 0) {
        errno = EROFS;
        return 1;
    }
    return 0;
}

int open64(const char *path, int flags, ...) {
    mode_t mode = 0;
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    if ((flags & (O_WRONLY | O_RDWR | O_CREAT)) && refused(path)) return -1;
    if (interrupted()) {
        errno = EINTR;
        return -1;
    }
    return NEXT(open64)(path, flags, mode);
}

int mkdir(const char *path, mode_t mode) { return refused(path) ? -1 : NEXT(mkdir)(path, mode); }
int rmdir(const char *path) { return refused(path) ? -1 : NEXT(rmdir)(path); }
int unlink(const char *path) { return refused(path) ? -1 : NEXT(unlink)(path); }

int rename(const char *from, const char *to) {
    return refused(from) || refused(to) ? -1 : NEXT(rename)(from, to);
}

int clock_gettime(clockid_t which, struct timespec *now) {
    int result = NEXT(clock_gettime)(which, now);
    if (jumps && which == CLOCK_REALTIME && result == 0) {
        unsigned long count = atomic_fetch_add(&asked, 1) + jumps;
        now->tv_sec += (time_t)(count * 2654435761ul % 630720000ul) - 315360000;
    }
    return result;
}
