// SPDX-License-Identifier: Apache-2.0

/// Any operation.
package enum Operation: Equatable, Codable, Sendable {
    case changeLog(ChangeLogReading)
    case page(PageFetch)
    case gap(GapFill)
    case lookUp(ChannelLookUp)
    case fill(ListFill)
    case describing(SharedLookUp)
    case awaitLookUp(LookUpWait)
    indirect case retrying(Retrying)
    case catchUp(CatchUp)
    case channelUpdate(ChannelUpdate)
    case listsUpdate(ListsUpdate)
    case timeline(TimelineSynchronization)
    case timelineUpdate(TimelineUpdate)
    case timelineOpening(TimelineOpening)
    case timelineJump(TimelineJump)
    case timelinePaging(TimelinePaging)
    case timelineArrival(TimelineArrival)
    case continuation(PageContinuation)
    case window(WindowRead)
    case listRead(ListRead)
    case listPage(ListPage)
    case list(ListSynchronization)
    case listOpening(ListOpening)
    case listPaging(ListPaging)
    case listArrival(ListArrival)
    case liveEvent(LiveEvent)
    case socketCall(SocketCall)
    case vote(Vote)
    indirect case roomEntry(RoomEntry)
    case roomArrival(RoomArrival)
    case roomReturn(RoomReturn)
    case roomExit(RoomExit)
    case roomRefresh(RoomRefresh)
    case roomLookUp(RoomLookUp)
    case roomMessage(RoomMessage)
    case roomCall(RoomCall)
    case diskRecovery(DiskRecovery)
    case muteCheck(MuteCheck)
    case markAsRead(MarkAsReadCall)
    case readMarkSending(ReadMarkSending)
    case readMarkPause(ReadMarkPause)
    case markAsUnread(MarkAsUnread)
    indirect case channelAct(ChannelAct)
    indirect case channelCreation(ChannelCreation)
    case channelSearch(ChannelSearch)
    indirect case inTime(InTime)
    case connecting(Connecting)
    case storing(Storing)
    case profileChanging(ProfileChanging)
    case mending(CacheMending)
    case comparison(Comparison)
    case download(HistoryWalk)
    case downloadPage(DownloadPage)
    case downloadEstimating(DownloadEstimating)
    case gapCounting(GapCounting)
    case cacheTrimming(CacheTrimming)
    case budgetKeeping(BudgetKeeping)
    case cacheClearing(CacheClearing)
    case figures(FiguresReading)
    case inboxOpening(InboxOpening)
    case inboxReaderOpening(InboxReaderOpening)
    case inboxTaking(InboxTaking)
    case inboxFetch(InboxFetch)
    case inboxMarking(InboxMarking)
    case inboxRemoval(InboxRemoval)
    indirect case outbox(OutboxOperation)

    mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch self {
        case .outbox(var operation):
            defer { self = .outbox(operation) }
            return operation.resume(reply, &sync)
        case .changeLog(var operation):
            defer { self = .changeLog(operation) }
            return operation.resume(reply, &sync)
        case .page(var operation):
            defer { self = .page(operation) }
            return operation.resume(reply, &sync)
        case .gap(var operation):
            defer { self = .gap(operation) }
            return operation.resume(reply, &sync)
        case .lookUp(var operation):
            defer { self = .lookUp(operation) }
            return operation.resume(reply, &sync)
        case .fill(var operation):
            defer { self = .fill(operation) }
            return operation.resume(reply, &sync)
        case .describing(var operation):
            defer { self = .describing(operation) }
            return operation.resume(reply, &sync)
        case .awaitLookUp(var operation):
            defer { self = .awaitLookUp(operation) }
            return operation.resume(reply, &sync)
        case .retrying(var operation):
            defer { self = .retrying(operation) }
            return operation.resume(reply, &sync)
        case .catchUp(var operation):
            defer { self = .catchUp(operation) }
            return operation.resume(reply, &sync)
        case .channelUpdate(var operation):
            defer { self = .channelUpdate(operation) }
            return operation.resume(reply, &sync)
        case .listsUpdate(var operation):
            defer { self = .listsUpdate(operation) }
            return operation.resume(reply, &sync)
        case .timeline(var operation):
            defer { self = .timeline(operation) }
            return operation.resume(reply, &sync)
        case .timelineUpdate(var operation):
            defer { self = .timelineUpdate(operation) }
            return operation.resume(reply, &sync)
        case .timelineOpening(var operation):
            defer { self = .timelineOpening(operation) }
            return operation.resume(reply, &sync)
        case .timelineJump(var operation):
            defer { self = .timelineJump(operation) }
            return operation.resume(reply, &sync)
        case .timelinePaging(var operation):
            defer { self = .timelinePaging(operation) }
            return operation.resume(reply, &sync)
        case .continuation(var operation):
            defer { self = .continuation(operation) }
            return operation.resume(reply, &sync)
        case .timelineArrival(var operation):
            defer { self = .timelineArrival(operation) }
            return operation.resume(reply, &sync)
        case .window(var operation):
            defer { self = .window(operation) }
            return operation.resume(reply, &sync)
        case .listRead(var operation):
            defer { self = .listRead(operation) }
            return operation.resume(reply, &sync)
        case .listPage(var operation):
            defer { self = .listPage(operation) }
            return operation.resume(reply, &sync)
        case .list(var operation):
            defer { self = .list(operation) }
            return operation.resume(reply, &sync)
        case .listOpening(var operation):
            defer { self = .listOpening(operation) }
            return operation.resume(reply, &sync)
        case .listPaging(var operation):
            defer { self = .listPaging(operation) }
            return operation.resume(reply, &sync)
        case .listArrival(var operation):
            defer { self = .listArrival(operation) }
            return operation.resume(reply, &sync)
        case .liveEvent(var operation):
            defer { self = .liveEvent(operation) }
            return operation.resume(reply, &sync)
        case .socketCall(var operation):
            defer { self = .socketCall(operation) }
            return operation.resume(reply, &sync)
        case .vote(var operation):
            defer { self = .vote(operation) }
            return operation.resume(reply, &sync)
        case .roomEntry(var operation):
            defer { self = .roomEntry(operation) }
            return operation.resume(reply, &sync)
        case .roomArrival(var operation):
            defer { self = .roomArrival(operation) }
            return operation.resume(reply, &sync)
        case .roomReturn(var operation):
            defer { self = .roomReturn(operation) }
            return operation.resume(reply, &sync)
        case .roomExit(var operation):
            defer { self = .roomExit(operation) }
            return operation.resume(reply, &sync)
        case .roomRefresh(var operation):
            defer { self = .roomRefresh(operation) }
            return operation.resume(reply, &sync)
        case .roomLookUp(var operation):
            defer { self = .roomLookUp(operation) }
            return operation.resume(reply, &sync)
        case .roomMessage(var operation):
            defer { self = .roomMessage(operation) }
            return operation.resume(reply, &sync)
        case .roomCall(var operation):
            defer { self = .roomCall(operation) }
            return operation.resume(reply, &sync)
        case .diskRecovery(var operation):
            defer { self = .diskRecovery(operation) }
            return operation.resume(reply, &sync)
        case .muteCheck(var operation):
            defer { self = .muteCheck(operation) }
            return operation.resume(reply, &sync)
        case .markAsRead(var operation):
            defer { self = .markAsRead(operation) }
            return operation.resume(reply, &sync)
        case .readMarkSending(var operation):
            defer { self = .readMarkSending(operation) }
            return operation.resume(reply, &sync)
        case .readMarkPause(var operation):
            defer { self = .readMarkPause(operation) }
            return operation.resume(reply, &sync)
        case .markAsUnread(var operation):
            defer { self = .markAsUnread(operation) }
            return operation.resume(reply, &sync)
        case .channelAct(var operation):
            defer { self = .channelAct(operation) }
            return operation.resume(reply, &sync)
        case .channelCreation(var operation):
            defer { self = .channelCreation(operation) }
            return operation.resume(reply, &sync)
        case .channelSearch(var operation):
            defer { self = .channelSearch(operation) }
            return operation.resume(reply, &sync)
        case .inTime(var operation):
            defer { self = .inTime(operation) }
            return operation.resume(reply, &sync)
        case .connecting(var operation):
            defer { self = .connecting(operation) }
            return operation.resume(reply, &sync)
        case .storing(var operation):
            defer { self = .storing(operation) }
            return operation.resume(reply, &sync)
        case .profileChanging(var operation):
            defer { self = .profileChanging(operation) }
            return operation.resume(reply, &sync)
        case .mending(var operation):
            defer { self = .mending(operation) }
            return operation.resume(reply, &sync)
        case .comparison(var operation):
            defer { self = .comparison(operation) }
            return operation.resume(reply, &sync)
        case .download(var operation):
            defer { self = .download(operation) }
            return operation.resume(reply, &sync)
        case .downloadEstimating(var operation):
            defer { self = .downloadEstimating(operation) }
            return operation.resume(reply, &sync)
        case .gapCounting(var operation):
            defer { self = .gapCounting(operation) }
            return operation.resume(reply, &sync)
        case .downloadPage(var operation):
            defer { self = .downloadPage(operation) }
            return operation.resume(reply, &sync)
        case .cacheTrimming(var operation):
            defer { self = .cacheTrimming(operation) }
            return operation.resume(reply, &sync)
        case .budgetKeeping(var operation):
            defer { self = .budgetKeeping(operation) }
            return operation.resume(reply, &sync)
        case .cacheClearing(var operation):
            defer { self = .cacheClearing(operation) }
            return operation.resume(reply, &sync)
        case .figures(var operation):
            defer { self = .figures(operation) }
            return operation.resume(reply, &sync)
        case .inboxOpening(var operation):
            defer { self = .inboxOpening(operation) }
            return operation.resume(reply, &sync)
        case .inboxReaderOpening(var operation):
            defer { self = .inboxReaderOpening(operation) }
            return operation.resume(reply, &sync)
        case .inboxTaking(var operation):
            defer { self = .inboxTaking(operation) }
            return operation.resume(reply, &sync)
        case .inboxFetch(var operation):
            defer { self = .inboxFetch(operation) }
            return operation.resume(reply, &sync)
        case .inboxMarking(var operation):
            defer { self = .inboxMarking(operation) }
            return operation.resume(reply, &sync)
        case .inboxRemoval(var operation):
            defer { self = .inboxRemoval(operation) }
            return operation.resume(reply, &sync)
        }
    }
}
