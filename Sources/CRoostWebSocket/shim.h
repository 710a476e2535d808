// SPDX-License-Identifier: Apache-2.0
#ifndef ROOST_WEB_SOCKET_SHIM_H
#define ROOST_WEB_SOCKET_SHIM_H

#include <stdint.h>
#include <sys/types.h>
#include <wslay/wslay.h>

#endif
