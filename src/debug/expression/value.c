#include "value.h"

#include <string.h>

/* ---- bytes ---- */

bool hc_value_read(const struct hc_context *c, const struct hc_value *v, uint32_t offset, uint8_t *out, uint32_t n,
                   struct hc_debug_message *message)
{
    if (v->in_memory)
        return c->read(c->owner, v->address + offset, out, n) ||
               hc_debug_fail(message, "there is no memory at 0x%04x", (unsigned)(v->address + offset));
    if (offset > HC_VALUE_BYTES || n > HC_VALUE_BYTES - offset)
        return hc_debug_fail(message, "outside of the value");
    for (uint32_t i = 0; i < n; i++)
        if (v->unknown >> (offset + i) & 1)
            return hc_debug_fail(message, "partly optimised out");
    memcpy(out, v->bytes + offset, n);
    return true;
}

bool hc_value_part(const struct hc_value *v, const struct hc_type *type, uint32_t offset, uint16_t bits,
                   struct hc_value *out, struct hc_debug_message *message)
{
    uint32_t size = hc_type_strip(type)->size, byte = bits ? offset / 8 : offset;
    struct hc_value part = { .type = type, .in_memory = v->in_memory, .in_register = v->in_register, .bits = bits };

    part.bit = bits ? offset % 8 : 0;
    if (v->in_memory) {
        part.address = v->address + byte;
    } else {
        uint32_t needed = bits ? (part.bit + bits + 7) / 8 : size;
        if (byte >= HC_VALUE_BYTES || needed > HC_VALUE_BYTES - byte)
            return hc_debug_fail(message, "outside of the value");
        memcpy(part.bytes, v->bytes + byte, needed);
        part.unknown = v->unknown >> byte;
    }
    *out = part;
    return true;
}

struct hc_value hc_value_in_memory(const struct hc_type *type, uint32_t address)
{
    return (struct hc_value){ .type = type, .in_memory = true, .address = address };
}

/* ---- variables ---- */

static void put(struct hc_value *v, uint32_t at, uint64_t value, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        v->bytes[at + i] = i < 8 ? (uint8_t)(value >> 8 * i) : 0;
}

/* A register that holds more than 16 bits of a value goes on in the next one: so does clang where it says no pieces. */
static bool put_register(const struct hc_context *c, struct hc_value *v, uint32_t at, uint64_t reg, uint32_t size,
                         struct hc_debug_message *message)
{
    enum { REGISTER_BYTES = 2, LOW_BYTES = 16 };

    if (reg >= LOW_BYTES)
        reg -= LOW_BYTES;
    v->in_register = true;
    for (uint32_t i = 0; i < size; i += REGISTER_BYTES, reg++) {
        if (reg >= HC_DEBUG_REGISTERS)
            return hc_debug_fail(message, "it is in a register that this CPU does not have");
        if (!(c->known >> reg & 1))
            return hc_debug_fail(message, "it was in r%u, which the function that was called did not save",
                                 (unsigned)reg);
        /* 20 bits of a pointer are in one register. */
        uint32_t whole = size == 4 && hc_type_strip(v->type)->kind == HC_TYPE_POINTER ? 4 : REGISTER_BYTES;
        uint32_t piece = size - i < whole ? size - i : whole;
        put(v, at + i, c->reg[reg], piece);
        if (whole == 4)
            break;
    }
    return true;
}

static bool put_piece(const struct hc_context *c, struct hc_value *v, uint32_t at, const struct hc_piece *piece,
                      uint32_t size, struct hc_debug_message *message)
{
    v->in_register = true;
    switch (piece->place) {
    case HC_PLACE_NONE:
        for (uint32_t i = 0; i < size; i++)
            v->unknown |= 1ull << (at + i);
        return true;
    case HC_PLACE_MEMORY:
        return c->read(c->owner, (uint32_t)piece->value, v->bytes + at, size) ||
               hc_debug_fail(message, "there is no memory at 0x%04x", (unsigned)piece->value);
    case HC_PLACE_REGISTER:
        return put_register(c, v, at, piece->value, size, message);
    case HC_PLACE_VALUE:
        put(v, at, piece->value, size);
        return true;
    case HC_PLACE_BYTES:
        memcpy(v->bytes + at, piece->bytes, size < piece->size ? size : piece->size);
        return true;
    }
    return true;
}

static bool gather(const struct hc_context *c, const char *name, const struct hc_location *location, struct hc_value *v,
                   struct hc_debug_message *message)
{
    uint32_t size = hc_type_strip(v->type)->size, at = 0;
    struct hc_debug_message cause;

    if (size > HC_VALUE_BYTES)
        return hc_debug_fail(message, "'%s' has %u bytes and is not in memory: too large", name, (unsigned)size);
    for (int i = 0; i < location->pieces && at < size; i++) {
        const struct hc_piece *piece = &location->piece[i];
        uint32_t n = piece->size && location->pieces > 1 ? piece->size : size - at;
        if (n > size - at)
            n = size - at;
        if (!put_piece(c, v, at, piece, n, &cause))
            return hc_debug_fail(message, "'%s': %s", name, cause.text);
        at += n;
    }
    for (; at < size; at++)
        v->unknown |= 1ull << at;
    return true;
}

bool hc_value_of_name(const struct hc_context *c, struct hc_name *name, struct hc_value *out,
                      struct hc_debug_message *message)
{
    struct hc_location location;

