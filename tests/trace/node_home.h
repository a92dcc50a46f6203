/* Where the codec of node.c is: what a node's recorder tells its codecs. */
extern struct hc_codec codec;
#define HC_CODEC_FIXED (&codec)
