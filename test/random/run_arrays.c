/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of random cases, at the place that the case says. */
#include "random_run.h"

#include <stdlib.h>
#include <string.h>

static const spl_place on_host = {SPL_HOST, 0};

/* The hook does not refuse the test's own allocations and does not count them. */
typedef struct pause {
    long long fail_at, allocations;
} pause;

static pause pause_refusals(random_run *r)
{
    pause p = {r->hook.fail_at, r->hook.allocations};
    r->hook.fail_at = -1;
    return p;
}

static void resume_refusals(random_run *r, pause p)
{
    if (p.fail_at >= 0)
        r->hook.fail_at = p.fail_at + (r->hook.allocations - p.allocations);
}

static void copy(random_run *r, spl_place to_place, void *to, spl_place from_place,
                 const void *from, size_t bytes)
{
    pause p = pause_refusals(r);
    run_expect_ok(r, spl_array_copy(r->context, to_place, to, from_place, from, bytes, NULL),
                  "spl_array_copy");
    resume_refusals(r, p);
}

static void *put(random_run *r, const void *from, size_t bytes)
{
    void *device_data = NULL;
    pause p = pause_refusals(r);
    run_expect_ok(r, spl_array_alloc(r->context, r->place, bytes, &device_data), "spl_array_alloc");
    resume_refusals(r, p);
    r->placed += (int64_t)bytes;
    r->most_placed = r->placed > r->most_placed ? r->placed : r->most_placed;
    if (device_data)
        copy(r, r->place, device_data, on_host, from, bytes);
    return device_data;
}

static void drop(random_run *r, void *device_data, size_t bytes)
{
    spl_array_free(r->context, r->place, device_data, bytes);
    r->placed -= (int64_t)bytes;
}

void run_fetch(random_run *r, void *to, const void *device_data, size_t bytes)
{
    if (bytes > 0)
        copy(r, on_host, to, r->place, device_data, bytes);
}

/* ---- inputs ---- */

run_input run_input_new(random_run *r, const void *source, size_t bytes)
{
    run_input input = {.bytes = bytes};
    if (bytes == 0)
        return input;
    input.host = closed_pages_copy(source, bytes);
    closed_pages_freeze(&input.host);
    if (r->c->resident)
        input.device_data = put(r, source, bytes);
    input.data = r->c->resident ? input.device_data : input.host.data;
    return input;
}

void run_input_renew(random_run *r, run_input *input, const void *source)
{
    if (input->bytes == 0)
        return;
    closed_pages_open(&input->host);
    memcpy(input->host.data, source, input->bytes);
    closed_pages_freeze(&input->host);
    if (input->device_data)
        copy(r, r->place, input->device_data, on_host, source, input->bytes);
}

static void expect_unchanged(random_run *r, const run_input *input)
{
    void *now = zoo_allocate(input->bytes);
    run_fetch(r, now, input->device_data, input->bytes);
    if (memcmp(now, input->host.data, input->bytes) != 0)
        run_fault(r, "an input of %zu bytes was written on the device", input->bytes);
    free(now);
}

void run_input_free(random_run *r, run_input *input)
{
    if (input->bytes == 0)
        return;
    if (input->device_data) {
        expect_unchanged(r, input);
        drop(r, input->device_data, input->bytes);
    }
    closed_pages_free(&input->host);
    input->bytes = 0;
}

/* ---- outputs ---- */

enum { ZONE = 256, ZONE_BYTE = 0xC3, POISON_BYTE = 0xFF };

static size_t block_bytes(const run_output *output)
{
    return output->bytes + 2 * ZONE;
}

run_output run_output_new(size_t bytes)
{
    run_output output = {.bytes = bytes};
    output.block = zoo_allocate(block_bytes(&output));
    output.before = zoo_allocate(block_bytes(&output));
    memset(output.block, ZONE_BYTE, block_bytes(&output));
    memset(output.block + ZONE, POISON_BYTE, bytes);
    return output;
}

void *run_output_host(const run_output *output)
{
    return output->block + ZONE;
}

void *run_output_before(const run_output *output)
{
    return output->before + ZONE;
}

void run_output_send(random_run *r, run_output *output)
{
    memcpy(output->before, output->block, block_bytes(output));
    output->data = output->block + ZONE;
    if (!r->c->resident)
        return;
    output->device_data = put(r, output->block, block_bytes(output));
    output->data = output->device_data ? (unsigned char *)output->device_data + ZONE : NULL;
}

