#include "framing.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void fail(struct hc_dap_reader *r, const char *why)
{
    if (!r->error)
        r->error = why;
}

/* The value of Content-Length in a header that ends with an empty line. */
static bool read_length(const char *header, size_t *out)
{
    static const char name[] = "Content-Length:";

    for (const char *line = header; line && *line; line = strstr(line, "\r\n") ? strstr(line, "\r\n") + 2 : NULL) {
        char *end;
        if (strncasecmp(line, name, sizeof name - 1) != 0)
            continue;
        const char *digits = line + sizeof name - 1;
        digits += strspn(digits, " \t");
        unsigned long length = strtoul(digits, &end, 10);
        if (end == digits || *digits < '0' || *digits > '9' || *end != '\r' || length > HC_DAP_BODY_MOST)
            return false;
        *out = length;
        return length > 0;
    }
    return false;
}

static void begin_body(struct hc_dap_reader *r)
{
    r->header[r->header_size] = '\0';
    if (strlen(r->header) != r->header_size || !read_length(r->header, &r->body_length)) {
        fail(r, "a header without a good Content-Length");
        return;
    }
    r->body = malloc(r->body_length);
    r->body_size = 0;
    r->header_size = 0;
    if (!r->body)
        fail(r, "out of memory");
}

static size_t read_header(struct hc_dap_reader *r, const char *bytes, size_t size)
{
    size_t n = 0;

    while (n < size && !r->body && !r->error) {
        if (r->header_size + 1 >= sizeof r->header) {
            fail(r, "a header that is too long");
            break;
        }
        r->header[r->header_size++] = bytes[n++];
        if (r->header_size >= 4 && !memcmp(r->header + r->header_size - 4, "\r\n\r\n", 4))
            begin_body(r);
    }
    return n;
}

/* jansson calls itself for each level, up to 2048: far more than any message has. */
static bool is_flat_enough(const char *text, size_t size)
{
    int depth = 0;
    bool quoted = false;

    for (size_t i = 0; i < size; i++) {
        if (quoted && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            quoted = !quoted;
        else if (!quoted && (text[i] == '{' || text[i] == '['))
            depth++;
        else if (!quoted && (text[i] == '}' || text[i] == ']'))
            depth--;
        if (depth > HC_DAP_DEPTH_MOST)
            return false;
    }
    return true;
}

static json_t *end_body(struct hc_dap_reader *r)
{
    json_t *message =
        is_flat_enough(r->body, r->body_length) ? json_loadb(r->body, r->body_length, JSON_ALLOW_NUL, NULL) : NULL;

    free(r->body);
    r->body = NULL;
    if (json_is_object(message))
        return message;
    json_decref(message);
    r->left_out++;
    return NULL;
}

size_t hc_dap_read(struct hc_dap_reader *r, const char *bytes, size_t size, json_t **out)
{
    *out = NULL;
    size_t n = r->body ? 0 : read_header(r, bytes, size);
    if (r->error)
        return size;
    if (!r->body)
        return n;
    size_t more = r->body_length - r->body_size < size - n ? r->body_length - r->body_size : size - n;
    memcpy(r->body + r->body_size, bytes + n, more);
    r->body_size += more;
    n += more;
    if (r->body_size == r->body_length)
        *out = end_body(r);
    return r->error ? size : n;
}

void hc_dap_reader_free(struct hc_dap_reader *r)
{
    free(r->body);
    r->body = NULL;
}

char *hc_dap_frame(const json_t *message, size_t *size)
{
    char *text = json_dumps(message, JSON_COMPACT);
    size_t length = text ? strlen(text) : 0, room = length + 64;
    char *frame = text ? malloc(room) : NULL;

    if (frame) {
        int header = snprintf(frame, room, "Content-Length: %zu\r\n\r\n", length);
        memcpy(frame + header, text, length); // NOLINT(bugprone-not-null-terminated-result): a stream's bytes
        *size = (size_t)header + length;
    }
    free(text);
    return frame;
}
