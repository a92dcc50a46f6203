/* The link of a program with a region: bitcode that units carry becomes one object, which takes the place of theirs. */
#ifndef HC_INSTRUMENT_LINK_REGION_LINK_H
#define HC_INSTRUMENT_LINK_REGION_LINK_H

#include "instrument/command/settings.h"
#include "target/target.h"

#define HC_REGION_BITCODE ".hindcast.bitcode" /* the section of an object that holds its unit's */

struct hc_region_link {
    struct hc_invocation *session;
    const struct hc_settings *settings;
    const struct hc_argv *compiler; /* the units', with options for the CPU */
    const struct hc_target *target;
    const char *output;   /* of the link */
    struct hc_argv words; /* result: the command's, with objects replaced */
};

/* COMMAND links the program as it is, WORDS are those of it that the user wrote. Links once, to see which units are
 * needed, builds the region and says in `words` what is to be linked instead. False with the session's message, or
 * *CODE of a program that printed its own. */
bool hc_region_link(struct hc_region_link *r, const struct hc_argv *command, const struct hc_argv *words,
                    bool through_compiler, int *code);
void hc_region_link_free(struct hc_region_link *r);

#endif
