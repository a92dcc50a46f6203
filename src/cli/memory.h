/* The program ends with a sentence and HC_EXIT_INPUT when memory is exhausted. */
#ifndef HC_CLI_MEMORY_H
#define HC_CLI_MEMORY_H

/* Before anything else: jansson's allocations count as ours. */
void hc_memory_begin(void);

#endif
