/* Intel HEX and TI-TXT: what is read, what is refused and in which words, and every truncation of both. */
#include "image/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- what is read ---- */

static const struct good {
    const char *text;
    enum hc_image_format format;
    const char *segments; /* "ADDRESS:BYTES ADDRESS:BYTES" */
    bool has_entry;
    uint32_t entry;
} good[] = {
    { ":0240000031404D\n:00000001FF\n", HC_IMAGE_INTEL_HEX, "4000:3140", false, 0 },
    { ":0240000031404d\r\n:00000001ff\r\n", HC_IMAGE_INTEL_HEX, "4000:3140", false, 0 },
    { "\n  :0240000031404D  \n\n:00000001FF", HC_IMAGE_INTEL_HEX, "4000:3140", false, 0 },
    { ":0240000031404D\n:02400200AABB57\n:00000001FF\n", HC_IMAGE_INTEL_HEX, "4000:3140aabb", false, 0 },
    { ":02400200AABB57\n:0240000031404D\n:01FFFF004CB5\n:00000001FF\n", HC_IMAGE_INTEL_HEX, "4000:3140aabb ffff:4c",
      false, 0 },
    /* upper address bits: linear, and segmented with its wrap at 64 KB */
    { ":020000040001F9\n:01000000AA55\n:00000001FF\n", HC_IMAGE_INTEL_HEX, "10000:aa", false, 0 },
    { ":020000021000EC\n:01000000AA55\n:00000001FF\n", HC_IMAGE_INTEL_HEX, "10000:aa", false, 0 },
    { ":020000021000EC\n:02FFFF00AABB9B\n:00000001FF\n", HC_IMAGE_INTEL_HEX, "10000:bb 1ffff:aa", false, 0 },
    { ":020000040000FA\n:02FFFF00AABB9B\n:00000001FF\n", HC_IMAGE_INTEL_HEX, "ffff:aabb", false, 0 },
    /* entries */
    { ":0400000500004000B7\n:01000000AA55\n:00000001FF\n", HC_IMAGE_INTEL_HEX, "0:aa", true, 0x4000 },
    { ":0400000304000010E5\n:01000000AA55\n:00000001FF\n", HC_IMAGE_INTEL_HEX, "0:aa", true, 0x4010 },
    { "@4000\n31 40 00 31\nB0 12\n@FFFE\n00 40\nq\n", HC_IMAGE_TI_TXT, "4000:31400031b012 fffe:0040", false, 0 },
    { "@10000\r\naa bb\r\nq\r\n", HC_IMAGE_TI_TXT, "10000:aabb", false, 0 },
    { "@FFFFF aa q", HC_IMAGE_TI_TXT, "fffff:aa", false, 0 },
    { "@4002 22 @4000 11 12 q", HC_IMAGE_TI_TXT, "4000:111222", false, 0 },
};

static void describe_segments(const struct hc_image *image, char *out, size_t size)
{
    const struct hc_image_segment *segments;
    size_t count = hc_image_segments(image, &segments), length = 0;

    for (size_t i = 0; i < count; i++) {
        length += (size_t)snprintf(out + length, size - length, "%s%x:", i ? " " : "", segments[i].address);
        for (uint32_t n = 0; n < segments[i].size; n++)
            length += (size_t)snprintf(out + length, size - length, "%02x", segments[i].bytes[n]);
    }
}

static void test_good(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct hc_image *image;
        struct hc_image_message message = { "" };
        char segments[256];
        uint32_t entry;
        enum hc_image_error error = hc_image_load_memory(&image, "f", good[i].text, strlen(good[i].text), &message);
        assert_string_equal(message.text, "");
        assert_int_equal(error, HC_IMAGE_OK);
        describe_segments(image, segments, sizeof segments);
        assert_string_equal(segments, good[i].segments);
        assert_int_equal(hc_image_format(image), good[i].format);
        assert_int_equal(hc_image_entry(image, &entry), good[i].has_entry);
        if (good[i].has_entry)
            assert_int_equal(entry, good[i].entry);
        hc_image_free(image);
    }
}

/* ---- what is refused ---- */

