/* SPDX-License-Identifier: Apache-2.0 */
/* random_products.c: draws products at random, computes and judges them, until the time is up; then
 * says how many there were. random-products [--on SETUP] [--seed N] [--seconds S] [--cases N]
 *   random-products [--on SETUP] --seed N --case M [--without NAME,...] [--simplify]
 * Where: cpu (default), emu, emu64, several. A seed is always printed: SPARLOOM_RANDOM_SEED, or a
 * fresh one. A case that is wrong is told with the command that runs it again, alone; --simplify
 * tries what can be left out of it. */
#include "random_case.h"
#include "tally.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/testing.h"

enum { MOST_WRONG = 10, DEFAULT_SECONDS = 4, PATIENCE_SECONDS = 120 };

typedef struct settings {
    const random_setup *setup;
    uint64_t seed;
    long long only, cases; /* -1: no such limit */
    double seconds;
    char without[256];
    bool simplify;
} settings;

/* ---- a crash, or a call that never returns, must say which case it was ---- */

static char now_text[2048];

static void say_now(void)
{
    ssize_t ignored = write(STDOUT_FILENO, now_text, strlen(now_text));
    (void)ignored;
}

static void crashed(int number)
{
    say_now();
    signal(number, SIG_DFL);
    raise(number);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED
void __sanitizer_set_death_callback(void (*callback)(void));

static void watch_for_crashes(void)
{
    __sanitizer_set_death_callback(say_now);
    signal(SIGALRM, crashed);
}
#else
static void watch_for_crashes(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        signal(numbers[i], crashed);
}
#endif

/* ---- one case ---- */

static bool is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *cursor = list; *cursor;
         cursor += strcspn(cursor, ","), cursor += *cursor == ',')
        if (strncmp(cursor, name, length) == 0 && (cursor[length] == ',' || cursor[length] == 0))
            return true;
    return false;
}

static random_case make_case(const settings *s, uint64_t number)
{
    random_case c = random_case_draw(s->setup, s->seed, number);
    for (int i = 0; random_simplification(i); i++)
        if (is_listed(s->without, random_simplification(i)))
            random_case_simplify(&c, i);
    return c;
}

static void note(const settings *s, const random_case *c)
{
    char text[1400];
    random_case_describe(c, text, sizeof text);
    snprintf(now_text, sizeof now_text,
             "case: %s\n  again: random-products --on %s --seed %llu --case %llu%s%s\n", text,
             s->setup->name, (unsigned long long)c->seed, (unsigned long long)c->number,
             *s->without ? " --without " : "", s->without);
}

static random_verdict run_case(const settings *s, const random_case *c)
{
    note(s, c);
    alarm(PATIENCE_SECONDS);
    random_verdict verdict = random_case_run(c);
    alarm(0);
    return verdict;
}

static random_verdict run_and_tell(const settings *s, const random_case *c)
{
    random_verdict verdict = run_case(s, c);
    if (verdict.outcome == OUTCOME_WRONG) {
        printf("WRONG: %s\n%s", verdict.fault, now_text);
        fflush(stdout);
    }
    return verdict;
}

/* ---- what can be left out of a wrong case: each in a process of its own, as it may crash ---- */

static bool is_wrong_in_a_process(const settings *s, const random_case *c)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(2);
        _exit(run_case(s, c).outcome == OUTCOME_WRONG);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status != 0;
}

static void simplify(settings *s)
{
    random_case c = make_case(s, (uint64_t)s->only);
    for (int i = 0; random_simplification(i); i++) {
        random_case simpler = c;
        if (!random_case_simplify(&simpler, i) || !is_wrong_in_a_process(s, &simpler))
            continue;
        c = simpler;
        strncat(s->without, *s->without ? "," : "", sizeof s->without - strlen(s->without) - 1);
        strncat(s->without, random_simplification(i), sizeof s->without - strlen(s->without) - 1);
    }
}

/* ---- all cases ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int run_only(settings *s)
{
    if (s->simplify)
        simplify(s);
    random_case c = make_case(s, (uint64_t)s->only);
    random_verdict verdict = run_and_tell(s, &c);
    if (verdict.outcome != OUTCOME_WRONG)
        printf("%s: %s%s", verdict.outcome == OUTCOME_RIGHT ? "right" : "refused", now_text,
               verdict.outcome == OUTCOME_REFUSED ? spl_status_name(verdict.status) : "");
    return verdict.outcome == OUTCOME_WRONG;
}

static int run_all(const settings *s)
{
    tally counts = {0};
    int wrong = 0;
    double end = now() + s->seconds;
    for (uint64_t n = 0;
         (s->cases < 0 ? now() < end : n < (uint64_t)s->cases) && wrong < MOST_WRONG; n++) {
        random_case c = make_case(s, n);
        random_verdict verdict = run_and_tell(s, &c);
        tally_add(&counts, &c, &verdict);
        wrong += verdict.outcome == OUTCOME_WRONG;
    }
    tally_print(&counts, s->setup);
    return wrong > 0;
}

/* ---- arguments ---- */

static uint64_t fresh_seed(void)
{
    const char *given = getenv("SPARLOOM_RANDOM_SEED");
    return given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
}

static const random_setup *find_setup(const char *name)
{
    for (int i = 0; i < random_setup_count; i++)
        if (strcmp(random_setups[i].name, name) == 0)
            return &random_setups[i];
    return NULL;
}

static bool take_argument(settings *s, const char *name, const char *value)
{
    if (strcmp(name, "--on") == 0)
        return (s->setup = find_setup(value)) != NULL;
    if (strcmp(name, "--seed") == 0)
        s->seed = strtoull(value, NULL, 10);
    else if (strcmp(name, "--case") == 0)
        s->only = atoll(value);
    else if (strcmp(name, "--cases") == 0)
        s->cases = atoll(value);
    else if (strcmp(name, "--seconds") == 0)
        s->seconds = atof(value);
    else if (strcmp(name, "--without") == 0)
        snprintf(s->without, sizeof s->without, "%s", value);
    else
        return false;
    return true;
}

static bool take_arguments(settings *s, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--simplify") == 0)
            s->simplify = true;
        else if (i + 1 >= argc || !take_argument(s, argv[i], argv[i + 1]))
            return false;
        else
            i++;
    }
    return true;
}

/* The hook gets memory of the devices that SPARLOOM_TEST_DEVICE names; the emulator is where this
 * was built. */
static void choose_devices(const random_setup *setup)
{
    setenv("SPARLOOM_PLUGINS", RANDOM_PLUGINS, 0);
    if (setup->devices)
        setenv("SPARLOOM_TEST_DEVICE", setup->devices, 1);
    else
        unsetenv("SPARLOOM_TEST_DEVICE");
}

int main(int argc, char **argv)
{
    settings s = {.setup = &random_setups[0],
                  .seed = fresh_seed(),
                  .only = -1,
                  .cases = -1,
                  .seconds = DEFAULT_SECONDS};
    if (!take_arguments(&s, argc, argv)) {
        fprintf(stderr, "usage: see random_products.c\n");
        return 2;
    }
    choose_devices(s.setup);
    watch_for_crashes();
    printf("random products on %s, seed %llu\n", s.setup->name, (unsigned long long)s.seed);
    fflush(stdout);
    return s.only >= 0 ? run_only(&s) : run_all(&s);
}
