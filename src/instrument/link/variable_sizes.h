/* Variables of objects that two compilers made of the same source: they must be of the same size. */
#ifndef HC_INSTRUMENT_LINK_VARIABLE_SIZES_H
#define HC_INSTRUMENT_LINK_VARIABLE_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hc_variable_sizes {
    struct hc_variable_size {
        char *name;
        uint64_t size;
        bool twice; /* there are several of this name */
    } *variable;
    size_t count, room;
};

/* Adds the variables of the object at PATH; nothing if it cannot be read. */
void hc_variable_sizes_read(struct hc_variable_sizes *s, const char *path);
void hc_variable_sizes_free(struct hc_variable_sizes *s);

/* The first of ONE that is in OTHER with another size, *THERE; NULL: there is none. Names that occur twice do not
 * count. */
const struct hc_variable_size *hc_variable_sizes_differ(const struct hc_variable_sizes *one,
                                                        const struct hc_variable_sizes *other,
                                                        const struct hc_variable_size **there);

#endif
