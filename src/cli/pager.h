/* Output on a terminal, a screenful at a time. */
#ifndef HC_CLI_PAGER_H
#define HC_CLI_PAGER_H

#include <stdbool.h>
#include <stdio.h>

struct hc_pager {
    FILE *file; /* what is written here comes to stdout; NULL: it could not be made */
    int rows, columns, row, column;
    bool in_escape;               /* in a sequence that moves nothing */
    bool whole;                   /* the rest comes at once */
    bool dropped;                 /* the rest does not come */
    void (*give_up)(void *owner); /* the user has seen enough */
    void *owner;
};

/* P must live until it is closed. False when memory is exhausted. */
bool hc_pager_open(struct hc_pager *p, void (*give_up)(void *owner), void *owner);
/* The next screenful begins: asks the terminal for its size. */
void hc_pager_begin(struct hc_pager *p);
void hc_pager_close(struct hc_pager *p);

#endif
