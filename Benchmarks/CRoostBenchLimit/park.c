/* SPDX-License-Identifier: Apache-2.0 */
#include "CRoostBenchLimit.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum { BATCH = 250 };

int roost_park(int via, const int *descriptors, int count) {
    int done = 0;
    while (done < count) {
        int now = count - done < BATCH ? count - done : BATCH;
        union {
            struct cmsghdr head;
            char bytes[CMSG_SPACE(BATCH * sizeof(int))];
        } control;
        char byte = 0;
        struct iovec part = {&byte, 1};
        struct msghdr message = {0};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE((size_t)now * sizeof(int));
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN((size_t)now * sizeof(int));
        memcpy(CMSG_DATA(head), descriptors + done, (size_t)now * sizeof(int));
        if (sendmsg(via, &message, 0) != 1) break;
        done += now;
    }
    return done;
}
