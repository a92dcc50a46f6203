void hc_update(void);
void kernel_idle(void)
{
    hc_update();
}
const unsigned hc_test_port __attribute__((used)) = HC_PORT_KIT;
