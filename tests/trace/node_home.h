/* Where the codec of node.c is: what a node's recorder tells its codecs. */
extern struct hc_codec the_codec;
#define HC_CODEC_FIXED (&the_codec)
