#include "edit.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 1 << 20 };

static void add(struct hc_edits *edits, uint32_t begin, uint32_t end, int rank, const char *text)
{
    edits->edits = hc_arena_more(edits->memory, edits->edits, edits->count, sizeof *edits->edits);
    edits->edits[edits->count] =
        (struct hc_edit){ .begin = begin, .end = end, .rank = rank, .number = (uint32_t)edits->count, .text = text };
    edits->count++;
}

void hc_edit_open(struct hc_edits *edits, uint32_t at, int depth, const char *text)
{
    add(edits, at, at, depth, text);
}

void hc_edit_close(struct hc_edits *edits, uint32_t at, int depth, const char *text)
{
    add(edits, at, at, -depth - 1, text);
}

void hc_edit_replace(struct hc_edits *edits, uint32_t begin, uint32_t end, int depth, const char *text)
{
    add(edits, begin, end, begin == end ? depth : DEPTH_MAX, text);
}

static int in_order(const void *left, const void *right)
{
    const struct hc_edit *a = left, *b = right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* The newlines and whole marker lines of a stretch; returns the end of what was written. */
static char *keep_lines(char *to, const char *text, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++) {
        if (text[i] != '\n')
            continue;
        *to++ = '\n';
        if (i + 1 >= end || text[i + 1] != '#')
            continue;
        for (i++; i < end && text[i] != '\n'; i++)
            *to++ = text[i];
        i--;
    }
    return to;
}

char *hc_edit_apply(struct hc_edits *edits, const char *text, size_t size, const char *appendix, size_t *result_size)
{
    size_t room = size + strlen(appendix) + 1;
    for (size_t i = 0; i < edits->count; i++)
        room += strlen(edits->edits[i].text);
    char *result = malloc(room), *to = result;
    if (!result)
        return NULL;
    if (edits->count)
        qsort(edits->edits, edits->count, sizeof *edits->edits, in_order);
    size_t at = 0;
    for (size_t i = 0; i < edits->count; i++) {
        const struct hc_edit *e = &edits->edits[i];
        if (e->begin > at) {
            memcpy(to, text + at, e->begin - at);
            to += e->begin - at;
            at = e->begin;
        }
        to = stpcpy(to, e->text);
        if (e->end > at) {
            to = keep_lines(to, text, (uint32_t)at, e->end);
            at = e->end;
        }
    }
    memcpy(to, text + at, size - at);
    to = stpcpy(to + (size - at), appendix);
    *result_size = (size_t)(to - result);
    return result;
}
