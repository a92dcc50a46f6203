/* Of C's <string.h> all but locales (strcoll, strxfrm) and strerror; of POSIX strnlen, strtok_r and stpcpy,
 * which compilers make of sprintf. */
#ifndef KIT_STRING_H
#define KIT_STRING_H

#include <stddef.h>

void *memchr(const void *block, int value, size_t n);
int memcmp(const void *a, const void *b, size_t n);
void *memcpy(void *to, const void *from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int value, size_t n);

char *stpcpy(char *to, const char *from);
char *strcat(char *to, const char *from);
char *strchr(const char *text, int c);
int strcmp(const char *a, const char *b);
char *strcpy(char *to, const char *from);
size_t strcspn(const char *text, const char *stops);
size_t strlen(const char *text);
char *strncat(char *to, const char *from, size_t n);
int strncmp(const char *a, const char *b, size_t n);
char *strncpy(char *to, const char *from, size_t n);
size_t strnlen(const char *text, size_t n);
char *strpbrk(const char *text, const char *set);
char *strrchr(const char *text, int c);
size_t strspn(const char *text, const char *set);
char *strstr(const char *text, const char *part);
char *strtok(char *text, const char *delimiters);
char *strtok_r(char *text, const char *delimiters, char **rest);

#endif
