/* Why something was refused: one line, without a newline; written only when a call fails. */
#ifndef HC_FIELD_MESSAGE_H
#define HC_FIELD_MESSAGE_H

struct hc_message {
    char text[480];
};

enum hc_refusal {
    HC_REFUSED = -1, /* the input is bad: MESSAGE says where and why */
    HC_NO_MEMORY = -2,
    HC_NOT_WRITTEN = -3, /* a file could not be written */
};

/* Writes the message and returns ERROR. */
int hc_refuse(struct hc_message *message, enum hc_refusal error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

int hc_no_memory(struct hc_message *message);

#endif
