/* SPDX-License-Identifier: Apache-2.0 */
/* device_divisor.h: common divisors that threads of a device find together. Part of the templates
 * of kernel files: read once per combination of types, without a guard. */

DEVICE uint32_t FN(common_divisor)(uint32_t a, uint32_t b)
{
    while (b != 0) {
        const uint32_t remainder = a % b;
        a = b;
        b = remainder;
    }
    return a;
}

/* *all, at first 0, becomes the common divisor of itself and size. */
DEVICE void FN(add_divisor)(uint32_t *all, uint32_t size)
{
    uint32_t stored = LOAD_VOLATILE(all), common = FN(common_divisor)(stored, size);
    while (stored != common) {
        const uint32_t found = ATOMIC_CAS(all, stored, common);
        if (found == stored)
            return;
        stored = found;
        common = FN(common_divisor)(stored, size);
    }
}
