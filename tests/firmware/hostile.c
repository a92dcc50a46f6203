/* Names and text that would break a report that trusts them: a variable, a function, a file, and what a line holds. */
#include <kit.h>

uint16_t count __asm__("\"><script>alert(1)</script>&amp;'");
uint16_t total __asm__("tot\351l");

volatile uint16_t result;
volatile uint16_t finished;

__attribute__((noinline)) void add(void) __asm__("</a><b onclick='x'>&");

__attribute__((noinline)) void add(void)
{
    *(volatile uint16_t *)&count += 1; /* </code></div><script>alert("1")</script> &lt; ]]>  é í € <!-- */
}

#line 1 "<img src=x onerror='alert(1)'>&\".c"
__attribute__((noinline)) static void sum(void)
{
    *(volatile uint16_t *)&total += 2;
}

int main(void)
{
    add();
    sum();
    finished = 0xd09e;
    return 0;
}
