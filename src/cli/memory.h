/* On out-of-memory the program exits with a message and HC_EXIT_INPUT. */
#ifndef HC_CLI_MEMORY_H
#define HC_CLI_MEMORY_H

/* Call first: makes jansson's allocations count as ours. */
void hc_memory_begin(void);

#endif
