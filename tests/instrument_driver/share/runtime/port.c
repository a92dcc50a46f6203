const unsigned hc_test_port __attribute__((used)) = HC_PORT_KIT;
