/* Why a chip could not be read: one sentence without a newline, written only when a call fails. */
#ifndef HC_FETCH_MESSAGE_H
#define HC_FETCH_MESSAGE_H

enum hc_fetch_error {
    HC_FETCH_OK = 0,
    HC_FETCH_PORT = -1,       /* cannot be opened, or is gone */
    HC_FETCH_NO_MOTE = -2,    /* nobody answers, or not what we speak */
    HC_FETCH_NO_CHIP = -3,    /* the mote has no chip that we know, or the chip never gets ready */
    HC_FETCH_FILE = -4,       /* a file cannot be read or written */
    HC_FETCH_OTHER_CHIP = -5, /* the file that would be continued is not of this chip */
    HC_FETCH_STOPPED = -6,    /* the caller asked for it */
};

struct hc_fetch_message {
    char text[640];
};

/* Writes the message and returns ERROR. */
enum hc_fetch_error hc_fetch_fail(struct hc_fetch_message *message, enum hc_fetch_error error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends to a message that is there. */
void hc_fetch_add(struct hc_fetch_message *message, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
