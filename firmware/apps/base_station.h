/* The node that the others' messages are for, and that prints them. */
#ifndef APPS_BASE_STATION_H
#define APPS_BASE_STATION_H

enum { BASE_STATION = 0 };

#endif
