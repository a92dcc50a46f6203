/* The map of an instrumented program. */
#include "image/image.h"
#include "recorded/map.h"
#include "recorded/size.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct hc_image *load(const char *name)
{
    struct hc_image_message message = { "" };
    struct hc_image *image;
    char path[400];

    snprintf(path, sizeof path, "%s/%s.elf", PROOF_PROGRAMS, name);
    if (hc_image_load_file(&image, path, &message))
        fail_msg("%s", message.text);
    return image;
}

static struct hc_map *read_map(const struct hc_image *image)
{
    struct hc_map_message message = { "" };
    struct hc_map *map;

    if (hc_map_read(&map, image, &message))
        fail_msg("%s", message.text);
    return map;
}

static void reads_sites(void **state)
{
    struct hc_image *image = load("map");
    struct hc_map *map = read_map(image);

    (void)state;
    hc_image_free(image); /* the map stands by itself */
    assert_int_equal(map->sites, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(map->site[i].index, i);
    assert_string_equal(map->site[0].register_name, "TAR");
    assert_int_equal(map->site[0].class, HC_SITE_TIMER);
    assert_int_equal(map->site[0].address, 0x170);
    assert_true(map->site[0].word && !map->site[0].via);
    assert_string_equal(map->site[0].file, "clock dir/clock.c");
    assert_int_equal(map->site[0].line, 7);
    assert_string_equal(map->site[0].function, "now");
    assert_int_equal(map->site[1].mask, 0x10);
    assert_false(map->site[1].word);
    assert_true(map->site[2].via);
    assert_int_equal(map->site[3].class, HC_SITE_DATA);
    assert_int_equal(map->site[3].address, 0x76);
    assert_string_equal(map->site[3].register_name, "");
    hc_map_free(map);
}

static void reads_the_rest(void **state)
{
    struct hc_image *image = load("map");
    struct hc_map *map = read_map(image);
    uint32_t bytes;

    (void)state;
    assert_string_equal(map->part, "msp430f1611");
    assert_true(map->dma);
    assert_int_equal(map->skips, 1);
    assert_string_equal(map->skip[0].reason, "deterministic");
    assert_string_equal(map->skip[0].function, "toggle");
    assert_true(hc_map_plain(map, "main", &bytes) && bytes == 22); /* two units' of one name */
    assert_true(hc_map_plain(map, "absent", &bytes) && bytes == 8);
    assert_false(hc_map_plain(map, "none", &bytes));
    assert_string_equal(hc_map_value(map, "ring"), "256");
    assert_null(hc_map_value(map, "rin"));
    assert_int_equal(map->notes, 2);
    assert_string_equal(map->note[0].kind, "unit");
    assert_string_equal(map->note[0].text, "button.c\tmsp430f1611");
    assert_int_equal(hc_size_sites_bytes(image), 16);
    assert_int_equal(hc_size_runtime_bytes(image), 6); /* "recorder main" */
    hc_map_free(map);
    hc_image_free(image);
}

/* The bytes of a file, for damage. */
static uint8_t *read_file(size_t *size)
{
    FILE *file = fopen(PROOF_PROGRAMS "/map.elf", "rb");
    uint8_t *bytes = malloc(1 << 20);

    assert_true(file && bytes);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

/* Puts NEW in place of OLD, of the same length, and expects the message. */
static void check_refusal(const char *old, const char *new, size_t length, const char *expected)
{
    struct hc_image_message image_message;
    struct hc_map_message message = { "" };
    struct hc_image *image;
    struct hc_map *map;
    size_t size;
    uint8_t *bytes = read_file(&size);
    uint8_t *at = memmem(bytes, size, old, length);

    assert_non_null(at);
    memcpy(at, new, length);
    assert_int_equal(hc_image_load_memory(&image, "x.elf", bytes, size, &image_message), 0);
    assert_int_equal(hc_map_read(&map, image, &message), HC_MAP_BAD);
    assert_null(map);
    if (!strstr(message.text, expected))
        fail_msg("'%s' does not say '%s'", message.text, expected);
    assert_int_equal(strncmp(message.text, "x.elf: map, offset 0x", 21), 0);
    hc_image_free(image);
    free(bytes);
}

static void refuses_damage(void **state)
{
    (void)state;
    check_refusal("button.c\t42", "button.c\t4x", 11, "'4x' is not a number");
    check_refusal("plain\tabsent\t8", "plain\tabsent_8", 14, "record 'plain' has 2 fields, not 3");
    check_refusal("ring=256", "ring_256", 8, "'ring_256': expected key=value");
    check_refusal("skip\tP1OUT\tdet", "site\tP1OUT\tdet", 14, "record 'site' has 6 fields, not 7");
    check_refusal("ring=256\0", "ring=2567", 9, "the last record is cut short");
}

static void says_what_is_not_instrumented(void **state)
{
    struct hc_image *image = load("loops");
    struct hc_map_message message = { "" };
    struct hc_map *map;

    (void)state;
    assert_int_equal(hc_map_read(&map, image, &message), HC_MAP_NONE);
    assert_null(map);
    assert_non_null(strstr(message.text, "loops.elf: is not instrumented"));
    assert_int_equal(hc_size_runtime_bytes(image), 0);
    assert_int_equal(hc_size_runtime_ram(image), 0);
    hc_image_free(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_sites),
        cmocka_unit_test(reads_the_rest),
        cmocka_unit_test(refuses_damage),
        cmocka_unit_test(says_what_is_not_instrumented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
