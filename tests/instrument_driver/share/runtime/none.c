const unsigned hc_test_none __attribute__((used)) = HC_SINK_NONE + 1 / (HC_CODEC_SETS == 4) + HC_PART_MSP430F1611;