    if (!name->type)
        return hc_debug_fail(message, "of %s only the address is known (0x%04x): cast it, as in *(unsigned char *)&%s",
                             name->name, (unsigned)name->address, name->name);
    *out = hc_value_in_memory(name->type, name->address);
    if (!name->has_die || name->kind == HC_NAME_FUNCTION)
        return true;
    if (!hc_location_of(c, &name->die, &location, message))
        return false;
    if (location.pieces == 1 && location.piece[0].place == HC_PLACE_MEMORY && !location.piece[0].size) {
        out->address = (uint32_t)location.piece[0].value;
        return true;
    }
    *out = (struct hc_value){ .type = name->type };
    return gather(c, name->name, &location, out, message);
}

/* ---- numbers ---- */

static uint64_t extend(uint64_t value, uint32_t size, bool is_signed)
{
    if (size == 0 || size >= 8)
        return value;
    unsigned spare = 64 - 8 * size;
    return is_signed ? (uint64_t)((int64_t)(value << spare) >> spare) : value << spare >> spare;
}

struct hc_number hc_number_of(const struct hc_type *type, uint64_t value)
{
    const struct hc_type *t = hc_type_strip(type);

    return (struct hc_number){ .type = t, .u = extend(value, t->size, t->is_signed) };
}

static bool read_bits(const struct hc_context *c, const struct hc_value *v, struct hc_number *out,
                      struct hc_debug_message *message)
{
    uint8_t bytes[9] = { 0 };
    uint64_t value = 0;
    uint32_t n = (v->bit + v->bits + 7) / 8;

    if (n > sizeof bytes || !hc_value_read(c, v, 0, bytes, n, message))
        return n <= sizeof bytes ? false : hc_debug_fail(message, "the bit-field is too wide");
    for (uint32_t i = 0; i < v->bits; i++) {
        uint32_t at = v->bit + i;
        value |= (uint64_t)(bytes[at / 8] >> at % 8 & 1) << i;
    }
    const struct hc_type *type = hc_type_strip(v->type);
    if (type->is_signed && v->bits && v->bits < 64 && value >> (v->bits - 1))
        value |= ~0ull << v->bits;
    *out = (struct hc_number){ .type = type, .u = value };
    return true;
}

bool hc_value_number(const struct hc_context *c, const struct hc_value *v, struct hc_number *out,
                     struct hc_debug_message *message)
{
    const struct hc_type *type = hc_type_strip(v->type);
    uint8_t bytes[8] = { 0 };
    uint64_t value = 0;

    if (v->bits)
        return read_bits(c, v, out, message);
    if (!hc_type_is_scalar(type) || type->size == 0 || type->size > 8) {
        char name[96];
        return hc_debug_fail(message, "a value of type %s is not a number", hc_type_name(v->type, name, sizeof name));
    }
    if (!hc_value_read(c, v, 0, bytes, type->size, message))
        return false;
    for (uint32_t i = 0; i < type->size; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    *out = hc_number_of(type, value);
    if (type->kind == HC_TYPE_FLOAT && type->size == 4) {
        float f;
        memcpy(&f, bytes, sizeof f);
        out->f = f;
    } else if (type->kind == HC_TYPE_FLOAT) {
        memcpy(&out->f, bytes, sizeof out->f);
    }
    return true;
}

struct hc_value hc_value_of_number(const struct hc_number *n)
{
    struct hc_value v = { .type = n->type };

    if (n->type->kind == HC_TYPE_FLOAT && n->type->size == 4) {
        float f = (float)n->f;
        memcpy(v.bytes, &f, sizeof f);
    } else if (n->type->kind == HC_TYPE_FLOAT) {
        memcpy(v.bytes, &n->f, sizeof n->f);
    } else {
        put(&v, 0, n->u, n->type->size <= 8 ? n->type->size : 8);
    }
    return v;
}

bool hc_number_is_true(const struct hc_number *n)
{
    return n->type->kind == HC_TYPE_FLOAT ? n->f != 0 : n->u != 0;
}

double hc_number_real(const struct hc_number *n)
{
    if (n->type->kind == HC_TYPE_FLOAT)
        return n->f;
    return n->type->is_signed ? (double)n->s : (double)n->u;
}

/* What C leaves undefined becomes the nearest number. */
static uint64_t truncate_real(double f, bool is_signed)
{
    if (f != f)
        return 0;
    if (f < 0 || is_signed)
        return f <= -0x1p63 ? 1ull << 63 : f >= 0x1p63 ? INT64_MAX : (uint64_t)(int64_t)f;
    return f >= 0x1p64 ? UINT64_MAX : (uint64_t)f;
}

struct hc_number hc_number_convert(const struct hc_number *n, const struct hc_type *type)
{
    const struct hc_type *t = hc_type_strip(type);

    if (t->kind == HC_TYPE_BOOL)
        return hc_number_of(t, hc_number_is_true(n));
    if (t->kind == HC_TYPE_FLOAT) {
        double f = hc_number_real(n);
        if (t->size == 4)
            f = n->type->kind == HC_TYPE_FLOAT ? (float)f : n->type->is_signed ? (float)n->s : (float)n->u;
        return (struct hc_number){ .type = t, .f = f };
    }
    if (n->type->kind == HC_TYPE_FLOAT)
        return hc_number_of(t, truncate_real(n->f, t->is_signed));
    return hc_number_of(t, n->u);
}
