/* Text in pages: whatever it holds, it stays text. Verdicts: not each occurrence was tried, so it is none. */
#include "power/report/html.h"
#include "power/report/report_json.h"
#include "power/report/sarif.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BAD "\xef\xbf\xbd"

static void assert_written(const char *text, size_t most, const char *expected)
{
    char *written;
    size_t size;
    FILE *out = open_memstream(&written, &size);

    assert_non_null(out);
    if (most)
        hc_html_text_short(out, text, most);
    else
        hc_html_text(out, text);
    fclose(out);
    assert_string_equal(written, expected);
    free(written);
}

static void escapes(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        { "", "" },
        { "plain text\t1", "plain text\t1" },
        { "<b a=\"1\" c='2'>&amp;", "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;" },
        { "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\x8b", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\x8b" },
        { "\x01\x1b[31m\x7f\r", BAD BAD "[31m" BAD BAD },
        { "\xe9t\xe9", BAD "t" BAD },
        { "\xc0\xaf<", BAD BAD "&lt;" },         /* '/' in more bytes than it needs */
        { "\xe0\x80\xbc<", BAD BAD BAD "&lt;" }, /* '<' likewise */
        { "\xed\xa0\x80", BAD BAD BAD },         /* half of a surrogate pair */
        { "\xf4\x90\x80\x80", BAD BAD BAD BAD }, /* above U+10FFFF */
        { "\xc2\x85", BAD },                     /* a control character */
        { "\xef\xbf\xbe", BAD BAD BAD },         /* no character */
        { "\xe2\x82", BAD BAD },                 /* cut off */
        { "\xe2<\x82", BAD "&lt;" BAD },         /* interrupted */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_written(cases[i].text, 0, cases[i].expected);
}

static void shortens_by_characters(void **state)
{
    (void)state;
    assert_written("<<<<", 4, "&lt;&lt;&lt;&lt;");
    assert_written("<<<<<", 4, "&lt;&lt;&lt;&lt;\xe2\x80\xa6");
    assert_written("\xe2\x82\xac\xe2\x82\xac", 1, "\xe2\x82\xac\xe2\x80\xa6");
}

static void harmless_needs_all_tried(void **state)
{
    static const struct {
        bool complete;
        const char *effect, *verdict, *class;
        size_t results;
    } cases[] = {
        { true, "harmless", "harmless", "ok", 0 },
        { false, "harmless", "harmless so far", "open", 1 },
        { false, "wrong value", "wrong value", "bad", 1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *report = json_pack("{s:[{s:s, s:b, s:s, s:{s:s, s:b}, s:{s:i, s:s}, s:{s:i, s:s}}]}", "pairs", "kind",
                                   "data access", "silent", 0, "variable", "sum", "evaluation", "effect",
                                   cases[i].effect, "complete", cases[i].complete, "consumer", "pc", 0x4400, "does",
                                   "read", "producer", "pc", 0x4404, "does", "written");
        size_t results;
        assert_non_null(report);
        const char *verdict = hc_report_verdict(json_array_get(json_object_get(report, "pairs"), 0));
        assert_string_equal(verdict, cases[i].verdict);
        assert_string_equal(hc_html_verdict_class(verdict), cases[i].class);
        json_decref(hc_power_sarif(report, NULL, &results));
        assert_int_equal(results, cases[i].results);
        json_decref(report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes),
        cmocka_unit_test(shortens_by_characters),
        cmocka_unit_test(harmless_needs_all_tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
