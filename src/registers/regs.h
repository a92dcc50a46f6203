/* What the registers of a part are: devices/PART.regs, read.
 *
 * Each register says which of its bits only software changes (they need not be recorded: the replayer keeps them),
 * which read as a constant, and which the world changes (they must be recorded). docs/registers.md describes the text.
 *
 * A description is read once and never changes; any number of threads may use it. Files may come from anywhere: one
 * that contradicts itself is refused with file, line and cause. */
#ifndef HC_REGISTERS_REGS_H
#define HC_REGISTERS_REGS_H

#include "../runtime/site.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every bit of a register is exactly one of: nondeterministic, kept, constant. */
struct hc_reg {
    const char *name; /* "TACCR0"; of an array "ADC12MEM3" */
    uint32_t address;
    uint8_t size; /* 1, 2 or 4 bytes; 4: read as two words, low first (addresses of 20 bits are such) */
    uint8_t class;
    uint32_t nondeterministic;
    uint32_t kept;     /* read back as software last wrote them, but for resets, effects and locks */
    uint32_t constant; /* value of the bits that are neither: what they always read as (WDTCTL: 0x6900) */

    /* The nondeterministic bits are so only while any of these bits of another register is set, and until software
     * writes them after that; else they are kept (TACCR0: in capture mode). when_mask is 0 where there is no such
     * condition. */
    uint32_t when_address;
    uint16_t when_mask;

    /* Writes with other bits in key_mask do nothing to the kept bits (they reset the part). key_mask is 0 without. */
    uint16_t key_mask, key;

    /* Reset: the kept bits in the masks become the values. A POR is followed by a PUC. Other bits stay as they are. */
    uint32_t por_mask, por, puc_mask, puc;

    bool read_effect; /* reading it has a side effect: do not read it for dumps, or unless the program reads it */
    bool write_only;  /* reads are meaningless, but are recorded */
    bool multiplier;  /* belongs to the hardware multiplier: deterministic, emulated during a replay */
    bool unchecked;   /* made from a header and not checked by anyone: comment "check" in the file */

    uint32_t array;   /* address of element 0 of its array; its own address if it is not in an array */
    uint16_t element; /* its index, and the number of elements (1: not an array) */
    uint16_t elements;
    int line; /* of the file */
};

/* A change of kept bits caused by something else, e.g. SWRST in U0CTL clears the interrupt enables in IE1. */
enum hc_reg_cause {
    HC_REG_ON_WRITE,     /* of `source`, where the value written has (value & mask) == match */
    HC_REG_ON_READ,      /* of `source`; mask and match are 0 */
    HC_REG_ON_INTERRUPT, /* accepted; `source` is the vector's number */
};
/* Applied in the file's order, after the write itself. */
struct hc_reg_effect {
    uint8_t cause;
    uint32_t source; /* address of the register, or a vector */
    uint16_t mask, match;
    uint32_t while_address; /* only while, before the write, (that register & while_mask) == while_match */
    uint16_t while_mask, while_match;
    uint32_t target; /* address; may be the source itself (bits that clear themselves) */
    uint16_t clear, set;
};

/* Kept bits that a write cannot change while another register (before the write) holds a value: ADC12CTL1 while ENC is
 * set. */
struct hc_reg_lock {
    uint32_t address;
    uint16_t bits;
    uint32_t by; /* locked while (by & mask) == match */
    uint16_t mask, match;
};

struct hc_regs_vector {
    const char *name; /* "TIMERA0"; NULL where the part has none */
};

struct hc_regs_timer {
    const char *name;    /* "TA" */
    uint32_t counter;    /* TAR */
    uint32_t control;    /* TACTL */
    uint32_t ccr, cctl;  /* of block 0; the next ones 2 bytes on */
    uint16_t cap;        /* CAP in a CCTL */
    uint8_t blocks;      /* 3 */
    uint8_t ccr0_vector; /* its interrupt by block 0 */
    uint8_t iv_vector;   /* by the others */
    uint32_t iv;         /* TAIV: reads 2n for block n */
    uint16_t overflow;   /* its value for TAIFG */
};

struct hc_regs_dma {
    uint32_t control, source, destination, size; /* DMA0CTL, DMA0SA, DMA0DA, DMA0SZ */
    uint16_t enable;                             /* DMAEN in the control register */
    uint8_t vector;
};

struct hc_regs_range {
    uint32_t start, end; /* inclusive */
};

enum { HC_REGS_VECTORS_MAX = 64, HC_REGS_TIMERS_MAX = 8, HC_REGS_DMA_MAX = 8, HC_REGS_MAX = 4096 };

struct hc_regs {
    const char *part; /* "msp430f1611" */
    const char *cpu;  /* "msp430x" */
    bool msp430x;     /* it is that one */
    /* A word access of a byte register affects that byte only and reads anything above it; a byte written to a word
     * register clears the upper byte (F1xx to F4xx). */
    bool strict_widths;
    uint32_t peripherals_start; /* 0 where addresses have 16 or 20 bits */
    uint32_t peripherals_end;   /* one past the peripheral space: 0x0200 */
    struct hc_regs_range ram;
    struct hc_regs_range fram;        /* non-volatile memory that is written like RAM; {0, 0}: none */
    struct hc_regs_range information; /* non-volatile memory beside the program's; {0, 0}: none */
    uint32_t vectors_start;           /* address of vector 0: 0xffe0 */
    int vectors;                      /* 16; the last is reset */
    struct hc_regs_vector vector[HC_REGS_VECTORS_MAX];
    int timers;
    struct hc_regs_timer timer[HC_REGS_TIMERS_MAX];
    int dmas;
    struct hc_regs_dma dma[HC_REGS_DMA_MAX];
    size_t count; /* registers, by address; none overlap */
    const struct hc_reg *reg;
    size_t effects;
    const struct hc_reg_effect *effect;
    size_t locks;
    const struct hc_reg_lock *lock;
};

