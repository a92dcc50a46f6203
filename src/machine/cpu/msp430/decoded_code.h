/* Decoded code, shared between the machines that run it.
 *
 * Code is decoded a page of 1 KB at a time, each word of the page as if an instruction began there. A page that came
 * from the store never changes; a machine that writes into its code, or hooks it, gets a copy of its own. A thousand
 * nodes that run one image hold one set of pages. */
#ifndef HC_MACHINE_CPU_MSP430_DECODED_CODE_H
#define HC_MACHINE_CPU_MSP430_DECODED_CODE_H

struct hc_code_store;

/* NULL when memory is exhausted. Safe to use from several threads at once. */
struct hc_code_store *hc_code_store_new(void);
/* After the last machine that uses it. */
void hc_code_store_free(struct hc_code_store *store);

#endif
