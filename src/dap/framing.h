/* Messages of the Debug Adapter Protocol on a stream of bytes:
 *
 *     Content-Length: 119\r\n
 *     \r\n
 *     {"seq":1,"type":"request", ... }     119 bytes of JSON
 *
 * Other header fields are passed over. What comes may be anything: lengths are bounded, and nonsense ends the stream.
 */
#ifndef HC_DAP_FRAMING_H
#define HC_DAP_FRAMING_H

#include <jansson.h>

enum { HC_DAP_HEADER_MOST = 4096, HC_DAP_BODY_MOST = 16 << 20, HC_DAP_DEPTH_MOST = 64 };

/* Zeroed it is ready. */
struct hc_dap_reader {
    char header[HC_DAP_HEADER_MOST];
    size_t header_size;
    char *body;
    size_t body_size, body_length; /* so far, and of all; 0: in the header */
    const char *error;             /* a sentence; NULL: none so far */
};

/* Takes as much of BYTES as it needs for one message; returns how much. *OUT is the message, the caller's, or NULL as
 * long as it is not whole. After an error it takes everything and gives nothing. */
size_t hc_dap_read(struct hc_dap_reader *r, const char *bytes, size_t size, json_t **out);
void hc_dap_reader_free(struct hc_dap_reader *r);

/* The message with its header, to be freed; NULL when memory is exhausted. */
char *hc_dap_frame(const json_t *message, size_t *size);

#endif
