/* Memory as bytes and as instructions. */
#include "state.h"

#include "target/target.h"

#include <stdlib.h>
#include <string.h>

/* ---- bytes ---- */

static char *base64(const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *out = malloc((size + 2) / 3 * 4 + 1), *to = out;

    for (size_t i = 0; out && i < size; i += 3) {
        uint32_t group = 0;
        for (size_t k = 0; k < 3; k++)
            group = group << 8 | (i + k < size ? bytes[i + k] : 0);
        for (size_t k = 0; k < 4; k++)
            *to++ = i + k > size ? '=' : digits[group >> (18 - 6 * k) & 63];
    }
    if (out)
        *to = '\0';
    return out;
}

/* The address that a memoryReference and an offset mean; false after having refused. */
static bool place_of(struct hc_dap_request *r, int64_t *out)
{
    uint32_t base;

    if (!hc_dap_address(hc_dap_string(r->arguments, "memoryReference"), &base)) {
        hc_dap_refuse(r, "'%.60s' is no address", hc_dap_string(r->arguments, "memoryReference"));
        return false;
    }
    json_int_t offset = hc_dap_integer(r->arguments, "offset");
    if (offset < -HC_IMAGE_ADDRESSES || offset > HC_IMAGE_ADDRESSES) {
        hc_dap_refuse(r, "offset %lld: there is no memory so far away", (long long)offset);
        return false;
    }
    *out = (int64_t)base + offset;
    return true;
}

void hc_dap_read_memory(struct hc_dap_request *r)
{
    struct hc_dap_session *s = hc_dap_session_of(r);
    json_int_t count = hc_dap_integer(r->arguments, "count");
    int64_t at;
    char address[24];

    if (!s || !place_of(r, &at))
        return;
    if (count < 0 || count > HC_IMAGE_ADDRESSES) {
        hc_dap_refuse(r, "%lld bytes are no number of bytes to read", (long long)count);
        return;
    }
    uint8_t *bytes = malloc((size_t)count + 1);
    const struct hc_context *c = &hc_debugger_frame(s->debugger)->context;
    size_t n = 0;
    while (bytes && n < (size_t)count && at >= 0 && at + (int64_t)n < HC_IMAGE_ADDRESSES &&
           c->read(c->owner, (uint32_t)(at + (int64_t)n), &bytes[n], 1))
        n++;
    char *data = bytes ? base64(bytes, n) : NULL;
    snprintf(address, sizeof address, "0x%04llx", (unsigned long long)(at < 0 ? 0 : at));
    if (data)
        hc_dap_respond(r, json_pack("{s:s, s:s, s:I}", "address", address, "data", data, "unreadableBytes",
                                    count - (json_int_t)n));
    else
        hc_dap_refuse(r, "out of memory");
    free(data);
    free(bytes);
}

/* ---- instructions ---- */

enum { INSTRUCTIONS_MOST = 10000, LONGEST = 8 };

static bool symbol_for(void *owner, uint32_t address, bool code, char *out, size_t size)
{
    struct hc_symbol symbol;

    if (!(code ? hc_image_function_at(owner, address, &symbol) : hc_image_data_at(owner, address, &symbol)))
        return false;
    if (address == symbol.address)
        snprintf(out, size, "%s", symbol.name);
    else
        snprintf(out, size, "%s+0x%x", symbol.name, (unsigned)(address - symbol.address));
    return true;
}

/* Decodes; returns the length, 0 where there is no instruction. */
static uint32_t decode(struct hc_dap_session *s, uint32_t at, char text[HC_CPU_TEXT])
{
    struct hc_machine *m = s->debugger->machine;
    int n = hc_target_of_machine(m)->cpu->disassemble(m, at, symbol_for, s->node.image, text);

    return n > 0 ? (uint32_t)n : 0;
}

/* The instruction before AT: the code is decoded from the beginning of its function, for lengths differ; without one it
 * is a word. */
static uint32_t before(struct hc_dap_session *s, uint32_t at)
{
    struct hc_symbol symbol;
    char text[HC_CPU_TEXT];

    if (at < 2 || !hc_image_function_at(s->node.image, at - 2, &symbol))
        return at - 2;
    uint32_t here = symbol.address, last = at - 2;
    while (here < at) {
        uint32_t n = decode(s, here, text);
        last = here;
        here += n ? n : 2;
    }
    return here == at ? last : at - 2;
}

static json_t *instruction(struct hc_dap_session *s, int64_t at, uint32_t *length, struct hc_line *shown, bool symbols)
{
    char text[HC_CPU_TEXT] = "", address[24], bytes[3 * LONGEST + 1] = "", name[160];
    struct hc_line line;
    bool there = at >= 0 && at < HC_IMAGE_ADDRESSES - LONGEST;
    uint32_t n = there ? decode(s, (uint32_t)at, text) : 0;

    *length = n ? n : 2;
    for (uint32_t i = 0; there && i < *length && i < LONGEST; i++)
        snprintf(bytes + 3 * i, 4, "%02x ", hc_peek(s->debugger->machine, (uint32_t)at + i));
    snprintf(address, sizeof address, "%s0x%04llx", at < 0 ? "-" : "", (unsigned long long)(at < 0 ? -at : at));
    json_t *out = json_pack("{s:s, s:s, s:s}", "address", address, "instructionBytes", bytes, "instruction",
                            n ? text : "(no instruction)");
    if (!n)
        json_object_set_new(out, "presentationHint", json_string("invalid"));
    if (symbols && there && symbol_for(s->node.image, (uint32_t)at, true, name, sizeof name))
        json_object_set_new(out, "symbol", json_string(name));
    if (there && hc_image_line_at(s->node.image, (uint32_t)at, &line) &&
        (line.file != shown->file || line.line != shown->line)) {
        *shown = line;
        json_object_set_new(out, "location", hc_dap_source_json(s->dap, line.file));
        json_object_set_new(out, "line", json_integer(line.line - s->dap->lines_from_0));
    }
    return out;
}

void hc_dap_disassemble(struct hc_dap_request *r)
{
    struct hc_dap_session *s = hc_dap_session_of(r);
    json_int_t skip = hc_dap_integer(r->arguments, "instructionOffset"),
               count = hc_dap_integer(r->arguments, "instructionCount");
    bool symbols = json_is_true(json_object_get(r->arguments, "resolveSymbols"));
    json_t *list = json_array();
    struct hc_line shown = { 0 };
    uint32_t length;
    int64_t at;

    if (!s || !place_of(r, &at)) {
        json_decref(list);
        return;
    }
    if (skip > INSTRUCTIONS_MOST || skip < -INSTRUCTIONS_MOST || count < 0 || count > INSTRUCTIONS_MOST) {
        json_decref(list);
        hc_dap_refuse(r, "at most %d instructions at a time", INSTRUCTIONS_MOST);
        return;
    }
    for (; skip < 0; skip++)
        at = at >= 2 && at < HC_IMAGE_ADDRESSES ? before(s, (uint32_t)at) : at - 2;
    for (; skip > 0; skip--) {
        json_decref(instruction(s, at, &length, &shown, false));
        at += length;
    }
    shown = (struct hc_line){ 0 };
    while (count-- > 0) {
        json_array_append_new(list, instruction(s, at, &length, &shown, symbols));
        at += length;
    }
    hc_dap_respond(r, json_pack("{s:o}", "instructions", list));
}
