/* What an ELF file says about paths: the section .hindcast.paths, which is not loaded (FORMAT.md, "Paths"). A record
 * for each function, written by the compile step, its first number by the link step:
 *
 *     u32 magic   u32 function   u32 end   u32 first      addresses; the number that its own numbers are counted from
 *     u16 flags   u16 numbers    u16 blocks   u16 edges   u16 places   u16 entry
 *                                                         entry: the first number of its entry
 *     blocks:  u32 address  u32 end  u32 callee  u16 next  u16 first  u16 paths  u8 kind of end  u8 flags
 *     edges:   u16 from  u16 to  u16 value  u16 cut
 *     places:  u32 address of a word in the code that holds a first number
 */
#ifndef HC_TRAFFIC_PATH_MAP_H
#define HC_TRAFFIC_PATH_MAP_H

#define HC_PATHS_SECTION ".hindcast.paths"

enum {
    HC_PATHS_MAGIC = 0x31504348,
    HC_PATHS_HEAD = 28,
    HC_PATHS_BLOCK = 20,
    HC_PATHS_EDGE = 8,
    HC_PATHS_PLACE = 4,
    HC_PATHS_BIAS = 16, /* in the code before the link: what a first number is too high by */
    HC_PATHS_NO_BLOCK = 0xffff,
    HC_PATHS_LIMIT = 0x8000, /* numbers are lower */
};

enum hc_path_end {
    HC_PATH_END_EDGES,  /* on by one of its edges */
    HC_PATH_END_CALL,   /* a call, then on at `next` */
    HC_PATH_END_RETURN, /* also that of a handler */
    HC_PATH_END_TAIL,   /* on in another function, which returns for this one */
    HC_PATH_END_SWITCH, /* on by one of its edges, all of them cut: the next number tells which */
    HC_PATH_END_ENDS,
};

/* Flags of a function and of a block. */
enum { HC_PATHS_HANDLER = 1 };
enum {
    HC_PATHS_BEGINS = 1,  /* a stretch begins here */
    HC_PATHS_RESTS = 2,   /* and is not recorded: it has one path */
    HC_PATHS_CERTAIN = 4, /* its call leads only to code that is recorded, or to none that is */
    HC_PATHS_MESSAGE = 8, /* its call is that of a message */
};

/* What the recorder writes: numbers from HC_PATH_FIRST on, and below: */
enum {
    HC_PATH_MESSAGE = 0, /* a message was sent or received */
    HC_PATH_RESET = 1,   /* the node was reset */
    HC_PATH_LOST = 2,    /* paths were lost here */
    HC_PATH_PAD = 3,     /* the rest of the piece is empty */
    HC_PATH_FIRST = 4,
};

#endif
