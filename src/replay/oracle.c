#include "oracle.h"

#include "hasher.h"
#include "registers/regs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NO_SEGMENT = 0xffff, HEADER = 18 };

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

/* ---- writing ---- */

struct hc_oracle_writer {
    FILE *file;
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

static void end_block(struct hc_oracle_writer *w)
{
    uint8_t head[11] = { 'B' };
    if (!w->n)
        return;
    put(head + 1, (uint64_t)w->n, 2);
    put(head + 3, w->chain, 8);
    fwrite(head, 1, sizeof head, w->file);
    fwrite(w->block, 2, (size_t)w->n, w->file);
    w->n = 0;
    w->chain = 0;
}

/* Of several numbers between two instructions the last one counts. After a reset it tells which segment began with it.
 */
static void write_segment(struct hc_oracle_writer *w)
{
    uint8_t record[11] = { 'S' };
    end_block(w);
    put(record + 1, w->next_segment, 2);
    put(record + 3, w->segment == NO_SEGMENT ? w->boot_at : w->instructions, 8);
    fwrite(record, 1, sizeof record, w->file);
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
    if (!w) {
        snprintf(message->text, sizeof message->text, "out of memory");
        return -1;
    }
    w->segment = w->next_segment = NO_SEGMENT;
    if (hc_border_read(&w->border, image, message->text, sizeof message->text) == 0) {
        if (hc_regs_load_part(&w->regs, part, &problem))
            snprintf(message->text, sizeof message->text, "%.300s", problem.text);
        else if (!(w->file = fopen(path, "wb")))
            snprintf(message->text, sizeof message->text, "%.200s: %s", path, strerror(errno));
        else if (!(w->hasher = hc_hasher_new(m, &w->border, w->regs, write_instruction, w)))
            snprintf(message->text, sizeof message->text, "out of memory");
    }
    if (!w->hasher || !w->file) {
        hc_oracle_close(w);
        *out = NULL;
        return -1;
    }
    hc_hasher_listen(w->hasher, write_note);
    memcpy(header, magic, sizeof magic);
    put(header + 8, HC_ORACLE_VERSION, 2);
    memcpy(header + 10, w->border.link.build, 8);
    fwrite(header, 1, sizeof header, w->file);
    return 0;
}

int hc_oracle_close(struct hc_oracle_writer *w)
{
    int cause = 0;
    uint8_t record[25] = { 'E' };
    if (!w)
        return 0;
    if (w->hasher && w->file) {
        end_block(w);
        put(record + 1, w->instructions, 8);
        put(record + 9, w->interrupts, 8);
        put(record + 17, w->reads, 8);
        fwrite(record, 1, sizeof record, w->file);
        hc_hasher_free(w->hasher);
    }
    if (w->file) {
        cause = ferror(w->file) ? EIO : 0;
        if (fclose(w->file))
            cause = errno;
    }
    hc_regs_free(w->regs);
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
    uint8_t block[2 * HC_ORACLE_BLOCK];
};

int hc_oracle_open(struct hc_oracle **out, const char *path, struct hc_oracle_message *message)
{
    uint8_t header[HEADER];
    struct hc_oracle *o = *out = calloc(1, sizeof *o);
    const char *cause = NULL;
    if (!o)
        cause = "out of memory";
    else if (!(o->file = fopen(path, "rb")))
        cause = strerror(errno);
    else if (fread(header, 1, sizeof header, o->file) != sizeof header || memcmp(header, magic, sizeof magic) != 0)
        cause = "is no oracle; `hindcast run --oracle FILE` writes one";
    else if (get(header + 8, 2) != HC_ORACLE_VERSION)
        cause = "is an oracle of another version; record again";
    if (!cause) {
        memcpy(o->build, header + 10, sizeof o->build);
        return 0;
    }
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
    free(o);
}

const uint8_t *hc_oracle_build(const struct hc_oracle *o)
{
    return o->build;
}

/* The next record; 'E' when there is none. HEAD has 11 bytes. */
static int next_record(struct hc_oracle *o, uint8_t *head)
{
    if (fread(head, 1, 11, o->file) != 11)
        return 'E';
    return head[0];
}

/* Finds where a segment's 'S' says that it begins. */
static bool find_segment(struct hc_oracle *o, uint16_t segment, uint64_t *instruction)
{
    uint8_t head[11];
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
    uint8_t head[11];
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
