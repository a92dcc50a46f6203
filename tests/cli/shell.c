#include "shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

bool shell_begin(struct fixture *f, const char *hindcast, const char *firmware)
{
    f->hindcast = realpath(hindcast, NULL);
    f->firmware = realpath(firmware, NULL);
    strcpy(f->directory, "/tmp/hindcast-cli-XXXXXX");
    return f->hindcast && f->firmware && mkdtemp(f->directory);
}

void shell_end(struct fixture *f)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", f->directory);
    if (system(command))
        perror(f->directory);
    free(f->hindcast);
    free(f->firmware);
}

void read_text(const struct fixture *f, const char *name, char *to, size_t size)
{
    char path[80];
    snprintf(path, sizeof path, "%s/%s", f->directory, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(to, 1, size - 1, file);
    to[length] = '\0';
    fclose(file);
}

void write_bytes(const struct fixture *f, const char *name, const void *bytes, size_t size)
{
    char path[80];
    snprintf(path, sizeof path, "%s/%s", f->directory, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

void write_text(const struct fixture *f, const char *name, const char *text)
{
    write_bytes(f, name, text, strlen(text));
}

void shell(struct fixture *f, const char *format, ...)
{
    char command[1024], whole[4096];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    snprintf(whole, sizeof whole, "cd %s; H=%s; F=%s; { %s; } >out 2>err </dev/null", f->directory, f->hindcast,
             f->firmware, command);
    int status = system(whole);
    f->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    read_text(f, "out", f->out, sizeof f->out);
    read_text(f, "err", f->err, sizeof f->err);
}

void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' does not contain '%s'", text, part);
}

void assert_code(const struct fixture *f, int code)
{
    if (f->code != code)
        fail_msg("exit code %d, should be %d: %s%s", f->code, code, f->out, f->err);
}

void shell_try(struct fixture *f, const struct shell_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        shell(f, "$H %s", cases[i].arguments);
        assert_code(f, cases[i].code);
        assert_contains(f->out, cases[i].out);
        assert_contains(f->err, cases[i].err);
    }
}
