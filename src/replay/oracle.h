/* Oracles: what a recording really did, as a stream of hashes, one for each instruction outside the recorder
 * (hasher.h). Written while a machine records, compared while its log is replayed.
 *
 *     header    | 'H' 'C' 'O' 'R' 'A' 'C' 'L' 'E' | version u16 | build[8] |
 *     then      | 'B' | n u16 | chain u64 | n hashes u16 |        instructions; chain: over their hashes in full
 *               | 'S' | segment u16 | instruction u64 |            the recorder's segment begins there
 *               | 'P' | n u32 | n sums u32 |                       of the pages of the log that the same run left
 *               | 'E' | instructions u64 | interrupts u64 | reads u64 | sum u64 |    the sum: of all before it
 *
 * Numbers are little-endian. Sums of pages are FNV-1a, that of the file is XXH64: a file that is damaged or cut off is
 * refused, and one of another run, or another node, is known as that. 16 bits of a hash tell the instruction at which
 * two runs part (or one just after it, once in 65536 times); the chain leaves no doubt that they do. About 2 bytes an
 * instruction: 100 MB for an hour of a node that is awake for 1 % of the time. */
#ifndef HC_REPLAY_ORACLE_H
#define HC_REPLAY_ORACLE_H

#include "position.h"
#include "trace/log.h"

#include <stdio.h>

struct hc_regs;

enum { HC_ORACLE_BLOCK = 4096, HC_ORACLE_VERSION = 2 };

struct hc_oracle_message {
    char text[320];
};

/* ---- writing ---- */

struct hc_oracle_writer;

/* Observes M, which runs IMAGE, from its reset. Returns 0, or -1 with a message: no recorder in IMAGE, or PATH is not
 * writable. IMAGE must outlive the writer. */
int hc_oracle_write(struct hc_oracle_writer **out, struct hc_machine *m, struct hc_image *image, const char *part,
                    const char *path, struct hc_oracle_message *message);
/* Adds the log that the run has written: SIZE bytes of a flash chip or of memory. May be called several times. Returns
 * false on out-of-memory. */
bool hc_oracle_note_log(struct hc_oracle_writer *w, const void *bytes, size_t size);
/* Completes the file if WELL; otherwise writes nothing. Returns 0 or errno. W may be NULL. */
int hc_oracle_close(struct hc_oracle_writer *w, bool well);

/* ---- reading ---- */

struct hc_oracle;

/* Returns 0, or -1 with a message. */
int hc_oracle_open(struct hc_oracle **out, const char *path, struct hc_oracle_message *message);
void hc_oracle_free(struct hc_oracle *o);
const uint8_t *hc_oracle_build(const struct hc_oracle *o); /* 8 bytes */

/* Returns how many event pages of segment S of LOG were not written by the oracle's run; *ALL: how many pages there
 * are. Returns 0 if the oracle does not know its run's pages. */
size_t hc_oracle_strange_pages(const struct hc_oracle *o, const struct hc_log *log, const struct hc_log_segment *s,
                               size_t *all);

/* Goes to the first instruction of a segment. Returns false if the oracle does not contain the segment. */
bool hc_oracle_seek(struct hc_oracle *o, uint16_t segment);

enum hc_oracle_answer { HC_ORACLE_SAME, HC_ORACLE_DIFFERS, HC_ORACLE_OVER };
/* Compares HASH with the next instruction. OVER: the recording has no more instructions. DIFFERS: the hash, or the
 * chain of a block that ended, differs. After DIFFERS and OVER only seek is allowed. */
enum hc_oracle_answer hc_oracle_compare(struct hc_oracle *o, uint64_t hash);
/* Whether the last instruction compared would have matched with HASH. */
bool hc_oracle_would_be(const struct hc_oracle *o, uint64_t hash);
/* The number of the next instruction, counted over the whole recording. */
uint64_t hc_oracle_instruction(const struct hc_oracle *o);

#endif
