// SPDX-License-Identifier: Apache-2.0

/// All checks, in the order of a run.
package enum Catalogue {
    package static let groups: [CheckGroup] = [
        ConnectionChecks.group, SocketChecks.group, ErrorChecks.group, UserChecks.group,
        ChannelChecks.group, MemberChecks.group, MessageChecks.group, PageChecks.group,
        ChangeLogChecks.group, ReceiptChecks.group, GapChecks.group, ThreadChecks.threads,
        ThreadChecks.reactions, ModerationChecks.group, SuperChannelChecks.group, DataChecks.group,
        OpenChannelChecks.group, PollChecks.polls, PollChecks.schedule, ContentChecks.search,
        ContentChecks.files, ContentChecks.rest,
    ]
}
