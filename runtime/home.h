/* Where the codec is: code that knows it is shorter (codec/codec.h). */
extern struct hc_codec __hc_codec; /* in the recorder's RAM, by link.c */

#define HC_CODEC_FIXED (&__hc_codec)
