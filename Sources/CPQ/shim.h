// The face of libpq for Swift, and of epoll, which watches its sockets. No logic.
#ifndef TABLECAST_CPQ_H
#define TABLECAST_CPQ_H

#include <libpq-fe.h>
#include <sys/epoll.h>

#endif
