/* Files that a command writes. Each is written as a new one beside its place, which it takes when it is whole:
 *
 *     out.svg         stays what it was, whatever happens on the way: a full disk, a signal, a crash
 *     a nameless file (O_TMPFILE), or where there are none .out.svg.XXXXXX, created exclusively
 *
 * A symbolic link stays one, and what it points to is replaced. A file that is replaced keeps its mode and, where that
 * is allowed, its owner. Devices and pipes are written to as they are. */
#ifndef HC_SUPPORT_OUTPUT_H
#define HC_SUPPORT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct hc_output_file;

/* Returns 0 or errno. Open it before the work, so that an unwritable path is reported at once. */
int hc_output_open(struct hc_output_file **out, const char *path);

/* The stream to write to; hc_output_keep and hc_output_drop close it. */
FILE *hc_output_file(struct hc_output_file *o);

/* Call when everything has been written: puts the file in its place and frees O. Returns 0, or errno with the previous
 * file untouched. */
int hc_output_keep(struct hc_output_file *o);

/* Discards the file and frees O. O may be NULL. */
void hc_output_drop(struct hc_output_file *o);

/* Open, write SIZE bytes, keep. Returns 0 or errno. */
int hc_output_write(const char *path, const void *bytes, size_t size);

/* PATH with its links resolved; free it. The last link may point to a file that does not exist yet. NULL with errno. */
char *hc_output_place(const char *path);

/* Gives the open file FD the mode and, if permitted, the owner of STATUS. Returns 0 or errno. */
struct stat;
int hc_output_take_mode(int fd, const struct stat *status);

/* Whether A and B are the same file, through any links; a file that does not exist yet is compared by name. */
bool hc_output_same(const char *a, const char *b);

#endif
