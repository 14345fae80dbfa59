// The face of expat (https://libexpat.github.io): XML is read by events, without files and without the net.
#ifndef TABLECAST_CEXPAT_H
#define TABLECAST_CEXPAT_H

#include <expat.h>

#endif
