/* SPDX-License-Identifier: Apache-2.0 */
/* context_api.c: contexts, their memory and processors. */
#include "api/registry.h"
#include "core/environment.h"
#include "core/sized.h"
#include "device/device.h"
#include "plan/policy/wisdom.h"
#include "plan/tuning/tuning.h"

#include <math.h>
#include <stdlib.h>

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

const char *spl_version(void)
{
    return TEXT(SPL_VERSION_MAJOR) "." TEXT(SPL_VERSION_MINOR) "." TEXT(SPL_VERSION_PATCH);
}

static spl_status check_options(const spl_context_options *o)
{
    if (o->threads < 0 || o->threads > SPL__MOST_THREADS)
        return spl__fail(SPL_INVALID_ARGUMENT, "options.threads is %d, allowed are 0 to %d",
                         o->threads, SPL__MOST_THREADS);
    if (!o->allocator.alloc != !o->allocator.free)
        return spl__fail(SPL_INVALID_ARGUMENT,
                         "options.allocator needs both alloc and free, or neither");
    return SPL_OK;
}

/* The memory that the context keeps where the options do not say. */
static size_t default_kept_memory(void)
{
    double memory = spl__machine_memory();
    return isfinite(memory) ? (size_t)(memory / 4) : 0;
}

/* Without kept blocks, so that AddressSanitizer sees the ends of all blocks. */
#ifdef __SANITIZE_ADDRESS__
enum { POOLS = false };
#else
enum { POOLS = true };
#endif

static void init_memory(spl_context *c, const spl_context_options *o)
{
    spl__account_init(&c->account, &c->allocator, NULL, o->memory_budget);
    spl__pool_init(&c->pool, o->kept_memory ? o->kept_memory : default_kept_memory());
    if (POOLS && !o->allocator.alloc)
        c->account.pool = &c->pool;
}

/* Imports a file named by the environment; on failure the context is created without it. */
static void import_named(spl_context *context, const char *variable,
                         spl_status (*import)(spl_context *context, const char *path,
                                              spl_import *report))
{
    const char *path = getenv(variable);
    if (path && *path && import(context, path, NULL) != SPL_OK)
        spl__log(context, SPL_LOG_ERROR, "%s is not used: %s", variable, spl_error_detail());
}

spl_status spl_context_create(const spl_context_options *options, spl_context **context)
{
    spl_context_options o;
    if (!context)
        return spl__fail(SPL_INVALID_ARGUMENT, "context is NULL");
    SPL__TRY(spl__sized_read(&o, sizeof o, options, "spl_context_options"));
    SPL__TRY(check_options(&o));
    const spl_allocator *a = o.allocator.alloc ? &o.allocator : &spl__malloc_allocator;
    spl_context *c =
        a->alloc(a->user, sizeof *c, _Alignof(spl_context), (spl_place){SPL_HOST, 0}, NULL);
    if (!c)
        return spl__fail(SPL_OUT_OF_MEMORY, "the allocator refused %zu bytes for a context",
                         sizeof *c);
    *c = (spl_context){.allocator = *a, .threads = o.threads, .registry = &spl__registry};
    spl__processor_name(c->cpu);
    c->log = o.log;
    c->log_user = o.log_user;
    c->progress = o.progress;
    c->progress_user = o.progress_user;
    init_memory(c, &o);
    spl_status status =
        spl__devices_open(c, o.devices, o.allocator.alloc ? &c->allocator : NULL, o.memory_budget);
    if (status != SPL_OK) {
        spl_context_destroy(c);
        return status;
    }
    spl__environment_check(c);
    import_named(c, "SPARLOOM_MACHINE", spl_machine_import);
    import_named(c, "SPARLOOM_WISDOM", spl_wisdom_import);
    *context = c;
    return SPL_OK;
}

void spl_context_destroy(spl_context *context)
{
    if (!context)
        return;
    spl__wisdom_forget(context);
    spl__tuning_free(context);
    spl__devices_close(context);
    spl__pool_trim(&context->pool);
    spl_allocator a = context->allocator;
    a.free(a.user, context, sizeof *context, (spl_place){SPL_HOST, 0}, NULL);
}

spl_status spl_trim(spl_context *context)
{
    if (!context)
        return spl__fail(SPL_INVALID_ARGUMENT, "context is NULL");
    for (int i = 0; i < context->device_count; i++)
        SPL__TRY(spl__device_trim(context->devices[i]));
    spl__pool_trim(&context->pool);
    return SPL_OK;
}

spl_status spl_sync(spl_context *context, const spl_stream *stream)
{
    spl_status first = SPL_OK;
    if (!context)
        return spl__fail(SPL_INVALID_ARGUMENT, "context is NULL");
    for (int i = 0; i < context->device_count; i++) {
        spl__device *device = context->devices[i];
        if (stream && device->place.kind != stream->kind)
            continue;
        spl_status status = spl__device_wait(device, stream ? stream->handle : NULL);
        first = first == SPL_OK ? status : first;
    }
    return first;
}

/* The account that counts a place; NULL: the context has no such place. */
static const spl__account *account_at(const spl_context *context, spl_place place)
{
    const spl__device *device = spl__device_at(context, place);
    if (place.kind == SPL_HOST)
        return &context->account;
    return device ? &device->account : NULL;
}

spl_status spl_memory(spl_context *context, spl_place place, spl_memory_info *info)
{
    if (!context)
        return spl__fail(SPL_INVALID_ARGUMENT, "context is NULL");
    const spl__account *account = account_at(context, place);
    if (!account)
        return spl__fail(SPL_INVALID_ARGUMENT, "the context has no device of kind %d, ordinal %d",
                         place.kind, place.ordinal);
    spl_memory_info i = {.live = atomic_load(&account->live),
                         .peak = atomic_load(&account->peak),
                         .allocations = atomic_load(&account->allocations)};
    if (place.kind == SPL_HOST)
        i.kept = spl__pool_kept(&context->pool);
    return spl__sized_write(info, &i, sizeof i, "info");
}

int32_t spl_processor_count(const spl_context *context)
{
    return context ? 1 + context->device_count : 0;
}

spl_status spl_processor(const spl_context *context, int32_t number, spl_processor_info *info)
{
    if (number < 0 || number >= spl_processor_count(context))
        return spl__fail(SPL_INVALID_ARGUMENT, "there is no processor %d", number);
    spl_processor_info i = {
        .place = {SPL_HOST, 0}, .threads = spl__threads(context, 0), .name = context->cpu};
    if (number > 0)
        i = (spl_processor_info){.place = context->devices[number - 1]->place,
                                 .name = context->devices[number - 1]->properties.name};
    return spl__sized_write(info, &i, sizeof i, "info");
}
