/* Codecs: logical events in, pages of compressed bytes out. Freestanding; the same source makes the node's encoder and
 * the host's, so that they agree to the bit.
 *
 * Two sets, chosen for each kind of event:
 *
 *     paper     Figure 4 of the TARDIS paper: separate streams for interrupts, registers and data (and one for hashes)
 *     hindcast  one stream for all of its events in the order in which they happened, guessed, and what differs
 *
 * The formats are in FORMAT.md.
 *
 * The recorder calls hc_codec_start at the beginning of each segment, then hc_encode_* for each event, and
 * hc_codec_finish before it ends a segment or wants to be sure that all is in the sink. A codec needs no room in
 * advance: whenever a page is full it is handed to the page function, which has to put it away before it returns. One
 * event fills at most two pages of a stream, a memory event of N bytes at most N / 64 + 2.
 *
 * Every page begins at a point where the decoder can begin too, given the pages of that stream before it: nothing of a
 * page is lost when a later one is. */
#ifndef HC_CODEC_CODEC_H
#define HC_CODEC_CODEC_H

#include "../site.h"
#include "page.h"

/* ---- build options ---- */

/* Kinds of events encoded by set paper, as bits: 0 all hindcast, 7 all paper. Without HC_CODEC_SETS the choice is made
 * at run time (on the host). */
enum { HC_PAPER_INTERRUPTS = 1, HC_PAPER_REGISTERS = 2, HC_PAPER_DATA = 4, HC_PAPER_ALL = 7 };

#ifdef HC_CODEC_SETS
#define HC_CODEC_IS_PAPER(codec, bit) ((HC_CODEC_SETS & (bit)) != 0)
#define HC_CODEC_USES_MIXED(codec) (HC_CODEC_SETS != HC_PAPER_ALL)
#else
#define HC_CODEC_IS_PAPER(codec, bit) (((codec)->sets & (bit)) != 0)
#define HC_CODEC_USES_MIXED(codec) ((codec)->sets != HC_PAPER_ALL)
#endif

#if !defined HC_CODEC_SETS || HC_CODEC_SETS != 7
#define HC_CODEC_HAS_MIXED 1
#endif
#if !defined HC_CODEC_SETS || HC_CODEC_SETS != 0
#define HC_CODEC_HAS_PAPER 1
#endif

/* A node has one codec at a fixed address, which makes its code a fifth shorter. HC_CODEC_HOME names a header that
 * defines HC_CODEC_FIXED, the address, and what hc_codec_open is given elsewhere: HC_CODEC_SITES and HC_CODEC_PAGE. */

/* If all events are of one set, a port may have an encoder that takes them from the ring: port/msp430/encode.S. */
#if defined __MSP430__ && defined HC_CODEC_HOME && HC_CODEC_SETS == 0 && !HC_RECORDER_C
#define HC_CODEC_IN_ASSEMBLY 1
#endif

/* ---- the codec ---- */

struct hc_codec;

/* PAGE has LENGTH bytes of payload; it is reused after the return. */
typedef void hc_page_fn(struct hc_codec *codec, uint8_t stream, uint8_t *page, uint8_t length);

#include "state.h" /* struct hc_codec: private to the codec, except what hc_codec_open sets */

#ifdef HC_CODEC_HOME
#include HC_CODEC_HOME
#define HC_CODEC_FIX(codec) ((codec) = HC_CODEC_FIXED)
#else
#define HC_CODEC_FIX(codec) ((void)0)
#define HC_CODEC_SITES(codec) ((codec)->sites)
#define HC_CODEC_PAGE(codec, stream, bytes, length) ((codec)->page(codec, stream, bytes, length))
#endif

/* Call once, before anything else; not if there is an HC_CODEC_HOME. SITES is kept. */
void hc_codec_open(struct hc_codec *codec, const struct hc_site *sites, hc_page_fn *page);

/* Starts a segment: all models as after hc_codec_open, pages empty. */
void hc_codec_start(struct hc_codec *codec);

/* Encodes a read of VALUE, which has no bits outside the site's mask. Reads of class timer are predicted from the last
 * read of that timer, or from BASE if the recorder has one (FORMAT.md). */
void hc_encode_read(struct hc_codec *codec, uint16_t site, uint16_t value);
void hc_encode_based(struct hc_codec *codec, uint16_t site, uint16_t value, uint16_t base);

enum { HC_ARRIVAL_ASLEEP = 1, HC_ARRIVAL_HASHED = 2 };

/* Where an interrupt came. */
struct hc_arrival {
    uint8_t vector; /* 0..63 */
    uint8_t flags;  /* for an interrupt of a sleeping CPU nothing else is recorded */
    uint16_t pc;
    uint16_t count, laps; /* of the position counter: low word, high word */
    uint32_t hash;        /* if HC_ARRIVAL_HASHED */
};
/* ARRIVAL is not changed, except for members that its flags say are not recorded. */
void hc_encode_interrupt(struct hc_codec *codec, struct hc_arrival *arrival);

/* Encodes SIZE bytes of memory that hardware has written at ADDRESS. */
void hc_encode_memory(struct hc_codec *codec, uint16_t address, uint16_t size, const uint8_t *bytes);

/* The self-check of the current page (FORMAT.md), made at an hc_update at which all events so far are encoded: COUNT is
 * the position counter there, SUM as in FORMAT.md. Returns false, with nothing changed, if the page has one, has too
 * many events already, or not all events are of set hindcast. */
bool hc_encode_self_check(struct hc_codec *codec, uint16_t count, uint16_t sum);

/* Outputs every page that is not empty, with everything that is still held back. More events may follow. */
void hc_codec_finish(struct hc_codec *codec);

#endif
