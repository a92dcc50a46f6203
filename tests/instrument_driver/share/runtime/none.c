const unsigned hc_test_none __attribute__((used)) = HC_SINK_NONE + HC_CODEC_DATA_PAPER + HC_PART_MSP430F1611;
