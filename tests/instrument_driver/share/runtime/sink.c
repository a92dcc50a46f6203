/* Tells which options came through. */
const unsigned hc_test_ring __attribute__((used)) = HC_RING;
