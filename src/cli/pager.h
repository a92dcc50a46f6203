/* Output on a terminal, a screenful at a time. */
#ifndef HC_CLI_PAGER_H
#define HC_CLI_PAGER_H

#include <stdbool.h>
#include <stdio.h>

struct hc_pager {
    FILE *file; /* output written here goes to stdout; NULL: it could not be created */
    int rows, columns, row, column;
    bool in_escape;               /* in an escape sequence, which takes no room */
    bool whole;                   /* print the rest without stopping */
    bool dropped;                 /* drop the rest */
    void (*give_up)(void *owner); /* called when the user ends the output */
    void *owner;
    struct hc_progress *progress; /* makes way for what is written */
};

/* P must live until it is closed. Returns false on out-of-memory. Asks nothing before hc_pager_begin. */
bool hc_pager_open(struct hc_pager *p, struct hc_progress *progress, void (*give_up)(void *owner), void *owner);
/* Starts the next screenful: asks the terminal for its size. */
void hc_pager_begin(struct hc_pager *p);
void hc_pager_close(struct hc_pager *p);

#endif
