#include "pcap.h"

#include <string.h>

enum {
    SFD = 0xa7,
    PREAMBLE_MOST = 16,
    TAP_HEADER = 4,
    TAP_FCS = 0,
    TAP_RSS = 1,
    TAP_CHANNEL = 3,
    TAP_START = 5,
    FCS_16_BITS = 1,
    CHANNEL_11_MHZ = 2405,
    SNAPSHOT = 65535,
    MPDU_MOST = 127,
};

struct bytes {
    size_t size;
    uint8_t at[64];
};

static void put(struct bytes *b, uint64_t value, int size)
{
    for (int i = 0; i < size; i++)
        b->at[b->size++] = (uint8_t)(value >> 8 * i);
}

/* One type-length-value triple, up to 8 bytes of value. */
static void put_field(struct bytes *b, unsigned type, uint64_t value, int size)
{
    put(b, type, 2);
    put(b, (uint64_t)size, 2);
    put(b, value, size > 4 ? 8 : 4);
}

static uint64_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

void hc_pcap_begin(FILE *file)
{
    struct bytes b = { 0 };

    put(&b, 0xa1b23c4d, 4);
    put(&b, 2, 2);
    put(&b, 4, 2);
    put(&b, 0, 8); /* time zone and accuracy: unused */
    put(&b, SNAPSHOT, 4);
    put(&b, HC_PCAP_LINK_TYPE, 4);
    fwrite(b.at, 1, b.size, file);
}

/* Where the MPDU begins: after the SFD and the length, which is left in *LENGTH. NULL when there is none. */
static const uint8_t *find_mpdu(const struct hc_air_frame *frame, size_t *length, size_t *there)
{
    for (size_t i = 0; i + 1 < frame->length && i <= PREAMBLE_MOST; i++)
        if (frame->bytes[i] == SFD) {
            *length = frame->bytes[i + 1] & MPDU_MOST;
            *there = frame->length - i - 2;
            return frame->bytes + i + 2;
        }
    return NULL;
}

static uint64_t nanoseconds(hc_time t)
{
    return (uint64_t)(((unsigned __int128)t * 1000000000 + HC_SECOND / 2) / HC_SECOND);
}

static void make_tap(struct bytes *b, const struct hc_air_frame *frame, uint64_t ns)
{
    unsigned channel = 11 + (frame->mhz - CHANNEL_11_MHZ) / 5;

    put(b, 0, 2); /* version, reserved */
    put(b, 0, 2); /* length: below */
    put_field(b, TAP_FCS, FCS_16_BITS, 1);
    put_field(b, TAP_RSS, float_bits(frame->dbm), 4);
    put_field(b, TAP_CHANNEL, channel, 3); /* channel, page 0 */
    put_field(b, TAP_START, ns, 8);
    b->at[2] = (uint8_t)b->size;
}

bool hc_pcap_add(FILE *file, const struct hc_air_frame *frame)
{
    struct bytes tap = { 0 }, record = { 0 };
    size_t length, there;
    const uint8_t *mpdu = find_mpdu(frame, &length, &there);
    uint64_t ns = nanoseconds(frame->start);

    if (!mpdu)
        return false;
    if (there > length)
        there = length;
    make_tap(&tap, frame, ns);
    put(&record, ns / 1000000000, 4);
    put(&record, ns % 1000000000, 4);
    put(&record, tap.size + there, 4);
    put(&record, tap.size + length, 4);
    fwrite(record.at, 1, record.size, file);
    fwrite(tap.at, 1, tap.size, file);
    fwrite(mpdu, 1, there, file);
    return true;
}