static const struct {
    const char *text, *message;
} bad[] = {
    { "", "f: is empty" },
    { "hello", "f: is neither an ELF file, Intel HEX nor TI-TXT" },
    { "\n\n\n", "f: is neither an ELF file, Intel HEX nor TI-TXT" },
    { ":0240000031404E\n:00000001FF\n", "f: line 1: checksum is 0x4E, should be 0x4D" },
    { ":0240000031404D\n\n:02400200AABB58\n:00000001FF\n", "f: line 3: checksum is 0x58, should be 0x57" },
    { ":024000003140\n", "f: line 1: record is cut short" },
    { ":0240000031404\n", "f: line 1: record is cut short" },
    { ":02\n", "f: line 1: record is cut short" },
    { ":\n", "f: line 1: record is cut short" },
    { ":0240000031404D00\n", "f: line 1: record is longer than its length says" },
    { ":02400000314g4D\n", "f: line 1: column 13 is not a hexadecimal digit" },
    { ":0240000031404D\nx\n", "f: line 2: does not start with ':'" },
    { ":0240000031404D\n", "f: line 1: file ends without an end-of-file record (:00000001FF): truncated?" },
    { ":0240000031404D\n:00000001FF\n:0240000031404D\n", "f: line 3: follows the end-of-file record" },
    { ":00000006FA\n:00000001FF\n", "f: line 1: record type 06 is unknown" },
    { ":0100000400FB\n:00000001FF\n", "f: line 1: record type 04 has 1 bytes, should have 2" },
    { ":0240000031404D\n:024001003140 4C\n", "f: line 2: column 14 is not a hexadecimal digit" },
    { ":0240000031404D\n:0240010031404C\n:00000001FF\n", "f: line 2: address 0x4001 is given a second time" },
    { ":020000040010EA\n:01000000AA55\n:00000001FF\n",
      "f: line 2: 1 bytes at 0x100000 lie beyond the address space of 1 MB" },
    { ":02000004FFFFFC\n:02FFFF00AABB9B\n:00000001FF\n",
      "f: line 2: 2 bytes at 0xffffffff lie beyond the address space of 1 MB" },
    { ":00000001FF\n", "f: holds no bytes to load" },
    { "@4000\n31 40\n", "f: line 3: file ends without the final q: truncated?" },
    { "@4000\n31 4\nq\n", "f: line 2: is neither @ADDRESS, bytes of two hexadecimal digits, nor q" },
    { "@4000\n31 401\nq\n", "f: line 2: is neither @ADDRESS, bytes of two hexadecimal digits, nor q" },
    { "@4000\n31 zz\nq\n", "f: line 2: is neither @ADDRESS, bytes of two hexadecimal digits, nor q" },
    { "@\n31\nq\n", "f: line 1: @ is not followed by a hexadecimal address" },
    { "@123456789\n31\nq\n", "f: line 1: @ is not followed by a hexadecimal address" },
    { "@4000 31 q\n31\n", "f: line 2: follows the final q" },
    { "@4000 31 @4000 31 q", "f: line 1: address 0x4000 is given a second time" },
    { "@fffff 31\n32 q", "f: line 2: 1 bytes at 0x100000 lie beyond the address space of 1 MB" },
    { "@ffffffff 31 q", "f: line 1: 1 bytes at 0xffffffff lie beyond the address space of 1 MB" },
    { "@4000 q", "f: holds no bytes to load" },
};

static void test_bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct hc_image *image = (struct hc_image *)&image;
        struct hc_image_message message = { "" };
        enum hc_image_error error = hc_image_load_memory(&image, "f", bad[i].text, strlen(bad[i].text), &message);
        assert_string_equal(message.text, bad[i].message);
        assert_int_equal(error, HC_IMAGE_BAD);
        assert_null(image);
    }
}

/* Only the newline after the end may go missing. */
static void test_every_truncation(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        size_t whole = strlen(good[i].text), needed = whole;
        while (needed && strchr(" \r\n", good[i].text[needed - 1]))
            needed--;
        for (size_t size = 0; size < whole; size++) {
            struct hc_image *image;
            struct hc_image_message message;
            char *exact = malloc(size + 1);
            memcpy(exact, good[i].text, size);
            enum hc_image_error error = hc_image_load_memory(&image, "f", exact, size, &message);
            assert_int_equal(error, size < needed ? HC_IMAGE_BAD : HC_IMAGE_OK);
            hc_image_free(image);
            free(exact);
        }
    }
}

static void test_bytes_that_are_no_text(void **state)
{
    struct hc_image *image;
    struct hc_image_message message;
    (void)state;
    for (int byte = 0; byte < 256; byte++) {
        char text[] = ":0240000031404D\n:00000001FF\n";
        for (size_t at = 0; at < sizeof text - 1; at++) {
            char kept = text[at];
            text[at] = (char)byte;
            hc_image_load_memory(&image, "f", text, sizeof text - 1, &message);
            hc_image_free(image);
            text[at] = kept;
        }
    }
}

static void test_files(void **state)
{
    struct hc_image *image;
    struct hc_image_message message;
    (void)state;
    assert_int_equal(hc_image_load_file(&image, "/nowhere/app.elf", &message), HC_IMAGE_UNREADABLE);
    assert_string_equal(message.text, "/nowhere/app.elf: No such file or directory");
    assert_int_equal(hc_image_load_file(&image, "/", &message), HC_IMAGE_UNREADABLE);
    assert_string_equal(message.text, "/: Is a directory");
    /* An endless file is refused after the limit, not read for ever. */
    assert_int_equal(hc_image_load_file(&image, "/dev/zero", &message), HC_IMAGE_BAD);
    assert_string_equal(message.text, "/dev/zero: has more than 64 MB");
    assert_null(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_every_truncation),
        cmocka_unit_test(test_bytes_that_are_no_text),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
