/* SPDX-License-Identifier: Apache-2.0 */
#include "exact_sums.h"

#include <float.h>
#include <math.h>

/* Of the sums' type: that of the values, f32 for types of storage. */
typedef struct sum_type {
    /* round-off, smallest subnormal and normal number, largest */
    long double unit, least, normal, most;
} sum_type;

static sum_type sum_type_of(spl_type type)
{
    return type == SPL_F64 ? (sum_type){0x1p-53L, 0x1p-1074L, DBL_MIN, DBL_MAX}
                           : (sum_type){0x1p-24L, 0x1p-149L, FLT_MIN, FLT_MAX};
}

static void add_number(exact_part *part, long double number)
{
    part->terms++;
    part->nan = part->nan || isnan(number);
    part->plus = part->plus || (isinf(number) && number > 0);
    part->minus = part->minus || (isinf(number) && number < 0);
    if (!isfinite(number))
        return;
    part->value += number;
    part->size += fabsl(number);
}

void exact_add_product(exact_sum *sum, double a, double b)
{
    add_number(&sum->products, (long double)a * b);
    if (isinf(b) && a != 0)
        sum->of_inf = fmaxl(sum->of_inf, 1 / fabsl((long double)a));
    if (!isfinite(a) || !isfinite(b))
        return;
    sum->of_a = fmaxl(sum->of_a, fabsl((long double)a));
    sum->of_b += fabsl((long double)b);
}

void exact_add_old(exact_sum *sum, double beta, double old)
{
    if (beta != 0)
        add_number(&sum->old, (long double)beta * old);
}

/* What is known about the sum of all terms: which infinities and NaN it has, or may have. */
typedef struct total {
    bool nan, plus, minus;
    bool any;    /* any result that is not finite is right, too */
    bool finite; /* a number may be right */
    long double value, size, error;
} total;

static void turn_infinities(total *w, const exact_part *products, double alpha)
{
    bool same = alpha > 0;
    w->plus = same ? products->plus : products->minus;
    w->minus = same ? products->minus : products->plus;
}

static long double terms_of(const exact_sum *sum)
{
    return (long double)(sum->products.terms + sum->old.terms + 3);
}

/* 2*gamma_(k+3) */
static long double relative_error(const exact_sum *sum, const exact_rule *rule)
{
    bool reduced = rule->reduced && rule->type != SPL_F64;
    long double k = terms_of(sum) * (reduced ? 0x1p-22L : sum_type_of(rule->type).unit);
    return 2 * k / (1 - k) + (reduced && rule->type == SPL_F32 ? 0x1p-9L : 0);
}

/* alpha*a may have been formed first, and is not just a. */
static bool scales_factors(const exact_rule *rule)
{
    return rule->sparse && fabs(rule->alpha) != 1;
}

/* k+3 times what a product may lose before alpha enlarges it, and what alpha*a may lose before b
 * does. */
static long double underflow_error(const exact_sum *sum, const exact_rule *rule)
{
    const sum_type t = sum_type_of(rule->type);
    long double alpha = fabsl((long double)rule->alpha);
    bool flushed = rule->reduced && rule->type == SPL_F32;
    return terms_of(sum) * (flushed ? t.normal : t.least) * (alpha > 1 ? alpha : 1) +
           (scales_factors(rule) ? sum->of_b * t.least : 0);
}

/* alpha is Inf or NaN, and there are products. */
static total total_of_infinite(const exact_sum *sum, const exact_rule *rule)
{
    const exact_part *p = &sum->products, *old = &sum->old;
    long double relative = relative_error(sum, rule),
                lost = terms_of(sum) * sum_type_of(rule->type).least;
    return (total){.any = true,
                   .finite = rule->device_alpha && fabsl(p->value) <= relative * p->size + lost,
                   .value = old->value,
                   .error = relative * old->size + lost};
}

/* 0 times Inf: alpha*a, formed first, is below the smallest number, and b is infinite. */
static bool may_lose_infinity(const exact_sum *sum, const exact_rule *rule)
{
    return scales_factors(rule) &&
           fabsl((long double)rule->alpha) < sum_type_of(rule->type).least * sum->of_inf;
}

static total total_of(const exact_sum *sum, const exact_rule *rule)
{
    const exact_part *p = &sum->products, *old = &sum->old;
    total w = {.finite = true, .value = old->value, .size = old->size};
    bool scaled = p->terms > 0 && rule->alpha != 0;
    if (scaled && !isfinite(rule->alpha))
        return total_of_infinite(sum, rule);
    if (scaled) {
        w.nan = p->nan;
        turn_infinities(&w, p, rule->alpha);
        w.value += rule->alpha * p->value;
        w.size += fabsl((long double)rule->alpha) * p->size;
    }
    long double relative = relative_error(sum, rule), most = sum_type_of(rule->type).most / 2;
    w.error = relative * w.size + underflow_error(sum, rule);
    w.any = w.size >= most || (scaled && p->size >= most) ||
            (scales_factors(rule) && fabsl((long double)rule->alpha) * sum->of_a >= most) ||
            (scaled && may_lose_infinity(sum, rule));
    w.nan = w.nan || old->nan;
    w.plus = w.plus || old->plus;
    w.minus = w.minus || old->minus;
    return w;
}

/* The sum in f32 is rounded once more, to infinity from half way beyond the largest number on. */
static bool accepts_half(const total *w, double actual, spl_type type)
{
    bool f16 = type == SPL_F16;
    if (isinf(actual))
        return copysignl(1, w->value) == copysign(1, actual) &&
               fabsl(w->value) + w->error >= (f16 ? 65520 : 0x1.ffp127L);
    long double bound = w->error + (f16 ? 0x1p-11L : 0x1p-8L) * (fabsl(w->value) + w->error);
    return fabsl((long double)actual - w->value) <= bound + (f16 ? 0x1p-25L : 0x1p-134L);
}

bool exact_accepts(const exact_sum *sum, const exact_rule *rule, double actual)
{
    total w = total_of(sum, rule);
    if (w.nan || (w.plus && w.minus))
        return isnan(actual);
    if (w.any && !isfinite(actual))
        return true;
    if (w.plus || w.minus)
        return isinf(actual) && (actual > 0) == w.plus;
    if (!w.finite)
        return false;
    if (rule->type == SPL_F16 || rule->type == SPL_BF16)
        return accepts_half(&w, actual, rule->type);
    return fabsl((long double)actual - w.value) <= w.error;
}
