#include "numbering.h"

#include "../../runtime/message_number.h"

const struct hc_numbering hc_numbering_recorder = {
    .low_bits = HC_NUMBER_LOW_BITS,
    .digit_bits = 2,
    .digits = HC_NUMBER_DIGITS,
};

const struct hc_numbering hc_numbering_stack = { .low_bits = 8 };

unsigned hc_numbering_counter_bits(const struct hc_numbering *numbering)
{
    return 16 + numbering->low_bits;
}

static uint32_t low_mask(const struct hc_numbering *numbering)
{
    return (1u << numbering->low_bits) - 1;
}

uint32_t hc_numbering_number(const struct hc_numbering *numbering, uint32_t counter)
{
    uint32_t n = counter & low_mask(numbering);

    if (!numbering->digits)
        return n;
    uint32_t epoch = counter >> numbering->low_bits & ((1u << numbering->digits * numbering->digit_bits) - 1);
    uint32_t gray = epoch ^ epoch >> 1;
    uint32_t digit = gray >> n % numbering->digits * numbering->digit_bits & ((1u << numbering->digit_bits) - 1);
    return n | digit << numbering->low_bits;
}

uint32_t hc_numbering_first(const struct hc_numbering *numbering, uint32_t number, uint32_t from, uint32_t end)
{
    uint32_t step = low_mask(numbering) + 1;
    uint64_t at = from + ((number - from) & low_mask(numbering));

    while (at < end && hc_numbering_number(numbering, (uint32_t)at) != number)
        at += step;
    return at < end ? (uint32_t)at : end;
}

uint32_t hc_numbering_last(const struct hc_numbering *numbering, uint32_t number, uint32_t from, uint32_t end)
{
    uint32_t step = low_mask(numbering) + 1;

    if (from >= end)
        return end;
    int64_t at = (int64_t)(end - 1) - ((end - 1 - number) & low_mask(numbering));
    while (at >= from && hc_numbering_number(numbering, (uint32_t)at) != number)
        at -= step;
    return at >= from ? (uint32_t)at : end;
}