void run_output_fetch(random_run *r, run_output *output)
{
    if (output->device_data)
        run_fetch(r, output->block, output->device_data, block_bytes(output));
}

bool run_output_untouched(const run_output *output)
{
    return memcmp(output->block, output->before, block_bytes(output)) == 0;
}

bool run_output_intact(const run_output *output)
{
    size_t tail = ZONE + output->bytes;
    return memcmp(output->block, output->before, ZONE) == 0 &&
           memcmp(output->block + tail, output->before + tail, ZONE) == 0;
}

void run_output_free(random_run *r, run_output *output)
{
    if (output->device_data)
        drop(r, output->device_data, block_bytes(output));
    free(output->block);
    free(output->before);
    *output = (run_output){0};
}

/* ---- sparse operands ---- */

static size_t offset_bytes(const spl_sparse *v)
{
    if (v->format == SPL_COO)
        return (size_t)v->nnz * zoo_index_bytes(v->index_type);
    return (size_t)((v->format == SPL_CSC ? v->cols : v->rows) + 1) *
           zoo_index_bytes(v->offset_type);
}

static size_t value_bytes(const spl_sparse *v)
{
    return (size_t)v->nnz * zoo_type_bytes(v->type);
}

static void hold_structure(random_run *r, run_sparse *m)
{
    m->offsets = run_input_new(r, m->host.offsets, offset_bytes(&m->view));
    m->indices = run_input_new(r, m->host.indices,
                               (size_t)m->view.nnz * zoo_index_bytes(m->view.index_type));
    m->view.offsets = m->offsets.data;
    m->view.indices = m->indices.data;
}

static void hold_values(random_run *r, run_sparse *m)
{
    m->values = run_input_new(r, m->host.values, value_bytes(&m->view));
    m->view.values = m->values.data;
}

run_sparse run_sparse_new(random_run *r, const random_matrix *recipe)
{
    run_sparse m = {.recipe = *recipe};
    zoo_triples triples;
    random_matrix_make(&triples, recipe);
    zoo_build(&m.host, &triples, recipe->form);
    zoo_triples_free(&triples);
    m.view = m.host.view;
    m.view.place = r->place;
    hold_structure(r, &m);
    hold_values(r, &m);
    return m;
}

run_old run_sparse_renew(random_run *r, run_sparse *m, random_update update)
{
    run_old old = {.arrays[0].bytes = 0};
    zoo_random random;
    zoo_random_seed(&random, ++m->recipe.seed);
    for (int64_t e = 0; e < m->view.nnz; e++)
        zoo_value_set(m->host.values, m->view.type, e,
                      random_value(&random, m->recipe.values, m->view.type));
    if (update == UPDATE_IN_PLACE) {
        run_input_renew(r, &m->values, m->host.values);
        return old;
    }
    old.arrays[0] = m->values;
    hold_values(r, m);
    if (update == UPDATE_MOVED) {
        old.arrays[1] = m->offsets;
        old.arrays[2] = m->indices;
        hold_structure(r, m);
    }
    return old;
}

void run_old_free(random_run *r, run_old *old)
{
    for (int k = 0; k < 3; k++)
        run_input_free(r, &old->arrays[k]);
}

void run_sparse_free(random_run *r, run_sparse *m)
{
    run_input_free(r, &m->offsets);
    run_input_free(r, &m->indices);
    run_input_free(r, &m->values);
    zoo_matrix_free(&m->host);
}

/* ---- scalars ---- */

run_scalar run_scalar_new(random_run *r, random_scalar scalar)
{
    run_scalar s = {0};
    spl_type type = r->c->type == SPL_F64 ? SPL_F64 : SPL_F32;
    if (scalar.null)
        return s;
    zoo_value_set(&s.storage, type, 0, scalar.number);
    if (r->c->device_scalars)
        s.input = run_input_new(r, &s.storage, zoo_type_bytes(type));
    return s;
}

const void *run_scalar_at_home(const run_scalar *s, random_scalar scalar)
{
    return scalar.null ? NULL : &s->storage;
}

const void *run_scalar_pointer(const run_scalar *s, random_scalar scalar)
{
    return s->input.data ? s->input.data : run_scalar_at_home(s, scalar);
}

void run_scalar_free(random_run *r, run_scalar *scalar)
{
    run_input_free(r, &scalar->input);
}

double run_alpha(const random_case *c, int round)
{
    return c->alpha[round].null ? 1 : c->alpha[round].number;
}

double run_beta(const random_case *c, int round)
{
    return c->beta[round].null ? 0 : c->beta[round].number;
}
