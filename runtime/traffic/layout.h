/* Where struct hc_traffic_ram (record.h) has its parts, for assembly. record.c checks it. */
#ifndef HC_TRAFFIC_LAYOUT_H
#define HC_TRAFFIC_LAYOUT_H

#ifndef HC_MESSAGE_PARTNERS
#define HC_MESSAGE_PARTNERS 20
#endif
#ifndef HC_TRAFFIC_BUFFER
#define HC_TRAFFIC_BUFFER 31 /* bytes of code that wait; a piece */
#endif
#define HC_TRAFFIC_ENOUGH (HC_TRAFFIC_BUFFER - 5)           /* of them: a piece is written */
#define HC_TRAFFIC_LAST (256 - 1 - (HC_TRAFFIC_BUFFER + 2)) /* offset in a page: a piece fits behind it */

#define HC_TRAFFIC_RAM_VERSION 8
#define HC_TRAFFIC_RAM_MAGIC_IS 0x7a71
#define HC_TRAFFIC_RAM_CONTEXT_COUNT 40
#define HC_TRAFFIC_RAM_CONTEXT_NEW 0x60
#define HC_TRAFFIC_RAM_CONTEXTS 4
#define HC_TRAFFIC_RAM_TABLES (HC_TRAFFIC_RAM_CONTEXTS + HC_TRAFFIC_RAM_CONTEXT_COUNT)
#define HC_TRAFFIC_RAM_FLAGS (HC_TRAFFIC_RAM_TABLES + 2)
#define HC_TRAFFIC_RAM_CHANNELS (HC_TRAFFIC_RAM_TABLES + 6)
#define HC_TRAFFIC_RAM_MAGIC (HC_TRAFFIC_RAM_CHANNELS + 10 * HC_MESSAGE_PARTNERS)
#define HC_TRAFFIC_RAM_AT (HC_TRAFFIC_RAM_MAGIC + 4)
#define HC_TRAFFIC_RAM_AGE (HC_TRAFFIC_RAM_MAGIC + 13)
#define HC_TRAFFIC_RAM_CODE (HC_TRAFFIC_RAM_AGE + 2)
#if HC_FLUSH
#define HC_TRAFFIC_RAM_SIZE ((HC_TRAFFIC_RAM_CODE + HC_TRAFFIC_BUFFER + 1) / 2 * 2 + 2)
#else
#define HC_TRAFFIC_RAM_SIZE ((HC_TRAFFIC_RAM_CODE + HC_TRAFFIC_BUFFER + 1) / 2 * 2)
#endif
#define HC_TRAFFIC_TABLES_SIZE ((6 + 10 * HC_MESSAGE_PARTNERS + 3) / 4 * 4) /* bytes that a segment begins with */

#endif
