/* What was on the air, as a capture file that tshark and Wireshark read: link type 283, IEEE 802.15.4 with a TAP
 * header.
 *
 *     file header (24)    magic 0xa1b23c4d: nanoseconds; version 2.4; link type 283
 *     record (16)         time of the carrier's start since the run's beginning, captured and original length
 *       TAP header        version 0, length of it all, then type-length-value triples padded to 4 bytes:
 *                           FCS type 1 (16-bit CRC) | RSS in dBm (float) | channel and page | start of frame in ns
 *       MPDU              without preamble, SFD and length byte; its FCS included
 *
 * One record a transmission, as its sender sent it, whether anybody received it or not. RSS is the power at the
 * sender's antenna. A frame that was broken off is shorter than its original length. What has no SFD and no length (a
 * test carrier) leaves no record. */
#ifndef HC_FIELD_PCAP_H
#define HC_FIELD_PCAP_H

#include "medium.h"

#include <stdio.h>

enum { HC_PCAP_LINK_TYPE = 283 };

/* Errors are the stream's (ferror). */
void hc_pcap_begin(FILE *file);
/* Returns whether there was a frame in it. */
bool hc_pcap_add(FILE *file, const struct hc_air_frame *frame);

#endif