struct hc_regs_message {
    char text[480]; /* one line, without a newline; written only when a call fails */
};

enum hc_regs_error { HC_REGS_OK = 0, HC_REGS_UNREADABLE = -1, HC_REGS_BAD = -2, HC_REGS_NO_MEMORY = -3 };

/* On success the caller owns *OUT and frees it with hc_regs_free; otherwise it is NULL. */
int hc_regs_load_file(struct hc_regs **out, const char *path, struct hc_regs_message *message);
/* NAME is used in messages. */
int hc_regs_load_memory(struct hc_regs **out, const char *name, const char *text, size_t size,
                        struct hc_regs_message *message);
/* Whether ADDRESS belongs to a peripheral. */
static inline bool hc_regs_is_peripheral(const struct hc_regs *regs, uint32_t address)
{
    return address >= regs->peripherals_start && address < regs->peripherals_end;
}

/* The description of PART ("msp430f1611"): PART.regs in $HINDCAST_DEVICES, in ../share/hindcast/devices relative to the
 * program, or in the source tree from which it was built. PART may also be a path (it contains a slash or ends in
 * .regs). */
int hc_regs_load_part(struct hc_regs **out, const char *part, struct hc_regs_message *message);
void hc_regs_free(struct hc_regs *regs);

/* The register that contains the byte at ADDRESS; NULL if there is none. O(log n). */
const struct hc_reg *hc_regs_at(const struct hc_regs *regs, uint32_t address);

/* By its name in the file, an alias, or a header's spelling of either: "P1IN", "__P1IN", "P1IN_", "ADC12MEM" (the first
 * of an array). O(log n). */
const struct hc_reg *hc_regs_named(const struct hc_regs *regs, const char *name);

/* The address of a header's name: as above, and of halves ("PAIN_H": the upper byte of PAIN). */
bool hc_regs_locate(const struct hc_regs *regs, const char *name, uint32_t *address);

/* What an access of SIZE (1, 2 or 4) bytes at ADDRESS reaches, regardless of register boundaries: the upper byte of a
 * word, two bytes at once. Bit 0 of the masks is bit 0 of the value accessed. */
struct hc_regs_access {
    const struct hc_reg *first; /* the register at ADDRESS; NULL if there is none */
    uint8_t class;              /* the highest class of the nondeterministic bytes: STATE < TIMER < DATA < VECTOR */
    uint32_t nondeterministic, kept, constant;
    bool conditional; /* all nondeterministic bits depend on `when` of `first` */
    bool unknown;     /* some byte belongs to no register: treated as nondeterministic */
};
void hc_regs_access(const struct hc_regs *regs, uint32_t address, int size, struct hc_regs_access *out);

/* The ranges that a checkpoint reads: registers with kept bits, adjacent ones joined, without those whose reading has a
 * side effect. In order of address, at most MAX; returns how many there are. Registers of a range are either all words
 * (and must be read so) or all bytes. */
struct hc_regs_dump {
    uint32_t start, end; /* inclusive */
    uint8_t width;       /* 1 or 2 */
};
size_t hc_regs_dump(const struct hc_regs *regs, struct hc_regs_dump *out, size_t max);

/* ---- a register file: what a replayer holds in place of the peripherals ---- */

struct hc_regfile; /* kept bits of every register of a part; constant bits answer by themselves */
struct hc_regfile *
hc_regfile_new(const struct hc_regs *regs); /* REGS must outlive it. Returns NULL on out-of-memory. */
void hc_regfile_free(struct hc_regfile *file);
/* POR (then also PUC) or PUC alone. Bits that a reset does not affect keep their values (0 in a new file). */
void hc_regfile_reset(struct hc_regfile *file, bool por);
/* The result of a read: kept and constant bits; 0 for nondeterministic bits. Side effects of reading happen. */
uint32_t hc_regfile_read(struct hc_regfile *file, uint32_t address, int size);
/* The same without effects. */
uint32_t hc_regfile_peek(const struct hc_regfile *file, uint32_t address, int size);
/* Keys, locks and effects apply. */
void hc_regfile_write(struct hc_regfile *file, uint32_t address, uint32_t value, int size);
/* For dumps: sets the kept bits to those of VALUE, without side effects. */
void hc_regfile_restore(struct hc_regfile *file, uint32_t address, uint32_t value, int size);
void hc_regfile_interrupt(struct hc_regfile *file, int vector);
/* The bits of such a read that the file knows: kept and constant ones, and conditional ones since the first write after
 * their condition last held (a capture stays in TACCR0 when CAP is cleared). */
uint32_t hc_regfile_known(const struct hc_regfile *file, uint32_t address, int size);
/* The file's whole state, for snapshots and comparison: *SIZE bytes, without pointers. */
uint8_t *hc_regfile_bytes(struct hc_regfile *file, size_t *size);

#endif
