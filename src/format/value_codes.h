/* SPDX-License-Identifier: Apache-2.0 */
/* value_codes.h: values as bits, and in the forms of device_narrow_values.k.h. Part of the
 * templates of kernel files: read once per combination of types, without a guard. */

DEVICE uint64_t FN(value_word)(T value)
{
    uint64_t word = 0;
    memcpy(&word, &value, sizeof value);
    return word;
}

/* The first slot that is probed for a value. Source: D. Knuth, The Art of Computer Programming,
 * volume 3, section 6.4 (multiplication by the golden ratio). */
DEVICE int FN(value_slot)(uint64_t word)
{
    return (int)(word * 0x9e3779b97f4a7c15u >> DEVICE_NARROW_HASH_SHIFT);
}

/* The code of a value that must have one. */
DEVICE uint8_t FN(value_code)(const struct device_narrow_found *RESTRICT found, T value)
{
    const uint64_t word = FN(value_word)(value);
    int slot = FN(value_slot)(word);
    while (READ(&found->keys[slot]) != word)
        slot = (slot + 1) % DEVICE_NARROW_SLOTS;
    return READ(&found->codes[slot]);
}

/* Value number `code`: the first bytes of its word. */
DEVICE T FN(value_coded)(const struct device_narrow_found *RESTRICT found, int code)
{
    return READ((const T *)found->values + code * (int)(sizeof(uint64_t) / sizeof(T)));
}
