/* The history of typed lines, kept from one session to the next in $XDG_STATE_HOME/hindcast/history or
 * ~/.local/state/hindcast/history. HINDCAST_HISTORY names another file; if it is empty, there is no history. Sessions
 * that run at the same time share the file: each line is appended when it is typed. */
#ifndef HC_CLI_LINE_HISTORY_H
#define HC_CLI_LINE_HISTORY_H

enum { HC_LINE_HISTORY_MOST = 1000 };

/* Calls TELL for each earlier line, oldest first. Returns the descriptor to which lines are appended; -1: there is
 * none.
 */
int hc_line_history_open(void (*tell)(const char *line));
void hc_line_history_add(int history, const char *line);
void hc_line_history_close(int history);

#endif
