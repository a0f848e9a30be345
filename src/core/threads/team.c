/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/team.h"

#include "core/checked.h"
#include "core/threads/thread_limit.h"

#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define SINGLE_THREADED __libc_single_threaded
#else /* the C library does not tell */
#define SINGLE_THREADED 0
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static bool had_threads; /* protected by the lock: other threads existed when fork() was called */
static atomic_bool lost; /* the child does not have them */

void spl__lock(void)
{
    pthread_mutex_lock(&lock);
}

void spl__unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void spl__pool_lock(void)
{
    pthread_mutex_lock(&pool_lock);
}

void spl__pool_unlock(void)
{
    pthread_mutex_unlock(&pool_lock);
}

/* ---- fork ---- */

static void before_fork(void)
{
    spl__lock();
    spl__pool_lock();
    had_threads = !SINGLE_THREADED;
}

static void in_parent(void)
{
    spl__pool_unlock();
    spl__unlock();
}

static void in_child(void)
{
    if (had_threads)
        atomic_store(&lost, true);
    in_parent();
}

/* At load time, since the first call may be in a child. If memory is short, children are not
 * protected. */
__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(before_fork, in_parent, in_child);
}

/* ---- teams ---- */

static int most(void)
{
    static atomic_int known; /* concurrent threads compute the same value */
    int processors = atomic_load_explicit(&known, memory_order_relaxed);
    if (processors == 0) {
        processors =
            (int)spl__min_i64(spl__max_i64(1, sysconf(_SC_NPROCESSORS_ONLN)), SPL__MOST_THREADS);
        atomic_store_explicit(&known, processors, memory_order_relaxed);
    }
    return processors * SPL__THREADS_PER_PROCESSOR;
}

int spl__team_limited(int wanted)
{
    if (atomic_load_explicit(&lost, memory_order_relaxed))
        return 1;
    return wanted > 0 && wanted < most() ? wanted : most();
}

/* ---- what the system grants ---- */

/* The threads that OpenMP keeps for this thread: those of its last team, since gcc's ends the rest
 * when a team is smaller; and when a larger team was refused. */
static _Thread_local int granted = 1;
static _Thread_local double refused_at = -INFINITY;
static atomic_int most_granted; /* when a thread of the process was refused a team; 0: never */

/* Starts a thread, which starts the next one, up to `left`; all live until the last has started.
 * Returns how many. */
static void *start_next(void *left)
{
    intptr_t more = (intptr_t)left;
    pthread_t next;
    void *started = NULL;
    if (more == 0 || pthread_create(&next, NULL, start_next, (void *)(more - 1)) != 0)
        return NULL;
    pthread_join(next, &started);
    return (void *)((intptr_t)started + 1);
}

/* Threads that have just ended may count for a moment: some more are asked for than needed, and
 * after a refusal the rest gets time to go. */
static int ask_for(int wanted)
{
    enum { SPARE = 4 };
    const struct timespec moment = {.tv_nsec = 10 * 1000 * 1000};
    int started = (int)(intptr_t)start_next((void *)(intptr_t)(wanted - 1 + SPARE));
    if (started < wanted - 1 + SPARE)
        nanosleep(&moment, NULL);
    return started > SPARE ? 1 + started - SPARE : 1;
}

static void grow(int team)
{
    static const double again = 1; /* seconds from a refusal to the next attempt */
    double now = omp_get_wtime();
    if (now - refused_at < again)
        return;
    granted = ask_for(team);
    if (granted < team) {
        refused_at = now;
        atomic_store_explicit(&most_granted, granted, memory_order_relaxed);
    }
}

int spl__team(int wanted)
{
    int team = spl__team_limited(wanted);
    if (team == 1 || !spl__threads_are_limited())
        return team; /* a region with one thread keeps the others waiting */
    if (team > granted)
        grow(team);
    if (team < granted)
        granted = team;
    return granted;
}

int spl__team_refused(void)
{
    return atomic_load_explicit(&most_granted, memory_order_relaxed);
}

const char *spl__team_limit(void)
{
    return atomic_load(&lost) ? "this process was forked from one that had other threads"
                              : "eight for each processor that is online";
}
