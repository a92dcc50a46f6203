/* Writes records of the map, and descriptors of sites, as top-level assembly of a C file; map.h defines them.
 *
 * Each record is a separate string, because on 16-bit targets GCC accepts at most 32,767 bytes in one. */
#ifndef HC_RECORDED_MAP_TEXT_H
#define HC_RECORDED_MAP_TEXT_H

#include "../runtime/site.h"

#include <stddef.h>
#include <stdio.h>

/* DESCRIPTOR: the number of the site that the record describes; -1: none. */
void hc_map_text_record(FILE *to, int descriptor, const char *const *fields, size_t count);

/* Site NUMBER of this file, numbered from 0. */
void hc_map_text_site(FILE *to, int number, struct hc_site site);

#endif
