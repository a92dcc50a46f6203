/* What was typed, kept from one session to the next: a line each, in $XDG_STATE_HOME/hindcast/history or
 * ~/.local/state/hindcast/history; HINDCAST_HISTORY names another file, or none where it is empty. Several sessions at
 * a time share it: each line is appended when it is typed. */
#ifndef HC_CLI_LINE_HISTORY_H
#define HC_CLI_LINE_HISTORY_H

enum { HC_LINE_HISTORY_MOST = 1000 };

/* The descriptor that lines are appended to, -1 if there is none; TELL gets the lines of before, oldest first. */
int hc_line_history_open(void (*tell)(const char *line));
void hc_line_history_add(int history, const char *line);
void hc_line_history_close(int history);

#endif
