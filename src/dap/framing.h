/* Messages of the Debug Adapter Protocol on a stream of bytes:
 *
 *     Content-Length: 119\r\n
 *     \r\n
 *     {"seq":1,"type":"request", ... }     119 bytes of JSON
 *
 * Other header fields are ignored. The input is not trusted: lengths are bounded, a bad header ends the stream, and a
 * body that is no JSON object is left out. */
#ifndef HC_DAP_FRAMING_H
#define HC_DAP_FRAMING_H

#include <jansson.h>

enum { HC_DAP_HEADER_MOST = 4096, HC_DAP_BODY_MOST = 16 << 20, HC_DAP_DEPTH_MOST = 64 };

/* Zeroed it is ready. */
struct hc_dap_reader {
    char header[HC_DAP_HEADER_MOST];
    size_t header_size;
    char *body;
    size_t body_size, body_length; /* so far, and in total; 0: in the header */
    const char *error;             /* what ended the stream; NULL: nothing has */
    unsigned left_out;             /* bodies that were no JSON objects */
};

/* Takes as much of BYTES as one message needs; returns how much. *OUT is the message, owned by the caller, or NULL
 * while it is incomplete. After an error it discards everything. */
size_t hc_dap_read(struct hc_dap_reader *r, const char *bytes, size_t size, json_t **out);
void hc_dap_reader_free(struct hc_dap_reader *r);

/* The message with its header; free it. NULL on out-of-memory. */
char *hc_dap_frame(const json_t *message, size_t *size);

#endif
