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

/* 0 or errno. Opened before the work, so that a place that cannot be written is told at once. */
int hc_output_open(struct hc_output_file **out, const char *path);

/* To write to; it is closed by hc_output_keep and hc_output_drop. */
FILE *hc_output_file(struct hc_output_file *o);

/* All has been written: puts the file in its place and frees O. 0 or errno: what was there before is untouched then. */
int hc_output_keep(struct hc_output_file *o);

/* Frees O as if it had never been. O may be NULL. */
void hc_output_drop(struct hc_output_file *o);

/* Open, write SIZE bytes, keep: 0 or errno. */
int hc_output_write(const char *path, const void *bytes, size_t size);

/* PATH behind its links, to be freed; the last link may point to a file that is not there yet. NULL with errno. */
char *hc_output_place(const char *path);

/* Gives the open file FD the mode and, where that is allowed, the owner of STATUS. 0 or errno. */
struct stat;
int hc_output_take_mode(int fd, const struct stat *status);

/* Whether A and B name one file, by whatever links; a file that is not there yet has its name only. */
bool hc_output_same(const char *a, const char *b);

#endif
