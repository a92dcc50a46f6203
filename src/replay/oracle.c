#include "oracle.h"

#include "hasher.h"
#include "registers/regs.h"
#include "support/grow.h"
#include "support/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { NO_SEGMENT = 0xffff, HEADER = 18, HEAD = 11, END = 33, READ_AT_ONCE = 1 << 14 };

static const char magic[8] = { 'H', 'C', 'O', 'R', 'A', 'C', 'L', 'E' };

static uint64_t chained(uint64_t chain, uint64_t hash)
{
    chain = (chain ^ hash) * 0x9fb21c651e98df25u;
    return chain ^ chain >> 29;
}

static void put(uint8_t *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get(const uint8_t *from, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << (8 * i);
    return value;
}

/* FNV-1a of all of it. */
static uint32_t page_sum(const struct hc_log_page *page)
{
    uint32_t sum = 0x811c9dc5;
    for (int i = -HC_PAGE_HEADER; i < HC_PAGE_SIZE - HC_PAGE_HEADER; i++)
        sum = (sum ^ page->payload[i]) * 0x01000193;
    return sum;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* ---- writing ---- */

struct hc_oracle_writer {
    struct hc_output_file *output;
    XXH64_state_t sum; /* of all that was written */
    size_t pages, pages_room;
    uint32_t *page; /* sums */
    struct hc_border border;
    struct hc_regs *regs;
    struct hc_hasher *hasher;
    uint64_t instructions, interrupts, reads;
    uint64_t boot_at;
    uint16_t segment, next_segment;
    int n;
    uint64_t chain;
    uint8_t block[2 * HC_ORACLE_BLOCK];
};

static void write_bytes(struct hc_oracle_writer *w, const void *bytes, size_t size)
{
    XXH64_update(&w->sum, bytes, size);
    fwrite(bytes, 1, size, hc_output_file(w->output));
}

static void end_block(struct hc_oracle_writer *w)
{
    uint8_t head[HEAD] = { 'B' };
    if (!w->n)
        return;
    put(head + 1, (uint64_t)w->n, 2);
    put(head + 3, w->chain, 8);
    write_bytes(w, head, sizeof head);
    write_bytes(w, w->block, 2 * (size_t)w->n);
    w->n = 0;
    w->chain = 0;
}

/* Of several numbers between two instructions the last one counts. After a reset it is the number of the segment that
 * starts there. */
static void write_segment(struct hc_oracle_writer *w)
{
    uint8_t record[HEAD] = { 'S' };
    end_block(w);
    put(record + 1, w->next_segment, 2);
    put(record + 3, w->segment == NO_SEGMENT ? w->boot_at : w->instructions, 8);
    write_bytes(w, record, sizeof record);
    w->segment = w->next_segment;
}

static void write_instruction(void *owner, struct hc_machine *m, uint32_t pc, uint64_t hash)
{
    struct hc_oracle_writer *w = owner;
    (void)m;
    (void)pc;
    if (w->next_segment != w->segment)
        write_segment(w);
    put(w->block + 2 * w->n++, hash & 0xffff, 2);
    w->chain = chained(w->chain, hash);
    w->instructions++;
    if (w->n == HC_ORACLE_BLOCK)
        end_block(w);
}

static void write_note(void *owner, enum hc_hasher_note note, uint16_t value)
{
    struct hc_oracle_writer *w = owner;
    switch (note) {
    case HC_HASHER_RESET:
        w->boot_at = w->instructions;
        w->segment = w->next_segment = NO_SEGMENT;
        break;
    case HC_HASHER_SEGMENT:
        w->next_segment = value;
        break;
    case HC_HASHER_INTERRUPT:
        w->interrupts++;
        break;
    case HC_HASHER_READ:
        w->reads++;
        break;
    }
}

int hc_oracle_write(struct hc_oracle_writer **out, struct hc_machine *m, struct hc_image *image, const char *part,
                    const char *path, struct hc_oracle_message *message)
{
    struct hc_regs_message problem;
    struct hc_oracle_writer *w = *out = calloc(1, sizeof *w);
    uint8_t header[HEADER];
    int cause;
    if (!w) {
        snprintf(message->text, sizeof message->text, "out of memory");
        return -1;
    }
    w->segment = w->next_segment = NO_SEGMENT;
    if (hc_border_read(&w->border, image, message->text, sizeof message->text) == 0) {
        if (hc_regs_load_part(&w->regs, part, &problem))
            snprintf(message->text, sizeof message->text, "%.300s", problem.text);
        else if ((cause = hc_output_open(&w->output, path)))
            snprintf(message->text, sizeof message->text, "%.200s: cannot be written: %s", path, strerror(cause));
        else if (!(w->hasher = hc_hasher_new(m, &w->border, w->regs, write_instruction, w)))
            snprintf(message->text, sizeof message->text, "out of memory");
    }
    if (!w->hasher) {
        hc_oracle_close(w, false);
        *out = NULL;
        return -1;
    }
    hc_hasher_listen(w->hasher, write_note);
    XXH64_reset(&w->sum, 0);
    memcpy(header, magic, sizeof magic);
    put(header + 8, HC_ORACLE_VERSION, 2);
    memcpy(header + 10, w->border.link.build, 8);
    write_bytes(w, header, sizeof header);
    return 0;
}

bool hc_oracle_note_log(struct hc_oracle_writer *w, const void *bytes, size_t size)
{
    struct hc_log_message message = { "" };
    const struct hc_log_page *page;
    struct hc_log *log;
    enum hc_log_error error = hc_log_open_memory(&log, "", bytes, size, &message);
    if (error)
        return error != HC_LOG_NO_MEMORY;
    size_t n = hc_log_pages(log, &page);
    bool well = true;
    for (size_t i = 0; i < n && well; i++) {
        well = hc_grow(&w->page, w->pages, &w->pages_room, sizeof *w->page);
        if (well)
            w->page[w->pages++] = page_sum(&page[i]);
    }
    hc_log_free(log);
    return well;
}

static void write_end(struct hc_oracle_writer *w)
{
    uint8_t pages[5] = { 'P' }, end[END] = { 'E' };
    end_block(w);
    put(pages + 1, w->pages, 4);
    write_bytes(w, pages, sizeof pages);
    for (size_t i = 0; i < w->pages; i++) {
        uint8_t sum[4];
        put(sum, w->page[i], 4);
        write_bytes(w, sum, sizeof sum);
    }
    put(end + 1, w->instructions, 8);
    put(end + 9, w->interrupts, 8);
    put(end + 17, w->reads, 8);
    write_bytes(w, end, END - 8);
    put(end + 25, XXH64_digest(&w->sum), 8);
    write_bytes(w, end + 25, 8);
}

int hc_oracle_close(struct hc_oracle_writer *w, bool well)
{
    int cause = 0;
    if (!w)
        return 0;
    if (w->hasher && well)
        write_end(w);
    if (w->hasher)
        hc_hasher_free(w->hasher);
    if (w->output && well)
        cause = hc_output_keep(w->output);
    else
        hc_output_drop(w->output);
    hc_regs_free(w->regs);
    free(w->page);
    free(w);
    return cause;
}

/* ---- reading ---- */

struct hc_oracle {
    FILE *file;
    uint8_t build[8];
    uint64_t instruction; /* the next one */
    uint64_t chain, chain_there;
    bool whole; /* the block was compared from its beginning */
    int n, at;
    uint16_t last;
    size_t pages, pages_room;
    uint32_t *page; /* sums, in order */
    uint8_t block[2 * HC_ORACLE_BLOCK];
};

/* The next record; 'E' when there is none. HEAD: its first 11 bytes. */
static int next_record(struct hc_oracle *o, uint8_t *head)
{
    if (fread(head, 1, HEAD, o->file) != HEAD)
        return 'E';
    return head[0];
}

/* Returns NULL, or what is wrong with the file. Reads all of it once; the sum at its end must be right. */
static const char *check_sum(FILE *file, uint8_t end[END])
{
    uint8_t bytes[READ_AT_ONCE + END];
    XXH64_state_t state;
    size_t kept = 0, n;
    XXH64_reset(&state, 0);
    if (fseeko(file, 0, SEEK_SET))
        return "cannot be read from its start";
    while ((n = fread(bytes + kept, 1, READ_AT_ONCE, file)) > 0) { /* keeps what may be the last record */
        kept += n;
        size_t whole = kept > END ? kept - END : 0;
        XXH64_update(&state, bytes, whole);
        memmove(bytes, bytes + whole, kept -= whole);
    }
    XXH64_update(&state, bytes, kept > 8 ? kept - 8 : 0);
    bool well = !ferror(file) && kept == END && bytes[0] == 'E' && get(bytes + END - 8, 8) == XXH64_digest(&state);
    memcpy(end, bytes, kept);
    return well ? NULL : "is damaged or cut off; record again";
}

/* The sums of pages, of a file whose own sum is right. */
static const char *read_pages(struct hc_oracle *o)
{
    uint8_t head[HEAD], sum[4];
    int tag;
    fseeko(o->file, HEADER, SEEK_SET);
    while ((tag = next_record(o, head)) == 'B' || tag == 'S')
        if (tag == 'B')
            fseeko(o->file, 2 * (off_t)get(head + 1, 2), SEEK_CUR);
    if (tag != 'P')
        return "is inconsistent; record again";
    fseeko(o->file, 5 - HEAD, SEEK_CUR);
    for (uint64_t n = get(head + 1, 4); n > 0 && fread(sum, 1, sizeof sum, o->file) == sizeof sum; n--) {
        if (!hc_grow(&o->page, o->pages, &o->pages_room, sizeof *o->page))
            return "out of memory";
        o->page[o->pages++] = (uint32_t)get(sum, 4);
    }
    if (o->pages)
        qsort(o->page, o->pages, sizeof *o->page, by_value);
    return NULL;
}

static const char *read_oracle(struct hc_oracle *o)
{
    uint8_t header[HEADER], end[END];
    if (fread(header, 1, sizeof header, o->file) != sizeof header || memcmp(header, magic, sizeof magic) != 0)
        return "is not an oracle; `hindcast run --oracle FILE` writes one";
    if (get(header + 8, 2) != HC_ORACLE_VERSION)
        return "is an oracle of another version; record again";
    memcpy(o->build, header + 10, sizeof o->build);
    const char *cause = check_sum(o->file, end);
    return cause ? cause : read_pages(o);
}

int hc_oracle_open(struct hc_oracle **out, const char *path, struct hc_oracle_message *message)
{
    struct hc_oracle *o = *out = calloc(1, sizeof *o);
    const char *cause = NULL;
    if (!o)
        cause = "out of memory";
    else if (!(o->file = fopen(path, "rb")))
        cause = strerror(errno);
    else
        cause = read_oracle(o);
    if (!cause)
        return 0;
    snprintf(message->text, sizeof message->text, "%.200s: %s", path, cause);
    hc_oracle_free(o);
    *out = NULL;
    return -1;
}

void hc_oracle_free(struct hc_oracle *o)
{
    if (!o)
        return;
    if (o->file)
        fclose(o->file);
    free(o->page);
    free(o);
}

size_t hc_oracle_strange_pages(const struct hc_oracle *o, const struct hc_log *log, const struct hc_log_segment *s,
                               size_t *all)
{
    const struct hc_log_page *page;
    size_t strange = 0;
    *all = 0;
    hc_log_pages(log, &page);
    for (size_t i = s->first_page; i < s->first_page + s->page_count; i++) {
        uint32_t sum = page_sum(&page[i]);
        if (page[i].boot != s->boot || page[i].segment != s->number || page[i].stream >= HC_CODEC_STREAMS)
            continue; /* one boot is like another */
        ++*all;
        strange += !bsearch(&sum, o->page, o->pages, sizeof sum, by_value);
    }
    return o->pages ? strange : 0;
}

const uint8_t *hc_oracle_build(const struct hc_oracle *o)
{
    return o->build;
}

/* Finds the start of a segment by its 'S' record. */
static bool find_segment(struct hc_oracle *o, uint16_t segment, uint64_t *instruction)
{
    uint8_t head[HEAD];
    fseeko(o->file, HEADER, SEEK_SET);
    for (;;) {
        int tag = next_record(o, head);
        if (tag == 'B') {
            fseeko(o->file, 2 * (off_t)get(head + 1, 2), SEEK_CUR);
        } else if (tag == 'S') {
            if (get(head + 1, 2) != segment)
                continue;
            *instruction = get(head + 3, 8);
            return true;
        } else {
            return false;
        }
    }
}

static bool next_block(struct hc_oracle *o)
{
    uint8_t head[HEAD];
    for (;;) {
        int tag = next_record(o, head);
        if (tag == 'S')
            continue;
        if (tag != 'B')
            return false;
        o->n = (int)get(head + 1, 2);
        o->at = 0;
        o->chain = 0;
        o->chain_there = get(head + 3, 8);
        o->whole = true;
        return o->n <= HC_ORACLE_BLOCK && fread(o->block, 2, (size_t)o->n, o->file) == (size_t)o->n;
    }
}

bool hc_oracle_seek(struct hc_oracle *o, uint16_t segment)
{
    uint64_t wanted;
    if (!find_segment(o, segment, &wanted))
        return false;
    fseeko(o->file, HEADER, SEEK_SET);
    o->instruction = 0;
    o->n = o->at = 0;
    while (o->instruction + (uint64_t)o->n <= wanted) {
        o->instruction += (uint64_t)o->n;
        if (!next_block(o)) {
            o->n = 0;
            return o->instruction == wanted;
        }
    }
    o->at = (int)(wanted - o->instruction);
    o->whole = !o->at;
    o->instruction = wanted;
    return true;
}

bool hc_oracle_would_be(const struct hc_oracle *o, uint64_t hash)
{
    return o->last == (uint16_t)hash;
}

enum hc_oracle_answer hc_oracle_compare(struct hc_oracle *o, uint64_t hash)
{
    if (o->at == o->n && !next_block(o))
        return HC_ORACLE_OVER;
    o->last = (uint16_t)get(o->block + 2 * o->at++, 2);
    o->instruction++;
    o->chain = chained(o->chain, hash);
    if (o->last != (uint16_t)hash)
        return HC_ORACLE_DIFFERS;
    return o->at == o->n && o->whole && o->chain != o->chain_there ? HC_ORACLE_DIFFERS : HC_ORACLE_SAME;
}

uint64_t hc_oracle_instruction(const struct hc_oracle *o)
{
    return o->instruction;
}
